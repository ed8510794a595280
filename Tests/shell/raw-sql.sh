# What the schema itself refuses to somebody at the sqlite3 shell.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Runs SQL that must be refused with a text that matches.
refuses() {
  if sqlite3 -bail pawl.db "PRAGMA foreign_keys = ON; $2" >out 2>err; then
    echo "not refused: $2"
    return 1
  fi
  if ! grep -qE -- "$1" err; then
    cat err
    return 1
  fi
}

prepare() {
  needs sqlite3
  make_ledger
  pawl publish taxi 1.2 >/dev/null
  pawl trust host downloads.example.com >/dev/null
  last=$(events)
}

events_stay() {
  prepare
  refuses event.append-only "UPDATE event SET reason = 'other' WHERE seq = 1"
  refuses event.append-only "DELETE FROM event WHERE seq = $last"
  refuses event.sequence "INSERT OR REPLACE INTO event SELECT * FROM event WHERE seq = 2"
  refuses event.sequence "INSERT INTO event (seq, at, format, kind, actor, hash)
    VALUES ($last + 2, '2099-01-01T00:00:00Z', 1, 'request', '{}', printf('%064d', 0))"
  refuses event.time "INSERT INTO event (seq, at, format, kind, actor, hash)
    VALUES ($last + 1, '2000-01-01T00:00:00Z', 1, 'request', '{}', printf('%064d', 0))"
  same "$(events)" "$last"
}
it "an event is neither altered, deleted, replaced nor put in between" events_stay

no_change_without_event() {
  prepare
  refuses release.event "UPDATE release SET state = 'in-review' WHERE version = '1.2'"
  refuses release.event "UPDATE release SET state = 'in-review', event_seq = $last WHERE version = '1.2'"
  refuses release.event "UPDATE release SET url = 'https://example.com', event_seq = 99 WHERE version = '1.2'"
  refuses app.event "UPDATE app SET hold = 0"
  refuses trust.event "DELETE FROM trust"
  refuses trust.event "INSERT INTO trust (id, kind, value, event_seq) VALUES (2, 'host', 'example.com', $last)"
  refuses release.delete "DELETE FROM release"
  refuses app.delete "DELETE FROM app"
  refuses app.identity "UPDATE app SET slug = 'other', event_seq = $last"
}
it "a row changes with its event or not at all" no_change_without_event

# Appends an event of a kind about release 3, which is 1.2, so that only the law itself can refuse what follows.
with_event() {
  echo "INSERT INTO event (seq, at, format, kind, app, version, subject, actor, hash)
    VALUES ($last + 1, '2099-01-01T00:00:00Z', 1, '$1', 'taxi', '1.2', 'release/3', '{}', printf('%064d', 0));"
}

# A schema that holds a row against what its event says refuses even earlier, as release.event.
laws_hold() {
  prepare
  refuses "state.illegal|release.event" "BEGIN; $(with_event release.mark)
    UPDATE release SET state = 'approved', event_seq = $last + 1 WHERE id = 3;
    $(with_event release.mark | sed "s/$last + 1/$last + 2/")
    UPDATE release SET state = 'waiting', event_seq = $last + 2 WHERE id = 3;"
  refuses release.superseded "BEGIN; $(with_event release.mark)
    UPDATE release SET state = 'removed', event_seq = $last + 1 WHERE id = 2;"
  refuses "version.not-greater|release.event" "BEGIN; $(with_event release.publish | sed "s/'1.2', 'release.3'/'1.0.9', 'release\/4'/")
    INSERT INTO release (id, app_id, version, major, minor, patch, fourth, state, since, notes, mandatory, past, event_seq)
    VALUES (4, 1, '1.0.9', 1, 0, 9, 0, 'prepared', '2026-01-01T00:00:00Z', 0, 0, 0, $last + 1);"
  refuses "CHECK constraint failed|release.event" "BEGIN; $(with_event release.publish | sed "s/'1.2', 'release.3'/'1.3', 'release\/4'/")
    INSERT INTO release (id, app_id, version, major, minor, patch, fourth, state, since, notes, mandatory, past, event_seq)
    VALUES (4, 1, '1.3', 9, 9, 9, 0, 'prepared', '2026-01-01T00:00:00Z', 0, 0, 0, $last + 1);"
  same "$(events)" "$last"
}
it "the laws hold below the commands too" laws_hold

altered_schema() {
  prepare
  sqlite3 pawl.db "DROP TRIGGER event_update"
  ends_with 77 pawl status
  has err "somebody altered its schema"
}
it "a ledger whose triggers were dropped is not used" altered_schema

finish

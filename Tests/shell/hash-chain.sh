# The verifier of docs/schema.md, which knows the ledger from that page alone.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

prepare() {
  needs python3 sqlite3
  awk '/^```python$/ { on = 1; next } /^```$/ { on = 0 } on' "$tests_root/docs/schema.md" >verify.py
  make_ledger
  pawl publish taxi 2.0 --note en="Grüße, 你好" --reason "why" --request-id one --actor "somebody" >/dev/null
  pawl mark taxi 2.0 live --yes >/dev/null
  pawl trust host downloads.example.com >/dev/null
  pawl publish taxi 2.0 --request-id two >/dev/null
}

agrees() {
  prepare
  ends_with 0 python3 verify.py pawl.db
  hash=$(pawl history --json --limit 1 | sed 's/.*"head":{"hash":"\([0-9a-f]*\)".*/\1/')
  same "$(cat out)" "8 events, head $hash"
}
it "it computes the hashes that pawl recorded" agrees

sees() {
  prepare
  for change in "reason = 'other' WHERE seq = 5" "actor = replace(actor, 'root', 'toor') || ' ' WHERE seq = 2" \
    "at = '2020-01-01T00:00:00Z' WHERE seq = 1" "request_id = NULL, request = NULL, answer = NULL WHERE seq = 5" \
    "evidence = 1 WHERE seq = 6"; do
    cp pawl.db altered.db
    sqlite3 altered.db "DROP TRIGGER event_update; UPDATE event SET $change"
    ends_with 1 python3 verify.py altered.db
  done
  cp pawl.db altered.db
  sqlite3 altered.db "DROP TRIGGER event_delete; DELETE FROM event WHERE seq = 3"
  ends_with 1 python3 verify.py altered.db
  has err "event 4 is not what was recorded"
}
it "it sees an event that was altered or taken out" sees

finish

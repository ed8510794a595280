import Ledger
import ReleaseModel
import SQLite
import Testing

private let head = RawLedger.head

extension RawSQLTests {
  private static let noted = "(SELECT id FROM release WHERE version = '2.3')"
  private static let amended = event("release.amend", subject("2.3"), version: "2.3", after: "{}")

  @Test(arguments: [
    Attempt("deleted: a release", "DELETE FROM release WHERE version = '2.0'", "release.kept"),
    Attempt("deleted: all releases", "DELETE FROM release", "release.kept"),
    Attempt("deleted: an app", "DELETE FROM app"),
    Attempt("deleted: an event", "DELETE FROM event WHERE seq = \(head)", "event.append-only"),
    Attempt("deleted: all events", "DELETE FROM event", "event.append-only"),
    Attempt("deleted: a trusted host", "DELETE FROM trust"),
    Attempt("deleted: a note", "DELETE FROM note WHERE locale = 'en'"),
    Attempt(
      "deleted: the notes of the head event's release",
      "DELETE FROM note WHERE release_id = (SELECT id FROM release WHERE version = '2.3')"),
    Attempt(
      "the slug, with an event",
      event("app.set", "'app/1'") + "UPDATE app SET slug = 'bus', event_seq = \(head) WHERE id = 1"),
    Attempt(
      "the channel, with an event",
      event("app.set", "'app/1'") + "UPDATE app SET channel = 'enterprise', event_seq = \(head) WHERE id = 1"),
    Attempt(
      "another app's Apple ID, or replace",
      event("app.set", "'app/2'", app: "van")
        + "UPDATE OR REPLACE app SET apple_id = 1524608462, event_seq = \(head) WHERE id = 2"),
    Attempt(
      "another app's row under one event",
      event("app.set", "'app/1'") + "UPDATE app SET stopped = 1, event_seq = \(head)"),
    Attempt(
      "an app in the place of another",
      event("app.add", "'app/1'")
        + """
        INSERT OR REPLACE INTO app SELECT id, slug, 'com.example.other', apple_id, name, sku, platform, channel,
          store_url, policy, hold, remind_every, remind_after, asks_since, stopped, retired, countries, live_by,
          expect, past, \(head) FROM app WHERE id = 1
        """),
    Attempt(
      "an app without an event",
      """
      INSERT INTO app (id, slug, bundle_id, platform, channel, policy, hold, remind_every, remind_after, stopped,
        retired, countries, live_by, expect, past, event_seq)
      VALUES (3, 'bus', 'com.example.bus', 'ios', 'app-store', 'force', 0, 'once', 'visible', 0, 0, '', 'mail', '', 'unknown', \(head))
      """),
    Attempt(
      "an app under the event that added another",
      """
      INSERT INTO app (id, slug, bundle_id, platform, channel, policy, hold, remind_every, remind_after, stopped,
        retired, countries, live_by, expect, past, event_seq)
      VALUES (3, 'bus', 'com.example.bus', 'ios', 'app-store', 'force', 0, 'once', 'visible', 0, 0, '', 'mail', '', 'unknown', 2)
      """),
    Attempt(
      "an app by upsert",
      """
      INSERT INTO app (id, slug, bundle_id, platform, channel, policy, hold, remind_every, remind_after, stopped,
        retired, countries, live_by, expect, past, event_seq)
      VALUES (1, 'taxi', 'com.example.taxi', 'ios', 'app-store', 'force', 0, 'once', 'visible', 0, 0, '', 'mail', '', 'unknown', 2)
      ON CONFLICT (id) DO UPDATE SET stopped = 1
      """),
    Attempt(
      "a host without an event",
      "INSERT INTO trust (id, kind, value, selector, key, event_seq) VALUES (2, 'host', 'evil.example.com', '', NULL, \(head))"
    ),
    Attempt(
      "a host under the event of another",
      "INSERT INTO trust (id, kind, value, selector, key, event_seq) VALUES (2, 'host', 'evil.example.com', '', NULL, 4)"
    ),
    Attempt(
      "a host in the place of another",
      event("trust.add", "'trust/1'", app: nil)
        + "INSERT OR REPLACE INTO trust (id, kind, value, selector, key, event_seq) VALUES (1, 'host', 'evil.example.com', '', NULL, \(head))"
    ),
    Attempt(
      "a host twice under one event",
      event("trust.add", "'trust/2'", app: nil)
        + """
        INSERT INTO trust (id, kind, value, selector, key, event_seq) VALUES (2, 'host', 'evil.example.com', '', NULL, \(head));
        INSERT INTO trust (id, kind, value, selector, key, event_seq) VALUES (3, 'host', 'worse.example.com', '', NULL, \(head))
        """),
    Attempt("a host altered", "UPDATE trust SET value = 'evil.example.com'"),
    Attempt("a host altered, or replace", "UPDATE OR REPLACE trust SET value = 'evil.example.com'"),
    Attempt(
      "a host deleted under another's event",
      event("trust.remove", "'trust/2'", app: nil) + "DELETE FROM trust WHERE id = 1"),
    Attempt(
      "a host by upsert",
      """
      INSERT INTO trust (id, kind, value, selector, key, event_seq) VALUES (1, 'host', 'downloads.example.com', '', NULL, 4)
      ON CONFLICT (id) DO UPDATE SET value = 'evil.example.com'
      """),
    Attempt(
      "a note added without an event", "INSERT INTO note VALUES (\(noted), 2, 'fr', 'Plus vite', \(head))"),
    Attempt(
      "a note added under an event of old",
      "INSERT INTO note VALUES (\(noted), 2, 'fr', 'Plus vite', (SELECT event_seq FROM note LIMIT 1))"),
    Attempt(
      "a note added after its amendment",
      amended
        + "INSERT INTO note VALUES (\(noted), 2, 'fr', 'Plus vite', \(head))"),
    Attempt(
      "a note replaced", "INSERT OR REPLACE INTO note VALUES (\(noted), 0, 'en', 'Slower start', \(head))"),
    Attempt(
      "a note upserted",
      """
      INSERT INTO note VALUES (\(noted), 0, 'en', 'x', \(head))
      ON CONFLICT (release_id, position) DO UPDATE SET text = 'Slower start'
      """),
    Attempt("a note altered", "UPDATE note SET text = 'Slower start'"),
    Attempt("a note moved", "UPDATE OR REPLACE note SET position = 0"),
    Attempt(
      "a note dropped after an event about something else",
      event("app.set", "'app/1'") + "DELETE FROM note WHERE release_id = \(noted)"),
    Attempt(
      "a note of a release that has none",
      "INSERT INTO note VALUES ((SELECT id FROM release WHERE version = '2.4'), 0, 'en', 'x', \(head))"),
    Attempt(
      "an event out of sequence", event("request", "NULL", seq: "(SELECT max(seq) + 2 FROM event)"),
      "event.order"),
    Attempt("an event in the place of the last", event("request", "NULL", seq: head), "event.order"),
    Attempt(
      "an event in the place of the last, or replace",
      event("request", "NULL", seq: head).replacing("INSERT INTO", with: "INSERT OR REPLACE INTO"),
      "event.order"),
    Attempt(
      "an event in the place of the first, or replace",
      event("request", "NULL", seq: "1").replacing("INSERT INTO", with: "REPLACE INTO"), "event.order"),
    Attempt("an event without a number", event("request", "NULL", seq: "NULL"), "event.order"),
    Attempt("an event number zero", event("request", "NULL", seq: "0"), "event.order"),
    Attempt("an event a negative number", event("request", "NULL", seq: "-1"), "event.order"),
    Attempt("an event an earlier time", event("request", "NULL", at: "2026-01-01T00:00:00Z"), "event.order"),
    Attempt("an event an invalid time", event("request", "NULL", at: "2027-01-16 00:00:00"), "CHECK"),
    Attempt("an event altered", "UPDATE event SET reason = 'x'", "event.append-only"),
    Attempt("an event altered, or replace", "UPDATE OR REPLACE event SET seq = seq + 1", "event.append-only"),
    Attempt("an event altered to itself", "UPDATE event SET seq = seq", "event.append-only"),
    Attempt(
      "an event by upsert",
      """
      INSERT INTO event (seq, at, format, kind, actor, hash) SELECT 1, at, 1, 'request', '{}', hash FROM event
      WHERE seq = 1 ON CONFLICT (seq) DO UPDATE SET reason = 'x'
      """, "event.order"),
    Attempt("an event an invalid hash", event("request", "NULL").replacing(EventRecord.genesis, with: "x")),
  ])
  func `rows are never deleted, and only added or changed as their event says`(attempt: Attempt) throws {
    try attempt.expect(of: RawLedger())
  }

  @Test(arguments: [
    "slug = 'bus'", "bundle_id = 'com.example.other'", "apple_id = 7", "apple_id = NULL", "name = 'x'",
    "sku = 'x'",
    "platform = 'macos'", "channel = 'enterprise'", "store_url = 'https://apps.apple.com/other'",
    "policy = 'force'", "hold = 0", "remind_every = 'always'", "asks_since = '1.0'", "stopped = 1", "id = 9",
    "stopped = stopped",
  ])
  func `no column of an app changes without an event`(assignment: String) throws {
    let raw = try RawLedger()
    for verb in ["UPDATE", "UPDATE OR REPLACE"] {
      for extra in ["", ", event_seq = \(head)", ", event_seq = event_seq + 1", ", event_seq = NULL"] {
        _ = try raw.refuses("\(verb) app SET \(assignment)\(extra) WHERE id = 1")
      }
    }
  }

  @Test(arguments: [(3, 1, 2), (3, 1, 3), (3, 2, 2), (1, 1, 0), (1_000_002, 1, 1_000_001)])
  func `a take-over names the limited range of numbers it skips`(beyond: Int, from: Int, to: Int) throws {
    let after = #"'{"from":' || (max(seq) + \#(from)) || ',"place":null,"to":' || (max(seq) + \#(to)) || '}'"#
    let script = """
      INSERT INTO event (seq, at, format, kind, after, actor, hash)
      SELECT max(seq) + \(beyond), at, 1, 'ledger.take-over', \(after), '{}', '\(EventRecord.genesis)' FROM event
      """
    let raw = try RawLedger()
    guard to != 2 || from != 1 else { return try raw.connection.run(behind(script)) }
    _ = try raw.refuses(script)
  }

  @Test(arguments: [
    "PRAGMA foreign_keys = ON", "PRAGMA recursive_triggers = ON", "PRAGMA ignore_check_constraints = ON",
    "PRAGMA defer_foreign_keys = ON", "PRAGMA read_uncommitted = ON",
    "CREATE TEMP TABLE event AS SELECT 10000 AS seq, 'release.amend' AS kind, 'release/4' AS subject, 'taxi' AS app",
    "CREATE TEMP TABLE event_row AS SELECT 10000 AS seq, 'release.amend' AS kind, 'release/4' AS subject, 'taxi' AS app",
    "CREATE TEMP VIEW event AS SELECT 10000 AS seq, 'release.amend' AS kind, 'release/4' AS subject, 'taxi' AS app",
    "CREATE TEMP TRIGGER tidy BEFORE UPDATE ON main.release BEGIN SELECT 1; END",
    "ATTACH ':memory:' AS other", "CREATE TEMP TABLE release (id, app_id, state)",
  ])
  func `no setting of the shell gets around the triggers`(setting: String) throws {
    let raw = try RawLedger()
    try raw.connection.execute(behind(setting))
    for seq in ["event_seq", "10000", "main.release.event_seq + 1"] {
      for verb in ["UPDATE", "UPDATE OR REPLACE"] {
        _ = try raw.refuses(
          "\(verb) main.release SET mandatory = 1, event_seq = \(seq) WHERE version = '2.0'")
      }
    }
    _ = try raw.refuses("DELETE FROM main.release")
    _ = try raw.refuses("UPDATE main.event SET reason = 'x'")
  }

  @Test func `UPDATE OR IGNORE changes nothing`() throws {
    let raw = try RawLedger()
    _ = try raw.refuses("UPDATE OR IGNORE release SET mandatory = 1")
  }

  @Test func `after a refused statement the ledger still opens and takes changes`() throws {
    let raw = try RawLedger()
    _ = try raw.refuses("DELETE FROM release")
    try raw.connection.close()
    try raw.record {
      try $0.mark("2.3", .inReview)
      #expect(try $0.state("2.3") == .inReview)
    }
  }
}

import Ledger
import ReleaseModel
import SQLite
import Testing

private let head = RawLedger.head

struct Attempt: CustomTestStringConvertible, Sendable {
  let name: String
  let script: String
  let refusal: String?

  /// - Parameter refusal: How the refusal begins; nil where verify finds what is let through.
  init(_ name: String, _ script: String, _ refusal: String? = nil) {
    self.name = name
    self.script = script
    self.refusal = refusal
  }

  var testDescription: String { name }

  /// Expects that a ledger refuses the script, and why; or that verify finds it.
  func expect(of raw: RawLedger) throws {
    let message = try raw.refuses(script)
    #expect(refusal.map(message.hasPrefix) ?? message.isEmpty, "\(name): \(message)")
  }
}

private func newRelease(
  id: String = "(SELECT max(id) + 1 FROM release)", app: Int = 1, _ version: String, _ key: String,
  state: String = "prepared", liveAt: String = "NULL", event: String = head, verb: String = "INSERT INTO",
  past: Int = 0
) -> String {
  """
  \(verb) release (id, app_id, version, key, state, since, notes, mandatory, past, live_at, visible_at, event_seq)
  VALUES (\(id), \(app), '\(version)', printf('%09d%09d%09d%09d', \(key)), '\(state)', '2027-01-15T12:00:00Z', 0, 0, \(past),
    \(liveAt), \(liveAt), \(event))
  """
}

private func published(_ version: String, app: String = "taxi") -> String {
  event(
    "release.publish", "(SELECT 'release/' || (max(id) + 1) FROM release)", app: app, version: version,
    after: RawLedger.fresh(version))
}

@Suite struct RawSQLTests {
  @Test(arguments: [
    Attempt("without an event", newRelease("3.0", "3, 0, 0, 0")),
    Attempt("with an old event", newRelease("3.0", "3, 0, 0, 0", event: "5")),
    Attempt("with an event to come", newRelease("3.0", "3, 0, 0, 0", event: "10000")),
    Attempt("with no event's number", newRelease("3.0", "3, 0, 0, 0", event: "NULL"), "NOT"),
    Attempt("lower", published("2.2.1") + newRelease("2.2.1", "2, 2, 1, 0"), "version.not-greater"),
    Attempt("equal", published("2.6") + newRelease("2.6", "2, 6, 0, 0"), "version.not-greater"),
    Attempt(
      "equal, spelled otherwise", published("2.6.0") + newRelease("2.6.0", "2, 6, 0, 0"),
      "version.not-greater"),
    Attempt(
      "a sort key that is greater than its text", published("2.2.1") + newRelease("2.2.1", "9, 2, 1, 0"),
      "CHECK"),
    Attempt(
      "a sort key that is less than its text", published("3.0") + newRelease("3.0", "2, 7, 0, 0"), "CHECK"),
    Attempt("zeros before a number", published("3.01") + newRelease("3.01", "3, 1, 0, 0")),
    Attempt("zeros after a number", published("3.10") + newRelease("3.10", "3, 1, 0, 0"), "CHECK"),
    Attempt("a letter", published("v3.1") + newRelease("v3.1", "3, 1, 0, 0"), "CHECK"),
    Attempt("a blank", published("3.1 ") + newRelease("3.1 ", "3, 1, 0, 0"), "CHECK"),
    Attempt("ten digits", published("1000000000") + newRelease("1000000000", "1000000000, 0, 0, 0"), "CHECK"),
    Attempt("four components in the App Store", published("3.0.0.1") + newRelease("3.0.0.1", "3, 0, 0, 1")),
    Attempt(
      "live at once",
      published("3.0") + newRelease("3.0", "3, 0, 0, 0", state: "live", liveAt: "'2027-01-15T12:00:00Z'"),
      "release.live"),
    Attempt(
      "imported in the future",
      event("release.import", "(SELECT 'release/' || (max(id) + 1) FROM release)", version: "3.0")
        + newRelease("3.0", "3, 0, 0, 0", state: "live", liveAt: "'2027-01-17T12:00:00Z'"), "release.live"),
    Attempt("under the event of another app", published("3.0", app: "van") + newRelease("3.0", "3, 0, 0, 0")),
    Attempt("under the event of another version", published("3.1") + newRelease("3.0", "3, 0, 0, 0")),
    Attempt("of an app that does not exist", published("3.0") + newRelease(app: 9, "3.0", "3, 0, 0, 0")),
    Attempt(
      "in the place of another",
      published("3.0") + newRelease(id: "4", "3.0", "3, 0, 0, 0", verb: "REPLACE INTO"),
      "release.kept"),
    Attempt(
      "in the place of another, or replace",
      published("3.0") + newRelease(id: "1", "3.0", "3, 0, 0, 0", verb: "INSERT OR REPLACE INTO"),
      "release.kept"),
    Attempt(
      "in the place of another, or ignore",
      newRelease(id: "1", "3.0", "3, 0, 0, 0", verb: "INSERT OR IGNORE INTO"), "release.kept"),
    Attempt(
      "upsert", newRelease(id: "4", "3.0", "3, 0, 0, 0") + " ON CONFLICT (id) DO UPDATE SET mandatory = 1",
      "release.kept"),
    Attempt(
      "upsert on the live one",
      newRelease("3.0", "3, 0, 0, 0", state: "live", liveAt: "'2027-01-15T12:00:00Z'")
        + " ON CONFLICT (app_id) WHERE state = 'live' DO UPDATE SET mandatory = 1", "release.live"),
    Attempt("without a number", published("3.0") + newRelease(id: "NULL", "3.0", "3, 0, 0, 0")),
    Attempt("past, and on its way", newRelease("1.0.1", "1, 0, 1, 0", past: 1), "CHECK"),
    Attempt(
      "past, and visible",
      newRelease("1.0.1", "1, 0, 1, 0", state: "superseded", liveAt: "'2027-01-15T12:00:00Z'", past: 1),
      "CHECK"),
    Attempt("a negative number", published("3.0") + newRelease(id: "-1", "3.0", "3, 0, 0, 0")),
  ])
  func `a release that its event or a law does not allow is refused`(attempt: Attempt) throws {
    try attempt.expect(of: RawLedger())
  }

  @Test func `a second live release is refused by the schema`() throws {
    let raw = try RawLedger()
    // Past the triggers only the index is left to object, which is why it is there.
    let triggers = try raw.connection.query("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      try $0.text(0)
    }
    for trigger in triggers { try raw.connection.execute("DROP TRIGGER \(trigger)") }
    _ = try raw.refuses("UPDATE release SET state = 'live', live_at = since, visible_at = since WHERE id = 6")
  }

  @Test(arguments: ReleaseState.allCases)
  func `a state moves only as the contract says, whatever event is written with it`(from: ReleaseState) throws
  {
    let raw = try RawLedger()
    let version = try #require(RawLedger.versions[from])
    for to in ReleaseState.allCases where to != from && to != .void && !from.mayBecome(to) {
      for kind in ["release.mark", "release.amend", "release.void", "release.import", "release.publish"] {
        _ = try raw.refuses(
          """
          \(event(kind, subject(version), version: version))
          UPDATE release SET state = '\(to.rawValue)', event_seq = \(head), since = '2027-01-16T00:00:00Z',
            live_at = coalesce(live_at, since), visible_at = coalesce(visible_at, since), superseded_by = 1,
            removed_at = CASE '\(to.rawValue)' WHEN 'removed' THEN since END
          WHERE app_id = 1 AND version = '\(version)'
          """)
      }
    }
  }

  @Test(arguments: ReleaseState.allCases)
  func `a state that may move does not move without an event`(from: ReleaseState) throws {
    let raw = try RawLedger()
    let version = try #require(RawLedger.versions[from])
    for to in ReleaseState.allCases where to != from {
      for seq in ["event_seq", "event_seq + 1", "0", "NULL", head, "\(head) + 1", "\(head) - 1"] {
        for verb in ["UPDATE", "UPDATE OR REPLACE", "UPDATE OR ABORT"] {
          _ = try raw.refuses(
            """
            \(verb) release SET state = '\(to.rawValue)', event_seq = \(seq),
              live_at = coalesce(live_at, since), visible_at = coalesce(visible_at, since),
              removed_at = CASE '\(to.rawValue)' WHEN 'removed' THEN since END,
              superseded_by = (SELECT id FROM release WHERE version = '2.3')
            WHERE app_id = 1 AND version = '\(version)'
            """)
        }
      }
    }
  }

  @Test(arguments: [
    "version = '9.9'", "key = replace(key, '2', '9')", "key = key", "build = '99'", "since = live_at",
    "notes = 1", "min_os = '99'", "url = 'https://apps.apple.com/other'", "mandatory = 1",
    "approved_at = since",
    "live_at = '2020-01-01T00:00:00Z'", "visible_at = '2020-01-01T00:00:00Z'", "visible_at = NULL",
    "former_state = 'approved'", "former_since = since", "supersedes = 1", "superseded_by = 1",
    "app_id = 2", "id = 99", "rowid = 99", "oid = 99", "_rowid_ = 99",
    "mandatory = mandatory", "state = state", "past = 1",
  ])
  func `no column of a release changes without an event`(assignment: String) throws {
    let raw = try RawLedger()
    for verb in ["UPDATE", "UPDATE OR REPLACE"] {
      for extra in ["", ", event_seq = \(head)", ", event_seq = event_seq + 1", ", event_seq = NULL"] {
        // 2.3 is what the head event is about, 2.0 is live, 1.1 is what clients may still be sent to.
        for version in ["2.3", "2.0", "1.1", "2.1"] {
          _ = try raw.refuses(
            "\(verb) release SET \(assignment)\(extra) WHERE app_id = 1 AND version = '\(version)'")
        }
      }
    }
  }

  @Test(arguments: [
    Attempt("version", "version = '9.9'", "release.kept"),
    Attempt("version and key", "version = '9.9', key = replace(key, '2', '9')", "release.kept"),
    Attempt("key", "key = replace(key, '2', '9')", "release.kept"),
    Attempt("app", "app_id = 2", "release.kept"),
    Attempt("number", "id = 99", "release.kept"),
    Attempt("the moment it went live", "live_at = '2027-01-01T00:00:00Z'"),
    Attempt("a later visibility", "visible_at = '2037-01-01T00:00:00Z'"),
    Attempt("an earlier visibility, long after the hold", "visible_at = '2020-01-01T00:00:00Z'"),
    Attempt("no visibility", "live_at = NULL, visible_at = NULL"),
    Attempt("approval", "approved_at = '2027-01-01T00:00:00Z'"),
    Attempt("what it was", "former_state = 'removed', former_since = since"),
    Attempt("what superseded it", "superseded_by = 1"),
  ])
  func `a column that an amendment may not change stays, even with an event`(attempt: Attempt) throws {
    let raw = try RawLedger()
    for kind in ["release.amend", "release.mark"] {
      let message = try raw.refuses(
        event(kind, subject("2.0"), version: "2.0", after: "{}")
          + "UPDATE release SET \(attempt.script), event_seq = \(head) WHERE app_id = 1 AND version = '2.0'")
      #expect(attempt.refusal.map(message.hasPrefix) ?? true, "\(message)")
    }
  }

  /// An event about a release, and what somebody makes of that one or another under it.
  private static func under(
    _ kind: String, _ version: String, _ after: String, _ assignments: String, of other: String? = nil
  ) -> String {
    event(kind, subject(version), version: version, after: after)
      + "UPDATE release SET \(assignments), event_seq = \(head) WHERE app_id = 1 AND version = '\(other ?? version)'"
  }

  private static let goingLive =
    "state = 'live', live_at = '2027-01-15T12:00:00Z', visible_at = '2027-01-15T12:00:00Z'"

  private static let lawless: [Attempt] =
    [
      Attempt(
        "superseded and altered",
        under(
          "release.mark", "2.2", RawLedger.live,
          "state = 'superseded', superseded_by = (SELECT id FROM release WHERE version = '2.2'), mandatory = 1",
          of: "2.0")),
      Attempt(
        "live below what is live or was visible",
        under("release.mark", "1.2", RawLedger.live, goingLive + ", removed_at = NULL"), "release.live"
      ),
      Attempt(
        "unmarked once it is visible",
        under(
          "release.unmark", "2.0", #"{"state":"approved"}"#,
          "state = 'approved', live_at = NULL, visible_at = NULL")),
    ]
    + ["2.0", "2.2"].map { (version: String) in
      Attempt(
        "\(version) live under a rejection",
        under("release.mark", "2.2", #"{"state":"rejected"}"#, goingLive, of: version),
        version == "2.0" ? nil : "release.live")
    }
    + ["mandatory = 1", "url = 'https://apps.apple.com/other'", "min_os = '99'", "build = '99'"].map {
      Attempt("amended otherwise: \($0)", under("release.amend", "2.0", RawLedger.live, $0))
    }
    + ["2.2", "1.1", "2.0"].map { (version: String) in
      let script = under("release.void", version, #"{"state":"void"}"#, "state = 'void'")
      return Attempt("\(version) struck out", script)
    }

  @Test(arguments: lawless)
  func `a release changes only as its event says and a law allows`(attempt: Attempt) throws {
    try attempt.expect(of: RawLedger())
  }
}

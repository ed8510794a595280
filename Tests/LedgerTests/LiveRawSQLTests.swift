import JSON
import Ledger
import ReleaseModel
import SQLite
import Testing

private let head = RawLedger.head

/// The moment of every event of these tests: before the end of the hold that began an hour earlier.
private let now = later(43_200)

@Suite struct LiveRawSQLTests {
  static let settings = [
    "PRAGMA recursive_triggers = OFF; PRAGMA foreign_keys = OFF",
    "PRAGMA recursive_triggers = ON; PRAGMA foreign_keys = ON",
  ]

  private struct Script {
    let event: String
    let rows: [String]

    init(_ change: Change, _ raw: RawLedger, of app: String = "taxi", _ alter: (String) -> String = { $0 })
      throws
    {
      var line: AppState? = try Ledger.open(raw.path, for: .reading, now: now).line(app)
      func quoted(_ json: JSON?) -> String? { json?.text().replacing("'", with: "''") }
      let touched = change.apply(to: &line, event: 0)
      event = LedgerTests.event(
        change.kind.rawValue, "'\(try #require(change.subject))'", app: app, version: change.version?.text,
        before: quoted(change.before(app: app)),
        after: alter(quoted(change.after(app: app, MovedRelease(touched))) ?? ""),
        also: quoted(change.also(touched) { _ in nil }), at: now.text)
      rows = touched.map { row in
        guard let release = row.record as? Release else { return "" }
        let columns = Release.columns
        let cells = zip(columns.all, release.storedValues(app: app)).map { column, value in
          let text =
            switch value {
            case .null: "NULL"
            case .integer(let number): String(number)
            case .text(let text): "'\(text)'"
            }
          let isOwner = column.isOwner ? "(SELECT id FROM app WHERE slug = '\(app)')" : text
          return (column, column.name == "event_seq" ? head : isOwner)
        }
        guard row.fate != .made else {
          return "INSERT INTO release (\(columns.list)) "
            + "VALUES (\(cells.map(\.1).joined(separator: ", ")));"
        }
        let assignments = cells.filter { $0.0.isSet(by: row.fate) }.map { "\($0.0.name) = \($0.1)" }
        return "UPDATE release SET \(assignments.joined(separator: ", ")) WHERE id = \(release.id);"
      }
    }

    var whole: String { event + rows.joined() }
  }

  private func line(_ raw: RawLedger, _ app: String = "taxi") throws -> AppState {
    try Ledger.open(raw.path, for: .reading, now: now).line(app)
  }

  private func goingLive(_ raw: RawLedger) throws -> Change {
    try #require(try line(raw).mark(version("2.2"), .live, at: nil, isVisibleNow: false, now: now))
  }

  private func held() throws -> RawLedger {
    let raw = try RawLedger()
    try raw.record(at: later(39_600)) { try $0.mark("2.2", .live) }
    return raw
  }

  private func faults(_ raw: RawLedger) throws -> [String] {
    try Ledger.open(raw.path, for: .verifying, now: now).verify().faults.map { "\($0.id) \($0.message)" }
      .filter { !$0.hasPrefix("chain.") && !$0.hasPrefix("answer") && !$0.hasPrefix("event.unreadable") }
  }

  private func run(_ script: String, _ raw: RawLedger) throws {
    try raw.connection.execute("BEGIN; \(behind(script)) COMMIT")
  }

  @Test(arguments: settings)
  func `going live takes two statements, the older release first`(setting: String) throws {
    let raw = try RawLedger()
    try raw.connection.execute(setting)
    let script = try Script(goingLive(raw), raw)
    try #require(script.rows.count == 2)
    for verb in ["UPDATE ", "UPDATE OR REPLACE ", "UPDATE OR IGNORE "] {
      for rows in [script.rows.reversed(), [script.rows[1]]] {
        _ = try raw.refuses(script.event + rows.joined().replacing("UPDATE ", with: verb))
      }
    }
    let forgetful = script.whole.replacing("former_state = 'approved'", with: "former_state = 'rejected'")
    _ = try raw.refuses(forgetful)
    try run(script.whole, raw)
    #expect(try faults(raw) == [])
    #expect(try line(raw).live?.version == version("2.2"))
  }

  @Test(arguments: settings)
  func `a release is superseded only by the greater one whose event names it`(setting: String) throws {
    let raw = try RawLedger()
    try raw.connection.execute(setting)
    let change = try goingLive(raw)
    func replacing(_ old: String, _ new: String) -> (String) -> String { { $0.replacing(old, with: new) } }
    for alter in [
      replacing(#""superseded":"2.0","#, ""), replacing(#""superseded":"2.0""#, #""superseded":"1.1""#),
      replacing(#""state":"live""#, #""state":"rejected""#),
    ] {
      _ = try raw.refuses(Script(change, raw, alter).whole)
    }
    // By a lower release, by one of another app, by itself.
    let script = try Script(change, raw)
    for other in ["1.1", "1.0.0.1", "2.0"] {
      let id = "(SELECT id FROM release WHERE version = '\(other)')"
      let event = LedgerTests.event(
        "release.mark", "(SELECT 'release/' || id FROM release WHERE version = '\(other)')", version: other,
        after: #"{"state":"live","superseded":"2.0"}"#, at: now.text)
      _ = try raw.refuses(
        event + "UPDATE release SET state = 'superseded', superseded_by = \(id), since = '\(now.text)', "
          + "event_seq = \(head) WHERE version = '2.0'")
    }
    // Nor is it superseded without a word of the one that takes its place.
    _ = try raw.refuses(script.rows[0])
  }

  @Test func `verify finds a going live that was half done`() throws {
    let raw = try RawLedger()
    let script = try Script(goingLive(raw), raw)
    try run(script.event + script.rows[0], raw)
    #expect(try faults(raw).contains { $0.hasPrefix("row.differs release 6: state is 'approved'") })
  }

  @Test(arguments: settings)
  func `taking a going live back takes two statements, the newer release first`(setting: String) throws {
    let raw = try held()
    try raw.connection.execute(setting)
    let change = try #require(try line(raw).unmark(version("2.2"), now: now))
    let script = try Script(change, raw)
    try #require(script.rows.count == 2)
    _ = try raw.refuses(script.event + script.rows[1])
    _ = try raw.refuses(script.event + script.rows.reversed().joined())
    let linked = script.rows[0].replacing("supersedes = NULL", with: "supersedes = 1")
    _ = try raw.refuses(script.event + linked)
    // Nothing else is live again under its event.
    let other = script.rows[1].split(separator: " WHERE ")[0] + " WHERE version = '1.1';"
    _ = try raw.refuses(script.event + script.rows[0] + other)
    try run(script.event + script.rows[0], raw)
    #expect(try faults(raw).contains { $0.hasPrefix("row.differs") && $0.contains("'superseded'") })
    let again = try held()
    try run(Script(change, again).whole, again)
    #expect(try faults(again) == [])
    #expect(try line(again).live?.version == version("2.0"))
  }

  @Test(arguments: settings)
  func `striking out a release that was live links the others in order`(setting: String) throws {
    let raw = try held()
    try raw.connection.execute(setting)
    // What superseded it, the release itself, what it had superseded.
    let script = try struckOut(raw)
    try #require(script.rows.count == 3)
    for order in [[2, 1, 0], [1, 0, 2], [0, 2, 1]] {
      _ = try raw.refuses(script.event + order.map { script.rows[$0] }.joined())
    }
    try run(script.event + script.rows[0] + script.rows[1], raw)
    #expect(try faults(raw).contains { $0.hasPrefix("row.differs") })
    let again = try held()
    try run(struckOut(again).whole, again)
    #expect(try faults(again) == [])
  }

  private func struckOut(_ raw: RawLedger) throws -> Script {
    try raw.record(at: now) { if try $0.state("2.5") != .live { try $0.mark("2.5", .live) } }
    return try Script(#require(try line(raw).void(version("2.2"), neverShipped: true, now: now)), raw)
  }

  @Test(arguments: settings)
  func `importing a live release takes two statements`(setting: String) throws {
    let raw = try RawLedger()
    try raw.connection.execute(setting)
    let id = try #require(try line(raw).everRecorded.map(\.id).max()) + 2
    let change = try #require(
      try line(raw).importPast(version("3.0"), ReleaseDetails(), releasedAt: later(-9), id: id, now: now))
    let script = try Script(change, raw)
    try #require(script.rows.count == 2)
    _ = try raw.refuses(script.event + script.rows[1])
    try run(script.whole, raw)
    #expect(try faults(raw) == [])
  }

  @Test func `the answers of an app are deleted under its event, before the app`() throws {
    let raw = try RawLedger()
    try raw.record(at: now) { try $0.add("typo") }
    _ = try raw.refuses("DELETE FROM generation WHERE app_id = 3")
    let change = Change.appVoided(try line(raw, "typo").app)
    let event = LedgerTests.event(
      "app.void", "'app/3'", app: "typo", before: change.before(app: "typo")?.text(), at: now.text)
    _ = try raw.refuses(event + "DELETE FROM app WHERE id = 3")
    _ = try raw.refuses(event + "DELETE FROM generation; DELETE FROM answer")
    _ = try raw.refuses(event + "DELETE FROM answer WHERE app_id = 3")
    try run(event + "DELETE FROM generation WHERE app_id = 3; DELETE FROM answer WHERE app_id = 3;", raw)
    #expect(try faults(raw).contains { $0.hasPrefix("row.unexpected app 3") })
  }

  @Test(arguments: settings)
  func `REPLACE gets past no unique index`(setting: String) throws {
    let raw = try RawLedger()
    try raw.connection.execute(setting)
    let amended = LedgerTests.event(
      "release.amend", subject("2.3"), version: "2.3", after: "{}", at: now.text)
    let note =
      "INSERT OR REPLACE INTO note SELECT id, 1, 'en', 'x', \(head) FROM release WHERE version = '2.3'"
    _ = try raw.refuses(amended + note)
    let bundle =
      "UPDATE OR REPLACE app SET bundle_id = 'COM.example.taxi', channel = 'app-store' WHERE slug = 'van'"
    _ = try raw.refuses(LedgerTests.event("app.set", "'app/2'", app: "van") + bundle)
  }
}

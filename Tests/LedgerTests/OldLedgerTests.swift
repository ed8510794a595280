import Ledger
import Platform
import ReleaseModel
import SQLite
import Schema
import TestSupport
import Testing

@testable import Ledger

/// Ledgers that earlier versions left (Tests/Fixtures/ledgers), one for each schema there ever was.
@Suite struct OldLedgerTests {
  /// Where the ledgers are.
  static let folder =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    + "/Fixtures/ledgers"

  /// Every version that there is or was.
  static let versions = Array(1...Schema.currentVersion)

  /// A moment after every fixture was made.
  private static let now = Timestamp(seconds: 1_810_000_000)

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Copies the ledger of a version.
  private func copy(_ version: Int) throws -> String {
    let bytes = try readFile("\(OldLedgerTests.folder)/v\(version).db", limit: 1 << 24)
    try directory.write(bytes, to: "v\(version).db")
    try directory.setRights(0o640, of: "v\(version).db")
    return directory.file("v\(version).db")
  }

  /// Every event as its row has it, column by column.
  private func events(_ path: String) throws -> [[Value]] {
    let connection = try Connection(path: path, mode: .readOnly)
    return try connection.query("SELECT * FROM event ORDER BY seq") { row in
      try (0..<row.columnCount).map { try row.value($0) }
    }
  }

  private func schemaVersion(_ path: String) throws -> Int {
    Int(try Connection(path: path, mode: .readOnly).userVersion())
  }

  @Test func `every schema has its ledger; a new one is made before the schema goes out`() throws {
    let names = Set(try fileNames(in: OldLedgerTests.folder))
    for version in OldLedgerTests.versions {
      #expect(
        names.isSuperset(of: ["v\(version).db", "v\(version).json"]),
        "make v\(version).db as Tests/Fixtures/ledgers/README.md says")
      guard names.contains("v\(version).db") else { continue }
      #expect(try schemaVersion(try copy(version)) == version)
    }
    #expect(!names.contains { $0.hasSuffix("-journal") })
  }

  @Test(arguments: versions)
  func `it is brought up to date, and its events stay as they are to the byte`(version: Int) throws {
    let path = try copy(version)
    let before = try events(path)
    #expect(before.count > 5)
    let ledger = try Ledger.open(path, for: .writing, now: OldLedgerTests.now)
    ledger.close()
    #expect(try schemaVersion(path) == Schema.currentVersion)
    #expect(try events(path) == before)
  }

  @Test(arguments: versions)
  func `its tables are what its events add up to, and verify finds no fault`(version: Int) throws {
    let ledger = try Ledger.open(try copy(version), for: .reading, now: OldLedgerTests.now)
    defer { ledger.close() }
    let head = try ledger.head()
    let state = try ledger.state(asOf: .event(head.seq))
    let apps = try ledger.apps()
    #expect(apps.count == 2 && Set(state.lines.keys) == Set(apps.map(\.slug)))
    for app in apps {
      #expect(try ledger.line(app.slug) == state.lines[app.slug])
      // The replay knows the rules of the apps it leads to as well; no answer depends on them.
      #expect(
        try ledger.snapshot(app.slug).answerRuns(from: OldLedgerTests.now)
          == state.snapshot(app.slug).answerRuns(from: OldLedgerTests.now))
    }
    #expect(try ledger.trusts() == state.trusts)
    let found = try ledger.verify()
    #expect(found.faults.isEmpty, "\(found.faults)")
    #expect(found.events == head.seq)
  }

  @Test(arguments: versions)
  func `what every version is told and the newest event of each app are filled in`(version: Int) throws {
    let ledger = try Ledger.open(try copy(version), for: .reading, now: OldLedgerTests.now)
    defer { ledger.close() }
    #expect(try ledger.generations().count == 2)
    var answered = 0
    for app in try ledger.apps() {
      let snapshot = try ledger.snapshot(app.slug)
      let answers = try ledger.answers(ofApp: app.slug)
      for release in snapshot.line.releases where snapshot.line.release(release.version)?.id == release.id {
        // After the last change that is to come, so that one answer holds.
        let told = answers.filter {
          $0.run.first <= release.id && release.id <= $0.run.last && $0.run.until == nil
        }
        let moment = told.first.flatMap { max($0.run.from, OldLedgerTests.now) } ?? OldLedgerTests.now
        let wanted = Told(Decider(snapshot, at: moment), Client(version: release.version))
        #expect(told.map(\.run.told) == [wanted], "\(app.slug) \(release.version.text)")
        answered += 1
      }
    }
    // The first schema had no releases.
    #expect(version == 1 ? answered == 0 : answered > 5)
  }

  @Test(arguments: versions)
  func `a change goes on where it ended`(version: Int) throws {
    let path = try copy(version)
    let ledger = try Ledger.open(path, for: .writing, now: OldLedgerTests.now)
    let head = try ledger.head()
    let book = Book(ledger, clock: OldLedgerTests.now)
    try book.publish("9999.0")
    #expect(try ledger.head().seq == head.seq + 1)
    #expect(try ledger.verify().faults.isEmpty)
    ledger.close()
  }

  @Test(arguments: versions.dropLast())
  func `who may not write it is told that it is older, and nothing is touched`(version: Int) throws {
    let path = try copy(version)
    try directory.setRights(0o440, of: "v\(version).db")
    let before = try readFile(path, limit: 1 << 24)
    do {
      _ = try Ledger.open(path, for: .reading, now: OldLedgerTests.now)
      Issue.record("it was opened")
    } catch LedgerError.olderSchema(_, let found, let known) {
      #expect(found == version && known == Schema.currentVersion)
    }
    #expect(try readFile(path, limit: 1 << 24) == before)
    #expect(!directory.exists("v\(version).db-journal"))
  }
}

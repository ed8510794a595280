import JSON
import Ledger
import Platform
import ReleaseModel
import SQLite
import Schema
import TestSupport
import Testing

func outcome(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "opened"
  } catch let error as LedgerError {
    switch error {
    case .storage(let failure, _): return "storage \(failure.kind)"
    case .unusable(let refusal):
      let found = refusal.details["found"]?.integer
      return refusal.values["reason"] ?? refusal.key + (found.map { " \($0)" } ?? "")
    default: return String(String(describing: error).prefix { $0 != "(" })
    }
  } catch {
    return String(describing: error)
  }
}

@Suite struct LedgerFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func make(_ name: String = "pawl.db") throws {
    try Book.taxi(at: directory.file(name)).ledger.close()
  }

  private func open(_ name: String = "pawl.db", sourceLocation: SourceLocation = #_sourceLocation) throws
    -> [String]
  {
    let before = try? readFile(directory.file(name), limit: 1 << 24)
    let rights = try? FileStatus(of: directory.file(name)).rights
    let outcomes = [Ledger.Access.reading, .writing].map { access in
      outcome { _ = try Ledger.open(directory.file(name), for: access, now: noon).head() }
    }
    #expect((try? readFile(directory.file(name), limit: 1 << 24)) == before, sourceLocation: sourceLocation)
    #expect((try? FileStatus(of: directory.file(name)).rights) == rights, sourceLocation: sourceLocation)
    #expect(!directory.exists(name + "-journal"), sourceLocation: sourceLocation)
    return outcomes
  }

  /// Expects that a file is neither opened nor made into a ledger.
  private func expectRefused(
    _ reason: String, _ name: String = "pawl.db", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let made = outcome { _ = try Ledger.create(directory.file(name), now: noon) }
    #expect(
      try open(name, sourceLocation: sourceLocation) + [made] == Array(repeating: reason, count: 3),
      sourceLocation: sourceLocation)
  }

  private func alter(_ script: String) throws {
    try make()
    let connection = try Connection(path: directory.file("pawl.db"), mode: .readWrite)
    try connection.execute(script)
    try connection.close()
  }

  @Test func `an existing ledger is opened, not created again`() throws {
    #expect(try Ledger.create(directory.file("new.db"), now: noon).isNew)
    try make()
    let (ledger, isNew) = try Ledger.create(directory.file("pawl.db"), now: noon)
    #expect(try !isNew && ledger.head().seq == 2)
  }

  @Test func `a symbolic link is refused`() throws {
    try make()
    try directory.link("link.db", to: directory.file("pawl.db"))
    try expectRefused("it is a symbolic link", "link.db")
    try directory.link("dangling.db", to: directory.file("nothing.db"))
    #expect(
      outcome { _ = try Ledger.create(directory.file("dangling.db"), now: noon) }
        == "it is a symbolic link")
    #expect(!directory.exists("nothing.db"))
  }

  @Test func `a link among the folders is followed`() throws {
    try directory.directory("real")
    try directory.link("folder", to: directory.file("real"))
    try make("folder/pawl.db")
    #expect(try open("folder/pawl.db") == ["opened", "opened"])
  }

  @Test func `a ledger with a second name is refused`() throws {
    try make()
    try directory.hardLink("other.db", to: "pawl.db")
    #expect(try open() == Array(repeating: "it has 2 names (hard links)", count: 2))
  }

  @Test func `a world-writable file is refused`() throws {
    try make()
    try directory.setRights(0o642, of: "pawl.db")
    #expect(try open() == ["ledger.world-writable", "ledger.world-writable"])
  }

  @Test func `a directory is not a ledger`() throws {
    try directory.directory("pawl.db")
    try expectRefused("ledger.not-a-ledger")
  }

  @Test(arguments: ["version,released_at\n1.0,2026-01-01T00:00:00Z\n", "x", "SQLite format 3\0"])
  func `a text file is not a ledger`(text: String) throws {
    try directory.write(text, to: "pawl.db")
    try directory.setRights(0o640, of: "pawl.db")
    try expectRefused("ledger.not-a-ledger")
  }

  @Test func `an empty file is not a ledger, but may become one`() throws {
    try directory.write([], to: "pawl.db")
    try directory.setRights(0o640, of: "pawl.db")
    #expect(try open() == ["ledger.not-a-ledger", "ledger.not-a-ledger"])
    try make()
    #expect(try open() == ["opened", "opened"])
  }

  @Test func `another program's database is not a ledger`() throws {
    let connection = try Connection(path: directory.file("pawl.db"), mode: .create)
    try connection.execute("CREATE TABLE release (id INTEGER); PRAGMA user_version = 2")
    try connection.close()
    try directory.setRights(0o640, of: "pawl.db")
    try expectRefused("ledger.not-a-ledger")
  }

  @Test func `a newer ledger is refused with its version`() throws {
    try alter("PRAGMA user_version = 99")
    try expectRefused("ledger.newer-schema 99")
  }

  @Test(arguments: [
    "CREATE TRIGGER tidy AFTER INSERT ON release_row BEGIN DELETE FROM note_row; END",
    "DROP TRIGGER release_delete", "CREATE TRIGGER sly INSTEAD OF UPDATE ON release BEGIN SELECT 1; END",
    "DROP INDEX release_live", "CREATE TABLE extra (id INTEGER)",
    "ALTER TABLE release_row ADD COLUMN extra TEXT", "ALTER TABLE app_row RENAME COLUMN name TO title",
  ])
  func `an altered schema is refused`(script: String) throws {
    try alter(script)
    #expect(try open() == ["alteredSchema", "alteredSchema"])
  }

  @Test func `a missing folder is reported as such`() throws {
    try expectRefused("ledger.no-folder", "nowhere/pawl.db")
  }

  @Test func `a missing file is no ledger, and opening does not create it`() throws {
    #expect(try open() == ["noLedger", "noLedger"])
    #expect(!directory.exists("pawl.db"))
  }

  @Test func `a read-only ledger answers and takes no change`() throws {
    try make()
    try directory.setRights(0o444, of: "pawl.db")
    #expect(try open() == ["opened", "ledger.read-only"])
  }

  @Test func `a ledger opened for reading takes no change`() throws {
    try make()
    let book = Book(try Ledger.open(directory.file("pawl.db"), for: .reading, now: noon))
    #expect(outcome { try book.publish("1.0") } != "opened")
    #expect(try book.ledger.head().seq == 2)
  }
}

import Platform
import ReleaseModel
import SQLite
import Schema
import TestSupport
import Testing

@testable import Ledger

private let repository = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
  .joined(separator: "/")

@Suite struct SchemaTests {
  @Test func `a ledger has the statements of the migration, in its order`() throws {
    let ledger = try Ledger.inMemory(now: noon)
    let stored = try ledger.schemaTexts().map { String(decoding: $0, as: UTF8.self) }
    let first = try #require(Schema.steps.first)
    let written = first.sql.withUnsafeBytes { sql in
      var statements = SchemaStatements(sql)
      var all = [Migrator.table]
      while let statement = statements.next() { all.append(String(decoding: statement, as: UTF8.self)) }
      return all
    }
    #expect(stored == written)
    #expect(try ledger.hasSchema(of: Schema.steps))
  }

  @Test func `a ledger that was vacuumed has the schema still, and one that lacks a statement has not`()
    throws
  {
    let ledger = try Ledger.inMemory(now: noon)
    try ledger.connection.execute("VACUUM")
    #expect(try ledger.hasSchema(of: Schema.steps))
    try ledger.connection.execute("DROP TRIGGER publication_event_update")
    #expect(try !ledger.hasSchema(of: Schema.steps))
  }

  @Test func `a trigger refuses and never writes, holds one law, and stays short`() throws {
    let ledger = try Ledger.inMemory(now: noon)
    let triggers = try ledger.connection.query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") {
      (name: try $0.text(0), sql: try $0.text(1))
    }
    #expect(triggers.count > 50)
    let size = try ledger.connection.first("SELECT sum(length(sql)) FROM sqlite_schema") { try $0.integer(0) }
    #expect(size ?? 0 <= 38_000, "each program parses all of it")
    for (name, sql) in triggers {
      let body = sql.split(separator: "BEGIN", maxSplits: 1)[1]
      #expect(!["INSERT", "UPDATE", "DELETE", "REPLACE"].contains { body.contains($0 + " ") }, "\(name)")
      #expect(sql.split(separator: "RAISE(ABORT").count >= 2, "\(name)")
      #expect(sql.split(separator: "\n").count <= 20, "\(name)")
    }
  }

  @Test func `a law names the columns that no event alters, and those that only an amendment does`() throws {
    let directory = try TemporaryDirectory()
    let ledger = try Ledger.create(directory.file("pawl.db"), now: noon).ledger
    func check<Value: Record>(_ type: Value.Type, _ law: String, _ kind: FieldKind, also: [String] = [])
      throws
    {
      let name = "\(Value.table.rawValue)_\(law)"
      let sql = try ledger.connection.first(
        "SELECT replace(replace(sql, ',', ''), char(10), ' ') FROM sqlite_schema WHERE name = '\(name)'"
      ) { try $0.text(0) }
      let words = (sql ?? "").split(separator: " ").map(String.init)
      let named = words.drop { $0 != "OF" }.dropFirst().prefix { $0 != "ON" }
      let columns = type.columns.all.filter { $0.kind == kind }.map(\.name) + also
      #expect(Set(named) == Set(columns), "\(name)")
    }
    try check(Release.self, "amended", .amended)
    try check(Release.self, "identity_update", .fixed)
    try check(Rule.self, "identity_update", .fixed)
    try check(Redirect.self, "identity_update", .fixed)
    try check(Setting.self, "identity_update", .fixed)
    try check(Evidence.self, "identity_update", .fixed, also: ["body"])
  }

  @Test func `the list of migrations is the directory, in order and without gaps`() throws {
    let folder = repository + "/db/migrations"
    let names = try fileNames(in: folder).filter { !$0.hasPrefix(".") }
    #expect(names.sorted() == Schema.steps.map { $0.name + ".sql" })
    #expect(Schema.steps.map(\.version) == Array(1...Schema.steps.count))
    for step in Schema.steps {
      #expect(try readFile("\(folder)/\(step.name).sql", limit: 1 << 20) == step.sql, "\(step.name)")
      let number = String(step.version)
      #expect(step.name.hasPrefix("v" + String(repeating: "0", count: 4 - number.count) + number + "-"))
    }
  }

  // MARK: - Ledgers of other schemas

  private static let next = Schema.Step(
    version: 2, name: "v0002-of-the-tests",
    sql: Array("ALTER TABLE app ADD COLUMN colour TEXT;\nCREATE INDEX app_colour ON app (colour);\n".utf8))

  private func made(_ directory: TemporaryDirectory) throws -> String {
    let path = directory.file("pawl.db")
    try Book.taxi(at: path).ledger.close()
    return path
  }

  @Test func `a ledger of an earlier schema is brought up to date, and goes on`() throws {
    let directory = try TemporaryDirectory()
    let path = try made(directory)
    let steps = Schema.steps + [SchemaTests.next]
    for _ in 1...2 {
      let ledger = try Ledger.open(path, for: .writing, now: noon, schema: steps)
      #expect(try ledger.connection.userVersion() == 2)
      #expect(try ledger.apps().map(\.slug) == ["taxi"])
      ledger.close()
    }
    #expect(throws: LedgerError.self, "for this build it is newer") {
      try Ledger.open(path, for: .reading, now: noon)
    }
  }

  @Test func `an earlier ledger that somebody altered is not brought up to date`() throws {
    let directory = try TemporaryDirectory()
    let path = try made(directory)
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("CREATE TRIGGER sly AFTER INSERT ON app BEGIN SELECT 1; END")
    try connection.close()
    #expect(throws: LedgerError.self) {
      try Ledger.open(path, for: .writing, now: noon, schema: Schema.steps + [SchemaTests.next])
    }
    #expect(try Connection(path: path, mode: .readOnly).userVersion() == 1)
  }

  @Test func `who may not write an earlier ledger is told that it is older, and nothing is touched`() throws {
    let directory = try TemporaryDirectory()
    let path = try made(directory)
    try directory.setRights(0o440, of: "pawl.db")
    let before = try readFile(path, limit: 1 << 24)
    do {
      _ = try Ledger.open(path, for: .reading, now: noon, schema: Schema.steps + [SchemaTests.next])
      Issue.record("it was opened")
    } catch LedgerError.olderSchema(_, let found, let known) {
      #expect(found == 1 && known == 2)
    }
    #expect(try readFile(path, limit: 1 << 24) == before)
  }

  @Test(arguments: [1, 2, 9])
  func `a ledger with another first migration is one of a trial, whatever its number`(version: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("pawl.db")
    try createFile(path, rights: Ledger.rights)
    let connection = try Connection(path: path, mode: .readWrite)
    let migrations = (1...version).map {
      Migration(version: $0, name: "trial-\($0)", sql: "CREATE TABLE trial\($0) (x);", sha256: "\($0)")
    }
    _ = try Migrator(applicationID: Schema.applicationID, migrations: migrations)
      .migrate(connection, recordedAt: noon.text)
    try connection.execute(
      "CREATE TABLE publication (directory TEXT); INSERT INTO publication VALUES ('/srv/documents')")
    try connection.close()
    try directory.write([], to: "pawl.db-told")
    try directory.directory("pawl.db-deliver")
    let before = try readFile(path, limit: 1 << 24)
    for access in [Ledger.Access.reading, .writing, .glancing] {
      do {
        _ = try Ledger.open(path, for: access, now: noon)
        Issue.record("it was opened")
      } catch LedgerError.trial(let named, let beside) {
        #expect(named == path)
        let names = beside.map { $0.split(separator: "/").last.map(String.init) ?? "" }
        #expect(names == ["pawl.db-told", "pawl.db-deliver", "documents"])
      }
    }
    #expect(try readFile(path, limit: 1 << 24) == before)
  }
}

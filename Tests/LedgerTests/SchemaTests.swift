import JSON
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
    let stored = try ledger.connection.query(
      "SELECT sql FROM sqlite_schema WHERE type <> 'view' AND name <> 'migration' AND sql IS NOT NULL ORDER BY rowid"
    ) { try $0.text(0) }
    let first = try #require(Schema.steps.first)
    let written = first.sql.withUnsafeBytes { sql in
      var statements = SchemaStatements(sql)
      var all: [String] = []
      while let statement = statements.next() { all.append(String(decoding: statement, as: UTF8.self)) }
      return all
    }
    #expect(stored == written)
    #expect(try ledger.hasSchema(of: Schema.steps))
  }

  @Test func `a vacuumed ledger still has the schema, and one that lacks a trigger does not`() throws {
    let ledger = try Ledger.inMemory(now: noon)
    try ledger.connection.execute("VACUUM")
    #expect(try ledger.hasSchema(of: Schema.steps))
    try ledger.connection.execute("DROP TRIGGER event_update")
    #expect(try !ledger.hasSchema(of: Schema.steps))
  }

  @Test func `triggers only refuse, never write, and are few and short`() throws {
    let ledger = try Ledger.inMemory(now: noon)
    let triggers = try ledger.connection.query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") {
      (name: try $0.text(0), sql: try $0.text(1))
    }
    #expect(triggers.count <= 12)
    let size = try ledger.connection.first("SELECT sum(length(sql)) FROM sqlite_schema") { try $0.integer(0) }
    #expect(size ?? 0 <= 17_000, "each program parses all of it")
    for (name, sql) in triggers {
      let body = sql.split(separator: "BEGIN", maxSplits: 1)[1]
      #expect(!["INSERT", "UPDATE", "DELETE", "REPLACE"].contains { body.contains($0 + " ") }, "\(name)")
      #expect(sql.split(separator: "RAISE(ABORT").count >= 2, "\(name)")
      #expect(!sql.contains("after") && !sql.contains("before"), "\(name) reads JSON as text")
      #expect(sql.split(separator: "\n").count <= 25, "\(name)")
    }
  }

  @Test func `the columns of an event match its record, the page and the verifier in Python`() throws {
    let ledger = try Ledger.inMemory(now: noon)
    let columns = try ledger.connection.query("SELECT name FROM pragma_table_info('event_row')") {
      try $0.text(0)
    }
    #expect(columns == EventRecord.columns.names)
    let hashed = columns.dropLast()
    for (file, start, end, quote) in [
      ("schema.md", "3. `seq`", ": the columns", "`"),
      ("verify-ledger.py", "COLUMNS = \"\"\"", "\"\"\"\n", ""),
    ] {
      let page = String(decoding: try readFile("\(repository)/docs/\(file)", limit: 1 << 20), as: UTF8.self)
      let rest = try #require(page.split(separator: start, maxSplits: 1).last)
      let listed =
        (file == "schema.md" ? "`seq`" : "") + (rest.split(separator: end, maxSplits: 1).first ?? "")
      let names = listed.split(separator: ",").map {
        $0.filter { !$0.isWhitespace && String($0) != quote }
      }
      #expect(names.map { String($0) } == Array(hashed), "\(file)")
    }
  }

  @Test func `the list of migrations matches the directory, in order and without gaps`() throws {
    let folder = repository + "/db/migrations"
    let names = try fileNames(in: folder).filter { !$0.hasPrefix(".") }
    #expect(names.sorted() == Schema.steps.map { $0.name + ".sql" })
    #expect(Schema.steps.map(\.version) == Array(11...Schema.steps.version))
    for step in Schema.steps {
      #expect(try readFile("\(folder)/\(step.name).sql", limit: 1 << 20) == step.sql, "\(step.name)")
      let number = String(step.version)
      #expect(step.name.hasPrefix("v" + String(repeating: "0", count: 4 - number.count) + number + "-"))
    }
  }

  // MARK: - Ledgers of other schemas

  private static let next = Schema.Step(
    version: Schema.steps.version + 1, name: "of-the-tests",
    sql: Array(
      "ALTER TABLE app_row ADD COLUMN colour TEXT;\nCREATE INDEX app_colour ON app_row (colour);\n".utf8))

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
      #expect(try ledger.connection.userVersion() == 12)
      #expect(try ledger.apps().map(\.slug) == ["taxi"])
      ledger.close()
    }
    #expect(throws: LedgerError.self, "for this build it is newer") {
      try Ledger.open(path, for: .reading, now: noon)
    }
  }

  @Test func `a step that fails leaves nothing behind, and the steps before it`() throws {
    let directory = try TemporaryDirectory()
    let path = try made(directory)
    let bad = Schema.Step(
      version: 13, name: "bad", sql: Array("CREATE TABLE c (x);\nCREATE TABLE app_row (x);".utf8))
    #expect(throws: LedgerError.self) {
      try Ledger.open(path, for: .writing, now: noon, schema: Schema.steps + [SchemaTests.next, bad])
    }
    let steps = Schema.steps + [SchemaTests.next]
    let ledger = try Ledger.open(path, for: .reading, now: noon, schema: steps)
    #expect(try ledger.connection.userVersion() == 12 && ledger.hasSchema(of: steps))
    #expect(try ledger.query("SELECT version FROM migration") { try $0.integer(0) } == [11, 12])
  }

  @Test func `those who make a ledger at the same time apply each step once`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("pawl.db")
    let holder = try Connection(path: path, mode: .create)
    // Behind this lock all of them find an empty file and wait.
    try holder.execute("BEGIN IMMEDIATE")
    let threads = (0..<3).map { _ in BackgroundWork { try Ledger.create(path, now: noon).ledger.close() } }
    pause(seconds: 0.05)
    try holder.execute("ROLLBACK")
    for thread in threads { _ = try thread.finish() }
    #expect(try holder.first("SELECT count(*) FROM migration") { try $0.integer(0) } == 1)
  }

  @Test func `an altered ledger of an earlier schema is not brought up to date`() throws {
    let directory = try TemporaryDirectory()
    let path = try made(directory)
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("CREATE TRIGGER sly AFTER INSERT ON app_row BEGIN SELECT 1; END")
    try connection.close()
    #expect(throws: LedgerError.self) {
      try Ledger.open(path, for: .writing, now: noon, schema: Schema.steps + [SchemaTests.next])
    }
    #expect(try Connection(path: path, mode: .readOnly).userVersion() == 11)
  }

  @Test func `a read-only ledger of an earlier schema is refused as older and left unchanged`() throws {
    let directory = try TemporaryDirectory()
    let path = try made(directory)
    try directory.setRights(0o440, of: "pawl.db")
    let before = try readFile(path, limit: 1 << 24)
    do {
      _ = try Ledger.open(path, for: .reading, now: noon, schema: Schema.steps + [SchemaTests.next])
      Issue.record("it was opened")
    } catch LedgerError.unusable(let refusal) {
      #expect(refusal.id == "ledger.older-schema" && refusal.details == ["found": 11, "known": 12])
    }
    #expect(try readFile(path, limit: 1 << 24) == before)
  }

  @Test(arguments: [1, 10])
  func `a ledger from before the first release is refused as too old, and unchanged`(version: Int) throws {
    let directory = try TemporaryDirectory()
    let path = try made(directory)
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.setPragma("user_version", to: Int64(version))
    try connection.close()
    let before = try readFile(path, limit: 1 << 24)
    for access in [Ledger.Access.reading, .writing, .glancing] {
      do {
        _ = try Ledger.open(path, for: access, now: noon)
        Issue.record("it was opened")
      } catch LedgerError.unusable(let refusal) {
        #expect(
          refusal
            == Refusal(
              "ledger.too-old", ["path": path], details: ["found": .integer(Int64(version))]))
      }
    }
    #expect(try readFile(path, limit: 1 << 24) == before)
  }
}

import Platform
import SQLite
import TestSupport
import Testing

@Suite struct MigrationTests {
  private static let id: Int32 = 0x7061_776c
  private static let history = [
    Migration(version: 1, name: "one", sql: "CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT", sha256: "aa"),
    Migration(version: 2, name: "two", sql: "CREATE TABLE b (r INTEGER REFERENCES a) STRICT", sha256: "bb"),
  ]

  private func migrate(
    _ connection: Connection, _ count: Int = 2, plus more: Migration..., at: String = ""
  ) throws {
    try connection.migrate(Self.history.prefix(count) + more, applicationID: Self.id, recordedAt: at)
  }

  private func hardened() throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.harden()
    return connection
  }

  private func tables(_ connection: Connection) throws -> [String] {
    try connection.query("SELECT name FROM sqlite_schema ORDER BY name") { try $0.text(0) }
  }

  @Test func `an empty file is migrated once, and only what is pending is applied`() throws {
    let connection = try hardened()
    let bad = [Migration(version: 1, name: "", sql: "nonsense", sha256: "")]
    #expect(throws: SQLiteError.self) {
      try connection.migrate(bad, applicationID: Self.id, recordedAt: "")
    }
    #expect(try tables(connection) == [] && connection.applicationID() == 0)
    for (count, at) in [(1, "now"), (2, "now"), (2, "later")] { try migrate(connection, count, at: at) }
    #expect(try connection.applicationID() == Self.id)
    #expect(try connection.userVersion() == 2)
    #expect(try tables(connection) == ["a", "b", "migration"])
    let rows = try connection.query("SELECT * FROM migration ORDER BY version") { row in
      try (0..<row.columnCount).map { try row.value($0) }
    }
    #expect(rows == [[1, "one", "aa", "now"], [2, "two", "bb", "now"]])
    #expect(try connection.pragma("foreign_keys") == .integer(1))
  }

  @Test func `a migration that fails leaves nothing behind and those before it applied`() throws {
    let bad = Migration(version: 3, name: "bad", sql: "CREATE TABLE c (x); CREATE TABLE a (x)", sha256: "cc")
    let connection = try hardened()
    #expect(throws: SQLiteError.self) { try migrate(connection, plus: bad) }
    #expect(!connection.isInTransaction)
    #expect(try connection.userVersion() == 2)
    #expect(try tables(connection) == ["a", "b", "migration"])
    #expect(try connection.pragma("foreign_keys") == .integer(1))
    let good = Migration(version: 3, name: "good", sql: "CREATE TABLE c (x)", sha256: "cc")
    try migrate(connection, plus: good)
    #expect(try connection.userVersion() == 3)
  }

  @Test func `a table others refer to can be rebuilt`() throws {
    let connection = try hardened()
    try migrate(connection)
    try connection.execute("INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)")
    let rebuild = Migration(
      version: 3, name: "rebuild",
      sql: """
        CREATE TABLE new_a (id INTEGER PRIMARY KEY, more TEXT) STRICT;
        INSERT INTO new_a (id) SELECT id FROM a;
        DROP TABLE a;
        ALTER TABLE new_a RENAME TO a;
        """, sha256: "")
    try migrate(connection, plus: rebuild)
    #expect(try connection.userVersion() == 3)
    #expect(try failure { try connection.run("DELETE FROM a") }.code == ResultCode(rawValue: 787))
  }

  @Test func `a migration that leaves a foreign key without its row is refused`() throws {
    let connection = try hardened()
    let bad = Migration(version: 3, name: "bad", sql: "INSERT INTO b VALUES (9)", sha256: "")
    #expect(try failure { try migrate(connection, plus: bad) }.code == .constraint)
    #expect(try connection.userVersion() == 2)
    #expect(try number(connection, "SELECT count(*) FROM b") == 0)
  }

  @Test func `connections that migrate at the same time apply each migration once`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    let holder = try Connection(path: path, mode: .create)
    // Behind this lock all of them find an empty file and wait.
    try holder.execute("BEGIN IMMEDIATE")
    let threads = (0..<3).map { _ in
      BackgroundWork {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.harden()
        try connection.migrate(Self.history, applicationID: Self.id, recordedAt: "")
      }
    }
    pause(seconds: 0.05)
    try holder.execute("ROLLBACK")
    for thread in threads { _ = try thread.finish() }
    #expect(try number(holder, "SELECT count(*) FROM migration") == 2)
  }
}

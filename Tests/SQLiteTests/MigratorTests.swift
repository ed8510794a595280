import Platform
import SQLite
import TestSupport
import Testing

@Suite struct MigratorTests {
  private static let id: Int32 = 0x7061_776c
  private static let history = [
    Migration(version: 1, name: "one", sql: "CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT", sha256: "aa"),
    Migration(version: 2, name: "two", sql: "CREATE TABLE b (r INTEGER REFERENCES a) STRICT", sha256: "bb"),
  ]

  private func migrator(_ count: Int = 2, plus more: Migration...) -> Migrator {
    Migrator(applicationID: Self.id, migrations: Self.history.prefix(count) + more)
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
    #expect(try migrator().version(of: connection) == 0)
    let bad = Migrator(
      applicationID: Self.id, migrations: [Migration(version: 1, name: "", sql: "nonsense", sha256: "")])
    #expect(throws: SQLiteError.self) { try bad.migrate(connection, recordedAt: "") }
    #expect(try tables(connection) == [] && connection.applicationID() == 0)
    #expect(try migrator(1).migrate(connection, recordedAt: "now") == [1])
    #expect(try migrator().migrate(connection, recordedAt: "now") == [2])
    #expect(try migrator().migrate(connection, recordedAt: "later") == [])
    #expect(try migrator().version(of: connection) == 2)
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
    #expect(throws: SQLiteError.self) {
      try migrator(plus: bad).migrate(connection, recordedAt: "")
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.userVersion() == 2)
    #expect(try tables(connection) == ["a", "b", "migration"])
    #expect(try connection.pragma("foreign_keys") == .integer(1))
    let good = Migration(version: 3, name: "good", sql: "CREATE TABLE c (x)", sha256: "cc")
    #expect(try migrator(plus: good).migrate(connection, recordedAt: "") == [3])
  }

  @Test(arguments: ["COMMIT", "ROLLBACK", "CREATE TABLE c (x); COMMIT; BEGIN"])
  func `a migration may not end its transaction`(sql: String) throws {
    let connection = try hardened()
    let bad = Migration(version: 3, name: "bad", sql: sql, sha256: "")
    let error = try failure { _ = try migrator(plus: bad).migrate(connection, recordedAt: "") }
    #expect(error.code == .authorization)
    #expect(try migrator().version(of: connection) == 2)
    try connection.transaction(.immediate) {}
  }

  @Test func `another list of migrations than the file has seen is refused`() throws {
    func refused(
      _ migrations: [Migration], _ error: MigrationError, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let connection = try hardened()
      _ = try migrator(2).migrate(connection, recordedAt: "")
      // The list is looked at before any table.
      if case .newer = error { try connection.execute("ALTER TABLE migration RENAME COLUMN sha256 TO other") }
      let other = Migrator(applicationID: Self.id, migrations: migrations)
      #expect(throws: error, sourceLocation: sourceLocation) { try other.version(of: connection) }
      #expect(throws: error, sourceLocation: sourceLocation) { try other.migrate(connection, recordedAt: "") }
      #expect(try connection.userVersion() == 2, sourceLocation: sourceLocation)
    }
    let (one, two) = (Self.history[0], Self.history[1])
    try refused([one], .newer(found: 2, known: 1))
    let altered = Migration(version: 1, name: "one", sql: "", sha256: "ab")
    try refused([altered, two], .altered(version: 1, name: "one"))
    let three = Migration(version: 3, name: "three", sql: "", sha256: "cc")
    try refused([one, three], .gap(expected: 2, found: 3))
  }

  @Test func `a file of another program is refused`() throws {
    let connection = try hardened()
    try connection.setPragma("application_id", to: 7)
    #expect(throws: MigrationError.wrongApplicationID(found: 7, expected: Self.id)) {
      try migrator().migrate(connection, recordedAt: "")
    }
    let nameless = try hardened()
    try nameless.execute("CREATE TABLE t (n)")
    #expect(throws: MigrationError.wrongApplicationID(found: 0, expected: Self.id)) {
      try migrator().version(of: nameless)
    }
  }

  @Test func `a file that is not a database is refused`() throws {
    let directory = try TemporaryDirectory()
    try directory.write(String(repeating: "text ", count: 1000), to: "db")
    let connection = try Connection(path: directory.file("db"), mode: .readWrite)
    #expect(throws: MigrationError.notADatabase) { try migrator().migrate(connection, recordedAt: "") }
  }

  @Test func `a record that disagrees with the version is refused`() throws {
    let connection = try hardened()
    _ = try migrator().migrate(connection, recordedAt: "")
    try connection.setPragma("user_version", to: 1)
    #expect(throws: MigrationError.inconsistent(userVersion: 1, recorded: 2)) {
      try migrator().version(of: connection)
    }
    try connection.setPragma("user_version", to: -1)
    #expect(throws: MigrationError.inconsistent(userVersion: -1, recorded: 2)) {
      try migrator().version(of: connection)
    }
    try connection.setPragma("user_version", to: 2)
    try connection.execute("UPDATE migration SET version = 5 WHERE version = 2")
    #expect(throws: MigrationError.inconsistent(userVersion: 2, recorded: 2)) {
      try migrator().version(of: connection)
    }
  }

  @Test func `a table others refer to can be rebuilt`() throws {
    let connection = try hardened()
    _ = try migrator().migrate(connection, recordedAt: "")
    try connection.execute("INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)")
    let rebuild = Migration(
      version: 3, name: "rebuild",
      sql: """
        CREATE TABLE new_a (id INTEGER PRIMARY KEY, more TEXT) STRICT;
        INSERT INTO new_a (id) SELECT id FROM a;
        DROP TABLE a;
        ALTER TABLE new_a RENAME TO a;
        """, sha256: "")
    #expect(try migrator(plus: rebuild).migrate(connection, recordedAt: "") == [3])
    #expect(try failure { try connection.run("DELETE FROM a") }.code == ResultCode(rawValue: 787))
  }

  @Test func `a migration that leaves a foreign key without its row is refused`() throws {
    let connection = try hardened()
    let bad = Migration(version: 3, name: "bad", sql: "INSERT INTO b VALUES (9)", sha256: "")
    #expect(throws: MigrationError.foreignKey(version: 3, table: "b")) {
      try migrator(plus: bad).migrate(connection, recordedAt: "")
    }
    #expect(try connection.userVersion() == 2)
    #expect(try number(connection, "SELECT count(*) FROM b") == 0)
  }

  @Test func `connections that migrate at the same time apply each migration once`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    let holder = try Connection(path: path, mode: .create)
    // Behind this lock all of them find an empty file and wait.
    try holder.execute("BEGIN IMMEDIATE")
    let migrator = migrator()
    let threads = (0..<3).map { _ in
      BackgroundWork {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.harden()
        return try migrator.migrate(connection, recordedAt: "")
      }
    }
    pause(seconds: 0.05)
    try holder.execute("ROLLBACK")
    #expect(try threads.flatMap { try $0.finish() ?? [] }.sorted() == [1, 2])
  }

  @Test func `a migration within a transaction is refused`() throws {
    let connection = try hardened()
    try connection.transaction(.immediate) { () throws in
      #expect(try migrator().version(of: connection) == 0)
      #expect(try failure { _ = try migrator().migrate(connection, recordedAt: "") }.code == .misuse)
    }
  }
}

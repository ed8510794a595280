import SQLite
import TestSupport
import Testing

@Suite struct HardeningTests {
  @Test(arguments: [
    (
      "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = 'CREATE TABLE t (x)'",
      "table sqlite_master may not be modified"
    ),
    (
      "CREATE TRIGGER l AFTER DELETE ON t BEGIN SELECT load_extension('x'); END", "DELETE FROM t",
      "unsafe use of load_extension()"
    ),
    (
      """
      CREATE TRIGGER keep BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'kept'); END;
      INSERT INTO t (id, n) VALUES (1, 1);
      """, "INSERT OR REPLACE INTO t (id, n) VALUES (1, 2)", "kept"
    ),
    ("", "SELECT \"nothing\"", "no such column: nothing"),
  ])
  func `a hardened connection refuses what another one does`(
    preparation: String, sql: String, message: String
  ) throws {
    let connection = try sample()
    try connection.execute(preparation)
    #expect(try failure { try connection.run(sql) }.message == message)
    // This one SQLite refuses by itself.
    guard !sql.hasPrefix("DELETE") else { return }
    let soft = try Connection.inMemory()
    try soft.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER); \(preparation)")
    try soft.run(sql)
  }

  @Test func `the journal cannot be turned off`() throws {
    let directory = try TemporaryDirectory()
    let connection = try Connection(path: directory.file("db"), mode: .create)
    try connection.harden()
    try connection.useRollbackJournal()
    try connection.execute("PRAGMA journal_mode = OFF")
    #expect(try connection.pragma("journal_mode") == .text("delete"))
  }

  @Test func `the settings of a hardened connection read back`() throws {
    let directory = try TemporaryDirectory()
    let connection = try Connection(path: directory.file("db"), mode: .create)
    try connection.harden()
    try connection.useRollbackJournal()
    let settings: [(String, Int64)] = [
      ("cell_size_check", 1), ("recursive_triggers", 1), ("foreign_keys", 1), ("trusted_schema", 0),
      ("mmap_size", 0), ("synchronous", 3),
    ]
    for (name, value) in settings { #expect(try connection.pragma(name) == .integer(value), "\(name)") }
  }

  @Test func `a WAL another connection uses does not pass for a rollback journal`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    let one = try Connection(path: path, mode: .create)
    try one.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (n)")
    let two = try Connection(path: path, mode: .readWrite, busyTimeout: 0)
    #expect(throws: SQLiteError.self) { try two.useRollbackJournal() }
    try one.close()
    try two.useRollbackJournal()
  }

  @Test func `header fields are set and read`() throws {
    let connection = try Connection.inMemory()
    try connection.setPragma("application_id", to: -5)
    try connection.setPragma("user_version", to: Int64(Int32.max))
    #expect(try connection.applicationID() == -5)
    #expect(try connection.userVersion() == .max)
    #expect(try connection.pragma("no_such_pragma") == Value?.none)
  }
}

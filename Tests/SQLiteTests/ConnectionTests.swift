import Platform
import SQLite
import TestSupport
import Testing

@Suite struct ConnectionTests {
  @Test func `a script runs all its statements and passes over rows and comments`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      -- A comment; with a semicolon.
      CREATE TABLE t (a);
      INSERT INTO t VALUES ('; é'), (2);
      SELECT * FROM t;;
      INSERT INTO t VALUES (3)  -- no semicolon at the end
      """)
    #expect(try number(connection, "SELECT count(*) FROM t") == 3)
    try connection.execute("")
    try connection.execute("  -- nothing")
  }

  @Test func `first gives nil for no row and the error of its closure`() throws {
    struct Stop: Error {}
    let connection = try sample()
    #expect(try number(connection, "SELECT id FROM t") == nil)
    #expect(throws: Stop.self) { _ = try connection.first("SELECT 1") { _ in throw Stop() } }
    #expect(throws: Stop.self) { _ = try connection.query("SELECT 1") { _ in throw Stop() } }
    #expect(try number(connection, "SELECT 1") == 1)
  }

  @Test func `a closed connection answers with errors`() throws {
    let connection = try sample()
    let row = try #require(try connection.first("SELECT 1") { $0 })
    try connection.close()
    try connection.close()
    #expect(!connection.isInTransaction)
    let calls: [() throws -> Void] = [
      { try connection.run("SELECT 1") }, { try connection.execute("SELECT 1") },
      { try connection.harden() },
      { try connection.transaction(.deferred) {} }, { _ = try connection.userVersion() },
      { try connection.useRollbackJournal() }, { _ = try row.integer(0) },
    ]
    for call in calls {
      let error = try failure(of: call)
      #expect(error.code == .misuse)
      #expect(error.message == "the connection is closed")
    }
  }

  @Test func `a connection closed from within a query ends it with an error`() throws {
    let connection = try Connection.inMemory()
    let error = try failure {
      try connection.forEach("VALUES (1), (2)") { (row) throws in
        try connection.close()
        #expect(try failure { _ = try row.integer(0) }.code == .misuse)
        return true
      }
    }
    #expect(error.code == .misuse)
  }

  @Test func `a file must exist unless the mode is create`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    #expect(try failure { _ = try Connection(path: path, mode: .readWrite) }.code == .cantOpen)
    #expect(try failure { _ = try Connection(path: path, mode: .readOnly) }.code == .cantOpen)
    let connection = try Connection(path: path, mode: .create)
    #expect(connection.path == path)
    #expect(directory.exists("db"))
  }

  @Test(arguments: ["", "a\0b"])
  func `an invalid path is refused`(path: String) throws {
    #expect(try failure { _ = try Connection(path: path, mode: .create) }.code == .cantOpen)
  }

  @Test(arguments: ["file:x?mode=memory", ":memory:", ":x"])
  func `a path is a file name, whatever it looks like`(path: String) throws {
    // In no working directory of a test run is there a file of such a name.
    #expect(try failure { _ = try Connection(path: path, mode: .readWrite) }.code == .cantOpen)
  }

  @Test func `a connection that only reads does not write`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    try Connection(path: path, mode: .create).execute("CREATE TABLE t (n); INSERT INTO t VALUES (1)")
    let reader = try Connection(path: path, mode: .readOnly)
    try reader.harden()
    try reader.useRollbackJournal()
    #expect(try number(reader, "SELECT n FROM t") == 1)
    #expect(try failure { try reader.run("INSERT INTO t VALUES (2)") }.code == .readOnly)
  }

  @Test func `a symbolic link is refused as the file and as a directory above it`() throws {
    let directory = try TemporaryDirectory()
    try directory.directory("real")
    try Connection(path: directory.file("real/db"), mode: .create).execute("CREATE TABLE t (n)")
    try directory.link("file-link", to: directory.file("real/db"))
    try directory.link("directory-link", to: directory.file("real"))
    for name in ["file-link", "directory-link/db"] {
      let error = try failure { _ = try Connection(path: directory.file(name), mode: .readWrite) }
      #expect(error.code == ResultCode(rawValue: 1550))
    }
    _ = try Connection(path: directory.file("real/db"), mode: .readWrite)
  }

  @Test func `a file that is not a database fails at the first statement`() throws {
    let directory = try TemporaryDirectory()
    try directory.write(String(repeating: "not a database ", count: 100), to: "db")
    let connection = try Connection(path: directory.file("db"), mode: .readWrite)
    try connection.harden()
    #expect(try failure { _ = try connection.applicationID() }.code == .notADatabase)
    #expect(try failure { try connection.useRollbackJournal() }.code == .notADatabase)
  }

  @Test func `a second writer is refused as busy`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    let one = try Connection(path: path, mode: .create)
    try one.execute("CREATE TABLE t (n)")
    let two = try Connection(path: path, mode: .readWrite, busyTimeout: 1)
    try one.transaction(.immediate) { () throws in
      #expect(try failure { try two.transaction(.immediate) {} }.code == .busy)
      #expect(!two.isInTransaction)
      #expect(try number(two, "SELECT count(*) FROM t") == 0)
    }
    try two.execute("BEGIN EXCLUSIVE")
    let three = try Connection(path: path, mode: .readOnly, busyTimeout: 0)
    #expect(try failure { _ = try number(three, "SELECT count(*) FROM t") }.code == .busy)
  }
}

import SQLite
import TestSupport
import Testing

@Suite struct StatementTests {
  @Test func `each type binds to a parameter by its number`() throws {
    let connection = try Connection.inMemory()
    let values: [Value] = [.integer(.max), .text("text"), .blob([1, 2, 3]), .null, .real(0.25)]
    let found = try connection.first("SELECT ?1, ?2, ?3, ?4, ?5", values: values) { row in
      try values.indices.map { try row.value($0) }
    }
    #expect(found == values)
  }

  @Test func `more or fewer values than parameters are an error`() throws {
    let connection = try sample()
    #expect(try failure { try connection.run("INSERT INTO t VALUES (?, ?, ?)", 1) }.code == .range)
    #expect(try failure { try connection.run("DELETE FROM t", 1) }.code == .range)
    #expect(try number(connection, "SELECT count(*) FROM t") == 0)
  }

  @Test func `the text of a statement in use gives another statement`() throws {
    let connection = try Connection.inMemory()
    let sql = "SELECT value FROM json_each(?)"
    var pairs: [[Int64]] = []
    try connection.forEach(sql, "[1,2]") { (outer) throws in
      let first = try outer.integer(0)
      try connection.forEach(sql, "[3,4]") { (inner) throws in
        pairs.append([first, try inner.integer(0)])
        return true
      }
      return true
    }
    #expect(pairs == [[1, 3], [1, 4], [2, 3], [2, 4]])
  }

  @Test func `a statement left in the middle does not hold its lock`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    let one = try Connection(path: path, mode: .create, busyTimeout: 0)
    try one.execute("CREATE TABLE t (n); INSERT INTO t VALUES (1), (2)")
    let two = try Connection(path: path, mode: .readWrite, busyTimeout: 0)
    try one.forEach("SELECT n FROM t") { (_) throws in
      #expect(try failure { try two.run("INSERT INTO t VALUES (3)") }.code == .busy)
      return false
    }
    #expect(try one.first("SELECT n FROM t") { try $0.integer(0) } == 1)
    try two.run("INSERT INTO t VALUES (3)")
  }

  @Test func `an unfinished statement does not keep a transaction from committing`() throws {
    let connection = try sample()
    try connection.run("INSERT INTO t (n) VALUES (1), (2)")
    try connection.forEach("SELECT n FROM t ORDER BY n") { (_) throws in
      try connection.transaction(.immediate) { try connection.run("INSERT INTO t (n) VALUES (3)") }
      #expect(!connection.isInTransaction)
      return false
    }
    #expect(try number(connection, "SELECT count(*) FROM t") == 3)
  }

  @Test func `a changed schema is seen by statements prepared before`() throws {
    let connection = try sample()
    let sql = "SELECT * FROM t"
    try connection.run("INSERT INTO t (n) VALUES (1)")
    #expect(throws: SQLiteError.self) { try connection.first(sql) { try $0.integer(3) } }
    try connection.execute("ALTER TABLE t ADD COLUMN more DEFAULT 9")
    #expect(try connection.first(sql) { try $0.integer(3) } == 9)
  }

  @Test func `a PRAGMA acts each time it is run`() throws {
    let connection = try Connection.inMemory()
    for _ in 0..<2 {
      try connection.run("PRAGMA synchronous = 1")
      #expect(try number(connection, "PRAGMA synchronous") == 1)
      try connection.run(" pragma synchronous = 2")
      #expect(try number(connection, "PRAGMA synchronous") == 2)
    }
  }

  @Test(arguments: ["", "  -- nothing\n", "SELECT 1; SELECT 2", "SELECT 1; nonsense", "SELECT 1\0"])
  func `a text that is not exactly one statement is refused`(sql: String) throws {
    let connection = try Connection.inMemory()
    #expect(throws: SQLiteError.self) { try connection.run(sql) }
  }
}

import SQLite
import TestSupport
import Testing

@Suite struct StatementTests {
  @Test func `a statement runs again after a reset`() throws {
    let connection = try sample()
    let insert = try connection.prepare("INSERT INTO t (name, n) VALUES (?1, ?2)")
    #expect(insert.parameterCount == 2)
    for number in 1...3 {
      insert.reset()
      try insert.bind("name \(number)", at: 1)
      try insert.bind(number, at: 2)
      #expect(try insert.step() == false)
    }
    try insert.run("four", 4)
    #expect(try connection.query("SELECT n FROM t ORDER BY n") { try $0.integer(0) } == [1, 2, 3, 4])
  }

  @Test func `each type binds to a parameter by its number`() throws {
    let connection = try Connection.inMemory()
    let select = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5")
    try select.bind(Int64.max, at: 1)
    try select.bind("text", at: 2)
    try select.bind([1, 2, 3], at: 3)
    try select.bind(nil, at: 4)
    try select.bind(.real(0.25), at: 5)
    #expect(try select.step())
    let row = try select.row
    let values = try (0..<5).map { try row.value($0) }
    #expect(values == [.integer(.max), .text("text"), .blob([1, 2, 3]), .null, .real(0.25)])
    #expect(select.columnCount == 5)
    #expect(try select.columnName(0) == "?1")
  }

  @Test(arguments: [0, 2, -1, Int.max])
  func `a parameter that is not there is an error`(parameter: Int) throws {
    let select = try Connection.inMemory().prepare("SELECT ?")
    #expect(try failure { try select.bind(1, at: parameter) }.code == .range)
  }

  @Test func `more or fewer values than parameters are an error`() throws {
    let connection = try sample()
    #expect(try failure { try connection.run("INSERT INTO t VALUES (?, ?, ?)", 1) }.code == .range)
    #expect(try failure { try connection.run("DELETE FROM t", 1) }.code == .range)
    #expect(connection.totalChanges == 0)
  }

  @Test func `a step after the last one is an error and runs nothing`() throws {
    let connection = try sample()
    let insert = try connection.prepare("INSERT INTO t (n) VALUES (1)")
    #expect(try insert.step() == false)
    #expect(try failure { _ = try insert.step() }.code == .misuse)
    #expect(try number(connection, "SELECT count(*) FROM t") == 1)
  }

  @Test func `a value bound in the middle of a statement is an error`() throws {
    let select = try Connection.inMemory().prepare("SELECT ?")
    try select.bind(1)
    #expect(try select.step())
    #expect(try failure { try select.bind(2) }.code == .misuse)
  }

  @Test func `a statement on no row has none`() throws {
    let select = try Connection.inMemory().prepare("SELECT 1")
    #expect(try failure { _ = try select.row }.code == .misuse)
    #expect(try select.step())
    #expect(try select.row.integer(0) == 1)
    #expect(try select.step() == false)
    #expect(try failure { _ = try select.row }.code == .misuse)
  }

  @Test func `the same text while in use gives another statement`() throws {
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
    let held = try connection.prepare(sql)
    try held.bind("[5]")
    #expect(try held.step())
    #expect(try connection.first(sql, "[6]") { try $0.integer(0) } == 6)
    #expect(try held.row.integer(0) == 5)
  }

  @Test func `a statement given back keeps none of its values`() throws {
    let connection = try Connection.inMemory()
    let sql = "SELECT ?"
    do {
      let select = try connection.prepare(sql)
      try select.bind("left behind")
    }
    let select = try connection.prepare(sql)
    #expect(try select.step())
    #expect(try select.row.isNull(0))
  }

  @Test func `a statement dropped in the middle does not hold its lock`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    let one = try Connection(path: path, mode: .create, busyTimeout: 0)
    try one.execute("CREATE TABLE t (n); INSERT INTO t VALUES (1), (2)")
    let two = try Connection(path: path, mode: .readWrite, busyTimeout: 0)
    do {
      let select = try one.prepare("SELECT n FROM t")
      #expect(try select.step())
      #expect(try failure { try two.run("INSERT INTO t VALUES (3)") }.code == .busy)
    }
    try one.forEach("SELECT n FROM t") { _ in false }
    #expect(try one.first("SELECT n FROM t") { try $0.integer(0) } == 1)
    try two.run("INSERT INTO t VALUES (3)")
  }

  @Test func `a statement left in the middle does not keep a transaction from its commit`() throws {
    let connection = try sample()
    try connection.run("INSERT INTO t (n) VALUES (1), (2)")
    let select = try connection.prepare("SELECT n FROM t ORDER BY n")
    #expect(try select.step())
    try connection.transaction(.immediate) { try connection.run("INSERT INTO t (n) VALUES (3)") }
    #expect(!connection.isInTransaction)
    #expect(try number(connection, "SELECT count(*) FROM t") == 3)
  }

  @Test func `a changed schema is seen by statements prepared before`() throws {
    let connection = try sample()
    let sql = "SELECT * FROM t"
    try connection.run("INSERT INTO t (n) VALUES (1)")
    #expect(try connection.first(sql) { $0.columnCount } == 3)
    try connection.execute("ALTER TABLE t ADD COLUMN more DEFAULT 9")
    #expect(try connection.first(sql) { try $0.integer(3) } == 9)
  }

  @Test func `a PRAGMA acts each time it is run`() throws {
    let connection = try Connection.inMemory()
    for _ in 0..<2 {
      try connection.run("PRAGMA synchronous = 1")
      #expect(try number(connection, "PRAGMA synchronous") == 1)
      // Its answer may be fixed when it is compiled; the one compiled here is not the one run below.
      _ = try connection.prepare("PRAGMA synchronous")
      try connection.run(" pragma synchronous = 2")
      #expect(try number(connection, "PRAGMA synchronous") == 2)
    }
  }

  @Test func `more texts than the cache holds all run`() throws {
    let connection = try Connection.inMemory()
    let held = try connection.prepare("SELECT 'held'")
    for value in 0..<1100 {
      #expect(try number(connection, "SELECT \(value)") == Int64(value))
    }
    #expect(try held.step())
    #expect(try held.row.text(0) == "held")
  }

  @Test(arguments: ["", "  -- nothing\n", "SELECT 1; SELECT 2", "SELECT 1; nonsense", "SELECT 1\0"])
  func `a text that is not exactly one statement is refused`(sql: String) throws {
    let connection = try Connection.inMemory()
    #expect(throws: SQLiteError.self) { try connection.run(sql) }
  }

  @Test func `a comment may follow a statement`() throws {
    #expect(try number(.inMemory(), "SELECT 1; -- one\n ; /* end */") == 1)
  }
}

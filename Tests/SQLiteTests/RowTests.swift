import SQLite
import Testing

@Suite struct RowTests {
  @Test func `a column of another type is an error that names it`() throws {
    let connection = try Connection.inMemory()
    let error = try failure { _ = try connection.first("SELECT 'secret' AS label") { try $0.integer(0) } }
    #expect(error.code == .mismatch)
    #expect(error.message == "column 0 (label) is TEXT, not INTEGER")
    #expect(error.sql == "SELECT 'secret' AS label")
  }

  @Test func `no type is converted to another`() throws {
    let connection = try Connection.inMemory()
    try connection.forEach("SELECT 1, 1.0, '1', x'31', NULL") { (row) throws in
      for column in 0..<5 {
        if column != 0 { #expect(throws: SQLiteError.self) { try row.integer(column) } }
        if column != 2 { #expect(throws: SQLiteError.self) { try row.text(column) } }
        if column != 3 { #expect(throws: SQLiteError.self) { try row.blob(column) } }
        #expect(try row.isNull(column) == (column == 4))
      }
      return true
    }
  }

  @Test func `an optional column is nil for NULL only`() throws {
    let connection = try Connection.inMemory()
    try connection.forEach("SELECT NULL, 1, 'a'") { (row) throws in
      #expect(try row.optionalInteger(0) == nil)
      #expect(try row.optionalText(0) == nil)
      #expect(try row.optionalInteger(1) == 1)
      #expect(try row.optionalText(2) == "a")
      #expect(throws: SQLiteError.self) { try row.optionalText(1) }
      return true
    }
  }

  @Test(arguments: [-1, 2, Int.max, Int.min])
  func `a column that does not exist is an error`(column: Int) throws {
    let connection = try Connection.inMemory()
    try connection.forEach("SELECT 1, 2") { (row) throws in
      #expect(try failure { _ = try row.integer(column) }.code == .range)
      return true
    }
  }

  @Test func `a row that outlives its step is an error`() throws {
    let connection = try Connection.inMemory()
    var kept: [Row] = []
    try connection.forEach("VALUES (1), (2)") { (row) throws in
      if let before = kept.last { #expect(try failure { _ = try before.integer(0) }.code == .misuse) }
      kept.append(row)
      return true
    }
    for row in kept {
      #expect(try failure { _ = try row.integer(0) }.code == .misuse)
      #expect(try failure { _ = try row.value(0) }.code == .misuse)
      #expect(try failure { _ = try row.lend(0) }.code == .misuse)
    }
  }
}

import SQLite
internal import Testing

func failure(of body: () throws -> Void) throws -> SQLiteError {
  try #require(throws: SQLiteError.self) { try body() }
}

func number(_ connection: Connection, _ sql: String, _ values: Value...) throws -> Int64? {
  try connection.first(sql, values: values) { try $0.integer(0) }
}

func sample() throws -> Connection {
  let connection = try Connection.inMemory()
  try connection.harden()
  try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, n INTEGER)")
  return connection
}

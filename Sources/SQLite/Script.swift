internal import CSQLite

/// Running statements. Each goes through the cache and is reset before the call returns, however it ends.
extension Connection {
  /// Runs a statement to its end, ignoring its rows.
  ///
  /// - Throws: `SQLiteError`: SQLite's own; `.range` when there are more or fewer values than parameters.
  package func run(_ sql: String, _ values: Value...) throws(SQLiteError) {
    try run(sql, values: values)
  }

  /// Runs a statement to its end, its values in an array.
  package func run(_ sql: String, values: [Value]) throws(SQLiteError) {
    let statement = try take(sql)
    defer { giveBack(statement) }
    try statement.bind(values)
    while try statement.step() {}
  }

  /// - Throws: `SQLiteError`, and what `row` throws, as the others do.
  package func query<T>(_ sql: String, _ values: Value..., row: (Row) throws -> T) throws -> [T] {
    try query(sql, values: values, row: row)
  }

  /// All rows of a statement, its values in an array.
  package func query<T>(_ sql: String, values: [Value], row: (Row) throws -> T) throws -> [T] {
    var result: [T] = []
    try forEach(sql, values: values) {
      result.append(try row($0))
      return true
    }
    return result
  }

  /// The first row of a statement, or nil; further rows are not looked at.
  package func first<T>(_ sql: String, _ values: Value..., row: (Row) throws -> T) throws -> T? {
    try first(sql, values: values, row: row)
  }

  /// The first row of a statement, or nil, its values in an array.
  package func first<T>(_ sql: String, values: [Value], row: (Row) throws -> T) throws -> T? {
    let statement = try take(sql)
    defer { giveBack(statement) }
    try statement.bind(values)
    guard try statement.step() else { return nil }
    return try row(statement.currentRow)
  }

  /// The rows of a statement one by one, until `row` returns false.
  ///
  /// `row` may run other statements, including this same one. If it changes rows of the query, it is
  /// undefined whether those are still to come, or come again (<https://sqlite.org/isolation.html>).
  package func forEach(_ sql: String, _ values: Value..., row: (Row) throws -> Bool) throws {
    try forEach(sql, values: values, row: row)
  }

  /// The rows of a statement one by one, its values in an array.
  package func forEach(_ sql: String, values: [Value], row: (Row) throws -> Bool) throws {
    let statement = try take(sql)
    defer { giveBack(statement) }
    try statement.bind(values)
    while try statement.step() {
      guard try row(statement.currentRow) else { return }
    }
  }
}

extension Connection {
  /// Runs the statements of a script in order, ignoring their rows.
  ///
  /// Not atomic by itself: without a transaction around it, the statements before one that fails stay in effect.
  package func execute(_ script: String) throws(SQLiteError) {
    let database = try handle()
    let code = sqlite3_exec(database, script, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code, on: database, sql: nil) }
  }
}

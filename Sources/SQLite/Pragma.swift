/// Settings and header fields reached by PRAGMA (<https://sqlite.org/pragma.html>).
extension Connection {
  /// The answer of a PRAGMA: the first column of its first row; nil if there is no row.
  ///
  /// - Throws: `SQLiteError`, but not for a name that SQLite does not know.
  package func pragma(_ name: String) throws(SQLiteError) -> Value? {
    try answer(to: "PRAGMA \(name)")
  }

  /// Sets a PRAGMA to a number, and returns its answer, which few give.
  @discardableResult
  package func setPragma(_ name: String, to value: Int64) throws(SQLiteError) -> Value? {
    try answer(to: "PRAGMA \(name) = \(value)")
  }

  /// By which a program recognizes its files; 0 in a new file.
  package func applicationID() throws(SQLiteError) -> Int32 { try header("application_id") }

  /// That a program gives its schema; 0 in a new file.
  package func userVersion() throws(SQLiteError) -> Int32 { try header("user_version") }

  /// Sets a PRAGMA and reads it back, since SQLite ignores what it does not know or will not do.
  func setAndVerify(_ name: String, _ value: Int64) throws(SQLiteError) {
    try setPragma(name, to: value)
    let answer = try pragma(name)
    guard answer == .integer(value) else {
      throw SQLiteError(code: .error, message: "the setting did not take", sql: "PRAGMA \(name) = \(value)")
    }
  }

  /// For a PRAGMA that takes no value from outside.
  func answer(to sql: String) throws(SQLiteError) -> Value? {
    let statement = try take(sql)
    defer { giveBack(statement) }
    // Not `? :` with a nil in it, which would become `Value.null`.
    guard try statement.step() else { return .none }
    return try statement.currentRow.value(0)
  }

  private func header(_ name: String) throws(SQLiteError) -> Int32 {
    guard case .integer(let number) = try pragma(name), let field = Int32(exactly: number) else {
      throw SQLiteError(code: .error, message: "no number came back", sql: "PRAGMA \(name)")
    }
    return field
  }
}

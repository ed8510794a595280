/// Settings and header fields reached by PRAGMA (<https://sqlite.org/pragma.html>).
extension Connection {
  /// The answer of a PRAGMA: the first column of its first row; nil if there is no row.
  ///
  /// - Throws: `SQLiteError`: `.misuse` when the name is not made of letters, digits and underscores.
  package func pragma(_ name: String) throws(SQLiteError) -> Value? {
    try answer(to: "PRAGMA \(try Self.checked(name))")
  }

  /// Sets a PRAGMA to a number, and returns its answer, which few give.
  ///
  /// - Throws: `SQLiteError`, as for reading one. SQLite itself does not reject a name that it does not know.
  @discardableResult
  package func setPragma(_ name: String, to value: Int64) throws(SQLiteError) -> Value? {
    try answer(to: "PRAGMA \(try Self.checked(name)) = \(value)")
  }

  /// The number by which a program recognizes its files; 0 in a new file.
  ///
  /// - Throws: `SQLiteError`, also if the file turns out not to be a database.
  package func applicationID() throws(SQLiteError) -> Int32 {
    try header("application_id")
  }

  /// Sets the application ID, as part of the transaction if one is open.
  package func setApplicationID(_ id: Int32) throws(SQLiteError) {
    try setPragma("application_id", to: Int64(id))
  }

  /// The version a program gives its schema; 0 in a new file.
  package func userVersion() throws(SQLiteError) -> Int32 {
    try header("user_version")
  }

  /// Sets the version of the schema, as part of the transaction if one is open.
  package func setUserVersion(_ version: Int32) throws(SQLiteError) {
    try setPragma("user_version", to: Int64(version))
  }

  /// Sets a PRAGMA and reads it back, since SQLite ignores what it does not know or will not do.
  func setAndVerify(_ name: String, _ value: Int64) throws(SQLiteError) {
    try setPragma(name, to: value)
    let answer = try pragma(name)
    guard answer == .integer(value) else {
      throw SQLiteError(code: .error, message: "the setting did not take", sql: "PRAGMA \(name) = \(value)")
    }
  }

  /// The first column of the first row of a PRAGMA that takes no value from outside.
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

  /// Checks that a name has only the characters of one, since it cannot be bound as a parameter.
  private static func checked(_ name: String) throws(SQLiteError) -> String {
    let isName = name.utf8.allSatisfy { byte in
      byte == 0x5f || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
    }
    guard isName, !name.isEmpty else { throw .misuse("not the name of a PRAGMA") }
    return name
  }
}

internal import CSQLite

extension Connection {
  /// Runs the statements of a script in order, ignoring their rows.
  ///
  /// Not atomic by itself: without a transaction around it, the statements before one that fails stay in
  /// effect. The error holds the text of the statement that failed. A script may be empty, but must not
  /// contain a NUL.
  package func execute(_ script: String) throws(SQLiteError) {
    let database = try handle()
    try script.utf8CString.withUnsafeBufferPointer { text throws(SQLiteError) in
      var cursor = try ScriptCursor(text)
      while let statement = try cursor.next(flags: 0, on: database) {
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW { code = sqlite3_step(statement) }
        guard code == SQLITE_DONE else {
          let sql = sqlite3_sql(statement).map { String(cString: $0) }
          throw SQLiteError(code, on: database, sql: sql)
        }
      }
    }
  }

  /// Runs a script as part of the open transaction, which it may not end (`.authorization`).
  func executeWithinTransaction(_ script: String) throws(SQLiteError) {
    let database = try handle()
    csqlite_forbid_transactions(database, 1)
    defer { csqlite_forbid_transactions(database, 0) }
    try execute(script)
  }
}

internal import CSQLite

extension Connection {
  /// Sets the connection up to distrust its file, and to enforce what the schema declares.
  ///
  /// Call this right after the open, outside a transaction; the file is not read. On: DEFENSIVE, foreign
  /// keys, the check of cell sizes, recursive triggers (without which REPLACE deletes rows without running
  /// their DELETE triggers). Off: functions with side effects in the schema, double-quoted strings,
  /// extensions, memory mapping (an I/O error would be a signal). See <https://sqlite.org/security.html>.
  ///
  /// - Throws: `SQLiteError` if a setting cannot be made, or reads back differently.
  package func harden() throws(SQLiteError) {
    try set(SQLITE_DBCONFIG_DEFENSIVE, true)
    try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    try set(SQLITE_DBCONFIG_DQS_DDL, false)
    try set(SQLITE_DBCONFIG_DQS_DML, false)
    try set(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
    try set(SQLITE_DBCONFIG_ENABLE_FKEY, true)
    try setAndVerify("cell_size_check", 1)
    try setAndVerify("recursive_triggers", 1)
    // A database in memory, and an SQLite compiled without mapping, answer nothing.
    let mapped = try setPragma("mmap_size", to: 0)
    guard mapped == nil || mapped == .integer(0) else {
      throw SQLiteError(code: .error, message: "memory mapping stays on", sql: "PRAGMA mmap_size = 0")
    }
  }

  /// Uses a rollback journal that is deleted at commit, and flushes as thoroughly as SQLite can.
  ///
  /// With `synchronous` EXTRA the directory is flushed after the journal is unlinked, so that a commit which
  /// returned is not undone by a loss of power (<https://sqlite.org/pragma.html#pragma_synchronous>). Reads
  /// the file, which stays in this mode. A database in memory has no journal.
  ///
  /// - Throws: `SQLiteError` if the mode cannot be set, for example while another connection keeps a WAL.
  package func useRollbackJournal() throws(SQLiteError) {
    if !isInMemory {
      guard try answer(to: "PRAGMA journal_mode = DELETE") == .text("delete") else {
        throw SQLiteError(
          code: .error, message: "the journal mode did not take", sql: "PRAGMA journal_mode = DELETE")
      }
    }
    let extra: Int64 = 3
    try setAndVerify("synchronous", extra)
    #if canImport(Darwin)
      // Without this, Darwin flushes only to the drive's cache.
      try setAndVerify("fullfsync", 1)
    #endif
  }

  /// Leaves triggers and CHECK constraints out from now on, for rows of which all that they refuse is asked otherwise.
  package func leaveOutConstraints() throws(SQLiteError) {
    try set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try setPragma("ignore_check_constraints", to: 1)
  }

  private func set(_ option: Int32, _ on: Bool) throws(SQLiteError) {
    let database = try handle()
    let wanted: Int32 = on ? 1 : 0
    var answer: Int32 = -1
    let code = csqlite_db_config_switch(database, option, wanted, &answer)
    guard code == SQLITE_OK else { throw SQLiteError(code, on: database, sql: nil) }
    guard answer == wanted else {
      throw SQLiteError(code: .error, message: "SQLite will not set its option \(option) to \(wanted)")
    }
  }
}

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

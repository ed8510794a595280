internal import CSQLite

/// An open SQLite database.
///
/// Not Sendable: one thread at a time. A connection that nothing refers to closes itself, and its
/// statements with it. After `close` every call throws `.misuse`, and the properties that cannot throw answer
/// 0 or false.
package final class Connection {
  package let path: String
  /// By which another thread stops a statement of this connection.
  package let interruptHandle: InterruptHandle
  package let isInMemory: Bool
  private var database: OpaquePointer?
  private var statements = StatementCache()
  /// Whether `run` compiles statements without running them; see `rehearsing`.
  private(set) var isRehearsing = false

  /// Opens a file.
  ///
  /// The path is always taken as a file's name: SQLite's `:memory:`, empty names and `file:` URIs have no
  /// special meaning. No part of the path may be a symbolic link. SQLite does not read the file yet, so one
  /// that is not a database fails only at the first statement.
  ///
  /// - Parameter busyTimeout: How many milliseconds a statement waits for another connection's lock before it
  ///   fails with `.busy`. A deadlock is not waited for.
  package convenience init(path: String, mode: Mode, busyTimeout: Int32 = 10_000) throws(SQLiteError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SQLiteError(code: .cantOpen, message: "the path is empty or has a NUL in it")
    }
    // Debian compiles SQLite with URI names on. See <https://sqlite.org/c3ref/open.html> for the "./".
    let isSpecial = path.utf8.first == 0x3a || path.utf8.starts(with: "file:".utf8)
    try self.init(
      name: isSpecial ? "./\(path)" : path, path: path, isInMemory: false, flags: mode.flags,
      busyTimeout: busyTimeout)
    // SQLite falls back to read-only access by itself, and would fail only at the first write.
    if mode != .readOnly, sqlite3_db_readonly(database, "main") != 0 {
      throw SQLiteError(code: .readOnly, message: "the file cannot be written")
    }
  }

  /// Evaluated once, before the first open; later calls do nothing, and nothing depends on the result.
  private static let countsNoMemory: Int32 = csqlite_count_no_memory()

  private init(
    name: String, path: String, isInMemory: Bool, flags: Int32, busyTimeout: Int32
  ) throws(SQLiteError) {
    _ = Connection.countsNoMemory
    var database: OpaquePointer?
    let code = sqlite3_open_v2(name, &database, flags, nil)
    guard code == SQLITE_OK, let database else {
      let error = SQLiteError(code, on: database, sql: nil)
      // Even a failed open has something to close.
      sqlite3_close(database)
      throw error
    }
    BusyWait.set(busyTimeout, on: database)
    self.path = path
    self.isInMemory = isInMemory
    self.database = database
    interruptHandle = InterruptHandle(database)
  }

  /// Opens an empty database in memory, for tests.
  package static func inMemory() throws(SQLiteError) -> Connection {
    try Connection(
      name: ":memory:", path: ":memory:", isInMemory: true, flags: Mode.create.flags, busyTimeout: 0)
  }

  deinit {
    // With no statement left alive this cannot fail, and there is nobody to tell.
    statements.finalizeAll()
    _ = interruptHandle.close()
  }

  /// Closes the database; an open transaction is rolled back.
  ///
  /// Statements that are still held can no longer be used. Closing again does nothing.
  ///
  /// - Throws: `SQLiteError` when SQLite refuses, in which case the connection stays open.
  package func close() throws(SQLiteError) {
    guard let database else { return }
    statements.finalizeAll()
    let code = interruptHandle.close()
    guard code == SQLITE_OK else { throw SQLiteError(code, on: database, sql: nil) }
    self.database = nil
  }

  /// SQLite itself ends a transaction after some errors, see
  /// <https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>.
  package var isInTransaction: Bool {
    database.map { sqlite3_get_autocommit($0) == 0 } ?? false
  }

  /// Sets how many milliseconds a statement waits for another connection's lock.
  package func setBusyTimeout(_ milliseconds: Int32) throws(SQLiteError) {
    BusyWait.set(milliseconds, on: try handle())
  }

  /// Runs a body in which `run` only compiles its statements into the cache, without running them; queries do
  /// run.
  ///
  /// For a writer that has to wait: what is compiled meanwhile need not be compiled while others wait. No
  /// transaction can be begun in the body.
  package func rehearsing<T>(_ body: () throws -> T) rethrows -> T {
    let before = isRehearsing
    isRehearsing = true
    defer { isRehearsing = before }
    return try body()
  }

  func handle() throws(SQLiteError) -> OpaquePointer {
    guard let database else { throw .closed() }
    return database
  }

  /// Takes a statement for one use; it must be given back.
  func take(_ sql: String) throws(SQLiteError) -> PreparedStatement {
    guard let database else { throw .closed(sql: sql) }
    return try statements.take(sql, on: database)
  }

  func giveBack(_ statement: PreparedStatement) {
    // After a close, the cache no longer holds it.
    guard database != nil else { return }
    statements.giveBack(statement)
  }
}

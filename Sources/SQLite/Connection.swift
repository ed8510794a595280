internal import CSQLite

extension Connection {
  /// What a connection may do to its file.
  package enum Mode: Sendable {
    /// Read an existing file. A hot journal left by a crash makes the first read fail, since playing it back
    /// is a write.
    case readOnly
    case readWrite
    case create

    /// The flags for `sqlite3_open_v2`. NOMUTEX, because a connection is not Sendable; EXRESCODE, so that
    /// errors of the open itself have extended codes; NOFOLLOW on principle.
    var flags: Int32 {
      let access =
        switch self {
        case .readOnly: SQLITE_OPEN_READONLY
        case .readWrite: SQLITE_OPEN_READWRITE
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
      return access | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX
    }
  }
}

/// An open SQLite database.
///
/// Not Sendable: one thread at a time. A connection that nothing refers to closes itself, and its
/// statements with it. After `close` every call throws `.misuse`, and the properties that cannot throw answer
/// 0 or false.
package final class Connection {
  package let path: String
  package var isInMemory: Bool { path.isEmpty }
  private var database: OpaquePointer?
  private var statements = StatementCache()

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
      name: isSpecial ? "./\(path)" : path, path: path, flags: mode.flags, busyTimeout: busyTimeout)
    // SQLite falls back to read-only access by itself, and would fail only at the first write.
    if mode != .readOnly, sqlite3_db_readonly(database, "main") != 0 {
      throw SQLiteError(code: .readOnly, message: "the file cannot be written")
    }
  }

  /// Evaluated once, before the first open; later calls do nothing, and nothing depends on the result.
  private static let countsNoMemory: Int32 = csqlite_count_no_memory()

  private init(
    name: String, path: String, flags: Int32, busyTimeout: Int32
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
    sqlite3_busy_timeout(database, busyTimeout)
    self.path = path
    self.database = database
  }

  /// Opens an empty database of its own, in memory and, where its cache is full, in a temporary file that has no name
  /// (<https://sqlite.org/inmemorydb.html#temp_db>); nothing of it outlives the connection.
  package static func inMemory() throws(SQLiteError) -> Connection {
    let connection = try Connection(name: "", path: "", flags: Mode.create.flags, busyTimeout: 0)
    _ = try connection.answer(to: "PRAGMA journal_mode = MEMORY")
    try connection.setPragma("synchronous", to: 0)
    return connection
  }

  deinit {
    // With no statement left alive this cannot fail, and there is no one to tell.
    statements.finalizeAll()
    sqlite3_close(database)
  }

  /// Closes the database; an open transaction is rolled back.
  ///
  /// Statements that are still held can no longer be used. Closing again does nothing.
  ///
  /// - Throws: `SQLiteError` when SQLite refuses, in which case the connection stays open.
  package func close() throws(SQLiteError) {
    guard let database else { return }
    statements.finalizeAll()
    let code = sqlite3_close(database)
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
    sqlite3_busy_timeout(try handle(), milliseconds)
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

/// How soon a transaction takes its locks (<https://sqlite.org/lang_transaction.html>).
package enum TransactionKind: String, Sendable {
  /// At its first statement, and only the locks that it needs. A write after a read may then meet `.busy` at
  /// once.
  case deferred = "BEGIN DEFERRED"
  /// At the start, for writing; others may go on reading until the commit.
  case immediate = "BEGIN IMMEDIATE"
}

extension Connection {
  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws or the commit fails.
  ///
  /// If SQLite has ended the transaction by itself and `body` has ignored the error, the commit throws.
  ///
  /// - Throws: `SQLiteError`: `.misuse` if a transaction is already open; and what `body` throws.
  package func transaction<T>(_ kind: TransactionKind, _ body: () throws -> T) throws -> T {
    guard !isInTransaction else { throw SQLiteError.misuse("a transaction is open already") }
    try run(kind.rawValue)
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // A failure to roll back would hide the original error; SQLite plays the journal back at the next open.
      if isInTransaction { try? run("ROLLBACK") }
      throw error
    }
  }
}

extension Connection {
  /// Copies the database over whatever another one holds, while others go on using it
  /// (<https://sqlite.org/backup.html>).
  ///
  /// It is locked for reading while some pages are copied. A change of it by another connection in between makes the copy
  /// start over, so after some restarts what is left is copied under one lock.
  ///
  /// - Parameter between: Called between steps; throws to abandon the copy.
  /// - Throws: `SQLiteError`, `.busy` while someone commits; and what `between` throws.
  package func copy(
    to target: Connection, pagesAtOnce: Int32 = -1, restarts patience: Int = 0,
    between: () throws -> Void = {}
  ) throws {
    let (from, to) = (try handle(), try target.handle())
    var copy = sqlite3_backup_init(to, "main", from, "main")
    defer { sqlite3_backup_finish(copy) }
    guard copy != nil else { throw SQLiteError(sqlite3_errcode(to), on: to, sql: nil) }
    var (remaining, restarts) = (Int.max, 0)
    while true {
      let code = sqlite3_backup_step(copy, restarts < patience ? pagesAtOnce : -1)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_OK else {
        // A copy that failed says why only once it has ended.
        sqlite3_backup_finish(copy)
        copy = nil
        throw SQLiteError(code, on: to, sql: nil)
      }
      let left = Int(sqlite3_backup_remaining(copy))
      try between()
      if left >= remaining { restarts += 1 }
      remaining = left
    }
  }
}

internal import CSQLite

/// A copy of a database in the making, while others go on using it (<https://sqlite.org/backup.html>).
package final class Backup {
  private let source: Connection
  private let target: Connection
  private var handle: OpaquePointer?

  /// Starts a copy over whatever the target holds.
  package init(from source: Connection, to target: Connection) throws(SQLiteError) {
    self.source = source
    self.target = target
    let (from, to) = (try source.handle(), try target.handle())
    guard let handle = sqlite3_backup_init(to, "main", from, "main") else {
      throw SQLiteError(sqlite3_errcode(to), on: to, sql: nil)
    }
    self.handle = handle
  }

  deinit { sqlite3_backup_finish(handle) }

  package var remaining: Int { handle.map { Int(sqlite3_backup_remaining($0)) } ?? 0 }

  /// Copies some pages, or all that are left for a negative count, and returns whether the copy is complete.
  ///
  /// The source is locked for reading meanwhile; a change of it by another connection between two steps makes
  /// the next one start over.
  ///
  /// - Throws: `SQLiteError`, `.busy` while somebody commits.
  package func step(pages: Int32) throws(SQLiteError) -> Bool {
    guard let handle else { throw .misuse("the copy has ended") }
    let code = sqlite3_backup_step(handle, pages)
    switch code {
    case SQLITE_DONE: return true
    case SQLITE_OK: return false
    default:
      let target = try target.handle()
      // A copy that failed says why only once it has ended; one that has to wait goes on.
      if ![SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) { finish() }
      throw SQLiteError(code, on: target, sql: nil)
    }
  }

  /// Ends the copy; an incomplete one cannot be used.
  package func finish() {
    sqlite3_backup_finish(handle)
    handle = nil
  }
}

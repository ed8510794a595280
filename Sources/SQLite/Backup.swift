internal import CSQLite

extension Connection {
  /// Copies the database over whatever another one holds, while others go on using it
  /// (<https://sqlite.org/backup.html>).
  ///
  /// It is locked for reading while some pages are copied. A change of it by another connection in between makes the copy
  /// start over, so after some restarts what is left is copied under one lock.
  ///
  /// - Parameter progress: Called with the number of pages copied and the total; throws to abandon the copy.
  /// - Throws: `SQLiteError`, `.busy` while somebody commits; and what `progress` throws.
  package func copy(
    to target: Connection, pagesAtOnce: Int32 = -1, restarts patience: Int = 0,
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws {
    let (from, to) = (try handle(), try target.handle())
    var copy = sqlite3_backup_init(to, "main", from, "main")
    defer { sqlite3_backup_finish(copy) }
    guard copy != nil else { throw SQLiteError(sqlite3_errcode(to), on: to, sql: nil) }
    var (remaining, restarts, total) = (Int.max, 0, 0)
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
      total = max(total, left)
      try progress(total - left, total)
      if left >= remaining { restarts += 1 }
      remaining = left
    }
  }
}

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
    guard !isRehearsing else { throw SQLiteError.misuse("nothing is begun in a rehearsal") }
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

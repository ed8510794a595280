/// How soon a transaction takes its locks.
///
/// See <https://sqlite.org/lang_transaction.html>.
package enum TransactionKind: Sendable {
  /// At its first statement, and only the locks that it needs. A write after a read may then meet `.busy` at
  /// once.
  case deferred
  /// At the start, for writing; others may go on reading until the commit.
  case immediate
  /// At the start, for writing, with nobody else reading.
  case exclusive

  var begin: String {
    switch self {
    case .deferred: "BEGIN DEFERRED"
    case .immediate: "BEGIN IMMEDIATE"
    case .exclusive: "BEGIN EXCLUSIVE"
    }
  }
}

extension Connection {
  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  ///
  /// A commit that fails is rolled back as well, so that no transaction is open after this call. If SQLite
  /// has ended the transaction by itself and `body` has ignored the error, the commit throws.
  ///
  /// - Throws: `SQLiteError`: `.misuse` if a transaction is already open, which is left as it is; SQLite's
  ///   own, from the begin or the commit; and what `body` throws.
  package func transaction<T>(_ kind: TransactionKind, _ body: () throws -> T) throws -> T {
    guard !isInTransaction else { throw SQLiteError.misuse("a transaction is open already") }
    guard !isRehearsing else { throw SQLiteError.misuse("nothing is begun in a rehearsal") }
    try run(kind.begin)
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Rolls back a transaction that is still open. A failure here is ignored, since it would hide the original
  /// error; SQLite then plays the journal back at the next open.
  private func rollBack() {
    guard isInTransaction else { return }
    try? run("ROLLBACK")
  }
}

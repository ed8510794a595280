package import ReleaseModel
import SQLite
import Schema

/// A ledger that is open: the one way to its tables.
///
/// Not `Sendable`: one ledger belongs to one thread, as its connection does.
package final class Ledger {
  let connection: Connection
  package let path: String
  /// How many event numbers one read of the past covers.
  ///
  /// With a rollback journal nobody can write while somebody reads, so a long past is read in slices, each in
  /// a transaction of its own. Events are never altered, so the slices fit together.
  package var sliceOfEvents: Int64 = 1_000
  /// How many seconds a change waits for its turn.
  let patience: Double
  private var isLeftOpen = false

  init(connection: Connection, path: String, patience: Double = Ledger.usualPatience) {
    self.connection = connection
    self.path = path
    self.patience = patience
  }

  /// How many seconds a change waits for its turn by default.
  package static let usualPatience = 10.0

  /// Where the record ends.
  package func head() throws -> Head {
    try reading {
      try connection.first("SELECT seq, hash, at, kind FROM event ORDER BY seq DESC LIMIT 1") { row in
        let seq = try row.integer(0)
        var at = try? Timestamp(row.text(2))
        // From a correction on, time is what the clock should have shown.
        if try row.text(3) == EventKind.clockCorrect.rawValue,
          case .clockCorrected(let correction) = try event(seq).change()
        {
          at = at.map { max(correction.corrected($0), correction.to) }
        }
        return Head(seq: seq, hash: try row.text(1), at: at)
      } ?? Head(seq: 0, hash: EventRecord.genesis, at: nil)
    }
  }

  /// The ledger's own name, which its first event gave it; empty if there is none yet.
  package func name() throws -> String {
    guard try head().seq > 0, case .ledgerMade(let name) = try event(1).change() else { return "" }
    return name
  }

  /// The moment that counts as now: the clock's, but never before the last event, nor before the moment that
  /// documents were last written for.
  package func now(clock: Timestamp) throws -> Timestamp { max(clock, try reached(head()) ?? clock) }

  /// The moment that "now" never falls behind; nil if nothing has happened yet.
  func reached(_ head: Head) throws -> Timestamp? { try head.at.map { max($0, try told(head) ?? $0) } }

  /// Reads several things as of one moment of the ledger.
  ///
  /// - Throws: `LedgerError`, and what the body throws.
  package func snapshotting<T>(_ body: () throws -> T) throws -> T {
    if connection.isInTransaction { return try body() }
    return try reading { try connection.transaction(.deferred, body) }
  }

  /// Runs a body and turns SQLite's errors into a `LedgerError`.
  func reading<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw LedgerError.storage(StorageFailure(error), path: path)
    }
  }

  /// Closes the file; the ledger cannot be used after that.
  package func close() {
    if !isLeftOpen { try? connection.close() }
  }

  /// Leaves the file open until the end of the process, which is near.
  ///
  /// Freeing piece by piece what SQLite has read of the schema takes a tenth of a short command's time.
  /// Nothing is left undone: a transaction that failed was rolled back when it failed.
  package func leaveOpen() {
    isLeftOpen = true
    _ = Unmanaged.passRetained(connection)
  }
}

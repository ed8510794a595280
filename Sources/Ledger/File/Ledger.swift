import JSON
import Platform
package import ReleaseModel
import SQLite

/// A ledger that is open: the one way to its tables, for one thread, as its connection is.
package final class Ledger {
  let connection: Connection
  package let path: String
  /// How many event numbers one read of the past covers: no one can write while someone reads, and events
  /// are never altered, so that slices fit together.
  package var sliceOfEvents: Int64 = 1_000
  let patience: Double
  /// What tells this machine from others.
  package var machine: () throws -> String? = machineID
  private var isLeftOpen = false

  init(connection: Connection, path: String, patience: Double = Ledger.usualPatience) {
    (self.connection, self.path, self.patience) = (connection, path, patience)
  }

  package static let usualPatience = 10.0

  /// Where the record ends.
  package func head() throws -> Head {
    try first("SELECT seq, hash, at FROM event_row ORDER BY seq DESC LIMIT 1") { row in
      Head(seq: try row.integer(0), hash: try row.text(1), at: try? Timestamp(row.text(2)))
    } ?? Head(seq: 0, hash: EventRecord.genesis, at: nil)
  }

  /// The ledger's own name, which its first event gave it; empty before that event.
  package func name() throws -> String {
    let made = try first("SELECT after FROM event_row WHERE seq = 1 AND kind = 'ledger.init'") {
      try $0.optionalText(0)
    }
    return (made ?? nil).flatMap { try? JSON(parsing: $0.utf8) }?["ledger"]?.string ?? ""
  }

  /// The clock's, but never before the last event, nor before the moment that documents were last written
  /// for.
  package func now(clock: Timestamp) throws -> Timestamp { max(clock, try reached(head()) ?? clock) }

  /// The moment that "now" never falls behind; nil if nothing has happened yet.
  func reached(_ head: Head) throws -> Timestamp? { try head.at.map { max($0, try told(head) ?? $0) } }

  /// Reads several things as of one moment of the ledger.
  package func snapshotting<T>(_ body: () throws -> T) throws -> T {
    if connection.isInTransaction { return try body() }
    return try reading { try connection.transaction(.deferred, body) }
  }

  /// Runs a body and turns SQLite's errors into a `LedgerError`.
  func reading<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw LedgerError.storage(StorageFailure(error, writing: path), path: path)
    }
  }

  func first<T>(_ sql: String, _ values: Value..., row: (Row) throws -> T) throws -> T? {
    try first(sql, values: values, row: row)
  }

  func first<T>(_ sql: String, values: [Value], row: (Row) throws -> T) throws -> T? {
    try reading { try connection.first(sql, values: values, row: row) }
  }

  func query<T>(_ sql: String, _ values: Value..., row: (Row) throws -> T) throws -> [T] {
    try query(sql, values: values, row: row)
  }

  func query<T>(_ sql: String, values: [Value], row: (Row) throws -> T) throws -> [T] {
    try reading { try connection.query(sql, values: values, row: row) }
  }

  /// Passes the rows of a query to a body one by one until it returns false.
  func forEach(_ sql: String, values: [Value] = [], row: (Row) throws -> Bool) throws {
    try reading { try connection.forEach(sql, values: values, row: row) }
  }

  /// Closes the file; the ledger cannot be used after that.
  package func close() {
    if !isLeftOpen { try? connection.close() }
  }

  /// Leaves the file open until the end of the process: freeing what SQLite has read of the schema takes a
  /// tenth of a short command's time, and a transaction that failed was rolled back.
  package func leaveOpen() {
    isLeftOpen = true
    _ = Unmanaged.passRetained(connection)
  }
}

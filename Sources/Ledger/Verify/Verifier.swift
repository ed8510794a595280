package import JSON
import Platform
package import ReleaseModel
import SQLite

/// Verifies a ledger by its own events: the chain they form, the laws they keep, and the rows they add up to.
///
/// With a rollback journal a reader keeps writers from committing, so nothing here reads for longer than a
/// slice. Events are only ever appended, so slices of them are as good as one reading. Each slice of a table
/// first catches up with the events recorded meanwhile, in the same transaction, so that its rows are
/// compared as of one moment.
final class Verifier {
  /// How long one read transaction may take, in seconds; a step that has begun is finished.
  static let slice = 0.01

  let ledger: Ledger
  private(set) var result = Verification()
  private(set) var isReadable = true
  private var deadline = 0.0
  /// Called before each slice; throws to end.
  private let between: () throws -> Void
  private var replayed: Replay?

  var chain: EventChain { replayed?.chain ?? EventChain() }

  var connection: Connection { ledger.connection }

  init(_ ledger: Ledger, between: @escaping () throws -> Void) {
    (self.ledger, self.between) = (ledger, between)
  }

  /// - Throws: `LedgerError` if the file cannot be read for reasons that are not a fault in it.
  func run() throws {
    // What is not a table of pawl's may be anything, such as a view without an end.
    isReadable = try checkSchema()
    guard isReadable else { return }
    let replay = try Replay(ledger) { [unowned self] in report($0, $1, $2) }
    replayed = replay
    try guarded("event") {
      var hasMore = true
      while hasMore {
        // The lock is given back before the events are recorded anew.
        hasMore = try replay.take(atMost: 500) { read in try sliced(read) }
      }
    }
    try compareRows()
    try guarded("generation") { try compareSchedules() }
    try checkStructure()
    result.events = chain.count
    result.head = chain.head
  }

  /// - Throws: `LedgerError`; nil before the replay begins.
  func replaying() throws -> Replay {
    guard let replayed else { throw LedgerError.unreadableEvent(0) }
    return replayed
  }

  /// Takes the events recorded meanwhile, within the transaction that reads rows.
  func catchUp() throws {
    let replay = try replaying()
    while try replay.take(atMost: 500, reading: { read in try read() }) {}
  }

  func report(_ id: String, _ seq: Int64?, _ message: String) {
    result.add(Fault(id, seq: seq, message))
  }

  /// Runs a step of the verification; a fault in the file ends the step, not the verification.
  func guarded(_ table: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError {
      switch error.code.primary {
      case .corrupt, .notADatabase:
        report("file.damaged", nil, "table \(table) cannot be read: \(error.message)")
      // A table or column is missing or of another kind: the schema was altered.
      case .error, .mismatch, .range:
        report("schema.altered", nil, "table \(table) cannot be read: \(error.message)")
      default: throw LedgerError.storage(StorageFailure(error), path: ledger.path)
      }
    } catch LedgerError.storage(let failure, _) where failure.kind == .other || failure.kind == .notADatabase
    {
      let id = failure.kind == .other ? "schema.altered" : "file.damaged"
      report(id, nil, "table \(table) cannot be read: \(failure.reason)")
    }
  }

  func sliced<T>(_ body: () throws -> T) throws -> T {
    try between()
    deadline = secondsSinceStart() + Verifier.slice
    if connection.isInTransaction { return try body() }
    return try connection.transaction(.deferred, body)
  }

  var isTimeUp: Bool { secondsSinceStart() >= deadline }
}

/// Something in a ledger that is not as pawl would have written it.
package struct Fault: Sendable, Equatable {
  /// Stable, catalogued in docs/faults.md.
  package let id: String
  package let seq: Int64?
  package let message: String

  package init(_ id: String, seq: Int64?, _ message: String) {
    (self.id, self.seq, self.message) = (id, seq, message)
  }

  package var json: JSON { ["id": .string(id), "seq": .optional(seq), "message": .string(message)] }
}

/// What a verification found.
package struct Verification: Sendable, Equatable {
  /// The most faults that are listed one by one; the rest are only counted.
  package static let listedFaults = 1_000

  package internal(set) var events: Int64 = 0
  package internal(set) var head = Head(seq: 0, hash: EventRecord.genesis, at: nil)
  package private(set) var faults: [Fault] = []
  package private(set) var unlisted = 0

  package var isClean: Bool { faults.isEmpty }

  /// Takes in one more fault.
  package mutating func add(_ fault: Fault) {
    if faults.count < Verification.listedFaults { faults.append(fault) } else { unlisted += 1 }
  }

  package var json: JSON {
    [
      "ok": .bool(isClean), "events": .integer(events), "head": head.json,
      "faults": .array(faults.map(\.json)), "unlisted": .integer(Int64(unlisted)),
    ]
  }
}

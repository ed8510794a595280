import Platform
import ReleaseModel
import SQLite

/// Proves a ledger by its own events: reads all of them once, then holds every row against what they add up to.
///
/// A reader keeps writers of a rollback journal from committing, so nothing here reads for longer than a slice.
/// Events are only ever appended: slices of them are as good as one reading. Each slice of a table first catches up
/// with the events recorded meanwhile, in the same transaction, so that its rows are compared as of one moment.
final class Verifier {
  /// How long one read transaction may take, in seconds; what is begun is finished.
  static let slice = 0.01

  let ledger: Ledger
  var walk: EventWalk
  var result = Verification()
  private var deadline = 0.0
  /// Told how many of how many events and rows are done, before each slice; throws to end the verification.
  private let progress: (Int, Int) throws -> Void
  private var total = 0
  private var rows = 0

  var connection: Connection { ledger.connection }

  init(
    _ ledger: Ledger, sizes: Set<UInt64> = [], hasTree: Bool = false,
    progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) {
    self.ledger = ledger
    self.progress = progress
    let connection = ledger.connection
    walk = EventWalk(sizes: sizes, hasTree: hasTree) { try EventTexts(seq: $0, on: connection) }
  }

  /// Looks at everything.
  ///
  /// - Throws: `LedgerError` where the file cannot be read for reasons that are no fault of it.
  func run() throws {
    total = roughTotal()
    try checkSchema()
    // A ledger in memory has one connection.
    guard !connection.isInMemory else {
      try checkStructure()
      return try checkContent { [:] }
    }
    let companion = Companion()
    let work = companion.begin(ledger)
    do {
      try checkContent {
        guard let findings = try work.finish() else { return [:] }
        findings.structure.forEach(report)
        return findings.answers
      }
    } catch {
      companion.stop()
      throw error
    }
  }

  /// Holds everything against the events.
  ///
  /// - Parameter agreed: Asked when the rows are known to be right, for the answers that were looked at meanwhile.
  private func checkContent(agreed: () throws -> [String: AgreedAnswers]) throws {
    try guarded("event") { try walkEvents() }
    for table in Table.allCases { try guarded(table.name) { try compare(table) } }
    try guarded("note") { try compareNotes() }
    try guarded("event") { try sweep() }
    let agreed = try agreed()
    try guarded("answer") { try compareAnswers(agreed: agreed) }
    result.events = walk.count
    result.head = Head(
      seq: walk.seq, hash: String(decoding: walk.hash, as: UTF8.self),
      at: try? Timestamp(String(decoding: walk.at, as: UTF8.self)))
  }

  /// How much there is to read, as far as the greatest numbers tell; nothing is decided by it.
  private func roughTotal() -> Int {
    let greatest =
      ["SELECT max(seq) FROM event"] + Table.allCases.map { "SELECT max(\($0.key)) FROM \($0.name)" }
    return greatest.reduce(0) { sum, sql in
      let found = (try? connection.first(sql) { try $0.optionalInteger(0) }) ?? nil
      return sum.addingReportingOverflow(Int(clamping: max(found ?? 0, 0))).partialValue
    }
  }

  func report(_ fault: Fault) { result.add(fault) }

  /// Runs a part of the verification; what is wrong with the file ends the part, not the verification.
  func guarded(_ table: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError {
      switch error.code.primary {
      case .corrupt, .notADatabase:
        report(Fault("file.damaged", seq: nil, "table \(table) cannot be read: \(error.message)"))
      // A table or column that is not there, or not of its kind: the schema was altered.
      case .error, .mismatch, .range:
        report(Fault("schema.altered", seq: nil, "table \(table) cannot be read: \(error.message)"))
      default: throw LedgerError.storage(StorageFailure(error), path: ledger.path)
      }
    } catch LedgerError.storage(let failure, _) where failure.kind == .other || failure.kind == .notADatabase
    {
      let id = failure.kind == .other ? "schema.altered" : "file.damaged"
      report(Fault(id, seq: nil, "table \(table) cannot be read: \(failure.reason)"))
    }
  }

  // MARK: - Events

  private func walkEvents() throws {
    while try sliced({ try catchUp(until: deadline) }) {}
  }

  /// Reads as many of the events that were not seen as there is time for.
  ///
  /// - Returns: Whether there may be more.
  @discardableResult
  func catchUp(until deadline: Double = .infinity) throws -> Bool {
    var read = 0
    var hasMore = false
    try connection.forEach(EventWalk.sql, .integer(walk.cursor)) { row in
      try walk.take(row) { report($0) }
      read += 1
      hasMore = read & 0xFF == 0 && secondsSinceStart() >= deadline
      return !hasMore
    }
    return hasMore
  }

  // MARK: - Slices

  /// Runs a body in a read transaction, with a deadline at which it should end.
  func sliced<T>(_ body: () throws -> T) throws -> T {
    try progress(Int(clamping: walk.count) + rows, total)
    deadline = secondsSinceStart() + Verifier.slice
    if connection.isInTransaction { return try body() }
    return try connection.transaction(.deferred, body)
  }

  /// Whether the slice should end.
  var isTimeUp: Bool { secondsSinceStart() >= deadline }

  /// Goes through rows in slices, each after the events recorded meanwhile.
  ///
  /// - Parameters:
  ///   - sql: Takes the number of the last row that was done, as its only value.
  ///   - body: Takes a row; says its number.
  func forEachSliced(_ sql: String, _ body: (Row) throws -> Int64) throws {
    var last = Int64.min
    var hasMore = true
    while hasMore {
      hasMore = try sliced {
        try catchUp()
        var read = 0
        var isCut = false
        try connection.forEach(sql, .integer(last)) { row in
          last = try body(row)
          read += 1
          rows += 1
          isCut = read & 0xFF == 0 && isTimeUp
          return !isCut
        }
        return isCut
      }
    }
  }
}

extension EventTexts {
  /// Looks up an event.
  init?(seq: Int64, on connection: Connection) throws {
    let found = try connection.first("SELECT before, after FROM event WHERE seq = ?", .integer(seq)) { row in
      func bytes(_ column: Int) throws -> [UInt8]? {
        if case .text(let bytes) = try row.lend(column) { Array(bytes) } else { nil }
      }
      return EventTexts(before: try bytes(0), after: try bytes(1))
    }
    guard let found else { return nil }
    self = found
  }
}

extension Ledger {
  /// Proves the ledger: its schema, its file, every event, every row.
  ///
  /// - Parameter progress: Told how many of how many events and rows are done, as far as one can tell; throws to end it.
  /// - Throws: `LedgerError` where the file cannot be read for reasons that are no fault of it.
  package func verify(
    progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> Verification {
    let verifier = Verifier(self, progress: progress)
    try reading { try verifier.run() }
    return verifier.result
  }
}

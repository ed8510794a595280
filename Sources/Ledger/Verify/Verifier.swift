import Platform
import ReleaseModel
import SQLite
import Synchronization

/// Proves a ledger by its own events: the chain they form, the laws they keep, and the rows they add up to.
///
/// A reader keeps writers of a rollback journal from committing, so nothing here reads for longer than a slice.
/// Events are only ever appended: slices of them are as good as one reading. Each slice of a table first catches up
/// with the events recorded meanwhile, in the same transaction, so that its rows are compared as of one moment.
final class Verifier {
  /// How long one read transaction may take, in seconds; what is begun is finished.
  static let slice = 0.01

  let ledger: Ledger
  private(set) var result = Verification()
  /// What the chain was found to be, once it was read.
  private(set) var chain = ChainFindings()
  /// Whether the schema let the content be looked at.
  private(set) var isReadable = true
  private let questions: ChainQuestions
  private var deadline = 0.0
  /// Told how many of how many events and rows are done, before each slice; throws to end the verification.
  private let progress: (Int, Int) throws -> Void
  private var total = 0
  /// What is to be looked at; nil before that is known.
  private var parts: PartQueue?

  var connection: Connection { ledger.connection }

  init(
    _ ledger: Ledger, _ questions: ChainQuestions = ChainQuestions(),
    progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) {
    self.ledger = ledger
    self.progress = progress
    self.questions = questions
  }

  /// Looks at everything.
  ///
  /// - Throws: `LedgerError` where the file cannot be read for reasons that are no fault of it.
  func run() throws {
    // What is not a table of pawl's may be anything: a view without an end, say.
    isReadable = try checkSchema()
    guard isReadable else { return }
    total = roughTotal()
    let parts = PartQueue(try slugs())
    self.parts = parts
    let schemaFaults = result
    // A ledger in memory has one connection.
    guard !connection.isInMemory else {
      let findings = try BesideTheRows(questions, PartQueue([])).look(ledger)
      return try conclude(findings, schemaFaults, compareParts(of: parts))
    }
    let beside = BesideTheRows(questions, parts)
    let work = beside.begin(ledger)
    do {
      let own = try compareParts(of: parts)
      try conclude(work.finish() ?? BesideTheRows.Findings(), schemaFaults, own)
    } catch {
      beside.stop()
      throw error
    }
  }

  /// Puts together what was found: of the chain, of the schema, of the parts in their order, of rows of no part.
  private func conclude(
    _ findings: BesideTheRows.Findings, _ schemaFaults: Verification, _ own: [Int: Verification]
  ) throws {
    result = Verification()
    findings.faults.forEach(report)
    result.add(schemaFaults)
    let found = own.merging(findings.parts) { one, _ in one }
    for (_, part) in found.sorted(by: { $0.key < $1.key }) { result.add(part) }
    try guarded("app") { try checkOwners() }
    chain = findings.chain
    result.events = chain.count
    result.head = chain.head
  }

  /// The parts of the ledger: what belongs to no app, then each app.
  private func slugs() throws -> [String?] {
    var slugs: Set<String> = []
    try guarded("app") {
      try sliced {
        try connection.forEach(
          "SELECT slug FROM app UNION SELECT DISTINCT app FROM event WHERE app IS NOT NULL"
        ) { row in
          if case .text(let slug) = try row.value(0) { slugs.insert(slug) }
          return true
        }
      }
    }
    return [nil] + slugs.sorted().map(Optional.some)
  }

  /// Replays and compares one part of the ledger after the other, as long as there are some that nobody took.
  ///
  /// - Returns: What was found in each, by its place.
  func compareParts(of parts: PartQueue) throws -> [Int: Verification] {
    self.parts = parts
    var found: [Int: Verification] = [:]
    while let (place, slug) = parts.next() {
      result = Verification()
      let partition = Partition(slug, self)
      try guarded("event") {
        while try sliced({ try partition.catchUp(until: deadline) }) {}
      }
      try partition.compareRows()
      try guarded("answer") { try partition.compareAnswers() }
      found[place] = result
    }
    return found
  }

  /// Looks for rows of an app that is not there, which no part of the ledger has met.
  private func checkOwners() throws {
    for table in [RecordTable.release, .rule, .redirect, .setting] {
      try sliced {
        try connection.forEach(
          """
          SELECT \(table.key), event_seq FROM \(table.rawValue) WHERE app_id NOT IN (SELECT id FROM app)
          """
        ) { row in
          let event: Int64? = if case .integer(let seq) = try row.value(1) { seq } else { nil }
          report(
            Fault(
              "row.unexpected", seq: event,
              "\(table.rawValue) \(try row.value(0).shown): it belongs to an app that is not there"))
          return true
        }
      }
    }
  }

  /// How much there is to read, as far as the greatest numbers tell; nothing is decided by it.
  private func roughTotal() -> Int {
    let greatest =
      ["SELECT max(seq) FROM event"]
      + RecordTable.allCases.map { "SELECT max(\($0.key)) FROM \($0.rawValue)" }
    return greatest.reduce(0) { sum, sql in
      let found = (try? connection.first(sql) { try $0.optionalInteger(0) }) ?? nil
      return sum.addingReportingOverflow(Int(clamping: max(found ?? 0, 0))).partialValue
    }
  }

  func report(_ fault: Fault) { result.add(fault) }

  /// The keys that signed each plan, by its event: each is checked once, however many apps look.
  private var keysOfPlans: [Int64: Set<String>?] = [:]

  /// The keys that signed a plan; nil where a signature is not good.
  func keys(of plan: AppliedPlan, seq: Int64) -> Set<String>? {
    if let known = keysOfPlans[seq] { return known }
    let keys = plan.keys
    keysOfPlans[seq] = .some(keys)
    return keys
  }

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

  /// Reads as much of the chain as there is time for.
  ///
  /// - Returns: Whether there may be more.
  func readChain(_ chain: inout EventChain) throws -> Bool {
    var read = 0
    var hasMore = false
    try connection.forEach(EventChain.sql, .integer(chain.cursor)) { row in
      try chain.take(row) { report($0) }
      read += 1
      hasMore = read & 0xFF == 0 && isTimeUp
      return !hasMore
    }
    return hasMore
  }

  /// Holds what corrections say of a wrong clock against the events that it recorded.
  func check(_ corrections: [(seq: Int64, correction: ClockCorrection)]) throws {
    for (seq, correction) in corrections {
      let at = try connection.first("SELECT at FROM event WHERE seq = ?", .integer(correction.since)) {
        try $0.text(0)
      }
      guard at != correction.from.text else { continue }
      report(
        Fault(
          "law.broken", seq: seq,
          "event \(seq) (clock.correct) is one that no command could have made: event \(correction.since) was not of "
            + correction.from.text))
    }
  }

  // MARK: - Slices

  /// Runs a body in a read transaction, with a deadline at which it should end.
  func sliced<T>(_ body: () throws -> T) throws -> T {
    try progress(parts?.done.load(ordering: .relaxed) ?? 0, total)
    deadline = secondsSinceStart() + Verifier.slice
    if connection.isInTransaction { return try body() }
    return try connection.transaction(.deferred, body)
  }

  /// Whether the slice should end.
  var isTimeUp: Bool { isPast(deadline) }

  /// Whether a moment is over, in seconds since the start of the process.
  func isPast(_ moment: Double) -> Bool { secondsSinceStart() >= moment }

  /// Counts a row or event that was looked at, to report progress.
  func countRow() { parts?.done.wrappingAdd(1, ordering: .relaxed) }
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

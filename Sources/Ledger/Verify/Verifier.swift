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
  private var done = 0

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
    // A ledger in memory has one connection.
    guard !connection.isInMemory else {
      let findings = try BesideTheRows(questions).look(ledger)
      findings.faults.forEach(report)
      chain = findings.chain
      try compareRows()
      return conclude()
    }
    let beside = BesideTheRows(questions)
    let work = beside.begin(ledger)
    do {
      try compareRows()
      let faults = result
      result = Verification()
      if let findings = try work.finish() {
        findings.faults.forEach(report)
        chain = findings.chain
      }
      result.add(faults)
    } catch {
      beside.stop()
      throw error
    }
    conclude()
  }

  private func conclude() {
    result.events = chain.count
    result.head = chain.head
  }

  /// Replays and compares one part of the ledger after the other.
  private func compareRows() throws {
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
    for slug in [nil] + slugs.sorted().map(Optional.some) {
      let partition = Partition(slug, self)
      try guarded("event") {
        while try sliced({ try partition.catchUp(until: deadline) }) {}
      }
      try partition.compareRows()
      try guarded("answer") { try partition.compareAnswers() }
    }
    try guarded("app") { try checkOwners() }
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
    try progress(done, total)
    deadline = secondsSinceStart() + Verifier.slice
    if connection.isInTransaction { return try body() }
    return try connection.transaction(.deferred, body)
  }

  /// Whether the slice should end.
  var isTimeUp: Bool { isPast(deadline) }

  /// Whether a moment is over, in seconds since the start of the process.
  func isPast(_ moment: Double) -> Bool { secondsSinceStart() >= moment }

  /// Counts a row or event that was looked at, to report progress.
  func countRow() { done &+= 1 }
}

/// The part of a verification that needs no replay: the chain of the events, and SQLite's own structures.
///
/// It has a connection and a thread of its own, so that a machine of two processors takes half the time.
final class BesideTheRows: Sendable {
  /// What it found.
  struct Findings: Sendable {
    var faults: [Fault] = []
    var chain = ChainFindings()
  }

  private let questions: ChainQuestions
  private let interrupt = Mutex<InterruptHandle?>(nil)
  private let isStopped = Atomic(false)

  init(_ questions: ChainQuestions) { self.questions = questions }

  /// Begins, for a ledger that lives in a file.
  ///
  /// - Returns: The work, whose findings are there at its end.
  func begin(_ ledger: Ledger) -> BackgroundWork<Findings> {
    let (file, path) = (ledger.connection.path, ledger.path)
    return BackgroundWork {
      let ledger = try Ledger.beside(file, named: path)
      defer { ledger.close() }
      self.interrupt.withLock { $0 = ledger.connection.interruptHandle }
      return try ledger.reading { try self.look(ledger) }
    }
  }

  /// Ends the work before it is done, from another thread.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    interrupt.withLock { $0?.interrupt() }
  }

  /// Looks at the chain, then at the structures.
  func look(_ ledger: Ledger) throws -> Findings {
    let verifier = Verifier(ledger)
    var chain = EventChain(questions)
    try verifier.guarded("event") {
      while try verifier.sliced({ try verifier.readChain(&chain) }), !isStopped.load(ordering: .relaxed) {}
      try verifier.sliced { try verifier.check(chain.corrections) }
    }
    try verifier.checkStructure()
    chain.conclude()
    return Findings(faults: verifier.result.faults, chain: chain.findings)
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

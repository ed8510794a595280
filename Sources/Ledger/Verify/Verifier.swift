import Platform
import ReleaseModel
import SQLite
import Synchronization

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
  private(set) var chain = ChainFindings()
  private(set) var isReadable = true
  private let questions: ChainQuestions
  private var deadline = 0.0
  /// Called before each slice with how many events and rows are done, and the total; throws to end.
  private let progress: (Int, Int) throws -> Void
  private var total = 0
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

  /// - Throws: `LedgerError` if the file cannot be read for reasons that are not a fault in it.
  func run() throws {
    // What is not a table of pawl's may be anything, such as a view without an end.
    isReadable = try checkSchema()
    guard isReadable else { return }
    total = roughTotal()
    let parts = PartQueue(try groups())
    self.parts = parts
    let schemaFaults = result
    // A ledger in memory has only one connection.
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

  /// Puts together what was found: in the chain, in the schema, in the parts, in rows of no part.
  private func conclude(
    _ findings: BesideTheRows.Findings, _ schemaFaults: Verification, _ own: [Int: Verification]
  ) throws {
    result = Verification()
    for fault in findings.faults { result.add(fault) }
    result.add(schemaFaults)
    let found = own.merging(findings.parts) { one, _ in one }
    for (_, part) in found.sorted(by: { $0.key < $1.key }) { result.add(part) }
    try guarded("app") { try checkOwners() }
    chain = findings.chain
    try guarded("generation") { try checkGenerations(findings.chain) }
    result.events = chain.count
    result.head = chain.head
  }

  /// The parts of the ledger: what belongs to no app, then the apps, those that lead to one another together.
  private func groups() throws -> [[String]] {
    var groups: [String: Set<String>] = [:]
    try guarded("app") {
      try sliced {
        try connection.forEach(
          "SELECT slug FROM app UNION SELECT DISTINCT app FROM event WHERE app IS NOT NULL"
        ) { row in
          if case .text(let slug) = try row.value(0) { groups[slug] = [slug] }
          return true
        }
      }
    }
    try guarded("rule") {
      try sliced {
        try connection.forEach(
          """
          SELECT slug, to_app FROM app JOIN (
            SELECT app_id, to_app FROM rule WHERE to_app IS NOT NULL
            UNION SELECT app_id, to_app FROM redirect WHERE to_app IS NOT NULL) ON app_id = id
          """
        ) { row in
          guard case .text(let one) = try row.value(0), case .text(let other) = try row.value(1),
            let left = groups[one], let right = groups[other], left != right
          else { return true }
          for slug in left.union(right) { groups[slug] = left.union(right) }
          return true
        }
      }
    }
    return [[]] + Set(groups.values).map { $0.sorted() }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func generations(of slugs: [String]) throws -> GenerationSnapshots {
    let head = try connection.first("SELECT max(seq) FROM event") { try $0.optionalInteger(0) } ?? nil
    var generations: [String: Int64] = [:]
    try guarded("generation") {
      for slug in slugs {
        generations[slug] = try connection.first(
          "SELECT event_seq FROM generation WHERE app_id = (SELECT id FROM app WHERE slug = ?)", .text(slug)
        ) { row in if case .integer(let seq) = try row.value(0) { seq } else { 0 } }
      }
    }
    return GenerationSnapshots(generations, began: head ?? 0)
  }

  /// Replays and compares parts, one after the other, until all are taken; returns what was found, by place.
  func compareParts(of parts: PartQueue) throws -> [Int: Verification] {
    self.parts = parts
    var found: [Int: Verification] = [:]
    while let (place, slugs) = parts.next() {
      result = Verification()
      let partition = Partition(slugs, try generations(of: slugs), self)
      try guarded("event") {
        while try sliced({ try partition.catchUp(until: deadline) }) {}
      }
      for slug in slugs.isEmpty ? [nil] : slugs.map(Optional.some) {
        partition.slug = slug
        try partition.compareRows()
        try guarded("answer") { try partition.compareAnswers() }
      }
      partition.finish()
      found[place] = result
    }
    return found
  }

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
            "row.unexpected", event,
            "\(table.rawValue) \(try row.value(0).shown): it belongs to an app that is not there")
          return true
        }
      }
    }
  }

  /// Estimates how much there is to read from the greatest numbers; only progress depends on it.
  private func roughTotal() -> Int {
    let greatest =
      ["SELECT max(seq) FROM event"]
      + RecordTable.allCases.map { "SELECT max(\($0.key)) FROM \($0.rawValue)" }
    return greatest.reduce(0) { sum, sql in
      let found = (try? connection.first(sql) { try $0.optionalInteger(0) }) ?? nil
      return sum.addingReportingOverflow(Int(clamping: max(found ?? 0, 0))).partialValue
    }
  }

  func report(_ id: String, _ seq: Int64?, _ message: String) {
    result.add(Fault(id, seq: seq, message))
  }

  private var keysOfPlans: [Int64: Set<String>?] = [:]

  func keys(of plan: AppliedPlan, seq: Int64) -> Set<String>? {
    if let known = keysOfPlans[seq] { return known }
    let keys = plan.keys
    keysOfPlans[seq] = .some(keys)
    return keys
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

  /// Reads as much of the chain as there is time for; returns whether there may be more.
  func readChain(_ chain: inout EventChain) throws -> Bool {
    var read = 0
    var hasMore = false
    try connection.forEach(EventChain.sql, .integer(chain.cursor)) { row in
      try chain.take(row, report: report)
      read += 1
      hasMore = read & 0xFF == 0 && isTimeUp
      return !hasMore
    }
    return hasMore
  }

  func sliced<T>(_ body: () throws -> T) throws -> T {
    try progress(parts?.done.load(ordering: .relaxed) ?? 0, total)
    deadline = secondsSinceStart() + Verifier.slice
    if connection.isInTransaction { return try body() }
    return try connection.transaction(.deferred, body)
  }

  var isTimeUp: Bool { isPast(deadline) }

  func isPast(_ moment: Double) -> Bool { secondsSinceStart() >= moment }

  func countRow() { parts?.done.wrappingAdd(1, ordering: .relaxed) }
}

extension Ledger {
  /// Verifies the ledger: its schema, its file, every event, every row; `progress` may end it by throwing.
  ///
  /// - Throws: `LedgerError` if the file cannot be read for reasons that are not a fault in it.
  package func verify(
    progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> Verification {
    let verifier = Verifier(self, progress: progress)
    try reading { try verifier.run() }
    return verifier.result
  }
}

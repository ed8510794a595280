import Platform
import SQLite
import Synchronization

/// The parts of a ledger that are still to be looked at, for whoever has time, and how far all are.
final class PartQueue: Sendable {
  private let slugs: [String?]
  private let first = Atomic(0)
  /// How many events and rows were looked at.
  let done = Atomic(0)

  init(_ slugs: [String?]) { self.slugs = slugs }

  /// The next part, with its place among all.
  func next() -> (place: Int, slug: String?)? {
    let place = first.wrappingAdd(1, ordering: .relaxed).oldValue
    return place < slugs.count ? (place, slugs[place]) : nil
  }

  /// Leaves nothing to be looked at.
  func empty() { first.store(slugs.count, ordering: .relaxed) }
}

/// The part of a verification that needs no replay, the chain of the events and SQLite's own structures; then what is left
/// of the rest.
///
/// It has a connection and a thread of its own, so that a machine of two processors takes half the time.
final class BesideTheRows: Sendable {
  /// What it found.
  struct Findings: Sendable {
    var faults: [Fault] = []
    var chain = ChainFindings()
    /// What was found in parts of the ledger, by their places.
    var parts: [Int: Verification] = [:]
  }

  private let questions: ChainQuestions
  private let parts: PartQueue
  private let interrupt = Mutex<InterruptHandle?>(nil)
  private let isStopped = Atomic(false)

  init(_ questions: ChainQuestions, _ parts: PartQueue) { (self.questions, self.parts) = (questions, parts) }

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
    parts.empty()
    interrupt.withLock { $0?.interrupt() }
  }

  /// Looks at the chain, then at the structures, then at parts that nobody took yet.
  func look(_ ledger: Ledger) throws -> Findings {
    let verifier = Verifier(ledger)
    var chain = EventChain(questions)
    try verifier.guarded("event") {
      while try verifier.sliced({ try verifier.readChain(&chain) }), !isStopped.load(ordering: .relaxed) {}
      try verifier.sliced { try verifier.check(chain.corrections) }
    }
    try verifier.checkStructure()
    chain.conclude()
    let faults = verifier.result.faults
    return Findings(faults: faults, chain: chain.findings, parts: try verifier.compareParts(of: parts))
  }
}

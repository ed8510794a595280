import Platform
import SQLite
import Synchronization

/// The parts still to be verified, for whichever thread has time, and the progress of all threads.
final class PartQueue: Sendable {
  private let parts: [[String]]
  private let first = Atomic(0)
  let done = Atomic(0)

  init(_ parts: [[String]]) { self.parts = parts }

  func next() -> (place: Int, slugs: [String])? {
    let place = first.wrappingAdd(1, ordering: .relaxed).oldValue
    return place < parts.count ? (place, parts[place]) : nil
  }

  func empty() { first.store(parts.count, ordering: .relaxed) }
}

/// The work that needs no replay, on the chain of events and SQLite's own structures; after it, any parts
/// left. It has a connection and a thread of its own, so that two processors take half the time.
final class BesideTheRows: Sendable {
  struct Findings: Sendable {
    var faults: [Fault] = []
    var chain = ChainFindings()
    var parts: [Int: Verification] = [:]
  }

  private let questions: ChainQuestions
  private let parts: PartQueue
  private let interrupt = Mutex<InterruptHandle?>(nil)
  private let isStopped = Atomic(false)

  init(_ questions: ChainQuestions, _ parts: PartQueue) { (self.questions, self.parts) = (questions, parts) }

  /// Begins the work, for a ledger that lives in a file; it ends with the findings.
  func begin(_ ledger: Ledger) -> BackgroundWork<Findings> {
    let (file, path) = (ledger.connection.path, ledger.path)
    return BackgroundWork {
      let ledger = try Ledger.beside(file, named: path)
      defer { ledger.close() }
      self.interrupt.withLock { $0 = ledger.connection.interruptHandle }
      return try ledger.reading { try self.look(ledger) }
    }
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    parts.empty()
    interrupt.withLock { $0?.interrupt() }
  }

  func look(_ ledger: Ledger) throws -> Findings {
    let verifier = Verifier(ledger)
    var chain = EventChain(questions)
    try verifier.guarded("event") {
      while try verifier.sliced({ try verifier.readChain(&chain) }), !isStopped.load(ordering: .relaxed) {}
    }
    try verifier.checkStructure()
    chain.conclude()
    let faults = verifier.result.faults
    return Findings(faults: faults, chain: chain.findings, parts: try verifier.compareParts(of: parts))
  }
}

import Platform
import ReleaseModel
import SQLite
import Synchronization

/// What an app's answers were found to agree with.
struct AgreedAnswers: Sendable {
  /// The event they were worked out with.
  let generation: Int64
  /// The other apps they depend on.
  let leadsTo: [String]
}

/// The part of a verification that needs no event: SQLite's own structures, and the decision function over the rows.
///
/// It has a connection and a thread of its own, so that a machine of two processors takes half the time. Whatever it
/// does not find as it should be is looked at once more by who knows the events, and told there.
final class Companion: Sendable {
  /// What it found.
  struct Findings: Sendable {
    var structure: [Fault] = []
    /// The answers that are what the decision function says, by slug.
    var answers: [String: AgreedAnswers] = [:]
  }

  private let isStopped = Atomic(false)
  private let interrupt = Mutex<InterruptHandle?>(nil)

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

  private func look(_ ledger: Ledger) throws -> Findings {
    var findings = Findings()
    let verifier = Verifier(ledger)
    try verifier.checkStructure()
    findings.structure = verifier.result.faults
    // Where anything here cannot be read, who looks again says so.
    let apps = try? ledger.connection.query("SELECT id, slug FROM app") { row in
      (id: try row.integer(0), slug: try row.text(1))
    }
    for app in apps ?? [] where !isStopped.load(ordering: .relaxed) {
      findings.answers[app.slug] = try? verifier.sliced { try agreement(of: app.slug, app.id, ledger) }
    }
    return findings
  }

  private func agreement(of slug: String, _ app: Int64, _ ledger: Ledger) throws -> AgreedAnswers? {
    guard let generation = try ledger.answerGeneration(ofApp: app) else { return nil }
    let snapshot = try ledger.snapshot(slug, withNotes: false)
    guard try ledger.answerDifference(of: slug, app, snapshot, generation) == nil else { return nil }
    return AgreedAnswers(generation: generation.seq, leadsTo: Array(snapshot.others.keys))
  }
}

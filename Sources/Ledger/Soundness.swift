package import ReleaseModel
import SQLite

/// Checks that every command makes, so that a write to the file without pawl is noticed at once; `verify`
/// checks everything.
extension Ledger {
  /// Refuses a ledger whose last event's hash does not match its bytes and its predecessor's hash.
  ///
  /// - Throws: `LedgerError.headBroken`.
  package func checkHead() throws { try checkHead(try head()) }

  func checkHead(_ head: Head) throws {
    guard head.seq > 0 else { return }
    let previous = try reading {
      try connection.first("SELECT hash FROM event WHERE seq = ?", .integer(head.seq - 1)) { try $0.text(0) }
    }
    // Only the first event has no predecessor.
    guard let previous = head.seq == 1 ? EventRecord.genesis : previous,
      try event(head.seq).chainedHash(after: previous) == head.hash
    else { throw LedgerError.headBroken(head.seq) }
  }

  /// Compares the answers stored for an app, which `client_decision` shows, with the decision function.
  ///
  /// - Parameter snapshot: The app as the ledger has it now.
  /// - Returns: The first difference; nil if there is none.
  /// - Throws: `LedgerError`.
  package func answerFault(in snapshot: Snapshot) throws -> Fault? {
    let slug = snapshot.line.app.slug
    return try reading {
      let app = try connection.first("SELECT id FROM app WHERE slug = ?", .text(slug)) { try $0.integer(0) }
      guard let app else { return nil }
      guard let generation = try answerGeneration(ofApp: app) else {
        return Fault("answer.differs", seq: nil, "generation of \(slug): it names no event")
      }
      return try answerDifference(of: slug, app, snapshot, generation)
    }
  }
}

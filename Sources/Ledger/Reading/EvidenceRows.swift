package import ReleaseModel
import SQLite

extension Ledger {
  /// All that is parked, oldest first, except alarms that have ended by themselves.
  package func inbox() throws -> [Evidence] { try inboxWithAlarms().map(\.evidence) }

  /// The evidence that waits for a person, each with the alarm that it is.
  package func inboxWithAlarms() throws -> [(evidence: Evidence, alarm: Finding?)] {
    var lines: [String: AppState] = [:]
    return try parked().compactMap { evidence in
      guard let app = evidence.app else { return (evidence, nil) }
      let line: AppState
      do {
        line = try lines[app] ?? self.line(app, withNotes: false)
      } catch LedgerError.noApp {
        return (evidence, nil)
      }
      lines[app] = line
      return evidence.isEnded(by: line) ? nil : (evidence, evidence.alarm(on: line))
    }
  }

  func parked() throws -> [Evidence] { try records(Evidence.self, where: "outcome = ?", .text("parked")) }

  /// How many bytes of evidence are parked without proof.
  package func unprovedBytes() throws -> Int64 {
    try query(
      "SELECT coalesce(sum(size), 0) FROM evidence WHERE outcome = ? AND proof IS NULL", .text("parked")
    ) { try $0.integer(0) }.first ?? 0
  }

  /// - Throws: `LedgerError.noEvidence`.
  package func evidence(_ id: Int64) throws -> (evidence: Evidence, body: [UInt8]?) {
    guard let found = try records(Evidence.self, where: "id = ?", .integer(id)).first else {
      throw LedgerError.noEvidence(id)
    }
    let body = try query("SELECT body FROM evidence WHERE id = ? AND body IS NOT NULL", .integer(id)) {
      try $0.blob(0)
    }
    return (found, body.first)
  }

  /// The evidence, proved and applied, that Apple has a version of an app, oldest first.
  package func proofs(showing version: Version, of app: String) throws -> [Evidence] {
    try records(Evidence.self, where: "outcome = 'applied' AND app = ?", .text(app))
      .filter { $0.isProved && $0.version == version }
  }

  func evidence(sha256: String) throws -> [Evidence] {
    try records(Evidence.self, where: "sha256 = ?", .text(sha256))
  }

  func evidence(messageID: String) throws -> [Evidence] {
    try records(Evidence.self, where: "message_id = ?", .text(messageID))
  }

  /// The countries in whose stores a lookup has shown a version of an app, or a newer one.
  package func countries(showing version: Version, of app: String) throws -> Set<String> {
    Set(
      try records(Evidence.self, where: "kind = 'lookup' AND app = ?", .text(app))
        .filter {
          $0.outcome != .parked && $0.outcome != .dismissed && ($0.version.map { version <= $0 } ?? false)
        }
        .compactMap(\.country))
  }
}

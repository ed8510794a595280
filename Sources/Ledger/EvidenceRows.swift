package import ReleaseModel
import SQLite

extension Ledger {
  private func evidence(where condition: String, _ value: Value) throws -> [Evidence] {
    try reading { try records(Evidence.self, where: condition, value) }
  }

  /// What is parked, oldest first.
  ///
  /// - Throws: `LedgerError`.
  package func inbox() throws -> [Evidence] { try evidence(where: "outcome = ?", .text("parked")) }

  /// One piece of evidence, with its bytes where they were kept.
  ///
  /// - Throws: `LedgerError.noEvidence`.
  package func evidence(_ id: Int64) throws -> (evidence: Evidence, body: [UInt8]?) {
    guard let found = try evidence(where: "id = ?", .integer(id)).first else {
      throw LedgerError.noEvidence(id)
    }
    let body = try reading {
      try connection.query("SELECT body FROM evidence WHERE id = ? AND body IS NOT NULL", .integer(id)) {
        try $0.blob(0)
      }
    }
    return (found, body.first)
  }

  func evidence(sha256: String) throws -> Evidence? { try evidence(where: "sha256 = ?", .text(sha256)).first }

  func evidence(_ kind: Evidence.Kind, messageID: String) throws -> Evidence? {
    try evidence(where: "message_id = ? AND proof IS NOT NULL", .text(messageID)).first { $0.kind == kind }
  }

  func countries(showing version: Version, of app: String) throws -> Set<String> {
    Set(
      try evidence(where: "kind = 'lookup' AND app = ?", .text(app))
        .filter {
          $0.outcome != .parked && $0.outcome != .dismissed && ($0.version.map { version <= $0 } ?? false)
        }
        .compactMap(\.country))
  }
}

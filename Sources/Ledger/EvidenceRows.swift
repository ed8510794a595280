package import ReleaseModel
import SQLite

extension Ledger {
  private static let evidenceColumns = """
    id, kind, sha256, size, received_at, outcome, message_id, sent_at, sender, subject, reason, proof, app, version, \
    state, country, event_seq
    """

  private func evidence(from row: Row) throws -> Evidence {
    var evidence = Evidence(
      id: try row.integer(0), kind: try parsed(row, 1, Evidence.Kind.init(rawValue:)),
      sha256: try row.text(2),
      size: try row.integer(3), receivedAt: try moment(row, 4),
      outcome: try parsed(row, 5, Evidence.Outcome.init(rawValue:)))
    evidence.messageID = try row.optionalText(6)
    evidence.sentAt = try optionalMoment(row, 7)
    evidence.sender = try row.optionalText(8)
    evidence.subject = try row.optionalText(9)
    evidence.reason = try row.optionalText(10)
    evidence.proof = try row.optionalText(11)
    evidence.app = try row.optionalText(12)
    evidence.version = try optionalVersion(row, 13)
    evidence.state = try optional(row, 14, ReleaseState.init(rawValue:))
    evidence.country = try row.optionalText(15)
    evidence.event = try row.integer(16)
    return evidence
  }

  private func evidence(where condition: String, _ value: Value) throws -> [Evidence] {
    try reading {
      try connection.query(
        "SELECT \(Ledger.evidenceColumns) FROM evidence WHERE \(condition) ORDER BY id", value
      ) { try evidence(from: $0) }
    }
  }

  /// What waits for a person, oldest first: what is parked, but for alarms that have ended by themselves.
  ///
  /// - Throws: `LedgerError`.
  package func inbox() throws -> [Evidence] {
    var lines: [String: ReleaseLine] = [:]
    return try parked().filter { evidence in
      guard evidence.isAlarm, let app = evidence.app else { return true }
      let line = try lines[app] ?? line(app)
      lines[app] = line
      return !evidence.isEnded(by: line)
    }
  }

  /// Everything that is parked, oldest first.
  func parked() throws -> [Evidence] { try evidence(where: "outcome = ?", .text("parked")) }

  /// How many bytes are parked that nothing proves.
  ///
  /// - Throws: `LedgerError`.
  package func unprovedBytes() throws -> Int64 {
    try reading {
      try connection.query(
        "SELECT coalesce(sum(size), 0) FROM evidence WHERE outcome = ? AND proof IS NULL", .text("parked")
      ) { try $0.integer(0) }
    }.first ?? 0
  }

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

  func evidence(sha256: String) throws -> [Evidence] { try evidence(where: "sha256 = ?", .text(sha256)) }

  func evidence(messageID: String) throws -> [Evidence] {
    try evidence(where: "message_id = ?", .text(messageID))
  }

  func countries(showing version: Version, of app: String) throws -> Set<String> {
    Set(
      try evidence(where: "kind = 'lookup' AND app = ?", .text(app))
        .filter {
          $0.outcome != .parked && $0.outcome != .dismissed && ($0.version.map { version <= $0 } ?? false)
        }
        .compactMap(\.country))
  }

  func insert(_ evidence: Evidence, body: [UInt8]?, event: Int64) throws {
    try connection.run(
      """
      INSERT INTO evidence (id, kind, sha256, size, received_at, outcome, message_id, sent_at, sender, subject, reason,
        proof, app, version, state, country, body, event_seq)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(evidence.id), .text(evidence.kind.rawValue), .text(evidence.sha256), .integer(evidence.size),
      .text(evidence.receivedAt.text), .text(evidence.outcome.rawValue), evidence.messageID.sqliteValue,
      (evidence.sentAt?.text).sqliteValue, evidence.sender.sqliteValue, evidence.subject.sqliteValue,
      evidence.reason.sqliteValue, evidence.proof.sqliteValue, evidence.app.sqliteValue,
      (evidence.version?.text).sqliteValue, (evidence.state?.rawValue).sqliteValue,
      evidence.country.sqliteValue,
      body.sqliteValue, .integer(event))
  }

  func update(_ evidence: Evidence, event: Int64) throws {
    try connection.run(
      """
      UPDATE evidence SET outcome = ?, reason = ?, proof = ?, app = ?, version = ?, state = ?, event_seq = ?
      WHERE id = ?
      """,
      .text(evidence.outcome.rawValue), evidence.reason.sqliteValue, evidence.proof.sqliteValue,
      evidence.app.sqliteValue, (evidence.version?.text).sqliteValue, (evidence.state?.rawValue).sqliteValue,
      .integer(event), .integer(evidence.id))
  }
}

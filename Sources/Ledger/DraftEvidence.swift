package import ReleaseModel

/// The evidence that a command has taken in so far; of several alike, the first.
struct TakenEvidence {
  private var byDigest: [String: Evidence] = [:]
  private var proved: [Evidence.Kind: [String: Evidence]] = [:]

  mutating func add(_ evidence: Evidence) {
    if byDigest[evidence.sha256] == nil { byDigest[evidence.sha256] = evidence }
    guard evidence.proof != nil, let id = evidence.messageID, proved[evidence.kind]?[id] == nil else {
      return
    }
    proved[evidence.kind, default: [:]][id] = evidence
  }

  /// That of the same bytes.
  func evidence(sha256: String) -> Evidence? { byDigest[sha256] }

  /// That which is proved and has the same id.
  func evidence(_ kind: Evidence.Kind, messageID: String) -> Evidence? { proved[kind]?[messageID] }
}

extension Draft {
  /// Evidence of the same bytes, recorded or taken in by this command.
  package func evidence(sha256: String) throws -> Evidence? {
    try taken.evidence(sha256: sha256) ?? ledger.evidence(sha256: sha256)
  }

  /// Proved evidence of the same Message-ID or webhook id, recorded or taken in by this command.
  package func evidence(_ kind: Evidence.Kind, messageID: String) throws -> Evidence? {
    try taken.evidence(kind, messageID: messageID) ?? ledger.evidence(kind, messageID: messageID)
  }

  /// The stores whose lookups have shown a version of an app, or a newer one.
  package func countries(showing version: Version, of app: String) throws -> Set<String> {
    try ledger.countries(showing: version, of: app)
  }

  /// The apps that Apple's number names, of a platform where one is said.
  package func apps(appleID: Int64, platform: ApplePlatform?) throws -> [App] {
    try ledger.apps().filter { $0.appleID == appleID && (platform == nil || $0.platform == platform) }
  }

  /// One piece of evidence.
  ///
  /// - Throws: `LedgerError.noEvidence`.
  package func evidence(_ id: Int64) throws -> Evidence { try ledger.evidence(id).evidence }

  /// Evidence that can still be settled.
  ///
  /// - Throws: `LedgerError.settled` where it was settled already.
  package func parked(_ id: Int64) throws -> Evidence {
    let evidence = try evidence(id)
    guard evidence.outcome == .parked else { throw LedgerError.settled(id, evidence.outcome) }
    return evidence
  }

  /// The parked mails with their bytes, in the order in which they were sent.
  package func parkedMails() throws -> [(evidence: Evidence, body: [UInt8])] {
    try ledger.inbox().filter { $0.kind == .mail }
      .sorted { ($0.sentAt ?? $0.receivedAt, $0.id) < ($1.sentAt ?? $1.receivedAt, $1.id) }
      .compactMap { evidence in
        try ledger.evidence(evidence.id).body.map { (evidence, $0) }
      }
  }

  /// An app as the changes so far leave it.
  package func app(_ slug: String) throws -> App { try after[slug]?.app ?? ledger.app(slug) }
}

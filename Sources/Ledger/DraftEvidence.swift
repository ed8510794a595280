package import ReleaseModel

extension Draft {
  /// Evidence of the same bytes, recorded or taken in by this command.
  package func evidence(sha256: String) throws -> Evidence? {
    try changes.lazy.compactMap(\.change.evidence).first { $0.sha256 == sha256 }
      ?? ledger.evidence(sha256: sha256)
  }

  /// Proved evidence of the same Message-ID or webhook id, recorded or taken in by this command.
  package func evidence(_ kind: Evidence.Kind, messageID: String) throws -> Evidence? {
    let taken = changes.lazy.compactMap(\.change.evidence)
    return try taken.first { $0.kind == kind && $0.messageID == messageID && $0.proof != nil }
      ?? ledger.evidence(kind, messageID: messageID)
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

import JSON
package import ReleaseModel
import SQLite

extension [Int64: Evidence] {
  /// Evidence as the command leaves it: what is recorded, then what it took in that meets a condition.
  fileprivate func joined(to recorded: [Evidence], where holds: (Evidence) -> Bool) -> [Evidence] {
    let known = Set(recorded.map(\.id))
    return recorded.map(current)
      + values.filter { !known.contains($0.id) && holds($0) }.sorted { $0.id < $1.id }
  }

  fileprivate func current(_ recorded: Evidence) -> Evidence { self[recorded.id] ?? recorded }
}

extension Refusal {
  /// Proof says otherwise.
  static func contradicted(by proof: Evidence) -> Refusal {
    Refusal(
      "evidence.contradicts",
      ["kind": proof.kind.rawValue, "state": proof.state.map { " as \($0.rawValue)" } ?? ""],
      details: ["version": .optional(proof.version?.text), "evidence": .integer(proof.id)])
  }
}

extension ChangeSet {
  /// Whether it takes in a proved mail that is as old as it should be: then Apple's clock agrees with this host's.
  var provesClock: Bool {
    changes.contains { planned in
      planned.change.evidence.map {
        $0.kind == .mail && $0.isProved && !["mail.stale", "mail.future"].contains($0.reason)
      } ?? false
    }
  }

  /// Whether App Store Connect showed a release on sale under its id, or it was taken over as such with it.
  package func wasOnSale(_ release: Release, of app: String) throws -> Bool {
    guard let id = release.ascID else { return false }
    if try ledger.wasOnSale(id, release.version, of: app) { return true }
    guard release.state.isReleased, release.former == nil else { return false }
    // A file may have given it the id since.
    return try ledger.blame(app: app, release.version).first { $0.field == "ascID" }?.event.evidence == nil
  }

  /// Whether evidence of after a moment contradicts a statement of then: it says that the version went back, was rejected
  /// or withdrawn, where the statement moves it forward, or the other way round.
  package func isContradicted(
    _ state: ReleaseState, of version: Version, _ app: String, after moment: Timestamp
  ) throws -> Bool {
    let known = try ledger.records(
      Evidence.self, where: "app = ? AND state IS NOT NULL AND sent_at > ?", .text(app), .text(moment.text))
    return (known + changes.compactMap(\.change.evidence)).contains { evidence in
      guard let said = evidence.state, let sentAt = evidence.sentAt else { return false }
      return evidence.app == app && evidence.version == version && moment < sentAt
        && said.isSetback != state.isSetback
        && (evidence.outcome == .applied || evidence.outcome == .ignored)
    }
  }

  /// The proofs that Apple has a version of an app, as the changes so far leave it.
  func proofs(showing version: Version, of app: String) throws -> [Evidence] {
    let own = changes.compactMap(\.change.evidence).filter {
      $0.tellsOfVersion && $0.app == app && $0.version == version
    }
    return Evidence.standing(try ledger.proofs(showing: version, of: app) + own)
  }

  /// The proof that a release which is struck out was approved or live; that Apple has it at all, where it is said never to
  /// have been shipped. Nil where nothing speaks against it.
  func proof(against change: Change, of app: String) throws -> Evidence? {
    guard case .voided(let release, _, let neverShipped) = change else { return nil }
    return try proofs(showing: release.version, of: app).last {
      neverShipped || [.approved, .live, .removed].contains($0.state)
    }
  }

  /// Evidence with the same bytes, recorded or taken in by this command; only about one app if it is given.
  package func evidence(_ kind: Evidence.Kind, sha256: String, app: String?) throws -> Evidence? {
    taken.joined(to: try ledger.records(Evidence.self, where: "sha256 = ?", .text(sha256))) {
      $0.sha256 == sha256
    }
    .first { $0.kind == kind && (app == nil || $0.app == app) }
  }

  /// Evidence with the same Message-ID or webhook id that was vouched for, and then applied or ignored.
  package func evidence(_ kind: Evidence.Kind, messageID: String) throws -> Evidence? {
    taken.joined(to: try ledger.records(Evidence.self, where: "message_id = ?", .text(messageID))) {
      $0.messageID == messageID
    }.first {
      $0.kind == kind && $0.isVouchedFor && ($0.outcome == .applied || $0.outcome == .ignored)
    }
  }

  /// Whether clients of some version of an app are prompted now.
  package mutating func isPrompted(_ slug: String) throws -> Bool { try snapshot(slug).isPrompting(at: now) }

  /// Whether clients, of the app itself or of another that leads to it, are sent to an app's own store page, and no rule
  /// or redirect of the app that is not over leads elsewhere.
  package mutating func isOnlyStorePageTold(of slug: String) throws -> Bool {
    let line = try line(slug)
    guard let page = line.app.effectiveStoreURL else { return false }
    let rules = line.rules.map { ($0.until, $0.destination) }
    let leadsElsewhere = (rules + line.redirects.map { ($0.until, $0.destination) }).contains {
      $0.map { now < $0 } ?? true && $1 != nil && $1 != .url(page)
    }
    if leadsElsewhere { return false }
    for other in try ledger.slugs(leadingTo: [slug]).union([slug]) {
      let answers = Schedule(try snapshot(other), at: now).answers.flatMap(\.decisions)
      if answers.contains(where: { $0.action != .none && $0.targetApp == slug && $0.url == page }) {
        return true
      }
    }
    return false
  }

  /// The apps with an Apple ID, of one platform if it is given.
  package func apps(appleID: Int64, platform: ApplePlatform?) throws -> [App] {
    try ledger.apps().filter { $0.appleID == appleID && (platform == nil || $0.platform == platform) }
  }

  /// - Throws: `Refusal`.
  package func evidence(_ id: Int64) throws -> Evidence { try taken[id] ?? ledger.evidence(id).evidence }

  /// - Throws: `Refusal` if it was settled already.
  package func parked(_ id: Int64) throws -> Evidence {
    let evidence = try evidence(id)
    guard evidence.outcome == .parked else {
      throw Refusal(
        "evidence.settled", ["outcome": evidence.outcome.rawValue], details: ["evidence": .integer(id)])
    }
    return evidence
  }

  /// The parked evidence of one kind about an app.
  package func parked(_ kind: Evidence.Kind, of app: String?) throws -> [Evidence] {
    try waiting(kind, of: app).filter { $0.outcome == .parked }
  }

  /// The evidence of one kind about an app that is parked, or that a person dismissed.
  package func waiting(_ kind: Evidence.Kind, of app: String?) throws -> [Evidence] {
    let recorded = try ledger.records(
      Evidence.self, where: "outcome IN ('parked', 'dismissed') AND kind = ?", .text(kind.rawValue))
    return taken.joined(to: recorded) { _ in true }.filter {
      $0.kind == kind && $0.app == app && ($0.outcome == .parked || $0.outcome == .dismissed)
    }
  }

  /// The bytes of evidence as the command leaves it; nil if they are not kept.
  package func body(of id: Int64) throws -> [UInt8]? { try bodies[id] ?? ledger.evidence(id).body }

  /// The parked evidence whose bytes were kept, with them, in the order in which it was sent.
  package func parkedEvidence() throws -> [(evidence: Evidence, body: [UInt8])] {
    try ledger.parked()
      .sorted { ($0.sentAt ?? $0.receivedAt, $0.id) < ($1.sentAt ?? $1.receivedAt, $1.id) }
      .compactMap { evidence in
        try ledger.evidence(evidence.id).body.map { (evidence, $0) }
      }
  }
}

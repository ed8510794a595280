import AppleIntake
package import Ledger
package import ReleaseModel

/// Notifications of App Store Connect whose signature was verified.
package struct StoreWebhook: EvidenceSource {
  private let slug: String
  /// The SHA-256 of the secret that verified the signature, in hexadecimal; nil if it is no longer known.
  private let secretHash: String?

  package let kind = Evidence.Kind.webhook
  package var app: String? { slug }

  package init(app: String, secretHash: String?) {
    slug = app
    self.secretHash = secretHash
  }

  init?(parked evidence: Evidence) {
    guard let app = evidence.app else { return nil }
    let words = (evidence.proof ?? "").split(separator: " ")
    self.init(app: app, secretHash: words.count == 2 ? String(words[1]) : nil)
  }

  /// - Throws: `WebhookFault` for what is not a notification at all, `LedgerError.noApp`.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    let event = try WebhookEvent(bytes)
    _ = try draft.line(slug)
    // The operator's pin of the secret.
    let isPinned = draft.trusts.contains {
      secretHash != nil && $0.kind == .webhook && $0.value == slug && $0.key == secretHash
    }
    evidence.app = slug
    // The version that it was bound to when it was parked is determined again.
    evidence.version = nil
    evidence.messageID = event.id
    evidence.sentAt = event.timestamp
    evidence.subject = event.type
    evidence.proof = [isPinned ? "webhook" : "hmac", secretHash].compactMap { $0 }.joined(separator: " ")
    guard event.type == WebhookEvent.stateUpdated else { return .ends(.ignored, "webhook.other-type") }
    guard !event.isPing else { return .ends(.ignored, "webhook.ping") }
    guard let state = event.newValue.flatMap(WebhookEvent.state) else {
      return .ends(.ignored, "webhook.other-state")
    }
    evidence.state = state
    let received = evidence.receivedAt
    guard let timestamp = event.timestamp, received <= timestamp + AppleMail.oldest,
      timestamp <= received + AppleMail.aheadBy
    else { return .ends(.parked, "webhook.stale") }
    guard let id = event.versionID, Release.isConnectID(id) else {
      return .ends(.parked, "webhook.unknown-id")
    }
    return .state(state, of: .storeID(id, app: slug))
  }
}

extension ChangeSet {
  /// The release with an App Store Connect id, in an app or in one with the same number at Apple; a
  /// struck-out one only if no other release has the id.
  mutating func release(storeID id: String, likeApp slug: String) throws -> (app: String, release: Release)? {
    let app = try line(slug).app
    let others = try app.appleID.map { try apps(appleID: $0, platform: nil).map(\.slug) } ?? []
    var struckOut: (app: String, release: Release)?
    for slug in [slug] + others.filter({ $0 != slug }) {
      let named = try line(slug).releases.filter { $0.ascID == id }
      if let found = named.last(where: { $0.state != .void }) { return (slug, found) }
      if struckOut == nil { struckOut = named.last.map { (slug, $0) } }
    }
    return struckOut
  }
}

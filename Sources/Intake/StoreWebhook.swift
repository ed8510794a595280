import AppleIntake
package import Ledger
package import ReleaseModel

/// Notifications of App Store Connect whose signature was verified.
package struct StoreWebhook: EvidenceSource {
  private let slug: String
  /// The SHA-256 of the secret by which the signature was verified, in hexadecimal; nil if nobody knows it any longer.
  private let secretHash: String?

  package let kind = Evidence.Kind.webhook
  package var app: String? { slug }
  package let tellsOfNow = false

  /// Takes notifications for the app they were handed over for.
  package init(app: String, secretHash: String?) {
    slug = app
    self.secretHash = secretHash
  }

  /// A notification that was parked, by the secret it was verified with then.
  init?(parked evidence: Evidence) {
    guard let app = evidence.app else { return nil }
    let words = (evidence.proof ?? "").split(separator: " ")
    self.init(app: app, secretHash: words.count == 2 ? String(words[1]) : nil)
  }

  /// Reads a notification.
  ///
  /// - Throws: `WebhookFault` for what is no notification at all, `LedgerError.noApp`.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout Draft) throws -> Examined
  {
    let event = try WebhookEvent(bytes)
    _ = try draft.line(slug)
    let pin = WebhookPin(of: slug, among: draft.trusts, secretHash: secretHash)
    evidence.app = slug
    // What it was taken to be about when it was parked is judged anew.
    evidence.version = nil
    evidence.messageID = event.id
    evidence.sentAt = event.timestamp
    evidence.subject = event.type
    evidence.proof = [pin == nil ? "hmac" : "webhook", secretHash].compactMap { $0 }.joined(separator: " ")
    guard event.type == WebhookEvent.stateUpdated else { return .ends(.ignored, .webhook(.otherType)) }
    guard !event.isPing else { return .ends(.ignored, .webhook(.ping)) }
    guard let state = event.newValue.flatMap(WebhookEvent.state) else {
      return .ends(.ignored, .webhook(.otherState))
    }
    evidence.state = state
    let received = try draft.receipt(of: evidence)
    guard let timestamp = event.timestamp, received <= timestamp + AppleMail.oldest,
      timestamp <= received + AppleMail.aheadBy
    else { return .ends(.parked, .binding(.webhook, .stale)) }
    if let id = event.versionID, try draft.release(storeID: id, likeApp: slug) != nil {
      return .claims(.state(state, of: .storeID(id, app: slug), saidBy: .webhook))
    }
    guard pin?.isSinglePlatform == true else { return .ends(.parked, .webhook(.unknownID)) }
    let leaving = event.oldValue.flatMap(WebhookEvent.state)
    return .claims(.state(state, of: .only(app: slug, leaving: leaving), saidBy: .webhook))
  }
}

/// That the operator pinned the secret a webhook was signed with.
struct WebhookPin {
  /// Whether Apple's app has one platform, so that a version's state can be that of the only release on its way.
  let isSinglePlatform: Bool

  /// Finds the pin of a secret for an app; nil where that secret is not pinned.
  init?(of app: String, among trusts: [Trust], secretHash: String?) {
    let found = trusts.first { $0.kind == .webhook && $0.value == app && $0.key == secretHash }
    guard secretHash != nil, let found else { return nil }
    isSinglePlatform = found.isSinglePlatform == true
  }
}

extension Draft {
  /// The release that App Store Connect calls by an id, of an app or of one with the same number at Apple; one that was
  /// struck out only where no other has the id.
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

import AppleIntake
package import Ledger
package import ReleaseModel

/// What App Store Connect answers about the versions of an app, one version at a time.
package struct StoreConnect: EvidenceSource {
  private let slug: String
  /// The key with which it was asked; nil for a file, which is only someone's word.
  private let keyID: String?

  package let kind = Evidence.Kind.asc
  package var app: String? { slug }

  /// - Parameter keyID: The id of the key with which they were asked for; nil for what someone brings.
  package init(app: String, keyID: String?) {
    slug = app
    self.keyID = keyID
  }

  init?(parked evidence: Evidence) {
    guard let app = evidence.app else { return nil }
    self.init(
      app: app,
      keyID: evidence.proof.flatMap { proof in
        proof.hasPrefix(StoreConnect.proof) ? String(proof.dropFirst(StoreConnect.proof.count)) : nil
      })
  }

  private static let proof = "asc "
  private static let file = "file"

  /// - Throws: `ConnectFault`, `LedgerError.noApp`.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    let known = try draft.line(slug).app
    let answer = try ConnectAnswer(bytes, appleID: known.appleID)
    guard let version = answer.versions.first, answer.versions.count == 1 else {
      throw ConnectFault.malformed("it is not about one version")
    }
    evidence.app = slug
    evidence.subject = version.stateName.isEmpty ? nil : String(version.stateName.prefix(100))
    evidence.proof = keyID.map { StoreConnect.proof + $0 } ?? StoreConnect.file
    if keyID != nil { evidence.sentAt = evidence.receivedAt }
    guard let app = try draft.app(like: known, on: version.platform) else {
      return .ends(.ignored, "asc.other-platform")
    }
    evidence.app = app.slug
    guard let number = version.version else {
      evidence.subject = String("\(version.versionText) \(version.stateName)".prefix(100))
      return .ends(.parked, "asc.version")
    }
    evidence.version = number
    guard let state = version.state else { return .ends(.parked, "asc.unknown-state") }
    evidence.state = state
    return .connect(version, of: app.slug)
  }
}

extension ChangeSet {
  /// The app with the same number at Apple on a platform; the app itself if it is on that platform.
  fileprivate func app(like app: App, on platform: ApplePlatform?) throws -> App? {
    guard let platform else { return nil }
    if app.platform == platform { return app }
    return try app.appleID.flatMap { try apps(appleID: $0, platform: platform).first }
  }
}

extension EvidenceIntake {
  /// App Store Connect says a version's state, and details that no one had given yet.
  func decide(
    _ said: ConnectVersion, of slug: String, _ judged: inout Judged, _ draft: inout ChangeSet
  ) throws {
    guard let version = said.version, let claimed = said.state else { return }
    let line = try draft.line(slug)
    guard let release = line.counted(version) else {
      return judged.end(.parked, "asc.unknown-version")
    }
    judged.from = release.state
    var details = said.details(new: release, waits: line.app.remindAfter == .phase, now: now)
    // Where agreement is required, the id by which a proved webhook is bound is learnt only from proof.
    if !judged.evidence.isProved, draft.approvals > 0 { details.ascID = nil }
    if (try? line.amend(release.version, details)) != nil {
      judged.moves.append(.amend(release.version, details))
    }
    let saidAt = min(judged.evidence.sentAt ?? now, now)
    if let state = release.wants(claimed) {
      switch release.move(to: state, saidAt: saidAt) {
      case .overtaken, .older: break
      case .moves:
        let move = Move.mark(
          release.version, state, at: saidAt, isVisibleNow: false,
          notBefore: judged.evidence.isProved ? now + AppState.timeToObject : nil)
        do throws(Refusal) {
          _ = try move.change(on: line, now: now)
        } catch {
          return judged.end(.parked, "asc.law.\(error.id)")
        }
        judged.evidence.state = state
        judged.moves.append(move)
        return judged.end(.applied, nil)
      }
    }
    judged.isRecorded = !judged.moves.isEmpty
    judged.end(
      judged.isRecorded ? .applied : .ignored,
      judged.isRecorded ? "asc.details" : "asc.overtaken")
  }
}

extension Release {
  /// The state that App Store Connect's answer gives a release; nil for none.
  ///
  /// The answer does not show that a version was taken off the store: it is still READY_FOR_DISTRIBUTION
  /// then. A version that a newer one replaced was live before.
  fileprivate func wants(_ claimed: ReleaseState) -> ReleaseState? {
    if state == .removed || isPast { return nil }
    guard claimed == .superseded else { return claimed }
    return state.isReleased ? nil : .live
  }
}

extension ConnectVersion {
  /// - Parameter waits: Whether the app's reminders wait for phases.
  func details(new release: Release, waits: Bool, now: Timestamp) -> ReleaseDetails {
    var details = ReleaseDetails()
    if Release.isConnectID(id), release.ascID != id { details.ascID = id }
    if release.build == nil { details.build = build }
    if release.minOS == nil { details.minOS = minOS }
    if let phased {
      details.phase = phased.phase
      details.remindAt = phased.phase.end(
        of: release, start: phased.start, pausedDays: phased.pausedDays, heardAt: now)
    } else if hasNoPhases, release.phase.map({ $0 != .complete }) ?? (waits && state == .live) {
      // There is none, or it was called off: everyone gets the release.
      details.phase = .complete
      details.remindAt = min(release.remindAt ?? now, now)
    }
    return details
  }
}

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
  /// An app, and those with the same number at Apple, which are for other platforms.
  mutating func platforms(of slug: String) throws -> [String] {
    let others = try line(slug).app.appleID.map { try apps(appleID: $0, platform: nil).map(\.slug) } ?? []
    return [slug] + others.filter { $0 != slug }
  }

  /// The release with an App Store Connect id, in an app or in one with the same number at Apple; a
  /// struck-out one only if no other release has the id.
  mutating func release(storeID id: String, likeApp slug: String) throws -> (app: String, release: Release)? {
    var struckOut: (app: String, release: Release)?
    for slug in try platforms(of: slug) {
      let named = try line(slug).releases.filter { $0.ascID == id }
      if let found = named.last(where: { $0.state != .void }) { return (slug, found) }
      if struckOut == nil { struckOut = named.last.map { (slug, $0) } }
    }
    return struckOut
  }
}

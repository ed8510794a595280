package import AppleIntake
import JSON
package import Ledger
package import ReleaseModel

/// What App Store Connect answers about the versions of an app, one version at a time.
package struct StoreConnect: EvidenceSource {
  private var slug: String
  /// The key with which it was asked, as evidence names it; nil for a file, which is only someone's word.
  private let proof: String?
  /// The version that the record was before it was given another number, and whether Apple has that one no more; nil for
  /// what is about the record as it is. An unsent or rejected one may be renamed, and keeps its id.
  private var former: (version: Version, isWithdrawn: Bool)?

  package let kind = Evidence.Kind.asc
  package var app: String? { slug }

  /// - Parameter key: `ConnectFetch.usedKey`; nil for what someone brings.
  package init(app: String, key: String?) {
    (slug, proof) = (app, key.map { "asc \($0)" })
  }

  init?(parked evidence: Evidence) {
    guard let app = evidence.app else { return nil }
    (slug, proof) = (app, evidence.isProved ? evidence.proof : nil)
  }

  /// What proves it: where signers have to agree, an address of this machine proves no more than a file does.
  private func proof(in draft: ChangeSet) -> String? {
    draft.approvals > 0 && proof?.hasSuffix(ConnectFetch.local) == true ? nil : proof
  }

  /// - Throws: `Refusal`, `LedgerError.noApp`.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    let known = try draft.line(slug).app
    let answer = try ConnectAnswer(bytes, appleID: known.appleID)
    guard let version = answer.versions.first, answer.versions.count == 1 else {
      throw Refusal.malformedAnswer("it is not about one version")
    }
    evidence.app = slug
    evidence.subject = version.stateName.isEmpty ? nil : String(version.stateName.prefix(100))
    evidence.proof = proof(in: draft) ?? "file"
    if evidence.isProved { evidence.sentAt = evidence.receivedAt }
    evidence.ascID = Release.isConnectID(version.id) ? version.id : nil
    if let former {
      (evidence.version, evidence.subject) = (former.version, version.version?.text)
      return .renamed(former.version, of: slug, isWithdrawn: former.isWithdrawn)
    }
    guard let app = try draft.app(like: known, on: version.platform) else {
      return .ends(.ignored, "asc.other-platform")
    }
    evidence.app = app.slug
    guard let number = version.version else {
      evidence.subject = String("\(version.versionText) \(version.stateName)".prefix(100))
      return .ends(.parked, "asc.version")
    }
    evidence.version = number
    if version.isNotarized { return .ends(.parked, "asc.notarized") }
    guard let state = version.state else { return .ends(.parked, "asc.unknown-state") }
    evidence.state = state
    return .connect(version, of: app.slug)
  }
}

extension StoreConnect {
  /// The records that a fetched answer calls otherwise than the ledger: their ids go along with the new versions, unless
  /// an answer showed them on sale under the old ones.
  package func renamed(
    _ versions: [ConnectVersion], _ draft: inout ChangeSet
  ) throws -> [(version: ConnectVersion, source: StoreConnect)] {
    guard proof(in: draft) != nil else { return [] }
    let known = try draft.line(slug).app
    var renamed: [(version: ConnectVersion, source: StoreConnect)] = []
    for version in versions {
      guard let new = version.version, let app = try draft.app(like: known, on: version.platform),
        let (slug, release) = try draft.release(storeID: version.id, likeApp: app.slug),
        release.state != .void, slug != app.slug || release.version != new,
        try !draft.wasOnSale(release, of: slug)
      else { continue }
      // What goes on under another id has the state that the answer says.
      let isNamed = versions.contains { $0.version == release.version && $0.platform == version.platform }
      var source = self
      source.slug = slug
      source.former = (release.version, !isNamed && [.waiting, .inReview, .approved].contains(release.state))
      renamed.append((version, source))
    }
    return renamed
  }
}

extension EvidenceIntake {
  /// Takes App Store Connect's id away from a version that Apple has no more.
  func decideRenaming(
    of version: Version, in slug: String, _ isWithdrawn: Bool, _ judged: inout Judged,
    _ draft: inout ChangeSet
  ) throws {
    guard let release = try draft.line(slug).counted(version) else { return }
    judged.from = release.state
    judged.end(.applied, "asc.renamed")
    var details = ReleaseDetails()
    details.ascID = ""
    judged.moves = [.amend(version, details)]
    guard isWithdrawn else { return }
    judged.evidence.state = .withdrawn
    judged.moves.append(.mark(version, .withdrawn, at: nil))
  }
}

extension ChangeSet {
  /// The app with the same number at Apple on a platform, if it is not retired; the app itself if it is on that platform.
  fileprivate func app(like app: App, on platform: ApplePlatform?) throws -> App? {
    guard let platform else { return nil }
    if app.platform == platform { return app }
    return try app.appleID.flatMap { try apps(appleID: $0, platform: platform).first { !$0.isRetired } }
  }
}

extension EvidenceIntake {
  /// App Store Connect says a version's state, and details that no one had given yet.
  func decide(
    _ said: ConnectVersion, of slug: String, _ judged: inout Judged, _ draft: inout ChangeSet
  ) throws {
    guard let version = said.version, let claimed = said.state else { return }
    let line = try draft.line(slug)
    let (isProved, known) = (judged.evidence.isProved, try draft.release(storeID: said.id, likeApp: slug))
    if let known, known.release.state != .void, known.app != slug || known.release.version != version {
      return judged.end(.parked, "asc.id-contradicts")
    }
    guard let release = line.counted(version) else {
      return judged.end(.parked, "asc.unknown-version")
    }
    // A record is one version's: a file takes none from its version, and nothing takes one that was on sale under it.
    if let own = release.ascID, own != said.id, try !isProved || draft.wasOnSale(release, of: slug) {
      return judged.end(.parked, "asc.id-contradicts")
    }
    judged.from = release.state
    // What was parked was said when it came; what only someone's word moves, it moves now.
    let saidAt = judged.evidence.receivedAt
    let moment = isProved ? saidAt : now
    var details = said.details(
      new: release, isFetched: isProved, waits: line.app.remindAfter == .phase, now: moment)
    // Where agreement is required, the id by which a proved webhook is bound is learnt only from proof.
    if !isProved, draft.approvals > 0 { details.ascID = nil }
    if (try? line.amend(release.version, details)) != nil {
      judged.moves.append(.amend(release.version, details))
    }
    func mark(_ state: ReleaseState) -> Move {
      .mark(release.version, state, at: moment, notBefore: isProved ? now + AppState.timeToObject : nil)
    }
    if isProved, claimed == .waiting, release.state == .approved, release.since <= saidAt {
      // Its release was cancelled, and it was sent again.
      judged.moves += [mark(.withdrawn), mark(.waiting)]
      return judged.end(.applied, nil)
    }
    if let state = release.wants(claimed) {
      // A step before live contradicts one that has been live for a while: an answer may lag behind mails.
      let isDenied =
        release.state.isReleased && !state.isReleased && release.since + AppState.timeToObject <= saidAt
      switch isDenied ? .moves : release.move(to: state, saidAt: saidAt) {
      case .overtaken, .older: break
      case .moves:
        do throws(Refusal) {
          _ = try mark(state).change(line, now)
        } catch {
          return judged.end(.parked, "asc.law.\(error.id)")
        }
        judged.evidence.state = state
        judged.moves.append(mark(state))
        return judged.end(.applied, nil)
      }
    }
    let isApplied = !judged.moves.isEmpty
    // That it was on sale under its id is kept once, though nothing moves: from then on the id is no other version's.
    judged.isRecorded =
      try isApplied || judged.evidence.showsOnSale && !draft.ledger.wasOnSale(said.id, version, of: slug)
    judged.end(isApplied ? .applied : .ignored, isApplied ? "asc.details" : "asc.overtaken")
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
  func details(new release: Release, isFetched: Bool, waits: Bool, now: Timestamp) -> ReleaseDetails {
    var details = ReleaseDetails()
    if Release.isConnectID(id), release.ascID != id { details.ascID = id }
    if release.build == nil { details.build = build }
    if release.recordedMinOS == nil { details.minOS = minOS }
    details.heardBuild = release.heardBuild.heard(build, own: release.build, isFetched: isFetched)
    details.heardMinOS = release.heardMinOS.heard(minOS, own: release.recordedMinOS, isFetched: isFetched)
    if let phased {
      details.phase = phased.phase
      let start = phased.start ?? release.liveAt ?? (state == .live ? now : nil)
      details.remindAt = phased.phase.end(
        of: release, start: start, pausedDays: phased.pausedDays, heardAt: now)
    } else if hasNoPhases, release.phase.map({ $0 != .complete }) ?? (waits && state == .live) {
      // Without a phased release, or if it was called off, everyone gets the release.
      details.phase = .complete
      details.remindAt = min(release.remindAt ?? now, now)
    }
    return details
  }
}

/// Notifications of App Store Connect whose signature was verified.
///
/// Apple: "Configuring webhook notifications" and "Webhook events" of the App Store Connect API. A webhook
/// covers all platforms of an app, and the payload names neither app, platform nor version, only the
/// version's own id.
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

  /// - Throws: `Refusal` for what is not a notification at all, `LedgerError.noApp`.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    guard let data = (try? JSON(parsing: bytes))?["data"], let id = data["id"]?.string, !id.isEmpty,
      let type = data["type"]?.string
    else { throw Refusal("webhook.malformed") }
    _ = try draft.line(slug)
    // The operator's pin of the secret.
    let isPinned = draft.trusts.contains {
      secretHash != nil && $0.kind == .webhook && $0.value == slug && $0.key == secretHash
    }
    evidence.app = slug
    // The version that it was bound to when it was parked is determined again.
    evidence.version = nil
    let (said, instance) = (data["attributes"], data["relationships"]?["instance"]?["data"])
    (evidence.messageID, evidence.subject) = (id, type)
    evidence.sentAt = said?["timestamp"]?.string.flatMap(ConnectVersion.moment)
    let version = instance?["type"]?.string == "appStoreVersions" ? instance?["id"]?.string : nil
    evidence.ascID = version.flatMap { Release.isConnectID($0) ? $0 : nil }
    let proof = isPinned ? "webhook" : Evidence.unpinned
    evidence.proof = [proof, secretHash].compactMap { $0 }.joined(separator: " ")
    guard type == "appStoreVersionAppVersionStateUpdated" else {
      return .ends(.ignored, "webhook.other-type")
    }
    guard said?["ping"]?.bool != true else { return .ends(.ignored, "webhook.ping") }
    guard let state = said?["newValue"]?.string.flatMap(ReleaseState.init(connectState:)) else {
      return .ends(.parked, "webhook.unknown-state")
    }
    // One that is not submitted yet, or was replaced, is no news.
    if state == .prepared || state == .superseded { return .ends(.ignored, "webhook.other-state") }
    evidence.state = state
    let received = evidence.receivedAt
    guard let timestamp = evidence.sentAt, received <= timestamp + AppleMail.oldest,
      timestamp <= received + AppleMail.aheadBy
    else { return .ends(.parked, "webhook.stale") }
    guard let id = evidence.ascID else { return .ends(.parked, "webhook.unknown-id") }
    return .state(state, of: .storeID(id, app: slug))
  }
}

extension ChangeSet {
  /// An app, and those with the same number at Apple, which are for other platforms.
  package mutating func platforms(of slug: String) throws -> [String] {
    let others = try line(slug).app.appleID.map { try apps(appleID: $0, platform: nil).map(\.slug) } ?? []
    return [slug] + others.filter { $0 != slug }
  }

  /// The release with an App Store Connect id, in an app or in one with the same number at Apple; a
  /// struck-out one only if no other release has the id.
  mutating func release(storeID id: String, likeApp slug: String) throws -> (app: String, release: Release)? {
    var struckOut: (app: String, release: Release)?
    for slug in try platforms(of: slug) {
      let line = try line(slug)
      if let found = line.releases.last(where: { $0.ascID == id }) { return (slug, found) }
      if struckOut == nil { struckOut = line.struckOut.last { $0.ascID == id }.map { (slug, $0) } }
    }
    return struckOut
  }
}

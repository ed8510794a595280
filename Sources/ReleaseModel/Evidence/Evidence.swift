/// A mail, a lookup answer, a webhook body or a count of devices, with the verdict on it.
package struct Evidence: Record {
  /// What came in.
  package enum Kind: String, WordValue, CaseIterable {
    case mail
    case lookup
    case webhook
    case asc
    case usage
  }

  /// What became of it.
  package enum Outcome: String, WordValue, CaseIterable {
    case applied
    /// It changes nothing, and no one has to look.
    case ignored
    case parked
    case refused
    case dismissed
  }

  package internal(set) var id: Int64
  package internal(set) var kind: Kind
  /// The SHA-256 of the bytes as received, in hexadecimal.
  package internal(set) var sha256: String
  package internal(set) var size: Int64
  /// A mail's Message-ID, a webhook's `data.id`.
  package var messageID: String?
  package internal(set) var receivedAt: Timestamp
  /// A mail's Date, a webhook's timestamp.
  package var sentAt: Timestamp?
  package var sender: String?
  package var subject: String?
  package var outcome: Outcome
  package var reason: String?
  package var proof: String?
  package var app: String?
  package var version: Version?
  package var state: ReleaseState?
  package var country: String?
  /// App Store Connect's id of the version, if it names one.
  package var ascID: String?
  @Unsaid package var event: Int64 = 0

  package init(
    id: Int64, kind: Kind, sha256: String, size: Int64, receivedAt: Timestamp, outcome: Outcome = .parked
  ) {
    (self.id, self.kind, self.sha256, self.size, self.receivedAt) = (id, kind, sha256, size, receivedAt)
    self.outcome = outcome
  }

  package static let table = RecordTable.evidence
  package static let columns = Columns(of: Evidence.self)
  package static let blank = Evidence(id: 0, kind: .mail, sha256: "", size: 0, receivedAt: .distantPast)

  package var rowID: Int64? { id }

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&id, "id", "id", .fixed)
    try fields.field(&kind, "kind", "kind", .fixed)
    try fields.field(&sha256, "sha256", "sha256", .fixed)
    try fields.field(&size, "size", "size", .fixed)
    try fields.field(&messageID, "message_id", "messageID", .fixed)
    try fields.field(&receivedAt, "received_at", "receivedAt", .fixed)
    try fields.field(&sentAt, "sent_at", "sentAt", .fixed)
    try fields.field(&sender, "sender", "sender", .fixed)
    try fields.field(&subject, "subject", "subject", .fixed)
    try fields.field(&outcome, "outcome", "outcome")
    try fields.field(&reason, "reason", "reason")
    try fields.field(&proof, "proof", "proof")
    try fields.field(&app, "app", "app")
    try fields.field(&version, "version", "version")
    try fields.field(&state, "state", "state")
    try fields.field(&country, "country", "country", .fixed)
    try fields.field(&ascID, "asc_id", "ascID", .fixed)
    try fields.field(&event, "event_seq", nil)
  }
}

extension Evidence {
  /// Whether it counts as proof where proof is required: by a signature, by a secret that the operator
  /// pinned, or because it was requested with the operator's key.
  ///
  /// What a mail server, a lookup, a file or a webhook with an unpinned secret says is believed, but is not
  /// proof.
  package var isProved: Bool { proof.map(Evidence.isProof) ?? false }

  /// Whether somebody vouches for it, if only a trusted mail server or whoever brings it: then it uses up its Message-ID and
  /// no quota. A webhook with a secret that is not pinned is a stranger's word.
  package var isVouchedFor: Bool { proof.map { !$0.hasPrefix(Evidence.unpinned) } ?? false }

  /// The proof of a webhook with a secret that is not pinned, before the secret's hash.
  package static let unpinned = "hmac"

  /// Whether its bytes are kept when it comes in: those of a mail that is refused, or ignored without proof, are not
  /// (docs/evidence.md).
  package var keepsBytes: Bool {
    !(kind == .mail && (outcome == .refused || outcome == .ignored && proof == nil))
  }

  /// The reason of evidence that App Store Connect's id of its version became that of another one.
  package static let renamed = "asc.renamed"

  /// Whether it is an answer of App Store Connect, fetched, that shows a version in the store, or that was there.
  package var showsOnSale: Bool { kind == .asc && isProved && (state == .live || state == .superseded) }

  /// Whether it tells that Apple has its version: it changed the release, or found it on sale there already.
  package var tellsOfVersion: Bool {
    outcome == .applied
      || outcome == .ignored && state?.isReleased == true && reason?.hasSuffix(".overtaken") == true
  }

  /// The proofs that Apple has a version, without those of a record that was given another number since. A letter names no
  /// record, so it was about the one that had the version then.
  package static func standing(_ proofs: [Evidence]) -> [Evidence] {
    let renamed = proofs.filter { $0.reason == Evidence.renamed }
    return proofs.filter { proof in
      let isOfAny = proof.kind == .mail && proof.state?.isReleased != true
      return proof.isProved && proof.reason != Evidence.renamed
        && !renamed.contains { ($0.ascID == proof.ascID || isOfAny) && proof.id < $0.id }
    }
  }

  /// Whether the text of the `proof` field counts as proof.
  package static func isProof(_ proof: String) -> Bool {
    ["dkim ", "webhook ", "asc "].contains { proof.hasPrefix($0) }
  }

  /// The alarm that it is about an app while it is parked: a store shows, or a proved mail is about, what the
  /// ledger does not know; nil if it is no alarm, or the ledger knows by now, or takes no more changes of the app.
  package func alarm(on line: AppState) -> Finding? {
    guard outcome == .parked, app == line.app.slug, !line.app.isRetired, let version, let reason else {
      return nil
    }
    let release = line.counted(version)
    let isAlarm =
      switch reason {
      case "lookup.unknown-version": !line.knows(version)
      case "lookup.not-live":
        release.map { !$0.state.isReleased } ?? false && line.live.map { $0.version < version } ?? true
      case "mail.unknown-version": isProved && release == nil
      case "asc.unknown-version": state == .live && release == nil
      default: false
      }
    guard isAlarm else { return nil }
    return Finding(
      reason, app: line.app.slug,
      ["evidence": "\(id)", "state": release?.state.rawValue ?? "", "version": version.text])
  }

  /// Whether a store showed more than the ledger knew.
  private var isOfStore: Bool {
    kind == .lookup && (reason == "lookup.unknown-version" || reason == "lookup.not-live")
  }

  /// Whether it was an alarm about what a store shows, and the ledger knows by now; a mail waits to be judged
  /// again.
  package func isEnded(by line: AppState) -> Bool {
    isOfStore && app == line.app.slug && outcome == .parked && alarm(on: line) == nil
  }

  /// Whether it says that Apple takes no more builds of its version: it is approved, or in a store.
  package var closesVersion: Bool {
    isOfStore
      || kind != .lookup && reason?.hasSuffix(".unknown-version") == true
        && [.approved, .live, .superseded].contains(state)
  }
}

extension AppState {
  /// Whether a version that a store shows is no news: it is recorded, or older than one that was live.
  package func knows(_ version: Version) -> Bool {
    if let release = release(version), release.state != .void { return true }
    return greatestEverLive.map { version < $0 } ?? false
  }
}

/// What a proved statement about a release's state leads to.
package enum EvidenceMove: Sendable, Equatable {
  case moves
  /// The release is already in that state, or a later fact has overtaken the statement.
  case overtaken
  /// The statement is older than the state it would undo.
  case older
}

extension Release {
  /// Compares a proved statement with the release: it moves it forward, and never undoes anything newer.
  package func move(to state: ReleaseState, saidAt moment: Timestamp) -> EvidenceMove {
    if state == self.state { return .overtaken }
    // Only a release that a newer one has replaced is further along than live.
    let reached = self.state == .superseded ? Int.max : self.state.stage
    let wanted = state == .superseded ? Int.max : state.stage
    if let reached, let wanted, wanted <= reached { return .overtaken }
    // A release that went live can no longer be rejected; a mail that does so is overtaken unless newer.
    if self.state.isReleased, !state.isReleased { return moment <= since ? .overtaken : .moves }
    // Nothing was said yet of one that is prepared: it may have been recorded after the letter came.
    let isForward = self.state == .prepared || reached != nil && wanted != nil
    return isForward || since <= moment || state == .removed ? .moves : .older
  }
}

/// The build of an app that was uploaded to App Store Connect last, such as for TestFlight.
package struct UploadedBuild: Sendable, Equatable {
  package let version: Version
  package let build: Build

  /// Reads both numbers; nil if one is malformed or missing.
  package init?(version: String?, build: String?) {
    guard let version = version.flatMap({ try? Version($0, components: 3) }),
      let build = build.flatMap({ try? Build($0) })
    else { return nil }
    (self.version, self.build) = (version, build)
  }
}

/// The sources from which evidence about an app can be expected.
package enum EvidenceSourceName: String, Sendable, CaseIterable {
  case asc
  case lookup
  case mail
  case webhook

  /// Whether someone asks it regularly, so that it reports even if nothing happens.
  package var isAsked: Bool { self == .asc || self == .lookup }

  /// Until it counts as silent: since its last answer if it is asked, else since something it should have
  /// reported.
  package var patience: TimeSpan {
    switch self {
    case .asc: TimeSpan(seconds: 3_600)
    case .lookup, .mail, .webhook: TimeSpan(seconds: 86_400)
    }
  }
}

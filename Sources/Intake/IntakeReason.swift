package import AppleIntake
package import ReleaseModel

/// Why a piece of evidence came to what it came to.
///
/// Stored with the evidence as its `id`, which never changes; docs/evidence.md lists every one.
package enum IntakeReason: Sendable, Hashable, CaseIterable {
  /// What any source that speaks of states may come to, whatever release it is about.
  package enum Binding: String, Sendable, CaseIterable {
    /// It is older than evidence may be when it comes.
    case stale
    case unknownApp = "unknown-app"
    case ambiguousApp = "ambiguous-app"
    case unknownVersion = "unknown-version"
    /// The release is in that state, or a later fact has passed it.
    case overtaken
    /// It is older than the state it would undo.
    case older
    /// It was parked, and the same has been applied or ignored since.
    case duplicate
    /// Nothing proves it, and what it would do needs the agreement of several people.
    case unagreed
  }

  /// What a mail alone may come to.
  package enum Mail: String, Sendable, CaseIterable {
    /// Its From does not claim Apple.
    case notApple = "not-apple"
    /// Its Date is ahead of the clock.
    case future
    /// It is proved, and says nothing that can be bound.
    case unclear
  }

  /// What an answer of the store's lookup may come to.
  package enum Lookup: String, Sendable, CaseIterable {
    /// The store does not list the app.
    case absent
    case wrongKind = "wrong-kind"
    case wrongApp = "wrong-app"
    /// Its version is invalid.
    case version
    /// It shows what clients are told already.
    case current
    /// It shows a version that a newer one has replaced.
    case older
    /// It shows a known version that nobody said is live.
    case notLive = "not-live"
    /// Other stores have to show it, too.
    case otherCountries = "other-countries"
    /// It shows a version the ledger does not know.
    case unknownVersion = "unknown-version"
    /// It was an alarm, and the ledger knows the version by now.
    case known
    /// Its release notes became those of the release.
    case notes
    /// A person applied it to a release that was there already.
    case overtaken
    /// What it would do needs the agreement of several people.
    case unagreed
  }

  /// What a webhook alone may come to.
  package enum Webhook: String, Sendable, CaseIterable {
    /// It only tries out whether anybody listens.
    case ping
    /// It is no change of a version's state.
    case otherType = "other-type"
    /// Its state moves nothing here.
    case otherState = "other-state"
    /// The ledger does not know the version's id.
    case unknownID = "unknown-id"
    /// No release can be meant.
    case noCandidate = "no-candidate"
    /// Several releases can be meant.
    case ambiguous
    /// The only release that can be meant is not in the state the webhook says it leaves.
    case otherOldState = "other-old-state"
  }

  /// What an answer of App Store Connect alone may come to.
  package enum Connect: String, Sendable, CaseIterable {
    /// It is about a platform that no app here has.
    case otherPlatform = "other-platform"
    /// Its version is invalid.
    case version
    /// Its state has a name that this version of pawl does not know.
    case unknownState = "unknown-state"
    /// It said something new of a release that stays in its state.
    case details
  }

  /// What a person decided.
  package enum Inbox: String, Sendable, CaseIterable {
    case applied
  }

  /// The bytes are not a mail.
  case message(MessageFault)
  /// The mail is not proved to be Apple's.
  case proof(ProofFailure.Kind)
  /// The mail is proved, and its letter is not clear.
  case letter(NoticeDoubt.Kind)
  /// The mail is proved, and about something else.
  case other(OtherMatter)
  case mail(Mail)
  case lookup(Lookup)
  case webhook(Webhook)
  case connect(Connect)
  case binding(StatingKind, Binding)
  /// A law refuses the move.
  case law(StatingKind, LawViolation.ID)
  case inbox(Inbox)

  /// The kinds of evidence that say which state a release is in.
  package enum StatingKind: String, Sendable, CaseIterable {
    case mail
    case webhook
    case asc
  }

  package static var allCases: [IntakeReason] {
    let ofMails: [IntakeReason] =
      MessageFault.allCases.map(message) + ProofFailure.Kind.allCases.map(proof)
      + NoticeDoubt.Kind.allCases.map(letter) + OtherMatter.allCases.map(other) + Mail.allCases.map(mail)
    let ofStates: [IntakeReason] = StatingKind.allCases.flatMap { kind in
      Binding.allCases.map { .binding(kind, $0) } + LawViolation.ID.allCases.map { .law(kind, $0) }
    }
    return ofMails + Lookup.allCases.map(lookup) + Webhook.allCases.map(webhook)
      + Connect.allCases.map(connect)
      + ofStates
      + Inbox.allCases.map(inbox)
  }

  /// The name that is stored and printed; it does not change.
  package var id: String {
    switch self {
    case .message(let fault): "mail.\(fault.rawValue)"
    case .proof(let failure): "mail.\(failure.id)"
    case .letter(let doubt): "mail.\(doubt.id)"
    case .other(let matter): "mail.other.\(matter.rawValue)"
    case .mail(let reason): "mail.\(reason.rawValue)"
    case .lookup(let reason): "lookup.\(reason.rawValue)"
    case .webhook(let reason): "webhook.\(reason.rawValue)"
    case .connect(let reason): "asc.\(reason.rawValue)"
    case .binding(let kind, let reason): "\(kind.rawValue).\(reason.rawValue)"
    case .law(let kind, let reason): "\(kind.rawValue).law.\(reason.rawValue)"
    case .inbox(let reason): "inbox.\(reason.rawValue)"
    }
  }

  private static let byID = Dictionary(
    allCases.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

  /// Finds a reason by its name; nil for one that this version of pawl does not know.
  package init?(id: String) {
    guard let reason = IntakeReason.byID[id] else { return nil }
    self = reason
  }

  /// What evidence of a kind comes to whose effect is there already.
  package static func overtaken(_ kind: Evidence.Kind) -> IntakeReason {
    switch kind {
    case .mail: .binding(.mail, .overtaken)
    case .webhook: .binding(.webhook, .overtaken)
    case .asc: .binding(.asc, .overtaken)
    case .lookup: .lookup(.overtaken)
    // Never parked, and so never judged again.
    case .usage: .inbox(.applied)
    }
  }

  /// What evidence of a kind comes to that would need the agreement of several people.
  static func unagreed(_ kind: Evidence.Kind) -> IntakeReason {
    switch kind {
    case .mail: .binding(.mail, .unagreed)
    case .webhook: .binding(.webhook, .unagreed)
    case .asc: .binding(.asc, .unagreed)
    case .lookup: .lookup(.unagreed)
    case .usage: .inbox(.applied)
    }
  }

  /// What parked evidence of a kind comes to whose like was settled.
  static func duplicate(_ kind: Evidence.Kind) -> IntakeReason {
    switch kind {
    case .mail: .binding(.mail, .duplicate)
    case .webhook: .binding(.webhook, .duplicate)
    case .asc: .binding(.asc, .duplicate)
    case .lookup: .lookup(.overtaken)
    case .usage: .inbox(.applied)
    }
  }

  /// Whether the evidence came to what was expected of it: it is there already, or a later fact has passed it.
  package var isExpected: Bool {
    switch self {
    case .binding(_, .overtaken), .binding(_, .duplicate): true
    default: false
    }
  }
}

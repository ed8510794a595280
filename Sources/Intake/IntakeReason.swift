package import AppleIntake
package import ReleaseModel

/// Why a piece of evidence had its outcome.
///
/// Stored with the evidence as its `id`, which never changes; docs/reasons.md lists every one.
package enum IntakeReason: Sendable, Hashable, CaseIterable {
  /// Reasons for any source that states the state of a release.
  package enum Binding: String, Sendable, CaseIterable {
    /// When it came, it was older than evidence may be.
    case stale
    case unknownApp = "unknown-app"
    case ambiguousApp = "ambiguous-app"
    case unknownVersion = "unknown-version"
    /// The release is already in that state, or a later fact has overtaken the statement.
    case overtaken
    /// It is older than the state it would undo.
    case older
    /// It was parked, and the same statement has been applied or ignored since.
    case duplicate
    /// Nothing proves it, and its effect would need the agreement of several people.
    case unagreed
  }

  /// Reasons for mails only.
  package enum Mail: String, Sendable, CaseIterable {
    /// Its From does not claim Apple.
    case notApple = "not-apple"
    /// Its Date is ahead of the clock.
    case future
    /// It is proved, but says nothing that can be bound to a release.
    case unclear
  }

  /// Reasons for answers of the store's lookup.
  package enum Lookup: String, Sendable, CaseIterable {
    /// The store does not list the app.
    case absent
    case wrongKind = "wrong-kind"
    case wrongApp = "wrong-app"
    /// Its version is invalid.
    case version
    /// It shows what clients are already told.
    case current
    /// It shows a version that a newer one has replaced.
    case older
    /// It shows a known release that is not live here.
    case notLive = "not-live"
    /// Other stores have to show it too.
    case otherCountries = "other-countries"
    /// It shows a version the ledger does not know.
    case unknownVersion = "unknown-version"
    /// It was an alarm, but the ledger knows the version by now.
    case known
    /// Its release notes became those of the release.
    case notes
    /// A person applied it to a release that was already there.
    case overtaken
    /// Its effect would need the agreement of several people.
    case unagreed
  }

  /// Reasons for webhooks only.
  package enum Webhook: String, Sendable, CaseIterable {
    /// It only tests whether anybody listens.
    case ping
    /// It is not about a change of a version's state.
    case otherType = "other-type"
    /// Its state changes nothing here.
    case otherState = "other-state"
    /// The ledger does not know the version's id.
    case unknownID = "unknown-id"
    /// It cannot mean any release.
    case noCandidate = "no-candidate"
    /// It can mean several releases.
    case ambiguous
    /// The only release that it can mean is not in the state that the webhook says it leaves.
    case otherOldState = "other-old-state"
  }

  /// Reasons for answers of App Store Connect only.
  package enum Connect: String, Sendable, CaseIterable {
    /// It is about a platform that no app here has.
    case otherPlatform = "other-platform"
    /// Its version is invalid.
    case version
    /// Its state has a name that this version of pawl does not know.
    case unknownState = "unknown-state"
    /// It said something new about a release that stays in its state.
    case details
  }

  /// What a person decided.
  package enum Inbox: String, Sendable, CaseIterable {
    case applied
  }

  /// The bytes are not a mail.
  case message(MessageFault)
  /// The mail is not proved to be Apple's.
  case proof(ProofFailure)
  /// The mail is proved, but its letter is not clear.
  case letter(NoticeDoubt)
  /// The mail is proved, but about something else.
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
      MessageFault.allCases.map(message) + ProofFailure.allCases.map(proof)
      + NoticeDoubt.allCases.map(letter) + OtherMatter.allCases.map(other) + Mail.allCases.map(mail)
    let ofStates: [IntakeReason] = StatingKind.allCases.flatMap { kind in
      Binding.allCases.map { .binding(kind, $0) } + LawViolation.ID.allCases.map { .law(kind, $0) }
    }
    return ofMails + Lookup.allCases.map(lookup) + Webhook.allCases.map(webhook)
      + Connect.allCases.map(connect)
      + ofStates
      + Inbox.allCases.map(inbox)
  }

  /// The name that is stored and printed; it never changes.
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

  /// The reason for evidence of any kind; a lookup has only some of them, and a count of devices is never
  /// parked.
  package init(_ kind: Evidence.Kind, _ reason: Binding) {
    self =
      switch kind {
      case .mail: .binding(.mail, reason)
      case .webhook: .binding(.webhook, reason)
      case .asc: .binding(.asc, reason)
      case .lookup: .lookup(reason == .unagreed ? .unagreed : .overtaken)
      case .usage: .inbox(.applied)
      }
  }

  /// Whether the outcome was to be expected: the effect is already in place, or a later fact has overtaken
  /// the evidence.
  package var isExpected: Bool {
    switch self {
    case .binding(_, .overtaken), .binding(_, .duplicate): true
    default: false
    }
  }
}

package import AppleIntake
package import ReleaseModel

/// Why a piece of evidence had its outcome.
///
/// Stored with the evidence as its `id`, which never changes; docs/reasons.md says what every one means.
package enum IntakeReason: Error, Sendable, Hashable, CaseIterable {
  /// Reasons for any source that states the state of a release.
  package enum Binding: String, Sendable, CaseIterable {
    case stale
    case unknownApp = "unknown-app"
    case ambiguousApp = "ambiguous-app"
    case unknownVersion = "unknown-version"
    case overtaken
    case older
    case duplicate
    case unagreed
  }

  /// Reasons for mails only.
  package enum Mail: String, Sendable, CaseIterable {
    case namesNoVersion = "names-no-version"
    case notApple = "not-apple"
    case future
    case unclear
  }

  /// Reasons for answers of the store's lookup.
  package enum Lookup: String, Sendable, CaseIterable {
    case absent
    case gone
    case behind
    case wrongKind = "wrong-kind"
    case wrongApp = "wrong-app"
    case version
    case current
    case older
    case notLive = "not-live"
    case otherCountries = "other-countries"
    case unknownVersion = "unknown-version"
    case known
    case notes
  }

  /// Reasons for webhooks only.
  package enum Webhook: String, Sendable, CaseIterable {
    case ping
    case otherType = "other-type"
    case otherState = "other-state"
    case unknownID = "unknown-id"
  }

  /// Reasons for answers of App Store Connect only.
  package enum Connect: String, Sendable, CaseIterable {
    case otherPlatform = "other-platform"
    case version
    case unknownState = "unknown-state"
    case details
  }

  /// What a person decided.
  package enum Inbox: String, Sendable, CaseIterable {
    case applied
  }

  case message(MessageFault)
  case proof(ProofFailure)
  case letter(NoticeDoubt)
  case other(OtherMatter)
  case mail(Mail)
  case lookup(Lookup)
  case webhook(Webhook)
  case connect(Connect)
  case binding(Evidence.Kind, Binding)
  case law(Evidence.Kind, LawViolation.ID)
  case inbox(Inbox)

  package static var allCases: [IntakeReason] {
    let ofMails: [IntakeReason] =
      MessageFault.allCases.map(message) + ProofFailure.allCases.map(proof)
      + NoticeDoubt.allCases.map(letter) + OtherMatter.allCases.map(other) + Mail.allCases.map(mail)
    // A lookup says no state, but may have to wait, or come too late.
    let ofLookups =
      Lookup.allCases.map(lookup) + [.binding(.lookup, .overtaken), .binding(.lookup, .unagreed)]
    let ofStates: [IntakeReason] = [Evidence.Kind.mail, .webhook, .asc].flatMap { kind in
      Binding.allCases.map { .binding(kind, $0) } + LawViolation.ID.allCases.map { .law(kind, $0) }
    }
    return ofMails + ofLookups + Webhook.allCases.map(webhook)
      + Connect.allCases.map(connect) + ofStates + Inbox.allCases.map(inbox)
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

  /// Nil for a name that this version of pawl does not know.
  package init?(id: String) {
    guard let reason = IntakeReason.byID[id] else { return nil }
    self = reason
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

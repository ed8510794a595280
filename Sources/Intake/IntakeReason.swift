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

  /// Reasons of one source each, by their whole ids.
  package enum Own: String, Sendable, CaseIterable {
    case mailNamesNoVersion = "mail.names-no-version"
    case mailNotApple = "mail.not-apple"
    case mailFuture = "mail.future"
    case mailUnclear = "mail.unclear"
    case lookupAbsent = "lookup.absent"
    case lookupGone = "lookup.gone"
    case lookupBehind = "lookup.behind"
    case lookupWrongKind = "lookup.wrong-kind"
    case lookupWrongApp = "lookup.wrong-app"
    case lookupVersion = "lookup.version"
    case lookupCurrent = "lookup.current"
    case lookupOlder = "lookup.older"
    case lookupNotLive = "lookup.not-live"
    case lookupOtherCountries = "lookup.other-countries"
    case lookupUnknownVersion = "lookup.unknown-version"
    case lookupKnown = "lookup.known"
    case lookupNotes = "lookup.notes"
    case webhookPing = "webhook.ping"
    case webhookOtherType = "webhook.other-type"
    case webhookOtherState = "webhook.other-state"
    case webhookUnknownID = "webhook.unknown-id"
    case connectOtherPlatform = "asc.other-platform"
    case connectVersion = "asc.version"
    case connectUnknownState = "asc.unknown-state"
    case connectDetails = "asc.details"
    /// What a person decided.
    case inboxApplied = "inbox.applied"
  }

  case message(MessageFault)
  case proof(ProofFailure)
  case letter(NoticeDoubt)
  case other(OtherMatter)
  case own(Own)
  case binding(Evidence.Kind, Binding)
  /// The law that refused it, by the id of its refusal.
  case law(Evidence.Kind, String)

  package static var allCases: [IntakeReason] {
    let ofMails: [IntakeReason] =
      MessageFault.allCases.map(message) + ProofFailure.allCases.map(proof)
      + NoticeDoubt.allCases.map(letter) + OtherMatter.allCases.map(other)
    let ofStates: [IntakeReason] = [Evidence.Kind.mail, .webhook, .asc].flatMap { kind in
      Binding.allCases.map { .binding(kind, $0) } + Refusal.lawIDs.map { .law(kind, $0) }
    }
    // A lookup says no state, but may have to wait, or come too late.
    return ofMails + Own.allCases.map(own) + ofStates
      + [.binding(.lookup, .overtaken), .binding(.lookup, .unagreed)]
  }

  /// The name that is stored and printed; it never changes.
  package var id: String {
    switch self {
    case .message(let fault): "mail.\(fault.rawValue)"
    case .proof(let failure): "mail.\(failure.id)"
    case .letter(let doubt): "mail.\(doubt.id)"
    case .other(let matter): "mail.other.\(matter.rawValue)"
    case .own(let reason): reason.rawValue
    case .binding(let kind, let reason): "\(kind.rawValue).\(reason.rawValue)"
    case .law(let kind, let reason): "\(kind.rawValue).law.\(reason)"
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

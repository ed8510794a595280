import JSON
import ReleaseModel

/// What replaying needs of an event, lent from its row.
struct LentEvent {
  /// The kinds of change that replaying tells apart.
  enum Kind: Equatable {
    case ledgerMade, appAdd, appSet, ruleMade, ruleLifted, ruleRestored, redirectSet, redirectCleared,
      settingSet
    case settingCleared, trusted, distrusted, evidenceAdded, evidenceSettled, publicationSet,
      publicationCleared, requested, unknown
    case release(ReleaseKind)

    /// Whether the answers of the app it is recorded under depend on it; the model says the same of its changes.
    var concernsAnswers: Bool {
      switch self {
      case .appAdd, .appSet, .ruleMade, .ruleLifted, .ruleRestored, .redirectSet, .redirectCleared,
        .settingSet,
        .settingCleared, .release:
        true
      case .ledgerMade, .trusted, .distrusted, .evidenceAdded, .evidenceSettled, .publicationSet,
        .publicationCleared, .requested, .unknown:
        false
      }
    }
  }

  enum ReleaseKind: Equatable {
    case publish, amend, mark, unmark, void, importPast

    /// Whether the event wrote the release's notes anew.
    var writesNotes: Bool { self == .publish || self == .amend || self == .importPast }

    /// Whether a release that it leaves live supersedes the one before.
    var goesLive: Bool { self == .mark || self == .importPast }
  }

  let seq: Int64
  let kind: Kind
  let before: UnsafeRawBufferPointer?
  let after: UnsafeRawBufferPointer?

  private static let kinds: [(name: StaticString, kind: Kind)] = [
    ("release.import", .release(.importPast)), ("release.publish", .release(.publish)),
    ("release.mark", .release(.mark)), ("release.amend", .release(.amend)),
    ("release.unmark", .release(.unmark)),
    ("release.void", .release(.void)), ("setting.set", .settingSet), ("setting.clear", .settingCleared),
    ("evidence.add", .evidenceAdded), ("evidence.settle", .evidenceSettled), ("rule.none", .ruleMade),
    ("rule.remind", .ruleMade), ("rule.force", .ruleMade), ("rule.lift", .ruleLifted),
    ("rule.restore", .ruleRestored), ("redirect.set", .redirectSet), ("redirect.clear", .redirectCleared),
    ("app.set", .appSet), ("app.stop", .appSet), ("app.resume", .appSet), ("app.add", .appAdd),
    ("export.set", .publicationSet), ("export.clear", .publicationCleared), ("trust.add", .trusted),
    ("trust.remove", .distrusted), ("request", .requested), ("ledger.init", .ledgerMade),
  ]

  /// The names of the kinds that are known, for a test to hold against the model's.
  static var kindNames: [String] { kinds.map { $0.name.description } }

  /// What an event calls its change.
  static func kind(_ name: UnsafeRawBufferPointer) -> Kind {
    for known in kinds where name.isSame(as: known.name) { return known.kind }
    return .unknown
  }
}

/// The two objects of an event, copied.
struct EventTexts {
  let before: [UInt8]?
  let after: [UInt8]?
}

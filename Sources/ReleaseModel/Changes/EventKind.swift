/// What an event calls the change it records.
package enum EventKind: String, Sendable, CaseIterable {
  case ledgerInit = "ledger.init"
  case appAdd = "app.add"
  case appSet = "app.set"
  case appStop = "app.stop"
  case appResume = "app.resume"
  case appRetire = "app.retire"
  case appRestore = "app.restore"
  case appVoid = "app.void"
  case releasePublish = "release.publish"
  case releaseAmend = "release.amend"
  case releaseMark = "release.mark"
  case releaseUnmark = "release.unmark"
  case releaseVoid = "release.void"
  case releaseImport = "release.import"
  case ruleNone = "rule.none"
  case ruleRemind = "rule.remind"
  case ruleForce = "rule.force"
  case ruleLift = "rule.lift"
  case ruleRestore = "rule.restore"
  case redirectSet = "redirect.set"
  case redirectClear = "redirect.clear"
  case settingSet = "setting.set"
  case settingClear = "setting.clear"
  case evidenceAdd = "evidence.add"
  case evidenceSettle = "evidence.settle"
  case trustAdd = "trust.add"
  case trustRemove = "trust.remove"
  case exportSet = "export.set"
  case exportClear = "export.clear"
  case clockCorrect = "clock.correct"
  case ledgerTakeOver = "ledger.take-over"
  case planApply = "plan.apply"
  case request = "request"

  package static let names = allCases.map(\.rawValue)

  package init(rule action: Action) {
    switch action {
    case .none: self = .ruleNone
    case .remind: self = .ruleRemind
    case .force: self = .ruleForce
    }
  }

  package var concernsAnswers: Bool { traits.flags.contains(.concernsAnswers) }

  package var isRevertible: Bool { traits.flags.contains(.isRevertible) }

  package var traits: EventTraits {
    switch self {
    case .ledgerInit: EventTraits("created", .after)
    case .appAdd: EventTraits("added app", [.app, .after, .subject], .concernsAnswers)
    case .appSet: EventTraits("changed app", .ofApp, .ofRows)
    case .appStop: EventTraits("stopped", .ofApp, .ofRows)
    case .appResume: EventTraits("resumed", .ofApp, .ofRows)
    case .appRetire: EventTraits("retired", .ofApp, .ofRows)
    case .appRestore: EventTraits("restored", .ofApp, [.concernsAnswers, .asksWhenStricter])
    case .appVoid: EventTraits("struck out app", [.app, .before, .subject])
    case .releasePublish: EventTraits("published", .ofNew, .concernsAnswers)
    case .releaseAmend: EventTraits("amended", .all, [.concernsAnswers, .asksWhenStricter])
    // The hold gives time to object to a release going live; only a force needs agreement.
    case .releaseMark: EventTraits("marked", .all, .concernsAnswers)
    case .releaseUnmark: EventTraits("unmarked", .ofAltered, .concernsAnswers)
    case .releaseVoid: EventTraits("struck out", .ofAltered, .concernsAnswers)
    case .releaseImport: EventTraits("imported", .ofNew, [.concernsAnswers, .asksWhenStricter])
    case .ruleNone, .ruleRemind, .ruleForce: EventTraits("added", .ofNew, .ofRows)
    case .ruleLift: EventTraits("lifted", [.app, .version, .subject, .before], .ofRows)
    case .ruleRestore: EventTraits("restored", .ofNew, .ofRows)
    case .redirectSet: EventTraits("redirected", .ofAltered, .ofRows)
    case .redirectClear: EventTraits("cleared the redirect of", .ofAltered, .ofRows)
    case .settingSet: EventTraits("set", .ofAltered, .ofRows)
    case .settingClear: EventTraits("cleared", .ofAltered, .ofRows)
    case .evidenceAdd: EventTraits("took in", [.app, .version, .subject, .after, .evidence], .isBesideApps)
    case .evidenceSettle: EventTraits("took in", .all, .isBesideApps)
    case .trustAdd: EventTraits("trusted", [.after, .subject], .concernsApps)
    case .trustRemove: EventTraits("stopped trusting", [.before, .subject], .concernsApps)
    case .exportSet: EventTraits("set where documents go:", [.before, .after, .subject])
    case .exportClear: EventTraits("stopped writing documents after changes", [.before, .after, .subject])
    case .clockCorrect: EventTraits("corrected the clock:", .after, [.concernsApps, .asksWhenStricter])
    case .ledgerTakeOver: EventTraits("took over", .after, .concernsApps)
    case .planApply: EventTraits("applied a plan", [.version, .subject, .after], .concernsApprovals)
    case .request: EventTraits("recorded a request that changed nothing", [])
    }
  }
}

/// What there is to know of a kind of event.
package struct EventTraits: Sendable {
  /// The columns that not every event has.
  package struct Columns: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let app = Columns(rawValue: 1)
    package static let version = Columns(rawValue: 2)
    package static let subject = Columns(rawValue: 4)
    package static let before = Columns(rawValue: 8)
    package static let after = Columns(rawValue: 16)
    package static let evidence = Columns(rawValue: 32)
    package static let all = Columns(rawValue: 63)
    static let ofApp: Columns = [.app, .subject, .before, .after]
    static let ofNew: Columns = [.app, .version, .subject, .after]
    static let ofAltered: Columns = [.app, .version, .subject, .before, .after]
  }

  /// What is true of every event of the kind.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// The answers of the app that it is recorded under depend on it.
    package static let concernsAnswers = Flags(rawValue: 1)
    /// The opposite change can be appended; changes to releases, evidence and trust have commands of their own.
    package static let isRevertible = Flags(rawValue: 2)
    /// Somebody should agree before it makes an answer stricter than `none` or leads to another page.
    package static let asksWhenStricter = Flags(rawValue: 4)
    /// It belongs to no app, even if it is recorded under one.
    package static let isBesideApps = Flags(rawValue: 8)
    /// It is recorded under no app, and every app depends on it.
    package static let concernsApps = Flags(rawValue: 16)
    /// Likewise where agreement is demanded.
    package static let concernsApprovals = Flags(rawValue: 32)
    static let ofRows: Flags = [.concernsAnswers, .isRevertible, .asksWhenStricter]
  }

  /// What the event did, worded to stand before the thing it did it to.
  package let done: String
  /// The columns that an event of the kind may have, besides those that every event has.
  package let columns: Columns
  package let flags: Flags

  init(_ done: String, _ columns: Columns, _ flags: Flags = []) {
    (self.done, self.columns, self.flags) = (done, columns, flags)
  }
}

extension Change {
  package var kind: EventKind {
    switch self {
    case .ledgerMade: .ledgerInit
    case .appAdded: .appAdd
    case .appSet(let before, let after) where before.isRetired != after.isRetired:
      after.isRetired ? .appRetire : .appRestore
    case .appSet(let before, let after):
      before.isStopped == after.isStopped ? .appSet : after.isStopped ? .appStop : .appResume
    case .appVoided: .appVoid
    case .published: .releasePublish
    case .amended: .releaseAmend
    case .marked: .releaseMark
    case .unmarked: .releaseUnmark
    case .voided: .releaseVoid
    case .imported: .releaseImport
    case .ruleMade(let rule): EventKind(rule: rule.action)
    case .ruleLifted: .ruleLift
    case .ruleRestored: .ruleRestore
    case .redirectSet(_, let after): after == nil ? .redirectClear : .redirectSet
    case .settingSet(_, let after): after == nil ? .settingClear : .settingSet
    case .evidenceAdded: .evidenceAdd
    case .evidenceSettled: .evidenceSettle
    case .trusted: .trustAdd
    case .distrusted: .trustRemove
    case .publicationSet(_, let after): after == nil ? .exportClear : .exportSet
    case .clockCorrected: .clockCorrect
    case .takenOver: .ledgerTakeOver
    case .planApplied: .planApply
    case .requested: .request
    }
  }

  package var flags: EventTraits.Flags { kind.traits.flags }

  package var concernsAnswers: Bool { kind.concernsAnswers }
}

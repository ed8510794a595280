/// What an event calls the change it records.
package enum EventKind: String, Sendable, CaseIterable {
  case ledgerInit = "ledger.init"
  case appAdd = "app.add"
  case appSet = "app.set"
  case appStop = "app.stop"
  case appResume = "app.resume"
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
  case planApply = "plan.apply"
  case request = "request"

  /// The names of all kinds.
  package static let names = allCases.map(\.rawValue)

  /// The kind of a rule that gives an action.
  package init(rule action: Action) {
    switch action {
    case .none: self = .ruleNone
    case .remind: self = .ruleRemind
    case .force: self = .ruleForce
    }
  }

  /// Whether the answers of the app it is recorded under depend on it.
  package var concernsAnswers: Bool {
    switch self {
    case .appAdd, .appSet, .appStop, .appResume, .releasePublish, .releaseAmend, .releaseMark, .releaseUnmark,
      .releaseVoid, .releaseImport, .ruleNone, .ruleRemind, .ruleForce, .ruleLift, .ruleRestore, .redirectSet,
      .redirectClear, .settingSet, .settingClear:
      true
    case .ledgerInit, .evidenceAdd, .evidenceSettle, .trustAdd, .trustRemove, .exportSet, .exportClear,
      .clockCorrect, .planApply, .request:
      false
    }
  }
}

/// One change of the ledger: what an event records, and all that replaying it needs.
package enum Change: Sendable, Equatable {
  /// The ledger was made.
  case ledgerMade(id: String)
  case appAdded(App)
  /// What is said of an app changed, its stop switch included.
  case appSet(before: App, after: App)
  case published(Release)
  case amended(before: Release, after: Release)
  /// A state was flipped; a going live names the release it supersedes.
  case marked(before: Release, after: Release, superseded: Version?)
  /// A going live was taken back; the release it had superseded is live again.
  case unmarked(before: Release, after: Release, restored: Version?)
  case voided(before: Release, after: Release)
  /// A release of the past was taken over, live at its time.
  case imported(Release, superseded: Version?)
  case ruleMade(Rule)
  case ruleLifted(Rule)
  /// A lifted rule counts again, under its own number.
  case ruleRestored(Rule)
  /// A redirect was set, replaced or cleared.
  case redirectSet(before: Redirect?, after: Redirect?)
  /// A setting was set, replaced or cleared.
  case settingSet(before: Setting?, after: Setting?)
  /// Evidence came in.
  case evidenceAdded(Evidence)
  /// Parked evidence was settled: applied, dismissed, or seen anew.
  case evidenceSettled(before: Evidence, after: Evidence)
  case trusted(Trust)
  case distrusted(Trust)
  /// The directory that gets the documents after every change was named, another one, or none.
  case publicationSet(before: String?, after: String?)
  /// A command with a request id changed nothing.
  case requested

  /// Every kind an event may have.
  package static let kinds = [
    "ledger.init", "app.add", "app.set", "app.stop", "app.resume", "release.publish", "release.amend",
    "release.mark", "release.unmark", "release.void", "release.import", "rule.none", "rule.remind",
    "rule.force",
    "rule.lift", "rule.restore", "redirect.set", "redirect.clear", "setting.set", "setting.clear",
    "evidence.add",
    "evidence.settle",
    "trust.add",
    "trust.remove", "export.set", "export.clear", "request",
  ]

  /// What an event calls the change.
  package var kind: String {
    switch self {
    case .ledgerMade: "ledger.init"
    case .appAdded: "app.add"
    case .appSet(let before, let after):
      before.isStopped == after.isStopped ? "app.set" : after.isStopped ? "app.stop" : "app.resume"
    case .published: "release.publish"
    case .amended: "release.amend"
    case .marked: "release.mark"
    case .unmarked: "release.unmark"
    case .voided: "release.void"
    case .imported: "release.import"
    case .ruleMade(let rule): "rule.\(rule.action.rawValue)"
    case .ruleLifted: "rule.lift"
    case .ruleRestored: "rule.restore"
    case .redirectSet(_, let after): after == nil ? "redirect.clear" : "redirect.set"
    case .settingSet(_, let after): after == nil ? "setting.clear" : "setting.set"
    case .evidenceAdded: "evidence.add"
    case .evidenceSettled: "evidence.settle"
    case .trusted: "trust.add"
    case .distrusted: "trust.remove"
    case .publicationSet(_, let after): after == nil ? "export.clear" : "export.set"
    case .requested: "request"
    }
  }

  /// The release as the change leaves it.
  package var release: Release? {
    switch self {
    case .published(let release), .imported(let release, _), .amended(_, let release),
      .marked(_, let release, _),
      .unmarked(_, let release, _), .voided(_, let release):
      release
    default: nil
    }
  }

  /// The version it is about.
  package var version: Version? { release?.version ?? evidence?.version }

  /// The evidence as the change leaves it.
  package var evidence: Evidence? {
    switch self {
    case .evidenceAdded(let evidence), .evidenceSettled(_, let evidence): evidence
    default: nil
    }
  }

  /// The app as the change leaves it, if it is the app that changes.
  package var app: App? {
    switch self {
    case .appAdded(let app), .appSet(_, let app): app
    default: nil
    }
  }

  /// Whether somebody should agree before it makes an answer harsher than none, or leads to another page.
  ///
  /// What marks and takes back releases is not among these: there the hold is the time to object, and only becoming
  /// forced asks.
  package var asksWhenHarsher: Bool {
    switch self {
    case .appSet, .amended, .imported, .ruleMade, .ruleLifted, .ruleRestored, .redirectSet, .settingSet:
      true
    case .ledgerMade, .appAdded, .published, .marked, .unmarked, .voided, .evidenceAdded, .evidenceSettled,
      .trusted, .distrusted, .publicationSet, .requested:
      false
    }
  }

  /// Whether the answers of the app it is recorded under depend on it.
  package var concernsAnswers: Bool {
    switch self {
    case .appAdded, .appSet, .published, .amended, .marked, .unmarked, .voided, .imported, .ruleMade,
      .ruleLifted, .ruleRestored, .redirectSet, .settingSet:
      true
    case .ledgerMade, .evidenceAdded, .evidenceSettled, .trusted, .distrusted, .publicationSet, .requested:
      false
    }
  }
}

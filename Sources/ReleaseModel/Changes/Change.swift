package import JSON

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
  /// A step before `live`, or a removal, was undone.
  case releaseReturn = "release.return"
  case releaseVoid = "release.void"
  /// A release was struck out that was approved or live, since Apple never had it.
  case releaseNeverShipped = "release.void.never-shipped"
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
  case ledgerTakeOver = "ledger.take-over"
  case planApply = "plan.apply"
  case request = "request"

  package static let names = allCases.map(\.rawValue)

  package var traits: EventTraits {
    switch self {
    case .ledgerInit: EventTraits("created", .after)
    case .appAdd: EventTraits("added app", [.app, .after, .subject], .concernsAnswers)
    case .appSet: EventTraits("changed app", .ofApp, .ofRows)
    case .appStop: EventTraits("stopped", .ofApp.union(.evidence), .ofRows)
    case .appResume: EventTraits("resumed", .ofApp, .ofRows)
    case .appRetire: EventTraits("retired", .ofApp, .ofRows)
    case .appRestore: EventTraits("restored", .ofApp, [.concernsAnswers, .asksWhenStricter])
    case .appVoid: EventTraits("struck out app", [.app, .before, .subject])
    case .releasePublish: EventTraits("published", .ofNew, .concernsAnswers)
    case .releaseAmend: EventTraits("amended", .all, [.concernsAnswers, .asksWhenStricter])
    // The hold gives time to object to a release going live; only a force needs agreement.
    case .releaseMark: EventTraits("marked", .all, .concernsAnswers)
    case .releaseUnmark: EventTraits("unmarked", .ofAltered, .concernsAnswers)
    case .releaseReturn: EventTraits("returned", .ofAltered, .ofRows)
    case .releaseVoid, .releaseNeverShipped: EventTraits("struck out", .ofAltered, .concernsAnswers)
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
    case .ledgerTakeOver: EventTraits("took over", .after, .concernsApps)
    case .planApply: EventTraits("applied a plan", [.version, .subject, .after], .concernsApprovals)
    case .request: EventTraits("recorded a request that changed nothing", [])
    }
  }
}

/// One change to the ledger: what an event records, with everything needed to replay it.
package indirect enum Change: Sendable, Equatable {
  case ledgerMade(id: String)
  case appAdded(App)
  case appSet(before: App, after: App)
  case appVoided(App)
  case published(Release)
  case amended(before: Release, after: Release)
  /// A release moved to another state; if it went live, it superseded the one that was.
  case marked(before: Release, after: Release)
  /// Marking a release live was undone; the release it had superseded is live again.
  case unmarked(before: Release, after: Release)
  /// A release is in the state that it had before a `mark`, of a step before `live` or of a removal.
  case returned(before: Release, after: Release)
  /// A release was struck out; if it had been live, the one it had superseded is live again.
  case voided(before: Release, after: Release, neverShipped: Bool)
  /// A release from the past was recorded, either as live at its time or as past for good.
  case imported(Release)
  case ruleMade(Rule)
  case ruleLifted(Rule)
  case ruleRestored(Rule)
  case redirectSet(before: Redirect?, after: Redirect?)
  case settingSet(before: Setting?, after: Setting?)
  case evidenceAdded(Evidence)
  /// Parked evidence was settled: applied, dismissed, or examined again.
  case evidenceSettled(before: Evidence, after: Evidence)
  case trusted(Trust)
  case distrusted(Trust)
  /// The publication, where documents are written after every change, was set, altered or cleared.
  case publicationSet(before: Publication?, after: Publication?)
  /// The ledger goes on above the numbers that clients were told of by another file or another past.
  case takenOver(TakeOver)
  /// A plan was applied: it holds the agreement to the changes that follow it.
  case planApplied(AppliedPlan)
  /// A command with a request id changed nothing.
  case requested
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
    case .returned: .releaseReturn
    case .voided(_, _, let neverShipped): neverShipped ? .releaseNeverShipped : .releaseVoid
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
    case .takenOver: .ledgerTakeOver
    case .planApplied: .planApply
    case .requested: .request
    }
  }

  /// The record that the change is about, as it was and as it becomes; nil if it is about no record.
  package var sides: (before: (any Record)?, after: (any Record)?) {
    switch self {
    case .appAdded(let app): (nil, app)
    case .appSet(let before, let after): (before, after)
    case .appVoided(let app): (app, nil)
    case .published(let release), .imported(let release): (nil, release)
    case .amended(let before, let after), .returned(let before, let after), .marked(let before, let after),
      .unmarked(let before, let after), .voided(let before, let after, _):
      (before, after)
    case .ruleMade(let rule), .ruleRestored(let rule): (nil, rule)
    case .ruleLifted(let rule): (rule, nil)
    case .redirectSet(let before, let after): (before, after)
    case .settingSet(let before, let after): (before, after)
    case .evidenceAdded(let evidence): (nil, evidence)
    case .evidenceSettled(let before, let after): (before, after)
    case .trusted(let trust): (nil, trust)
    case .distrusted(let trust): (trust, nil)
    case .publicationSet(let before, let after): (before, after)
    case .ledgerMade, .takenOver, .planApplied, .requested: (nil, nil)
    }
  }

  /// The state before the change, as the event shows it.
  package func before(app: String?) -> JSON? { sides.before?.json(app: app ?? "") }

  /// The state after the change, as the event shows it.
  ///
  /// - Parameter moved: The other release that it moves.
  package func after(app: String?, _ moved: MovedRelease = MovedRelease()) -> JSON? {
    let json = sides.after?.json(app: app ?? "")
      .with("superseded", moved.superseded.map(JSON.string)).with("restored", moved.restored.map(JSON.string))
    return switch self {
    case .ledgerMade(let id): ["ledger": .string(id)]
    case .takenOver(let takeOver): takeOver.json
    case .planApplied(let plan): plan.json
    case .voided(_, _, neverShipped: true): json?.with("neverShipped", true)
    default: json
    }
  }
}

/// The other release that a change moves, by its version, as `after` names it: it is superseded, or live again.
package struct MovedRelease: Sendable, Equatable {
  package private(set) var superseded: String?
  package private(set) var restored: String?

  /// None.
  package init() {}

  /// The one among the rows that a change touches.
  package init(_ rows: [TouchedRow]) {
    for row in rows {
      guard let former = row.former as? Release, let release = row.record as? Release,
        former.state != release.state
      else { continue }
      if release.state == .live { restored = release.version.text } else { superseded = release.version.text }
    }
  }

  /// The one that an event names.
  init(_ after: JSON?) { (superseded, restored) = (after?["superseded"]?.string, after?["restored"]?.string) }
}

extension Change {
  /// Reads a change of event format 1, and the other release that it names; nil if the event says something that its
  /// kind cannot say.
  package static func reading<Text: Collection<UInt8>>(
    _ kind: EventKind, app: String?, before: Text?, after: Text?
  ) -> (change: Change, moved: MovedRelease)? {
    func json(_ text: Text?) throws(JSONError) -> JSON? {
      guard let text else { return nil }
      return try JSON(parsing: text)
    }
    guard let (old, new) = try? (json(before), json(after)), let change = Change.read(kind, app, old, new),
      // The kind also follows from what a change says, so it must match the kind that was recorded.
      change.kind == kind
    else { return nil }
    return (change, MovedRelease(new))
  }

  private static func read(_ kind: EventKind, _ app: String?, _ before: JSON?, _ after: JSON?) -> Change? {
    func value<Value: Fields>(_ json: JSON?) -> Value? { json.flatMap { Value(json: $0, app: app) } }
    func one<Value: Fields>(_ json: JSON?, _ make: (Value) -> Change?) -> Change? {
      value(json).flatMap(make)
    }
    func both<Value: Fields>(_ make: (Value, Value) -> Change?) -> Change? {
      guard let old: Value = value(before), let new: Value = value(after) else { return nil }
      return make(old, new)
    }
    // What may be missing before or after, but not both; what is there must be readable.
    func either<Value: Fields>(_ make: (Value?, Value?) -> Change) -> Change? {
      let (old, new): (Value?, Value?) = (value(before), value(after))
      guard (old == nil) == (before == nil), (new == nil) == (after == nil), old != nil || new != nil else {
        return nil
      }
      return make(old, new)
    }
    switch kind {
    case .ledgerInit: return (after?["ledger"]?.string).map { .ledgerMade(id: $0) }
    case .appAdd: return one(after, Change.appAdded)
    case .appSet, .appStop, .appResume, .appRetire, .appRestore: return both(Change.appSet)
    case .appVoid: return one(before, Change.appVoided)
    case .releasePublish: return one(after, Change.published)
    case .releaseAmend: return both(Change.amended)
    case .releaseMark: return both(Change.marked)
    case .releaseUnmark: return both(Change.unmarked)
    case .releaseReturn: return both(Change.returned)
    case .releaseVoid, .releaseNeverShipped:
      let neverShipped = after?["neverShipped"].map(Bool.init(member:)) ?? false
      guard let neverShipped else { return nil }
      return both { .voided(before: $0, after: $1, neverShipped: neverShipped) }
    case .releaseImport: return one(after, Change.imported)
    case .ruleNone, .ruleRemind, .ruleForce: return one(after, Change.ruleMade)
    case .ruleLift: return one(before, Change.ruleLifted)
    case .ruleRestore: return one(after, Change.ruleRestored)
    case .redirectSet, .redirectClear: return either(Change.redirectSet)
    case .settingSet, .settingClear: return either(Change.settingSet)
    case .evidenceAdd: return one(after, Change.evidenceAdded)
    case .evidenceSettle: return both(Change.evidenceSettled)
    case .trustAdd: return one(after, Change.trusted)
    case .trustRemove: return one(before, Change.distrusted)
    case .exportSet, .exportClear: return either(Change.publicationSet)
    case .ledgerTakeOver: return one(after, Change.takenOver)
    case .planApply:
      return before == nil ? after.flatMap(AppliedPlan.init(json:)).map(Change.planApplied) : nil
    case .request: return .requested
    }
  }
}

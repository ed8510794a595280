import JSON

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
  case planApply = "plan.apply"
  case request = "request"

  /// The names of all kinds.
  package static let names = allCases.map(\.rawValue)

  /// The kind of event that makes a rule with an action.
  package init(rule action: Action) {
    switch action {
    case .none: self = .ruleNone
    case .remind: self = .ruleRemind
    case .force: self = .ruleForce
    }
  }

  /// Whether the answers of the app that the event is recorded under depend on it.
  package var concernsAnswers: Bool {
    switch self {
    case .appAdd, .appSet, .appStop, .appResume, .appRetire, .appRestore, .releasePublish, .releaseAmend,
      .releaseMark, .releaseUnmark,
      .releaseVoid, .releaseImport, .ruleNone, .ruleRemind, .ruleForce, .ruleLift, .ruleRestore, .redirectSet,
      .redirectClear, .settingSet, .settingClear:
      true
    case .ledgerInit, .appVoid, .evidenceAdd, .evidenceSettle, .trustAdd, .trustRemove, .exportSet,
      .exportClear,
      .clockCorrect, .planApply, .request:
      false
    }
  }

  /// Whether the opposite change can be appended; changes to releases, evidence and trust have commands of
  /// their own.
  package var isRevertible: Bool {
    switch self {
    case .appSet, .appStop, .appResume, .appRetire, .ruleNone, .ruleRemind, .ruleForce, .ruleLift,
      .ruleRestore,
      .redirectSet,
      .redirectClear, .settingSet, .settingClear:
      true
    case .ledgerInit, .appAdd, .appRestore, .appVoid, .releasePublish, .releaseAmend, .releaseMark,
      .releaseUnmark,
      .releaseVoid,
      .releaseImport, .evidenceAdd, .evidenceSettle, .trustAdd, .trustRemove, .exportSet, .exportClear,
      .clockCorrect, .planApply, .request:
      false
    }
  }

  /// What the event did, worded to stand before the thing it did it to.
  package var done: String {
    switch self {
    case .ledgerInit, .ruleNone, .ruleRemind, .ruleForce: "made"
    case .appAdd: "added app"
    case .appSet: "changed app"
    case .appStop: "stopped"
    case .appResume: "resumed"
    case .appRetire: "retired"
    case .appRestore: "restored"
    case .appVoid: "struck out app"
    case .releasePublish: "published"
    case .releaseAmend: "amended"
    case .releaseMark: "marked"
    case .releaseUnmark: "unmarked"
    case .releaseVoid: "struck out"
    case .releaseImport: "imported"
    case .ruleLift: "lifted"
    case .ruleRestore: "restored"
    case .redirectSet: "redirected"
    case .redirectClear: "cleared the redirect of"
    case .settingSet: "set"
    case .settingClear: "cleared"
    case .evidenceAdd, .evidenceSettle: "took in"
    case .trustAdd: "trusts"
    case .trustRemove: "no longer trusts"
    case .exportSet: "documents go to"
    case .exportClear: "changes no longer write documents"
    case .clockCorrect: "put the clock right:"
    case .planApply: "applied a plan with"
    case .request: "recorded a request that changed nothing"
    }
  }
}

extension Change {
  /// The kind of event that records the change.
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
    case .planApplied: .planApply
    case .requested: .request
    }
  }

  /// Whether the answers of the app that the change is recorded under depend on it.
  package var concernsAnswers: Bool { kind.concernsAnswers }
}

/// Reads changes back from events, one after the other.
package struct ChangeReader {
  private enum Extra: Int, CaseIterable {
    case superseded, restored, neverShipped
  }

  private var apps = LateReader<App>()
  private var releases = LateReader<Release>(extra: Extra.allCases.map { "\($0)" })
  private var rules = LateReader<Rule>()
  private var redirects = LateReader<Redirect>()
  private var settings = LateReader<Setting>()
  private var evidence = LateReader<Evidence>()
  private var trusts = LateReader<Trust>()
  private var publications = LateReader<Publication>()
  private var corrections = LateReader<ClockCorrection>()

  package init() {}

  /// Reads a change of event format 1; nil if the event says something that its kind cannot say.
  ///
  /// - Parameters:
  ///   - app: The app that the event is recorded under.
  ///   - before: The bytes of the event's object, which must stay in place during the call; likewise `after`.
  package mutating func change(
    _ kind: EventKind, app: String?, before: UnsafeRawBufferPointer?, after: UnsafeRawBufferPointer?
  ) -> Change? {
    guard let change = read(kind, app, before, after) else { return nil }
    // The kind also follows from what a change says, so it must match the kind that was recorded.
    return change.kind == kind ? change : nil
  }

  private mutating func read(
    _ kind: EventKind, _ app: String?, _ before: UnsafeRawBufferPointer?, _ after: UnsafeRawBufferPointer?
  ) -> Change? {
    switch kind {
    case .ledgerInit: return after.flatMap(ledgerID).map { .ledgerMade(id: $0) }
    case .appAdd: return read(&apps, after).map(Change.appAdded)
    case .appSet, .appStop, .appResume, .appRetire, .appRestore:
      return both(&apps, before, after).map(Change.appSet)
    case .appVoid: return read(&apps, before).map(Change.appVoided)
    case .releasePublish: return read(&releases, after, app).map(Change.published)
    case .releaseAmend: return both(&releases, before, after, app).map(Change.amended)
    case .releaseMark:
      guard let (old, new) = both(&releases, before, after, app) else { return nil }
      return named(.superseded) { .marked(before: old, after: new, superseded: $0) }
    case .releaseUnmark:
      guard let (old, new) = both(&releases, before, after, app) else { return nil }
      return named(.restored) { .unmarked(before: old, after: new, restored: $0) }
    case .releaseVoid:
      guard let (old, new) = both(&releases, before, after, app) else { return nil }
      let neverShipped = releases.extra(Extra.neverShipped.rawValue).map(Bool.init(member:)) ?? false
      guard let neverShipped else { return nil }
      return named(.restored) {
        .voided(before: old, after: new, neverShipped: neverShipped, restored: $0)
      }
    case .releaseImport:
      guard let release = read(&releases, after, app) else { return nil }
      return named(.superseded) { .imported(release, superseded: $0) }
    case .ruleNone, .ruleRemind, .ruleForce: return read(&rules, after, app).map(Change.ruleMade)
    case .ruleLift: return read(&rules, before, app).map(Change.ruleLifted)
    case .ruleRestore: return read(&rules, after, app).map(Change.ruleRestored)
    case .redirectSet, .redirectClear: return either(&redirects, before, after, app, Change.redirectSet)
    case .settingSet, .settingClear: return either(&settings, before, after, app, Change.settingSet)
    case .evidenceAdd: return read(&evidence, after).map(Change.evidenceAdded)
    case .evidenceSettle: return both(&evidence, before, after).map(Change.evidenceSettled)
    case .trustAdd: return read(&trusts, after).map(Change.trusted)
    case .trustRemove: return read(&trusts, before).map(Change.distrusted)
    case .exportSet, .exportClear:
      return either(&publications, before, after, nil, Change.publicationSet)
    case .clockCorrect: return read(&corrections, after).map(Change.clockCorrected)
    case .planApply:
      guard before == nil, let text = after, let json = try? JSON(parsing: text) else { return nil }
      return AppliedPlan(json: json).map(Change.planApplied)
    case .request: return .requested
    }
  }

  private func ledgerID(_ after: UnsafeRawBufferPointer) -> String? {
    (try? JSON(parsing: after))?["ledger"]?.string
  }

  private func read<Value>(
    _ reader: inout LateReader<Value>, _ text: UnsafeRawBufferPointer?, _ app: String? = nil
  ) -> Value? {
    text.flatMap { reader.read($0, app: app) }
  }

  private func both<Value>(
    _ reader: inout LateReader<Value>, _ before: UnsafeRawBufferPointer?, _ after: UnsafeRawBufferPointer?,
    _ app: String? = nil
  ) -> (Value, Value)? {
    guard let old = read(&reader, before, app), let new = read(&reader, after, app) else { return nil }
    return (old, new)
  }

  /// A change to something that may be missing before or after, but not both; a side that is present must be
  /// readable.
  private func either<Value>(
    _ reader: inout LateReader<Value>, _ before: UnsafeRawBufferPointer?, _ after: UnsafeRawBufferPointer?,
    _ app: String?, _ make: (Value?, Value?) -> Change
  ) -> Change? {
    let (old, new) = (read(&reader, before, app), read(&reader, after, app))
    guard (old == nil) == (before == nil), (new == nil) == (after == nil), old != nil || new != nil else {
      return nil
    }
    return make(old, new)
  }

  /// The change with the version that its event names beside the release that was read last.
  private mutating func named(_ extra: Extra, _ make: (Version?) -> Change) -> Change? {
    guard let slice = releases.extra(extra.rawValue) else { return make(nil) }
    return Version(member: slice).map(make)
  }
}

/// A reader that is prepared on first use and modified in place; a lazy property would be copied to be
/// modified.
private struct LateReader<Value: Fields> {
  private var reader: RecordReader<Value>?
  private let names: [String]

  init(extra names: [String] = []) { self.names = names }

  mutating func read(_ text: UnsafeRawBufferPointer, app: String?) -> Value? {
    if reader == nil { reader = RecordReader(extra: names) }
    return reader?.read(text, app: app)
  }

  func extra(_ index: Int) -> JSONMembers.Slice? { reader?.extra(index) }
}

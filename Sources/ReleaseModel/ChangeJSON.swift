package import JSON

extension Change {
  /// What was, as the event shows it.
  package func before(app: String?) -> JSON? {
    let app = app ?? ""
    switch self {
    case .appSet(let before, _): return before.json
    case .amended(let before, _), .marked(let before, _, _), .unmarked(let before, _, _),
      .voided(let before, _, _, _):
      return before.json(app: app)
    case .ruleLifted(let rule): return rule.json(app: app)
    case .redirectSet(let before, _): return before?.json(app: app)
    case .settingSet(let before, _): return before?.json(app: app)
    case .evidenceSettled(let before, _): return before.json
    case .distrusted(let trust): return trust.json
    case .publicationSet(let before, _): return before?.json
    case .ledgerMade, .appAdded, .published, .imported, .ruleMade, .ruleRestored, .evidenceAdded, .trusted,
      .clockCorrected, .planApplied, .requested:
      return nil
    }
  }

  /// What is, as the event shows it.
  package func after(app: String?) -> JSON? {
    let app = app ?? ""
    switch self {
    case .ledgerMade(let id): return ["ledger": .string(id)]
    case .appAdded(let app), .appSet(_, let app): return app.json
    case .published(let release), .amended(_, let release): return release.json(app: app)
    case .marked(_, let release, let version), .imported(let release, let version):
      return release.json(app: app).with("superseded", version?.member)
    case .unmarked(_, let release, let version):
      return release.json(app: app).with("restored", version?.member)
    case .voided(_, let release, let neverShipped, let version):
      return release.json(app: app).with("restored", version?.member)
        .with("neverShipped", neverShipped ? true : nil)
    case .ruleMade(let rule), .ruleRestored(let rule): return rule.json(app: app)
    case .redirectSet(_, let after): return after?.json(app: app)
    case .settingSet(_, let after): return after?.json(app: app)
    case .evidenceAdded(let evidence), .evidenceSettled(_, let evidence): return evidence.json
    case .trusted(let trust): return trust.json
    case .publicationSet(_, let after): return after?.json
    case .clockCorrected(let correction): return correction.json
    case .planApplied(let plan): return plan.json
    case .ruleLifted, .distrusted, .requested: return nil
    }
  }
}

extension JSON {
  /// The object with one member more; itself where there is none to add.
  fileprivate func with(_ key: String, _ value: JSON?) -> JSON {
    guard let value, var object else { return self }
    object[key] = value
    return .object(object)
  }
}

/// Reads changes back from what events say, one after the other.
package struct ChangeReader {
  private enum Extra: Int, CaseIterable {
    case superseded, restored, neverShipped
  }

  private lazy var apps = RecordReader<App>()
  private lazy var releases = RecordReader<Release>(extra: Extra.allCases.map { "\($0)" })
  private lazy var rules = RecordReader<Rule>()
  private lazy var redirects = RecordReader<Redirect>()
  private lazy var settings = RecordReader<Setting>()
  private lazy var evidence = RecordReader<Evidence>()
  private lazy var trusts = RecordReader<Trust>()
  private lazy var publications = RecordReader<Publication>()
  private lazy var corrections = RecordReader<ClockCorrection>()

  package init() {}

  /// Reads a change of event format 1; nil where it says something that its kind cannot say.
  ///
  /// - Parameters:
  ///   - app: The app that the event is recorded under.
  ///   - before: The bytes of the event's object, which must stay where they are meanwhile; likewise `after`.
  package mutating func change(
    _ kind: EventKind, app: String?, before: UnsafeRawBufferPointer?, after: UnsafeRawBufferPointer?
  ) -> Change? {
    guard let change = read(kind, app, before, after) else { return nil }
    // A kind is more than what it says; what is read must be called what it was called.
    return change.kind == kind ? change : nil
  }

  private mutating func read(
    _ kind: EventKind, _ app: String?, _ before: UnsafeRawBufferPointer?, _ after: UnsafeRawBufferPointer?
  ) -> Change? {
    switch kind {
    case .ledgerInit: return after.flatMap(ledgerID).map { .ledgerMade(id: $0) }
    case .appAdd: return read(&apps, after).map(Change.appAdded)
    case .appSet, .appStop, .appResume: return both(&apps, before, after).map(Change.appSet)
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
    _ reader: inout RecordReader<Value>, _ text: UnsafeRawBufferPointer?, _ app: String? = nil
  ) -> Value? {
    text.flatMap { reader.read($0, app: app) }
  }

  private func both<Value>(
    _ reader: inout RecordReader<Value>, _ before: UnsafeRawBufferPointer?, _ after: UnsafeRawBufferPointer?,
    _ app: String? = nil
  ) -> (Value, Value)? {
    guard let old = read(&reader, before, app), let new = read(&reader, after, app) else { return nil }
    return (old, new)
  }

  /// A change of something that may be missing before or after, but not on both sides, and is read where it is.
  private func either<Value>(
    _ reader: inout RecordReader<Value>, _ before: UnsafeRawBufferPointer?, _ after: UnsafeRawBufferPointer?,
    _ app: String?, _ make: (Value?, Value?) -> Change
  ) -> Change? {
    let (old, new) = (read(&reader, before, app), read(&reader, after, app))
    guard (old == nil) == (before == nil), (new == nil) == (after == nil), old != nil || new != nil else {
      return nil
    }
    return make(old, new)
  }

  /// A change with the version that its event names beside the release read last.
  private mutating func named(_ extra: Extra, _ make: (Version?) -> Change) -> Change? {
    guard let slice = releases.extra(extra.rawValue) else { return make(nil) }
    return Version(member: slice).map(make)
  }
}

import JSON

/// Reads changes back from events, one after the other.
package struct ChangeReader {
  private enum Extra: Int, CaseIterable {
    case superseded, restored, neverShipped
  }

  private var apps = RecordReader<App>()
  private var releases = RecordReader<Release>(extra: Extra.allCases.map { "\($0)" })
  private var rules = RecordReader<Rule>()
  private var redirects = RecordReader<Redirect>()
  private var settings = RecordReader<Setting>()
  private var evidence = RecordReader<Evidence>()
  private var trusts = RecordReader<Trust>()
  private var publications = RecordReader<Publication>()
  private var corrections = RecordReader<ClockCorrection>()
  private var takeOvers = RecordReader<TakeOver>()

  package init() {}

  /// Reads a change of event format 1; nil if the event says something that its kind cannot say.
  ///
  /// - Parameter before: The bytes of the event's object, which must stay in place; likewise `after`.
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
    case .ledgerTakeOver: return read(&takeOvers, after).map(Change.takenOver)
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

  /// A change to something that may be missing before or after, but not both; what is there must be readable.
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

  /// The change with the version that its event names beside the release that was read last.
  private mutating func named(_ extra: Extra, _ make: (Version?) -> Change) -> Change? {
    guard let slice = releases.extra(extra.rawValue) else { return make(nil) }
    return Version(member: slice).map(make)
  }
}

package import JSON

extension Change {
  /// What was, as the event shows it.
  package func before(app: String?) -> JSON? {
    let app = app ?? ""
    switch self {
    case .appSet(let before, _): return before.json
    case .amended(let before, _), .marked(let before, _, _), .unmarked(let before, _, _),
      .voided(let before, _):
      return before.json(app: app)
    case .ruleLifted(let rule): return rule.json(app: app)
    case .redirectSet(let before, _): return before?.json(app: app)
    case .settingSet(let before, _): return before?.json(app: app)
    case .evidenceSettled(let before, _): return before.json
    case .distrusted(let trust): return trust.json
    case .publicationSet(let before, _): return before?.json
    case .ledgerMade, .appAdded, .published, .imported, .ruleMade, .ruleRestored, .evidenceAdded, .trusted,
      .requested:
      return nil
    }
  }

  /// What is, as the event shows it.
  package func after(app: String?) -> JSON? {
    let app = app ?? ""
    switch self {
    case .ledgerMade(let id): return ["ledger": .string(id)]
    case .appAdded(let app), .appSet(_, let app): return app.json
    case .published(let release), .amended(_, let release), .voided(_, let release):
      return release.json(app: app)
    case .marked(_, let release, let version), .imported(let release, let version):
      return Change.json(release, app, "superseded", version)
    case .unmarked(_, let release, let version): return Change.json(release, app, "restored", version)
    case .ruleMade(let rule), .ruleRestored(let rule): return rule.json(app: app)
    case .redirectSet(_, let after): return after?.json(app: app)
    case .settingSet(_, let after): return after?.json(app: app)
    case .evidenceAdded(let evidence), .evidenceSettled(_, let evidence): return evidence.json
    case .trusted(let trust): return trust.json
    case .publicationSet(_, let after): return after?.json
    case .ruleLifted, .distrusted, .requested: return nil
    }
  }

  private static func json(_ release: Release, _ app: String, _ key: String, _ other: Version?) -> JSON {
    guard var object = release.json(app: app).object else { return .null }
    if let other { object[key] = .string(other.text) }
    return .object(object)
  }

  /// Reads a change back from an event of format 1; nil where it says something else.
  package init?(kind: String, before: JSON?, after: JSON?) {
    let change: Change? =
      switch kind.prefix(while: { $0 != "." }) {
      case "release": Change.release(kind, before, after)
      case "app": Change.app(kind, before, after)
      case "rule": Change.rule(kind, before, after)
      case "redirect":
        Change.pair(before.map(Redirect.init(json:)), after.map(Redirect.init(json:)), Change.redirectSet)
      case "setting":
        Change.pair(before.map(Setting.init(json:)), after.map(Setting.init(json:)), Change.settingSet)
      case "trust":
        before.flatMap(Trust.init(json:)).map(Change.distrusted)
          ?? after.flatMap(Trust.init(json:)).map(Change.trusted)
      case "evidence": Change.evidence(kind, before, after)
      case "export":
        Change.pair(before.map(Publication.init(json:)), after.map(Publication.init(json:))) {
          Change.publicationSet(before: $0, after: $1)
        }
      case "request": .requested
      case "ledger": (after?["ledger"]?.string).map { .ledgerMade(id: $0) }
      default: nil
      }
    // A kind is more than what it says; what is read must be called what it was called.
    guard let change, change.kind == kind else { return nil }
    self = change
  }

  private static func release(_ kind: String, _ before: JSON?, _ after: JSON?) -> Change? {
    guard let release = after.flatMap(Release.init(json:)) else { return nil }
    func version(_ key: String) -> Version? { after?[key]?.string.flatMap { try? Version($0) } }
    switch kind {
    case "release.publish": return .published(release)
    case "release.import": return .imported(release, superseded: version("superseded"))
    default: break
    }
    guard let former = before.flatMap(Release.init(json:)) else { return nil }
    switch kind {
    case "release.amend": return .amended(before: former, after: release)
    case "release.mark": return .marked(before: former, after: release, superseded: version("superseded"))
    case "release.unmark": return .unmarked(before: former, after: release, restored: version("restored"))
    case "release.void": return .voided(before: former, after: release)
    default: return nil
    }
  }

  private static func app(_ kind: String, _ before: JSON?, _ after: JSON?) -> Change? {
    guard let app = after.flatMap(App.init(json:)) else { return nil }
    if kind == "app.add" { return .appAdded(app) }
    return before.flatMap(App.init(json:)).map { .appSet(before: $0, after: app) }
  }

  private static func evidence(_ kind: String, _ before: JSON?, _ after: JSON?) -> Change? {
    guard let evidence = after.flatMap(Evidence.init(json:)) else { return nil }
    if kind == "evidence.add" { return .evidenceAdded(evidence) }
    return before.flatMap(Evidence.init(json:)).map { .evidenceSettled(before: $0, after: evidence) }
  }

  private static func rule(_ kind: String, _ before: JSON?, _ after: JSON?) -> Change? {
    if kind == "rule.lift" { return before.flatMap(Rule.init(json:)).map(Change.ruleLifted) }
    guard let rule = after.flatMap(Rule.init(json:)) else { return nil }
    return kind == "rule.restore" ? .ruleRestored(rule) : .ruleMade(rule)
  }

  /// A change of something that may be missing before or after, but not on both sides, and is read where it is.
  private static func pair<Value>(_ before: Value??, _ after: Value??, _ make: (Value?, Value?) -> Change)
    -> Change?
  {
    if case .some(.none) = before { return nil }
    if case .some(.none) = after { return nil }
    guard before != nil || after != nil else { return nil }
    return make(before.flatMap { $0 }, after.flatMap { $0 })
  }
}

import ReleaseModel

extension AnswerSheet {
  /// Holds what a format's clients conclude from its documents against what is decided, for every known version on every
  /// system that makes a difference.
  ///
  /// A version that was never live and is dead is nobody's but those who tested it, so that a bound may pass above it.
  /// - Returns: Where a client hears less than was decided, or something else on its system or later, or is dead.
  /// - Throws: `ExportFinding` where it would hear more than was decided, or open another page.
  package func compare(_ documents: [Document], with format: some DocumentFormat) throws(ExportFinding)
    -> [ExportFinding]
  {
    // What no client reads can neither mislead nor keep silent.
    guard !documents.isEmpty else { return [] }
    let files = Dictionary(documents.map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 })
    let client = format.client(of: files, app: app.slug)
    var found: [Difference: [Version]] = [:]
    for release in known {
      for difference in differences(release, client) {
        found[difference, default: []].append(release.version)
      }
    }
    func finding(_ difference: Difference, id: String, _ message: String) -> ExportFinding? {
      found[difference].map {
        ExportFinding(id, app: app.slug, format: format.name, versions: $0, message)
      }
    }
    if let wrong = finding(
      .wrong, id: "export.wrong", "its clients would be told more than was decided, or sent elsewhere")
    {
      throw wrong
    }
    let findings = [
      finding(
        .milder, id: "export.milder", "its clients are told less than was decided, to be on the safe side"),
      finding(
        .onSystem, id: "export.no-systems",
        "it cannot tell systems apart as the decision does: some devices are told what others are"),
      finding(
        .dead, id: "export.dead-version",
        "these were never live and cannot be any more, and their testers are told what older versions are"),
    ]
    return findings.compactMap(\.self) + times(format)
  }

  /// How what a client hears can differ from what was decided.
  private enum Difference: Hashable {
    case wrong
    case milder
    case onSystem
    case dead
  }

  private func differences(
    _ release: Release, _ client: (Version, Version?) -> Conclusion?
  ) -> Set<Difference> {
    let version = release.version
    let decision = decide(version)
    func concluded(_ os: Version?) -> Conclusion { client(version, os) ?? Conclusion(.none) }
    func isAlike(_ told: Conclusion, _ wanted: Conclusion) -> Bool {
      told.action == wanted.action && (told.url == nil || told.url == wanted.url)
    }
    // Each tier of systems by its oldest, and the newest tier by no system at all.
    let tiers = systems.enumerated().map { (from: $0 == 0 ? Version.zero : systems[$0 - 1], below: $1) }
    if isDead(release) {
      let hears = [nil] + tiers.map(\.from)
      return hears.contains { concluded($0).action != .none } ? [.dead] : []
    }
    var found: Set<Difference> = []
    let (told, wanted) = (concluded(nil), Conclusion(decision))
    let isElsewhere = told.action != .none && told.url != nil && told.url != wanted.url
    if told.action > wanted.action || isElsewhere {
      found.insert(.wrong)
    } else if told.action < wanted.action {
      found.insert(.milder)
    }
    for tier in tiers {
      let (told, wanted) = (concluded(tier.from), Conclusion(decide(version, os: tier.from)))
      if isAlike(told, wanted) { continue }
      found.insert(.onSystem)
      // No device runs a release on a system that is too old for it; and no reviewer may be prompted on any.
      let mayRun = release.minOS.map { $0 < tier.below } ?? true
      if decision.review ? told.action != .none : mayRun && told.action == .force { found.insert(.wrong) }
    }
    return found
  }

  /// What a format that knows no times has to say of answers that change by themselves.
  private func times(_ format: some DocumentFormat) -> [ExportFinding] {
    guard !format.saysTimes, nextChange != nil else { return [] }
    let changing = known.compactMap { release in
      answer(to: release.version).until.map { (version: release.version, until: $0) }
    }
    guard let first = changing.map(\.until).min() else { return [] }
    return [
      ExportFinding(
        "export.no-times", app: app.slug, format: format.name, versions: changing.map(\.version),
        "it cannot say until when it holds: export again at \(first.text)")
    ]
  }
}

extension Conclusion {
  /// What a client does that understands all of a decision.
  init(_ decision: Decision) { self.init(decision.action, url: decision.url) }
}

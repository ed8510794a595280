import ReleaseModel

extension AnswerSheet {
  /// Compares what a format's clients conclude from its documents with what is decided, at every bound and
  /// between bounds, on every system that makes a difference.
  ///
  /// - Returns: Where clients are told less than was decided, or something else on their system or later, and
  ///   which dead versions are prompted.
  /// - Throws: `ExportFinding` if clients would be told more than was decided, or would open another page.
  package func compare(_ documents: [Document], with format: some DocumentFormat) throws(ExportFinding)
    -> [ExportFinding]
  {
    // Without documents, no client can be misled.
    guard !documents.isEmpty else { return [] }
    let files = Dictionary(documents.map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 })
    var findings: [ExportFinding] = []
    let clients = format.clients(of: files, app: app.slug)
    for client in clients {
      let found = differences(client)
      func finding(_ difference: Difference, id: String, _ message: String) -> ExportFinding? {
        guard let found = found[difference] else { return nil }
        var message = message
        if clients.count > 1, let path = client.path { message = "\(path): \(message)" }
        // People are shown the known versions concerned; if there are none, at least the ranges that hold the
        // others.
        if found.versions.isEmpty {
          let ranges = found.ranges.prefix(3).map(\.text) + (found.ranges.count > 3 ? ["…"] : [])
          message += " (\(ranges.joined(separator: ", ")))"
        }
        return ExportFinding(
          id, app: app.slug, format: format.name, versions: found.versions,
          ranges: client.isForAll ? found.ranges : [], message)
      }
      if let wrong = finding(
        .wrong, id: "export.wrong", "clients would be told more than was decided, or sent elsewhere")
      {
        throw wrong
      }
      findings += [
        finding(
          .milder, id: "export.milder", "clients are told less than was decided, to be on the safe side"),
        finding(
          .onSystem, id: "export.no-systems",
          "it cannot distinguish systems as the decision does: some devices are told what others are"),
        finding(
          .dead, id: "export.dead-version",
          "these can never go live; testers who still have them are told the same as older versions"),
      ].compactMap(\.self)
    }
    return findings + times(format)
  }

  /// The findings about documents without writing them: where they say less than is decided, which versions a
  /// shipped comparator misreads, and which dead versions they prompt.
  package func findings(in formats: [any DocumentFormat]) -> [ExportFinding] {
    formats.flatMap { format in
      let (documents, warnings) = format.documents(for: self)
      do throws(ExportFinding) {
        return try (warnings + compare(documents, with: format)).filter {
          AnswerSheet.foreseen.contains($0.id)
        }
      } catch {
        return [error]
      }
    }
  }

  private static let foreseen: Set = ["export.milder", "export.misread", "export.dead-version"]

  /// How what a client is told can differ from what was decided.
  private enum Difference: Hashable {
    case wrong
    case milder
    case onSystem
    case dead
  }

  /// The versions that a difference concerns.
  private struct Concerned {
    var versions: [Version] = []
    var ranges: [VersionRange] = []
    /// Whether the step that was examined last is among them.
    var isOpen = false

    mutating func add(_ range: VersionRange, _ version: Version?) {
      if let version { versions.append(version) }
      let whole =
        isOpen ? ranges.popLast().flatMap { VersionRange(from: $0.lower, to: range.upper) } : nil
      ranges.append(whole ?? range)
      isOpen = true
    }
  }

  private func differences(_ client: DocumentClient) -> [Difference: Concerned] {
    // Each tier of systems is represented by its oldest system, and the newest tier by no system at all.
    let tiers = systems.enumerated().map { (from: $0 == 0 ? Version.zero : systems[$0 - 1], below: $1) }
    var all = bounds(os: nil)
    for tier in tiers { all.formUnion(bounds(os: tier.from)) }
    // For a bound with four components, a client's answer may already change at the third.
    for bound in client.bounds { all.formUnion([bound, bound.cut(after: 3)]) }
    let releases = Dictionary(known.map { ($0.version, $0) }, uniquingKeysWith: { $1 })
    var found: [Difference: Concerned] = [:]
    for step in DecisionLine(bounds: all, decide: { decide($0) }).steps {
      let release = releases[step.first]
      let differences = differences(step, tiers, client.conclude(step.first))
      for difference in [Difference.wrong, .milder, .onSystem, .dead] {
        // A version without a file of its own is told the same as all others without one, which is no news.
        if differences.contains(difference), difference == .wrong || client.isForAll || release != nil {
          found[difference, default: Concerned()].add(step.range, release?.version)
        } else {
          found[difference]?.isOpen = false
        }
      }
    }
    return found
  }

  private func differences(
    _ step: DecisionLine.Step, _ tiers: [(from: Version, below: Version)], _ client: (Version?) -> Conclusion?
  ) -> Set<Difference> {
    let version = step.first
    func concluded(_ os: Version?) -> Conclusion { client(os) ?? Conclusion(.none) }
    if isNobodys(version) {
      let isPrompted = ([nil] + tiers.map(\.from)).contains { concluded($0).action != .none }
      return isPrompted && dead.contains(version) ? [.dead] : []
    }
    var found: Set<Difference> = []
    let (told, wanted) = (concluded(nil), Conclusion(step.decision))
    if told.action > wanted.action || !told.leads(to: wanted) {
      found.insert(.wrong)
    } else if told.action < wanted.action {
      found.insert(.milder)
    }
    for tier in tiers {
      let (told, wanted) = (concluded(tier.from), Conclusion(decide(version, os: tier.from)))
      if told.action == wanted.action, told.leads(to: wanted) { continue }
      found.insert(.onSystem)
      // No device runs a release on a system that is too old for it, and no reviewer may be prompted on any
      // system.
      let mayRun = systemNeeded(by: version).map { $0 < tier.below } ?? true
      if step.decision.review ? told.action != .none : mayRun && told.action == .force {
        found.insert(.wrong)
      }
    }
    return found
  }

  /// The finding about answers that change by themselves, for a format that cannot state times.
  private func times(_ format: some DocumentFormat) -> [ExportFinding] {
    guard !format.saysTimes, nextChange != nil else { return [] }
    let changing = answers(to: known).compactMap { release, stretch in
      stretch.until.map { (version: release.version, until: $0) }
    }
    guard let first = changing.map(\.until).min() else { return [] }
    return [
      ExportFinding(
        "export.no-times", app: app.slug, format: format.name, versions: changing.map(\.version),
        "it cannot say how long it holds: export again at \(first.text)")
    ]
  }
}

extension Conclusion {
  /// What a client that understands all of a decision does.
  init(_ decision: Decision) { self.init(decision.action, url: decision.url) }

  /// Whether the client ends up on the same page as another; true if the document does not choose the page.
  fileprivate func leads(to other: Conclusion) -> Bool {
    guard action != .none, let url, url != other.url else { return true }
    return storeID(of: url).map { $0 == other.url.flatMap(storeID) } ?? false
  }
}

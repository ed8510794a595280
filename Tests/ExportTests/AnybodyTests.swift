import Export
import ReleaseModel
import TestSupport
import Testing

/// Every format's clients, asked as any version there could be, held against the decision function.
///
/// PAWL_QUESTIONS says how many questions all formats are asked together, PAWL_SEED with which random ledger it begins.
@Suite struct AnybodyTests {
  private static let questions = environmentNumber("PAWL_QUESTIONS", else: 42_000) / 7
  private static let each = 50

  @Test(arguments: ExportFormats.all.map(\.name))
  func `no version is told more than was decided, and none less without being named`(name: String)
    async throws
  {
    let first = environmentNumber("PAWL_SEED", else: 1)
    let ledgers = max(1, AnybodyTests.questions / AnybodyTests.each)
    let tally = try await Tally.of(first..<first + ledgers) { seed, tally in
      try AnybodyTests.ask(try format(name), UInt64(seed), &tally)
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
    // Clients that are never prompted, or never told less, prove nothing.
    #expect(tally.questions > AnybodyTests.questions / 2, "\(tally)")
    #expect(tally.prompts > tally.questions / 20, "\(tally)")
    #expect(tally.milder > 0, "\(tally)")
  }

  private static func ask(_ format: any DocumentFormat, _ seed: UInt64, _ tally: inout Tally) throws {
    var app = try RandomApp(seed: seed)
    let answers = app.stage.answers()
    let decider = Decider(app.stage.snapshot, at: app.stage.now)
    let written = Written(format, answers)
    if let refusal = written.refusal { tally.broken.append("\(seed) \(format.name): \(refusal)") }
    let clients = format.clients(of: written.documents, app: "taxi", at: app.stage.now)
    guard !written.documents.isEmpty else { return }
    let nobodys = Nobodys(app.stage)
    let named = written.warnings.filter { $0.id == "export.milder" }
    let levels: [Version?] = try [nil, nil, nil] + app.levels()
    for _ in 0..<each {
      let version = try app.anybody()
      let os = levels[Int(version.component(3) + version.component(2)) % levels.count]
      if nobodys.holds(version) { continue }
      for client in clients {
        tally.questions += 1
        let told = client.conclude(version)(os) ?? Conclusion(.none)
        let decision = decider.decide(Client(version: version))
        let here = decider.decide(Client(version: version, os: os))
        if told.action != .none { tally.prompts += 1 }
        func broken(_ what: String) {
          tally.broken.append(
            "\(seed) \(format.name) \(version.text) on \(os?.text ?? "any"): \(what): told \(told), decided "
              + "\(here.action) \(here.url ?? ""); \(written.remarks)")
        }
        if decision.review, told.action != .none { broken("in review") }
        // A format that cannot ask for the system reminds where it should say nothing, and never forces.
        let isHarsher =
          os == nil
          ? told.action > decision.action
          : told.action == .force && here.action != .force
            && nobodys.mayRun(version, below: decision.target?.minOS)
        if isHarsher { broken("harsher") }
        if os == nil, !told.leads(to: decision.url) { broken("elsewhere") }
        // Of the files for one version each, the one for all others tells them nothing.
        let hasFile = answers.known.contains { $0.version == version }
        if told.action != here.action || !told.leads(to: here.url), client.isForAll || hasFile {
          let isNamed = written.warnings.contains { finding in
            ["export.milder", "export.no-systems"].contains(finding.id)
              && (finding.versions.contains(version) || finding.ranges.contains { $0.contains(version) })
          }
          if !isNamed { broken("not named") }
        }
        if os == nil, told.action < decision.action {
          tally.milder += 1
          let isNamed = named.contains { finding in
            finding.versions.contains(version) || finding.ranges.contains { $0.contains(version) }
          }
          if !isNamed, client.isForAll || hasFile { broken("milder, not named") }
          if client.isForAll, !nobodys.haveReason(version, decision, decider, format) {
            broken("milder for no reason")
          }
        }
      }
    }
  }
}

private struct Nobodys {
  private let stage: Stage
  private let greatest: Version?
  private let released: [Release]

  init(_ stage: Stage) {
    self.stage = stage
    released = stage.line.releases.filter(\.wasReleased).sorted { $0.version < $1.version }
    greatest = released.last { !$0.isPast }?.version
  }

  func holds(_ version: Version) -> Bool {
    if let release = stage.line.release(version), !release.wasReleased,
      [.rejected, .withdrawn, .void].contains(release.state),
      released.contains(where: {
        version < $0.version && ($0.state == .live || $0.becameVisible(by: stage.now))
      })
    {
      return true
    }
    // Apple takes no fourth component, so that one above all that were live is nobody's.
    guard stage.line.app.channel == .appStore, let greatest else { return false }
    return greatest < version && (0..<3).allSatisfy { greatest.component($0) == version.component($0) }
  }

  func mayRun(_ version: Version, below needed: Version?) -> Bool {
    guard let needed else { return false }
    let own = released.last { $0.version <= version } ?? released.first
    return own?.minOS.map { $0 < needed } ?? true
  }

  /// Whether what a version is told cannot be said by a bound that is never harsher: something below it, or beside it as
  /// far as three components tell, is told less or goes elsewhere.
  func haveReason(
    _ version: Version, _ decision: Decision, _ decider: Decider, _ format: any DocumentFormat
  ) -> Bool {
    let ranges = (stage.line.rules.map(\.range) + stage.line.redirects.map(\.range)).flatMap {
      [$0.lower?.version, $0.upper?.version].compactMap { $0 }
    }
    let ends = ranges + stage.line.releases.map(\.version) + [version, .zero]
    var near: [Version] = []
    for end in ends {
      for count in 1...4 {
        let parts = (0..<count).map { end.component($0) }
        let texts = [parts, Array(parts.dropLast()) + [parts[count - 1] + 1]].map {
          $0.map(String.init).joined(separator: ".")
        }
        near += texts.compactMap { try? Version($0) }
      }
      near += [1, 999_999_999].compactMap {
        try? Version("\(end.component(0)).\(end.component(1)).\(end.component(2)).\($0)")
      }
    }
    func isBelow(_ other: Version) -> Bool {
      for index in 0..<3 where other.component(index) != version.component(index) {
        return other.component(index) < version.component(index)
      }
      return true
    }
    return near.contains { other in
      guard isBelow(other), !holds(other) else { return false }
      let told = decider.decide(Client(version: other))
      let isBlind = format.name != "prince-of-versions" && told.target?.minOS != nil
      return told.action < decision.action || told.url != decision.url
        || told.target?.id != decision.target?.id
        || (isBlind && mayRun(other, below: told.target?.minOS))
        // One file for clients that say no version cannot both force and remind.
        || (format.name == "type" && decision.action == .force)
        // Without a time nobody is forced to what stops opening soon.
        || (told.action == .force && told.target?.expiryNotice.map { $0 <= stage.now } == true)
        // A version that may yet be released is not named.
        || (decider.decide(Client(version: other)).review && other == version)
    } || stage.line.releases.contains { !$0.wasReleased && version < $0.version }
  }
}

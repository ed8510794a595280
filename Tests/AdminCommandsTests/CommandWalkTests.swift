import Export
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

/// Random commands: what a dry run says before is what `check` says after, nobody is forced unasked, and documents are
/// those of the ledger as it is, whatever was exported before (contract §5, §8).
///
/// `PAWL_ORDERS=500 swift test --disable-xctest --filter CommandWalkTests` walks 500 times, and prints its figures.
@Suite struct CommandWalkTests {
  /// The first walk's seed, `PAWL_SEED` or 0, by which one that failed is gone through again.
  private static let first = environmentNumber("PAWL_SEED", else: 0)
  private static let walks = environmentNumber("PAWL_ORDERS", else: 3)

  @Test func `what is said before a command is what clients are told after it`() async throws {
    let tally = try await Tally.of(Self.first..<Self.first + Self.walks) { seed, tally in
      var walk = try CommandWalk(seed)
      try walk.run(&tally)
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.prefix(5).joined(separator: "\n"))")
    #expect(tally.changed > 0 && tally.asked > 0 && tally.lines > 0 && tally.documents > 0)
    print(
      "walk of commands: \(Self.walks) ledgers, \(tally.commands) commands, \(tally.changed) changes, \(tally.asked) asked; "
        + "\(tally.questions) answers, \(tally.lines) lines of previews, \(tally.documents) documents read back"
    )
  }
}

private struct CommandWalk {
  /// Who asks, and when.
  private struct Asking: Hashable {
    let app: String
    let version: Version
    let os: Version?
    let at: Timestamp
  }

  private typealias Told = (action: Action, url: String?)

  private static let apps = ["taxi", "van"]
  private static let versions = (0..<3).flatMap { major in
    (0..<4).flatMap { minor in (0..<2).map { "\(major).\(minor).\($0)" } }
  }.compactMap { try? Version($0) }
  private static let systems = [nil, "11", "13.5", "15", "99"].map { $0.flatMap { try? Version($0) } }

  private let seed: Int
  private var random: Seeded
  private let shell: Shell

  init(_ seed: Int) throws {
    (self.seed, random, shell) = (seed, Seeded(UInt64(seed)), try Shell.taxi())
    try shell.tell(
      """
      app add van --bundle-id com.example.van --apple-id 7 --hold 0h
      live taxi 1.0 1.1
      live van 5.0
      init --export @own\(Shell.everyFormat)
      """)
  }

  mutating func run(_ tally: inout Tally) throws {
    var before = told(&tally)
    for step in 0..<40 where tally.broken.count < 5 {
      let line = line()
      let said = "seed \(seed), step \(step): \(line)"
      if line.hasPrefix("sleep") {
        try shell.tell(line)
        shell.run("export")
        before = told(&tally)
      } else {
        let after = try record(line, before, said, &tally)
        before = after
      }
      guard step % 3 == 2 else { continue }
      let comment = Comment(rawValue: said)
      try shell.expectSameDocuments(random.oneIn(3) ? "--include-unreleased" : "", comment)
      shell.run(shell.words("export @fresh\(step)\(Shell.everyFormat)"))
      try shell.expectSame("own", "fresh\(step)", comment)
      try readBack(before, said, &tally)
    }
    try shell.tell("verify")
  }

  /// Does a command as its dry run says it, and holds what it said against what changed.
  private mutating func record(
    _ line: String, _ before: [Asking: Told], _ said: String, _ tally: inout Tally
  ) throws -> [Asking: Told] {
    let (words, input) = (shell.words(line), Array(past().utf8))
    tally.commands += 1
    let dry = shell.run(words + ["--dry-run", "--json"], input: input)
    var ran = shell.run(words + ["--json"], input: input)
    let isAsked = ran.errorID == "confirm.required"
    if isAsked {
      tally.asked += 1
      if ran.error["details"]?["impact"] != dry.json["impact"] {
        tally.broken.append("\(said): the question shows something else than the dry run")
      }
      ran = shell.run(words + ["--json", "--yes"], input: input)
    }
    guard ran.status == 0, ran.json["changed"]?.bool == true else { return before }
    tally.changed += 1
    if ran.json["impact"] != dry.json["impact"] {
      tally.broken.append("\(said): it did something else than the dry run said")
    }
    let after = told(&tally)
    let lines = (dry.json["impact"]?.array ?? []).compactMap(ImpactLine.init(json:)).filter {
      $0.visible == nil
    }
    tally.lines += lines.count
    for (asking, was) in before {
      // A stop shows who is prompted now.
      guard let willBe = after[asking], !line.hasPrefix("stop") || asking.at == shell.clock else { continue }
      let found = lines.filter { speaks($0, of: asking) }
      let isRight =
        was == willBe
        ? found.isEmpty
        : found.count == 1 && found[0].before == was.action && found[0].after == willBe.action
          && found[0].was?.url == was.url && found[0].willBe?.url == willBe.url
      if !isRight {
        tally.broken.append(
          "\(said): \(asking) was told \(was), then \(willBe), and was shown \(found.map(\.json))")
      }
      if willBe.action == .force, was.action != .force, !isAsked {
        tally.broken.append("\(said): \(asking) is forced, and nobody was asked")
      }
    }
    return after
  }

  private func speaks(_ line: ImpactLine, of asking: Asking) -> Bool {
    line.app == asking.app && line.range.contains(asking.version) && line.at <= asking.at
      && line.until.map { asking.at < $0 } ?? true
      && asking.os.map(line.systems.contains) ?? (line.systems.upper == nil)
  }

  /// What `check` says to all who ask, now and at moments to come.
  private func told(_ tally: inout Tally) -> [Asking: Told] {
    var told: [Asking: Told] = [:]
    for app in Self.apps {
      for hours in [0, 4, 5, 24, 48, 72, 24 * 9] as [Int64] {
        let at = shell.clock + TimeSpan(seconds: hours * 3_600)
        let asking = Self.versions.flatMap { version in
          Self.systems.map { Asking(app: app, version: version, os: $0, at: at) }
        }
        let input = asking.map { "\($0.version.text) \($0.os?.text ?? "")\n" }.joined()
        let ran = shell.run(["check", app, "--stdin", "--at", at.text], input: Array(input.utf8))
        for (asking, answer) in zip(asking, ran.lines) {
          tally.questions += 1
          told[asking] = (
            answer["action"]?.string.flatMap(Action.init(rawValue:)) ?? .none, answer["url"]?.string
          )
        }
      }
    }
    return told
  }

  /// No document is stricter than `check`, read by a model of each format's clients.
  private func readBack(_ told: [Asking: Told], _ said: String, _ tally: inout Tally) throws {
    let files = try shell.documents(in: "own").map { ($0.key.drop { $0 == "/" }, Array($0.value.utf8)) }
    tally.documents += files.count
    let documents = Dictionary(files.map { (String($0), $1) }, uniquingKeysWith: { $1 })
    for app in Self.apps {
      let dead = Set(
        (shell.run("releases \(app) --json").json["releases"]?.array ?? []).compactMap { release in
          ["void", "rejected", "withdrawn"].contains(release["state"]?.string ?? "")
            ? release["version"]?.string.flatMap { try? Version($0) } : nil
        })
      for format in ExportFormats.all {
        let own = documents.filter { $0.key.hasPrefix("\(format.name)/\(app)") }
        for client in format.clients(of: own, app: app, at: shell.clock) {
          for version in Self.versions where !dead.contains(version) {
            let (concluded, asking) = (
              client.conclude(version)(nil)?.action ?? .none,
              Asking(app: app, version: version, os: nil, at: shell.clock)
            )
            if concluded > told[asking]?.action ?? .none {
              tally.broken.append("\(said): \(format.name) tells \(asking) \(concluded)")
            }
          }
        }
      }
    }
  }

  private mutating func line() -> String {
    let app = random.pick(["taxi", "taxi", "van"], else: "taxi")
    let version = "\(random.below(3)).\(random.below(4)).\(random.below(3))"
    let range = random.pick(["all", "below:1.1", "1.0", "from:2.0", version], else: "all")
    let other = app == "taxi" ? "van" : "taxi"
    let lines = [
      "publish \(app) \(version) --note en=\(random.below(9)) --min-os \(12 + random.below(5))",
      "mark \(app) \(version) in-review", "mark \(app) \(version) live --visible-now",
      "mark \(app) \(version) live", "mark \(app) \(version) removed",
      "unmark \(app) \(version) --reason x", "void \(app) \(version) --never-shipped --reason x",
      "amend \(app) \(version) --note de=\(random.below(9)) --mandatory",
      "app set \(app) --name Name\(random.below(9))",
      "app set \(app) --bundle-id com.example.b\(random.below(9))",
      "app set \(app) --apple-id \(100 + random.below(9))", "app set \(app) --policy remind,force",
      "app set \(app) --hold \(random.below(3))d", "app set \(app) --remind-every always",
      "app set \(app) --remind-after \(random.pick(["phase", "visible"], else: "phase"))",
      "force \(app) \(range) --reason x", "force \(app) \(range) --reason x --grace 1d",
      "remind \(app) \(range) --until 5h", "allow \(app) \(range)",
      "lift \(app) \(1 + random.below(5))", "stop \(app)", "resume \(app)",
      "redirect \(app) \(range) --to \(other)", "redirect \(app) \(range) --clear",
      "redirect \(app) \(range) --url https://dl.example.com/\(random.below(9))",
      "setting \(app) key v\(random.below(9)) --versions \(range)",
      "setting \(app) key --clear --versions \(range)",
      "trust host dl.example.com", "trust remove host dl.example.com", "undo", "redo", "sleep 7h",
    ]
    return random.oneIn(6) ? "import \(app) - --past" : random.pick(lines, else: "undo")
  }

  private mutating func past() -> String {
    "version,released_at\n0.\(random.below(9)).\(random.below(3)),2026-0\(1 + random.below(9))-01T00:00:00Z\n"
  }
}

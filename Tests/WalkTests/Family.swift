import ReleaseModel

/// A family of small ledgers: every state of an app's releases with every choice of rules and redirects.
struct Family: Sendable {
  let name: String
  /// The states, with the commands that make each.
  private let bases: [(snapshot: Snapshot, commands: [String])]
  private let rules: [[Rule]]
  private let redirects: [[Redirect]]
  /// The clients that ask: the versions, one between each two, two above and one below all.
  let clients: [Version]
  let systems: [Version?]
  /// When they ask: the moments at which something may change, and one before the first.
  let moments: [Timestamp]

  var count: Int { bases.count * rules.count * redirects.count }

  func snapshot(_ place: Int) -> Snapshot {
    var snapshot = bases[place / (rules.count * redirects.count)].snapshot
    snapshot.line.rules = rules[place / redirects.count % rules.count]
    snapshot.line.redirects = redirects[place % redirects.count]
    return snapshot
  }

  /// The commands that make a state, to be told at the moment of the walk.
  func commands(_ place: Int) -> String {
    let snapshot = snapshot(place)
    let rules = snapshot.line.rules.map { rule in
      "\(rule.action == .none ? "allow" : rule.action.rawValue) taxi \(rule.range.text)\(window(rule))"
        + (rule.action == .force ? " --reason x --when-visible" : "") + leads(rule.destination) + " --yes"
    }
    let redirects = snapshot.line.redirects.map {
      "redirect taxi \($0.range.text)\(leads($0.destination)) --yes"
    }
    return
      (["\(name) \(place):"] + bases[place / (self.rules.count * self.redirects.count)].commands + rules
      + redirects)
      .joined(separator: "; ")
  }

  private func leads(_ destination: Destination?) -> String {
    destination.map { $0.app == nil ? " --url \($0.text)" : " --to \($0.text)" } ?? ""
  }

  private func window(_ rule: Rule) -> String {
    func text(_ name: String, _ moment: Timestamp?) -> String {
      moment.map { " \(name) \(($0.seconds - now.seconds) / 3_600)h" } ?? ""
    }
    return text("--from", rule.from) + text("--until", rule.until)
  }

  // MARK: - The walks

  private static let van = Destination.app("van")
  private static let page = Destination.url("https://apps.apple.com/app/id99")

  private static func app(_ slug: String) -> App {
    var app = App(slug: slug, bundleID: "com.example.\(slug)")
    app.appleID = slug == "taxi" ? 7 : 8
    return app
  }

  private static func ranges(_ versions: [Version]) -> [VersionRange] {
    versions.flatMap { version in
      [.exactly(version)] + ["below:", "from:"].compactMap { try? VersionRange($0 + version.text) }
    } + [.all]
  }

  private static func rules(
    _ ranges: [VersionRange], _ windows: [(Timestamp?, Timestamp?)], _ destinations: [Destination?] = [nil]
  ) -> [Rule] {
    ranges.flatMap { range in
      Action.allCases.flatMap { action in
        windows.flatMap { window in
          destinations.map { destination in
            Rule(
              number: 1, range: range, action: action, from: window.0, until: window.1,
              destination: destination)
          }
        }
      }
    }
  }

  /// Each state with each of its served releases mandatory or not, where that is seen, and needing a system or none.
  private static func bases(_ states: [Lineage.State], areMandatory: Bool = false, needs: [Version?] = [nil])
    -> [(snapshot: Snapshot, commands: [String])]
  {
    var bases = states.map { (snapshot: Snapshot(line: $0.line), commands: $0.commands) }
    for place in (0..<4).reversed() {
      bases = bases.flatMap { snapshot, commands -> [(snapshot: Snapshot, commands: [String])] in
        let releases = snapshot.line.releases
        guard place < releases.count, releases[place].state.isReleased else { return [(snapshot, commands)] }
        // A newer mandatory release that is visible as early hides an older one.
        let visibleAt = releases[place].visibleAt ?? now
        let isSeen =
          areMandatory && releases[place].state != .removed
          && !releases[(place + 1)...].contains {
            $0.isMandatory && $0.visibleAt.map { $0 <= visibleAt } ?? false
          }
        let name = "amend taxi \(releases[place].version.text)"
        return (isSeen ? [false, true] : [false]).flatMap { isMandatory in
          needs.map { need in
            var snapshot = snapshot
            snapshot.line.releases[place].isMandatory = isMandatory
            snapshot.line.releases[place].minOS = need
            return (
              snapshot,
              commands + (isMandatory ? ["\(name) --mandatory --yes"] : [])
                + (need.map { ["\(name) --min-os \($0.text) --yes"] } ?? [])
            )
          }
        }
      }
    }
    return bases
  }

  private static func clients(_ versions: [Version]) -> [Version] {
    versions.flatMap { [$0, VersionKey.after($0).version ?? $0] }
      + [version("0.9"), versions.last?.successor(at: 2) ?? .zero, version("9.0")]
  }

  private static func lineage(_ versions: [Version]) -> [Lineage.State] {
    Lineage(app("taxi"), versions, takesBack: false).distinct
  }

  /// Four releases, at most one rule.
  private static let releases: Family = {
    let versions = ["1.0.0", "1.0.1", "1.1.0", "2.0.0"].map { version($0) }
    return Family(
      name: "releases", bases: bases(lineage(versions), areMandatory: true),
      rules: [[]] + rules(ranges(versions), [(nil, nil)]).map { [$0] }, redirects: [[]],
      clients: clients(versions),
      systems: [nil], moments: [0, 6, 12, 24].map(hour))
  }()

  /// Two releases, two rules with ends from two moments.
  private static let rules: Family = {
    let versions = ["1.0.0", "1.1.0"].map { version($0) }
    let (first, second) = (hour(6), hour(18))
    let windows: [(Timestamp?, Timestamp?)] = [
      (nil, nil), (first, nil), (second, nil), (nil, first), (nil, second), (first, second),
    ]
    let one = rules(ranges(versions), windows)
    let pairs = one.flatMap { older in one.map { [older, $0.numbered(2)] } }
    return Family(
      name: "rules", bases: bases(lineage(versions)), rules: pairs, redirects: [[]],
      clients: clients(versions),
      systems: [nil], moments: [0, 6, 12, 18, 24].map(hour))
  }()

  /// Two releases whose holds are over, one rule, two redirects, two systems; another app that speaks or is stopped.
  private static let redirects: Family = {
    let versions = ["1.0.0", "1.1.0"].map { version($0) }
    var other = AppState(app: app("van"))
    var release = Release(id: 9, version: version("1.0.0"), state: .live, since: hour(-48))
    (release.liveAt, release.visibleAt) = (hour(-48), hour(-48))
    other.releases = [release]
    let settled = lineage(versions).filter { state in
      state.line.releases.allSatisfy { $0.visibleAt.map { $0 <= now } ?? true }
    }
    let all = bases(settled, needs: [nil, version("17")]).flatMap { snapshot, commands in
      [false, true].map { isStopped in
        var snapshot = snapshot
        other.app.isStopped = isStopped
        snapshot.others = ["van": other]
        let served =
          ["publish van 1.0.0", "mark van 1.0.0 live --visible-now"] + (isStopped ? ["stop van"] : [])
        return (snapshot: snapshot, commands: served + commands)
      }
    }
    let one = ranges(versions).flatMap { range in
      [van, page].map { Redirect(number: 1, range: range, destination: $0) }
    }
    let pairs = one.flatMap { older in
      // A redirect for the same range replaces the older one.
      one.filter { $0.range != older.range }.map { newer in
        [older, Redirect(number: 2, range: newer.range, destination: newer.destination)]
      }
    }
    // A rule that prompts nobody sends nobody anywhere.
    let told = rules(ranges(versions), [(nil, nil)], [nil, van, page]).filter {
      $0.action != .none || $0.destination == nil
    }
    return Family(
      name: "redirects", bases: all, rules: [[]] + told.map { [$0] },
      redirects: [[]] + one.map { [$0] } + pairs,
      clients: clients(versions), systems: [nil, version("15"), version("17")], moments: [now])
  }()

  /// Three releases on two systems, forced or not: what lies below a removed one that runs is no target.
  private static let systems: Family = {
    let versions = ["1.0.0", "1.1.0", "1.2.0"].map { version($0) }
    return Family(
      name: "systems", bases: bases(lineage(versions), needs: [nil, version("17")]),
      rules: [[], [Rule(number: 1, range: .all, action: .force)]], redirects: [[]],
      clients: clients(versions),
      systems: [nil, version("15"), version("17")], moments: [0, 6, 12, 24].map(hour))
  }()

  static let all = [releases, rules, redirects, systems]
}

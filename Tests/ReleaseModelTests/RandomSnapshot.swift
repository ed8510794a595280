import TestSupport

@testable import ReleaseModel

struct RandomSnapshot {
  private var random: Seeded
  private let versions = ["0.9", "1", "1.0.1", "1.1", "1.1.5", "1.2", "2", "2.0.1", "2.1", "3", "3.4", "4"]
    .compactMap { try? Version($0) }
  private let bounds = ["0", "1", "1.0.1", "1.1", "1.1.5.1", "1.5", "2", "2.0", "2.1", "3.0.0.1", "3.4", "9"]
  private let systems = ["12", "15.4", "16"].compactMap { try? Version($0) }
  private let pages = [
    "https://apps.apple.com/one", "https://apps.apple.com/two", "https://dl.example.com/app",
    "https://nobody.example.com/",
  ]

  init(seed: UInt64) { random = Seeded(seed) }

  mutating func snapshot() -> Snapshot {
    var others: [String: AppState] = [:]
    if random.oneIn(2) { others["other"] = line("other", leadsTo: nil) }
    if random.oneIn(4) { others["third"] = line("third", leadsTo: nil) }
    return Snapshot(
      line: line("taxi", leadsTo: random.oneIn(4) ? nil : "other"), others: others,
      hosts: StoreURL.storeHosts.union(random.oneIn(2) ? ["dl.example.com"] : []))
  }

  mutating func altered(_ snapshot: Snapshot) -> Snapshot {
    var other = snapshot
    for _ in 0...random.below(3) {
      switch random.below(8) {
      case 0: other.line.app.isStopped.toggle()
      case 1: other.line.app.policy = policy()
      case 2:
        if let index = other.line.rules.indices.randomElement(using: &random) {
          other.line.rules.remove(at: index)
        }
      case 3: other.line.rules.append(rule((other.line.rules.map(\.number).max() ?? 0) + 1, leadsTo: "other"))
      case 4: if !other.line.releases.isEmpty { other.line.releases.removeLast() }
      case 5:
        if let index = other.line.releases.indices.randomElement(using: &random) {
          other.line.releases[index].isMandatory.toggle()
        }
      case 6: other.line.app.asksSince = random.pick(versions)
      default: other.others["other"] = line("other", leadsTo: nil)
      }
    }
    return other
  }

  private mutating func line(_ slug: String, leadsTo other: String?) -> AppState {
    var app = App(slug: slug, bundleID: "com.example.\(slug)", channel: .enterprise)
    app.appleID = random.oneIn(5) ? nil : 7
    app.isStopped = random.oneIn(12)
    app.policy = policy()
    if random.oneIn(3) { app.asksSince = random.pick(versions) }
    if random.oneIn(2) { app.remindAfter = .phase }
    var line = AppState(app: app)
    var id: Int64 = 0
    for version in versions where !random.oneIn(3) {
      // A number may be struck out and used again, once or twice.
      while random.oneIn(8) {
        id += 1
        line.put(release(id, version, .void))
      }
      id += 1
      let state = random.pick(ReleaseState.allCases, else: .superseded)
      line.put(release(id, version, random.oneIn(2) ? .superseded : state))
    }
    for number in 0..<random.below(9) { line.rules.append(rule(Int64(number + 1), leadsTo: other)) }
    for number in 0..<random.below(4) {
      line.redirects.append(
        Redirect(
          number: Int64(number + 1), range: range(), destination: destination(other) ?? .url(pages[0]),
          from: random.oneIn(3) ? moment() : nil, until: random.oneIn(3) ? moment() : nil))
    }
    for number in 0..<random.below(5) {
      line.settings.append(
        Setting(
          number: Int64(number + 1), key: random.oneIn(2) ? "map" : "chat", range: range(),
          phase: random.oneIn(2) ? nil : random.pick(Setting.Phase.allCases), value: "\(random.below(3))",
          from: random.oneIn(3) ? moment() : nil, until: random.oneIn(3) ? moment() : nil))
    }
    return line
  }

  private mutating func policy() -> SegmentPolicy {
    SegmentPolicy(random.pick(["force,remind,none", "remind", "force", "none", "none,force"], else: ""))
      ?? .standard
  }

  private mutating func release(_ id: Int64, _ version: Version, _ state: ReleaseState) -> Release {
    var release = Release(id: id, version: version, state: state, since: hour(-200))
    release.isMandatory = random.oneIn(5)
    release.url = random.oneIn(4) ? random.pick(pages) : nil
    release.minOS = random.oneIn(3) ? random.pick(systems) : nil
    release.isPast = state == .superseded && random.oneIn(9)
    if release.isPast { return release }
    if state.isReleased {
      release.liveAt = hour(-100 + id)
      release.visibleAt = random.oneIn(3) ? moment() : hour(-90)
    }
    if random.oneIn(5) { release.expires = moment() }
    if random.oneIn(4) {
      release.phase = random.pick(ReleasePhase.allCases)
      if release.phase != .inactive { release.remindAt = moment() }
    }
    if state == .live, random.oneIn(4) {
      release.former = Release.Former(
        state: .removed, since: hour(-95), liveAt: hour(-99), visibleAt: hour(-98), removedAt: hour(-95),
        superseded: nil)
    }
    return release
  }

  private mutating func rule(_ number: Int64, leadsTo other: String?) -> Rule {
    let from = random.oneIn(3) ? nil : moment()
    return Rule(
      number: number, range: range(), action: random.pick(Action.allCases, else: .none), from: from,
      until: random.oneIn(3) ? nil : moment(), destination: random.oneIn(3) ? destination(other) : nil)
  }

  private mutating func destination(_ other: String?) -> Destination? {
    guard let other, random.oneIn(2) else { return random.pick(pages).map { .url($0) } }
    return .app(random.oneIn(5) ? "third" : other)
  }

  private mutating func moment() -> Timestamp { hour(Int64(random.below(16)) - 4) }

  private mutating func range() -> VersionRange {
    let one = random.pick(bounds, else: "1")
    let other = random.pick(bounds, else: "1")
    let text =
      switch random.below(8) {
      case 0: "all"
      case 1: one
      case 2: "below:\(one)"
      case 3: "upto:\(one)"
      case 4: "above:\(one)"
      case 5: "from:\(one)"
      case 6: "above:\(one) below:\(other)"
      default: "\(one)..\(other)"
      }
    return (try? VersionRange(text)) ?? .all
  }
}

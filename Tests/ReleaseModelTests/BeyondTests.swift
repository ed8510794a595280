import JSON
import TestSupport
import Testing

@testable import ReleaseModel

/// Whether an effect goes beyond what a plan says, held against every client, system, moment and case by itself.
@Suite struct BeyondTests {
  private struct Point {
    let client: Version
    let os: Version
    let at: Timestamp
  }

  private static let clients = [
    "0", "1.0", "1.0.1", "1.1", "1.1.1", "2.0", "2.0.1", "2.1", "2.2", "3.0", "3.1", "4.0",
  ].compactMap { try? Version($0) }
  private static let systems = ["all", "below:15", "from:15", "from:15 below:17"].compactMap {
    try? VersionRange($0)
  }

  private static func line(_ random: inout Seeded) -> ImpactLine {
    let keys = clients.map { VersionKey($0) }
    let (lo, hi) = (random.below(keys.count), 1 + random.below(keys.count))
    func prompt() -> Prompt {
      let action = random.pick(Action.allCases, else: .none)
      guard action != .none else { return Prompt(.none) }
      return Prompt(
        action, url: random.oneIn(4) ? "b" : "a",
        target: random.oneIn(3) ? nil : random.pick(["2.0", "3.0"]))
    }
    let start = Int64(random.below(4))
    var visible: VisibleCase?
    if random.oneIn(2) {
      var versions: [String: Version] = [:]
      if !random.oneIn(4) { versions["taxi"] = random.pick(Array(clients.suffix(6))) }
      if random.oneIn(4) { versions["van"] = random.pick(clients) }
      visible = VisibleCase(versions, isPhased: random.oneIn(5))
    }
    return ImpactLine(
      app: random.oneIn(9) ? "bus" : "taxi", lo: lo < hi ? keys[lo] : .least,
      hi: hi < keys.count ? keys[max(hi, 1)] : .end, count: 0, was: prompt(), willBe: prompt(),
      at: hour(start),
      until: random.oneIn(2) ? nil : hour(start + 1 + Int64(random.below(3))),
      systems: random.pick(systems, else: .all), visible: visible)
  }

  private static func holds(_ line: ImpactLine, at point: Point, since made: Timestamp? = nil) -> Bool {
    let begins = line.at <= point.at || made.map { line.at <= $0 } ?? false
    return begins && line.until.map { point.at < $0 } ?? true && line.range.contains(point.client)
      && line.systems.contains(point.os)
  }

  /// The first component in which a case's release is newer than a client; nil where it is not.
  private static func newer(_ visible: VisibleCase, than client: Version) -> Int? {
    guard let version = visible.versions["taxi"] else { return -1 }
    return client < version ? (0..<4).first { client.component($0) != version.component($0) } : nil
  }

  private static func looksAlike(_ one: VisibleCase, _ other: VisibleCase, to client: Version) -> Bool {
    one.isPhased == other.isPhased && newer(one, than: client) == newer(other, than: client)
      && one.versions.keys.contains("van") == other.versions.keys.contains("van")
  }

  private static func isCovered(_ line: ImpactLine, _ plan: [ImpactLine], at point: Point, _ made: Timestamp)
    -> Bool
  {
    plan.contains { said in
      guard said.app == line.app, holds(said, at: point, since: made), said.willBe?.url == line.willBe?.url,
        line.willBe?.target == nil || said.willBe?.target == line.willBe?.target
      else { return false }
      if let visible = said.visible {
        guard let other = line.visible, looksAlike(visible, other, to: point.client) else { return false }
      }
      // Who is prompted as much as the plan says, or more leniently; else who is sent to the same place as it says.
      if said.after > said.before { return line.after <= said.after }
      return line.after <= line.before && said.before != .none && said.after != .none
        && (said.was?.url, said.was?.target) != (said.willBe?.url, said.willBe?.target)
    }
  }

  private static func harms(_ line: ImpactLine) -> Bool {
    line.after > line.before
      || line.before != .none && line.after != .none
        && (line.was?.url, line.was?.target) != (line.willBe?.url, line.willBe?.target)
  }

  @Test func `an effect goes beyond a plan exactly if it harms a client in another way`() throws {
    let count = environmentNumber("PAWL_SEQUENCES", else: 3_000)
    var found = 0
    for seed in 0..<count {
      var random = Seeded(UInt64(seed))
      let plan = (0..<random.below(12)).map { _ in Self.line(&random) }
      // Mostly parts of the plan, or nothing would ever hold.
      let effect = (0...random.below(2)).map { _ in
        var line = random.pick(random.oneIn(4) ? [] : plan) ?? Self.line(&random)
        if random.oneIn(2) {
          line.hi = max(line.lo.version.map(VersionKey.after) ?? .end, VersionKey(Self.clients[8]))
        }
        return line
      }
      let made = hour(Int64(random.below(3)) - 1)
      let points = Self.clients.flatMap { client in
        ["1", "15", "17"].compactMap { try? Version($0) }.flatMap { os in
          (-1..<8).map { Point(client: client, os: os, at: hour($0)) }
        }
      }
      let isBeyond = effect.contains { line in
        Self.harms(line)
          && points.contains { Self.holds(line, at: $0) && !Self.isCovered(line, plan, at: $0, made) }
      }
      let beyond = effect.beyond(plan, made: made, now: made)
      #expect((beyond != nil) == isBeyond, "seed \(seed): \(String(describing: beyond))")
      if let beyond { #expect(Self.harms(beyond)) } else { found += 1 }
      for line in plan { #expect(ImpactLine(json: line.json) == line, "seed \(seed)") }
    }
    #expect(count / 20 < found && found < count)
  }

  /// What a change does to clients as things are.
  private static func lines(_ before: Snapshot, _ after: Snapshot) -> [ImpactLine] {
    let compared = ComparedCase(before, after, from: hour(0), visible: nil)
    return Impact(compared, namesTargets: true) { _, _ in 0 }.lines
  }

  /// What a change does to a client, by the decision function.
  private static func harm(_ before: Snapshot, _ after: Snapshot, _ point: Point) -> (
    was: Decision, willBe: Decision
  )? {
    let client = Client(version: point.client, os: point.os)
    let (was, willBe) = (
      Decider(before, at: point.at).decide(client), Decider(after, at: point.at).decide(client)
    )
    let isElsewhere =
      was.action != .none && willBe.action != .none && (was.url != willBe.url || !isSame(was, willBe))
    return was.action < willBe.action || isElsewhere ? (was, willBe) : nil
  }

  private static func isSame(_ one: Decision, _ other: Decision) -> Bool {
    one.targetApp == other.targetApp && one.target?.version == other.target?.version
  }

  private static func goesBeyond(
    _ now: (was: Decision, willBe: Decision)?, _ then: (was: Decision, willBe: Decision)?
  ) -> Bool {
    guard let now else { return false }
    guard let then, then.willBe.url == now.willBe.url, isSame(then.willBe, now.willBe) else { return true }
    if then.was.action < then.willBe.action { return then.willBe.action < now.willBe.action }
    return now.was.action < now.willBe.action
  }

  @Test func `a plan holds exactly if no client is affected more than it says`() throws {
    let count = environmentNumber("PAWL_SEQUENCES", else: 600)
    var (held, stale) = (0, 0)
    for seed in 0..<count {
      var random = RandomSnapshot(seed: UInt64(seed))
      let before = random.snapshot()
      let after = random.altered(before)
      var (later, laterAfter) = (before, after)
      // Something else is recorded meanwhile, in both.
      var other = Seeded(UInt64(seed))
      let policy = other.pick(
        ["none", "remind", "force,force,none"].compactMap { SegmentPolicy($0) }, else: .standard)
      let version = other.pick(Self.clients, else: .zero)
      let rule = Rule(
        number: 90, range: .exactly(version), action: other.pick(Action.allCases, else: .none),
        from: other.oneIn(3) ? hour(2) : nil)
      let meanwhile = other.below(5)
      let page = Redirect(number: 90, range: .all, destination: .url("https://apps.apple.com/three"))
      func record(_ line: inout AppState) {
        if meanwhile == 1 { line.app.policy = policy }
        if meanwhile == 2 { line.rules.append(rule) }
        if meanwhile == 3 { line.redirects.append(page) }
      }
      record(&later.line)
      record(&laterAfter.line)
      let beyond = Self.lines(later, laterAfter).beyond(
        Self.lines(before, after), made: hour(0), now: hour(0))
      func isWrong(_ point: Point) -> Bool {
        Self.goesBeyond(Self.harm(later, laterAfter, point), Self.harm(before, after, point))
      }
      guard let beyond else {
        held += 1
        for client in Self.clients {
          for os in ["1", "15.4", "17"].compactMap({ try? Version($0) }) {
            for at in [0, 2, 5] as [Int64] {
              #expect(!isWrong(Point(client: client, os: os, at: hour(at))), "seed \(seed): \(client.text)")
            }
          }
        }
        continue
      }
      stale += 1
      let os = beyond.systems.upper == nil ? try Version("99") : beyond.systems.lower?.version ?? .zero
      #expect(
        isWrong(Point(client: beyond.first, os: os, at: beyond.at)), "seed \(seed): \(beyond.json.text())")
    }
    #expect(held > count / 4 && stale > count / 50, "\(held) held, \(stale) stale")
  }
}

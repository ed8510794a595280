import ReleaseModel
import TestSupport

/// One random life of an app under approvals: whatever needs agreement is refused, as nobody signs, and whatever does not
/// is recorded. Then no client, now or after what Apple may prove next, is told anything harsher than before.
///
/// What may come is not imagined here but done: releases are published and marked by the functions that commands use, as
/// a proved mail marks them, to the app as it was and as it is; then `Decider` is asked.
struct RandomApprovals {
  private var random: Seeded
  private var line: ReleaseLine
  private var now = Timestamp(seconds: 1_800_000_000)
  private var nextID: Int64 = 10
  private var event: Int64 = 10
  private var nextNumber: Int64 = 1
  private(set) var log: [String] = []
  private(set) var recorded = 0
  private(set) var refused = 0

  private static let clients: [Version] = [
    "0.9", "1.0", "1.0.0.4", "1.1", "1.1.1", "1.2", "1.5", "2.0", "2.0.1", "2.1", "2.5", "3.0", "3.0.1",
    "3.1", "4.0",
  ].compactMap { try? Version($0) }
  private static let systems: [Version?] = [nil] + ["12", "15", "17"].map { try? Version($0) }
  private static let ranges: [VersionRange] = [
    "all", "below:2.0", "upto:1.2", "1.0", "1.1.1", "2.0", "1.0..2.0", "from:2.0", "above:1.0 below:3.0",
    "from:3.0",
    "2.5",
  ].compactMap { try? VersionRange($0) }
  private static let policies = [
    "force,remind,none", "none", "remind", "force", "force,force,none", "remind,remind,remind",
    "none,none,force",
  ].compactMap { SegmentPolicy($0) }
  private static let pages = ["https://apps.apple.com/app/id1", "https://apps.apple.com/app/id2"]
  private static let versions: [Version] = ["2.0.1", "2.1", "2.5", "3.0", "3.0.1", "3.1", "4.0"].compactMap {
    try? Version($0)
  }

  init(seed: UInt64) throws {
    random = Seeded(seed)
    var app = App(slug: "taxi", bundleID: "com.example.taxi")
    app.storeURL = RandomApprovals.pages[0]
    if random.oneIn(3) { app.policy = random.pick(RandomApprovals.policies, else: .standard) }
    line = ReleaseLine(app: app)
    for (index, text) in ["1.0", "1.1", "2.0"].enumerated() {
      let version = try Version(text)
      if let change = try line.publish(version, ReleaseDetails(), id: Int64(index) + 1, now: now) {
        line.apply(change, event: 1)
      }
      if let change = try line.mark(version, .live, at: nil, isVisibleNow: true, now: now) {
        line.apply(change, event: 2)
      }
    }
  }

  /// Takes a step, and says in words what it made harsher although nobody agreed.
  mutating func step() -> String? {
    now = now + TimeSpan(seconds: Int64([0, 1, 3_600, 86_400, 5 * 86_400][random.below(5)]))
    let before = line
    guard let change = (try? command()) ?? nil else { return nil }
    var after = before
    after.apply(change, event: event)
    let needs = change.needs.union(
      Foresight(before: Snapshot(line: before), after: Snapshot(line: after), now: now)
        .needs(remindersCount: [change].needForReminders))
    let isProved = random.oneIn(4) && change.kind == .releaseMark
    guard needs.isEmpty || isProved else {
      refused += 1
      return nil
    }
    recorded += 1
    event += 1
    log.append("\(now.text) \(change)")
    line = after
    if isProved { return nil }
    let isGoingLive = change.kind == .releaseMark
    return harsher(before, after, isGoingLive: isGoingLive, [], "now")
      ?? futures(before, after).compactMap { future in
        harsher(before, after, isGoingLive: isGoingLive, future, "after \(future.map(\.text))")
      }.first
  }

  /// What Apple may prove next: a release under way, or one that is not recorded yet.
  private func futures(_ before: ReleaseLine, _ after: ReleaseLine) -> [[Version]] {
    let underWay = after.releases.filter { $0.isOnLine && $0.state.mayBecome(.live) }.map(\.version)
    let newest = [before, after].compactMap { $0.newest?.version }.max()
    let newer = RandomApprovals.versions.filter { version in newest.map { $0 < version } ?? true }
    return underWay.map { [$0] } + newer.map { [$0] }
      + newer.flatMap { one in newer.filter { one < $0 }.map { [one, $0] } }
  }

  /// The app after some versions went live, published before where they were not, and visible at once; nil where a law
  /// refuses it.
  private func later(_ line: ReleaseLine, _ versions: [Version], like other: ReleaseLine) -> ReleaseLine? {
    var line = line
    if line.app.isStopped {
      guard let change = line.stop(false) else { return nil }
      line.apply(change, event: event)
    }
    for (index, version) in versions.enumerated() {
      var line2 = line
      if line2.release(version).map({ $0.state == .void }) ?? true {
        var details = ReleaseDetails()
        details.minOS = other.release(version)?.minOS
        guard let change = (try? line2.publish(version, details, id: 900 + Int64(index), now: now)) ?? nil
        else {
          return nil
        }
        line2.apply(change, event: event)
      }
      if line2.release(version)?.state != .live {
        guard let change = (try? line2.mark(version, .live, at: nil, isVisibleNow: true, now: now)) ?? nil
        else {
          return nil
        }
        line2.apply(change, event: event)
      }
      line = line2
    }
    return line
  }

  private func harsher(
    _ before: ReleaseLine, _ after: ReleaseLine, isGoingLive: Bool, _ future: [Version], _ words: String
  ) -> String? {
    let (earlier, later): (ReleaseLine, ReleaseLine)
    if future.isEmpty {
      (earlier, later) = (before, after)
    } else {
      guard let one = self.later(before, future, like: after),
        let other = self.later(after, future, like: before)
      else { return nil }
      // What the step itself let go live is out in both.
      if isGoingLive { return nil }
      (earlier, later) = (one, other)
    }
    let (past, next) = (Snapshot(line: earlier), Snapshot(line: later))
    for moment in past.momentsOfChange(after: now).union(next.momentsOfChange(after: now)).union([now])
      .sorted()
    {
      let (past, next) = (Decider(past, at: moment), Decider(next, at: moment))
      for version in RandomApprovals.clients {
        for system in RandomApprovals.systems {
          let client = Client(version: version, os: system)
          let (was, isNow) = (past.decide(client), next.decide(client))
          let isWorse =
            isGoingLive ? isNow.action == .force && was.action != .force : was.action < isNow.action
          let isElsewhere =
            !isGoingLive && was.action != .none && isNow.action != .none && was.url != isNow.url
          if isWorse || isElsewhere {
            return
              "\(words), at \(moment.text): \(version.text) was told \(was.action) \(was.url ?? "") and is told "
              + "\(isNow.action) \(isNow.url ?? "")"
          }
        }
      }
    }
    return nil
  }

  private mutating func command() throws -> Change? {
    let released = line.releases.map(\.version)
    switch random.below(16) {
    case 0, 1:
      var details = ReleaseDetails()
      if random.oneIn(4) { details.isMandatory = true }
      if random.oneIn(4) { details.minOS = random.pick(RandomApprovals.systems) ?? nil }
      if random.oneIn(6) { details.url = random.pick(RandomApprovals.pages) }
      nextID += 1
      return try line.publish(
        random.pick(RandomApprovals.versions, else: .zero), details, id: nextID, now: now)
    case 2, 3, 4:
      guard let version = random.pick(released) else { return nil }
      let state = random.pick(ReleaseState.allCases, else: .waiting)
      return try line.mark(version, state, at: nil, isVisibleNow: random.oneIn(2), now: now)
    case 5:
      var details = ReleaseDetails()
      if random.oneIn(2) { details.isMandatory = random.oneIn(2) }
      if random.oneIn(2) { details.minOS = random.pick(RandomApprovals.systems) ?? nil }
      if random.oneIn(2) { details.url = random.pick(RandomApprovals.pages) }
      return try random.pick(released).flatMap { try line.amend($0, details) }
    case 6: return try random.pick(released).flatMap { try line.unmark($0, now: now) }
    case 7: return try random.pick(released).flatMap { try line.void($0, now: now) }
    case 8, 9, 10:
      nextNumber += 1
      let from = random.oneIn(3) ? now + TimeSpan(seconds: Int64(random.below(9)) * 3_600) : nil
      let until = random.oneIn(3) ? now + TimeSpan(seconds: Int64(random.below(99) + 10) * 3_600) : nil
      let action = random.pick(Action.allCases, else: .none)
      return line.make(
        Rule(
          number: nextNumber, range: random.pick(RandomApprovals.ranges, else: .all), action: action,
          from: from,
          until: until,
          destination: random.oneIn(4) ? random.pick(RandomApprovals.pages).map(Destination.url) : nil,
          reason: "x"), now: now)
    case 11: return random.pick(line.rules).map(Change.ruleLifted)
    case 12:
      nextNumber += 1
      let range = random.pick(RandomApprovals.ranges, else: .all)
      guard random.oneIn(2) else { return line.clearRedirect(range) }
      return line.redirect(
        Redirect(
          number: nextNumber, range: range, destination: .url(random.pick(RandomApprovals.pages, else: ""))))
    case 13: return line.stop(random.oneIn(2))
    default:
      var app = line.app
      switch random.below(4) {
      case 0, 1: app.policy = random.pick(RandomApprovals.policies, else: .standard)
      case 2: app.storeURL = random.pick(RandomApprovals.pages)
      default: app.hold = TimeSpan(seconds: Int64(random.below(4)) * 43_200)
      }
      return app == line.app ? nil : .appSet(before: line.app, after: app)
    }
  }
}

import JSON
import ReleaseModel
import TestSupport

/// One random life of three apps under approvals: whatever needs agreement is refused, as nobody signs, and whatever does
/// not is recorded. Then no client, now or after what Apple may prove next, is told anything harsher than before.
///
/// What may come is not imagined here but done: releases are published and marked by the functions that commands use, as
/// proved evidence marks them, to the apps as they were and as they are; then `Decider` is asked. What a ledger holds
/// beside releases, rules, redirects, settings and switches, such as usage, reaches no decision. Apple's evidence is genuine,
/// and about Apple's own apps and versions: what it moves instead, by an Apple ID or an id of App Store Connect that
/// somebody gave to another, counts as nothing that is proved.
struct RandomApprovals {
  private typealias World = [String: AppState]

  private struct Future: CustomStringConvertible {
    var versions: [String: [Version]] = [:]
    var isPhased = false

    var isNow: Bool { versions.allSatisfy(\.value.isEmpty) }
    var description: String {
      let words = versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.map(\.text))" }
      return isNow ? "now" : "after \(words.joined(separator: ", "))\(isPhased ? ", phased" : "")"
    }
  }

  private static let slugs = ["bus", "taxi", "tram"]

  private static func snapshot(_ slug: String, in world: World) -> Snapshot {
    var others = world
    let line = others.removeValue(forKey: slug) ?? AppState(app: App(slug: slug, bundleID: slug))
    return Snapshot(line: line, others: others)
  }

  private static func appleID(of slug: String) -> Int64 {
    slugs.firstIndex(of: slug).map { Int64($0) + 1 } ?? 0
  }

  private static func connectID(of version: Version, _ slug: String) -> String {
    "\(slug)-\(version.spelled(components: 3).text.map { $0 == "." ? "-" : $0 }.map { String($0) }.joined())"
  }

  private var random: Seeded
  private var world: World
  private var now = Timestamp(seconds: 1_800_000_000)
  private var nextID: Int64 = 10
  private var event: Int64 = 10
  private var nextNumber: Int64 = 1
  private(set) var log: [String] = []
  private(set) var recorded: Set<String> = []
  private(set) var refused: Set<String> = []

  private static func versions(_ texts: String...) -> [Version] { texts.compactMap { try? Version($0) } }
  private static let clients = versions(
    "0.9", "1.0", "1.0.0.4", "1.1", "1.1.1", "1.2", "1.5", "2.0", "2.0.0.1", "2.0.1", "2.1", "2.5", "3.0",
    "3.0.1", "3.1", "4.0")
  private static let systems: [Version?] = [nil] + versions("12", "15", "17")
  private static let ranges: [VersionRange] = [
    "all", "below:2.0", "upto:1.2", "1.0", "1.1.1", "2.0", "1.0..2.0", "from:2.0", "above:1.0 below:3.0",
    "from:3.0", "2.5",
  ].compactMap { try? VersionRange($0) }
  private static let policies = [
    "force,remind,none", "none", "remind", "force", "force,force,none", "remind,remind,remind",
    "none,none,force",
  ].compactMap { SegmentPolicy($0) }
  private static let pages = ["https://apps.apple.com/app/id1", "https://apps.apple.com/app/id2"]
  private static let newer = versions("2.0.1", "2.1", "2.5", "3.0", "3.0.1", "3.1", "4.0")
  private static let futures = 4

  init(seed: UInt64) throws {
    random = Seeded(seed)
    world = [:]
    for slug in RandomApprovals.slugs {
      var line = AppState(app: App(slug: slug, bundleID: "com.example.\(slug)"))
      line.app.appleID = RandomApprovals.appleID(of: slug)
      line.app.storeURL = "https://apps.apple.com/app/id\(RandomApprovals.appleID(of: slug))"
      if random.oneIn(3) { line.app.policy = random.pick(RandomApprovals.policies, else: .standard) }
      if random.oneIn(2) { line.app.remindAfter = .phase }
      for (index, text) in ["1.0", "1.1", "2.0"].enumerated() {
        let version = try Version(text)
        var details = ReleaseDetails()
        if random.oneIn(2) { details.minOS = random.pick(RandomApprovals.systems) ?? nil }
        if let change = try line.publish(version, details, id: Int64(index) + 1, now: now) {
          line.apply(change, event: 1)
        }
        if let change = try line.mark(version, .live, at: nil, isVisibleNow: true, now: now) {
          line.apply(change, event: 2)
        }
      }
      if random.oneIn(2),
        let change = try line.publish(try Version("3.0"), ReleaseDetails(), id: 4, now: now)
      {
        line.apply(change, event: 3)
      }
      world[slug] = line
    }
  }

  mutating func step() -> String? {
    now = now + TimeSpan(seconds: Int64([0, 1, 3_600, 86_400, 5 * 86_400][random.below(5)]))
    let before = world
    let slug = random.pick(RandomApprovals.slugs, else: "taxi")
    guard let line = before[slug], let change = (try? command(slug, line)) ?? nil else { return nil }
    let other = change.destination?.app.flatMap { before[$0]?.app }
    guard (try? line.admit(change, leadingTo: other, at: now)) != nil else { return nil }
    var after = before
    after[slug]?.apply(change, event: event)
    var needs = change.needs
    for side in RandomApprovals.slugs {
      needs.formUnion(
        AgreementLaw(
          before: RandomApprovals.snapshot(side, in: before),
          after: RandomApprovals.snapshot(side, in: after),
          now: now
        ).needs(remindersCount: change.asksWhenStricter))
    }
    let kind = kind(of: change)
    let evidence = random.oneIn(2) ? evidence(for: change, slug, line) : nil
    guard needs.isEmpty || evidence != nil else {
      refused.insert(kind)
      return nil
    }
    recorded.insert(kind)
    event += 1
    log.append("\(now.text) \(evidence == nil ? "" : "proved ")\(slug) \(change.words)")
    world = after
    // Where there is no other number or id, proof is about what it moves.
    if evidence == true { return nil }
    var futures = [Future()]
    // What the step itself let go live is out in both.
    if !change.isGoingLive { futures += (0..<RandomApprovals.futures).map { _ in future(before, after) } }
    return futures.compactMap { harsher(before, after, change, $0) }.first
  }

  /// Whether evidence that makes a change is about the app and version that it changes; nil if none makes it.
  ///
  /// A mail and an answer are bound by Apple ID and version, a webhook by the id of a version alone.
  private func evidence(for change: Change, _ slug: String, _ line: AppState) -> Bool? {
    guard ["release.mark", "phase"].contains(kind(of: change)), let version = change.version else {
      return nil
    }
    let id = line.release(version)?.ascID
    return line.app.appleID == RandomApprovals.appleID(of: slug)
      && (id == nil || id == RandomApprovals.connectID(of: version, slug))
  }

  private func kind(of change: Change) -> String {
    if case .amended(let before, let after) = change {
      if before.phase != after.phase || before.remindAt != after.remindAt { return "phase" }
      if before.expires != after.expires { return "expires" }
    }
    return change.kind.rawValue
  }

  private mutating func future(_ before: World, _ after: World) -> Future {
    func versions(_ slug: String) -> [Version] {
      let underWay = (after[slug]?.releases ?? []).filter { $0.isOnLine && $0.state.mayBecome(.live) }.map(
        \.version)
      let newest = [before[slug], after[slug]].compactMap { $0?.newest?.version }.max()
      let newer = RandomApprovals.newer.filter { version in newest.map { $0 < version } ?? true }
      switch random.below(4) {
      case 0: return []
      case 1: return random.pick(newer).map { [$0] } ?? []
      case 2: return random.pick(underWay).map { [$0] } ?? []
      default:
        return Set([random.pick(underWay), random.pick(newer), random.pick(newer)].compactMap(\.self))
          .sorted()
      }
    }
    var future = Future()
    for slug in RandomApprovals.slugs { future.versions[slug] = versions(slug) }
    future.isPhased = random.oneIn(3)
    return future
  }

  private func later(_ world: World, _ future: Future, like other: World) -> World? {
    var later: World = [:]
    for (slug, line) in world {
      guard let other = other[slug],
        let line = self.later(line, future.versions[slug] ?? [], future.isPhased, like: other)
      else { return nil }
      later[slug] = line
    }
    return later
  }

  /// The app after some versions went live, published before where they were not, and visible at once; nil where a law
  /// refuses it.
  private func later(_ line: AppState, _ versions: [Version], _ isPhased: Bool, like other: AppState)
    -> AppState?
  {
    // What is retired takes nothing.
    guard !line.app.isRetired else { return line }
    var line = line
    if line.app.isStopped, !versions.isEmpty {
      guard let change = line.stop(false) else { return nil }
      line.apply(change, event: event)
    }
    for (index, version) in versions.enumerated() {
      var line2 = line
      if line2.release(version).map({ $0.state == .void }) ?? true {
        var details = ReleaseDetails()
        details.minOS = other.release(version)?.minOS
        details.expires = other.release(version)?.expires
        guard let change = (try? line2.publish(version, details, id: 900 + Int64(index), now: now)) ?? nil
        else {
          return nil
        }
        line2.apply(change, event: event)
      }
      let known = line2.release(version)
      if known?.state != .live || known?.isHeld(at: now) == true {
        guard let change = (try? line2.mark(version, .live, at: nil, isVisibleNow: true, now: now)) ?? nil
        else {
          return nil
        }
        line2.apply(change, event: event)
        if isPhased, let change = (try? line2.amend(version, phased(line2.release(version), .active))) ?? nil
        {
          line2.apply(change, event: event)
        }
      }
      line = line2
    }
    return line
  }

  private func phased(
    _ release: Release?, _ phase: ReleasePhase, start: Timestamp? = nil, pausedDays: Int64 = 0
  )
    -> ReleaseDetails
  {
    var details = ReleaseDetails()
    details.phase = phase
    details.remindAt = release.flatMap {
      phase.end(of: $0, start: start, pausedDays: pausedDays, heardAt: now)
    }
    return details
  }

  private func harsher(_ before: World, _ after: World, _ change: Change, _ future: Future) -> String? {
    // What a stopped app would say as it is is agreed to when it speaks again; after what comes it is taken to speak.
    guard let earlier = future.isNow ? before : later(before, future, like: after),
      let later = future.isNow ? after : later(after, future, like: before)
    else { return nil }
    for slug in RandomApprovals.slugs {
      // Of what marks an app's releases only becoming forced counts as it is: the hold is the time to object.
      let onlyForces =
        [.releaseMark, .releaseUnmark].contains(change.kind) && (future.versions[slug] ?? []).isEmpty
      let (past, next) = (
        RandomApprovals.snapshot(slug, in: earlier), RandomApprovals.snapshot(slug, in: later)
      )
      guard past != next else { continue }
      // Nothing but publishing may name a page unasked, and that one only.
      let isNaming = !future.isNow && change.kind == .releasePublish
      let page = isNaming ? onlyPage(RandomApprovals.snapshot(slug, in: before)) : nil
      for moment in past.momentsOfChange(after: now).union(next.momentsOfChange(after: now)).union([now])
        .sorted()
      {
        let (past, next) = (Decider(past, at: moment), Decider(next, at: moment))
        for version in RandomApprovals.clients {
          for system in RandomApprovals.systems {
            let client = Client(version: version, os: system)
            let (was, isNow) = (past.decide(client), next.decide(client))
            let isWorse =
              onlyForces ? isNow.action == .force && was.action != .force : was.action < isNow.action
            let isElsewhere =
              !onlyForces && was.action != .none && isNow.action != .none && was.url != isNow.url
              && isNow.url != page
            if isWorse || isElsewhere {
              return
                "\(future), at \(moment.text): \(slug) \(version.text) on "
                + "\(system?.text ?? "any") was told \(was.action) \(was.url ?? "") and is told "
                + "\(isNow.action) \(isNow.url ?? "")"
            }
          }
          guard future.isNow, change.kind != .releaseMark, !past.decide(Client(version: version)).review
          else { continue }
          let values = next.settings(of: version, inReview: false)
          let had = past.settings(of: version, inReview: false)
          if had.contains(where: { values[$0.key] != $0.value }) {
            return "at \(moment.text): \(version.text) had \(had) and gets \(values)"
          }
        }
      }
    }
    return nil
  }

  /// The page that a release to come may name without anybody asking: every client that is told anything is sent to it.
  private func onlyPage(_ snapshot: Snapshot) -> String? {
    let decider = Decider(snapshot, at: now)
    let pages = Set(
      RandomApprovals.clients.flatMap { version in
        RandomApprovals.systems.compactMap { decider.decide(Client(version: version, os: $0)).url }
      })
    return pages.count == 1 ? pages.first : nil
  }

  private mutating func moment(in hours: Int) -> Timestamp {
    now + TimeSpan(seconds: Int64(random.below(hours) + 1) * 3_600)
  }

  private mutating func command(_ slug: String, _ line: AppState) throws -> Change? {
    let released = line.releases.map(\.version)
    switch random.below(23) {
    case 0, 1:
      var details = ReleaseDetails()
      if random.oneIn(4) { details.isMandatory = true }
      if random.oneIn(4) { details.minOS = random.pick(RandomApprovals.systems) ?? nil }
      if random.oneIn(6) { details.url = random.pick(RandomApprovals.pages) }
      if random.oneIn(4) { details.expires = moment(in: 300) }
      nextID += 1
      return try line.publish(random.pick(RandomApprovals.newer, else: .zero), details, id: nextID, now: now)
    case 2, 3, 4:
      guard let version = random.pick(random.oneIn(2) ? released : released.suffix(1)) else { return nil }
      let state = random.oneIn(2) ? .live : random.pick(ReleaseState.allCases, else: .waiting)
      return try line.mark(version, state, at: nil, isVisibleNow: random.oneIn(2), now: now)
    case 5:
      var details = ReleaseDetails()
      if random.oneIn(2) { details.isMandatory = random.oneIn(2) }
      if random.oneIn(2) { details.minOS = random.pick(RandomApprovals.systems) ?? nil }
      if random.oneIn(2) { details.url = random.pick(RandomApprovals.pages) }
      return try random.pick(released).flatMap { try line.amend($0, details) }
    case 6: return try released.last.flatMap { try line.unmark($0, now: now) }
    case 7: return try random.pick(released).flatMap { try line.void($0, now: now) }
    case 8, 9, 10:
      nextNumber += 1
      let from = random.oneIn(3) ? moment(in: 9) : nil
      let until = random.oneIn(3) ? moment(in: 99) + TimeSpan(seconds: 36_000) : nil
      let action = random.pick(Action.allCases, else: .none)
      return line.make(
        Rule(
          number: nextNumber, range: random.pick(RandomApprovals.ranges, else: .all), action: action,
          from: from, until: until, destination: random.oneIn(4) ? destination(slug) : nil, reason: "x"),
        now: now)
    case 11: return random.pick(line.rules).map(Change.ruleLifted)
    case 12, 13:
      nextNumber += 1
      let range = random.pick(RandomApprovals.ranges, else: .all)
      guard random.oneIn(2) else {
        return random.pick(line.redirects).map { .redirectSet(before: $0, after: nil) }
      }
      return line.redirect(
        Redirect(
          number: nextNumber, range: range, destination: destination(slug),
          until: random.oneIn(4) ? moment(in: 99) : nil))
    case 14: return line.stop(random.oneIn(2))
    case 15:
      var after = line.app
      after.isRetired = false
      if line.app.isRetired { return .appSet(before: line.app, after: after) }
      return world.contains { $0.key != slug && $0.value.leads(to: slug, at: now) } ? nil : line.retire()
    case 16:
      var details = ReleaseDetails()
      details.expires = moment(in: 900)
      return try random.pick(released).flatMap { try line.amend($0, details) }
    case 17, 18:
      guard let version = random.pick(Array(released.suffix(2))), let release = line.release(version) else {
        return nil
      }
      let phase = random.pick(ReleasePhase.allCases, else: .active)
      return try line.amend(
        version,
        phased(
          release, phase, start: random.oneIn(2) ? now : nil, pausedDays: Int64(random.below(9))))
    case 19:
      nextNumber += 1
      let setting = Setting(
        number: nextNumber, key: "map", range: random.pick(RandomApprovals.ranges, else: .all),
        phase: random.pick([nil, .review, .released]) ?? nil, value: random.oneIn(2) ? "a" : "b",
        from: random.oneIn(4) ? moment(in: 99) : nil)
      return random.oneIn(3)
        ? random.pick(line.settings).map { .settingSet(before: $0, after: nil) } : line.set(setting)
    case 20:
      var details = ReleaseDetails()
      details.ascID = random.pick(RandomApprovals.newer).map { RandomApprovals.connectID(of: $0, slug) }
      return try random.pick(released.suffix(2)).flatMap { try line.amend($0, details) }
    default:
      var app = line.app
      switch random.below(8) {
      case 0, 1: app.policy = random.pick(RandomApprovals.policies, else: .standard)
      case 2: app.storeURL = random.pick(RandomApprovals.pages)
      case 3: app.remindAfter = random.pick(RemindAfter.allCases, else: .visible)
      case 4, 5: app.appleID = random.pick([nil, 1, 2, 3]) ?? nil
      case 6: app.countries = random.pick([[], ["US"], ["CN", "US"]], else: [])
      default: app.hold = TimeSpan(seconds: Int64(random.below(4)) * 43_200)
      }
      return app == line.app ? nil : .appSet(before: line.app, after: app)
    }
  }

  private mutating func destination(_ slug: String) -> Destination {
    let others = RandomApprovals.slugs.filter { $0 != slug }
    return random.oneIn(2)
      ? .app(random.pick(others, else: "")) : .url(random.pick(RandomApprovals.pages, else: ""))
  }
}

extension Change {
  fileprivate var words: String {
    let (before, after) = (before(app: nil)?.object, after(app: nil)?.object ?? JSON.Object())
    let news = after.members.filter { before?[$0.key] != $0.value && $0.value != JSON.null }
    return ([kind.rawValue, version?.text] + news.map { "\($0.key)=\($0.value.text())" }).compactMap(\.self)
      .joined(separator: " ")
  }

  fileprivate var isGoingLive: Bool {
    if case .marked(_, let after, _) = self { after.state == .live } else { false }
  }
}

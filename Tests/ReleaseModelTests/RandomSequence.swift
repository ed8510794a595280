import ReleaseModel
import TestSupport

/// One random life of an app, step by step, and the laws held against it after each step.
///
/// What the laws say is asked in words of its own here: of `Decider` only its answers are used, and of the line only
/// what is recorded. A broken law is returned in words, since a million expectations would be slow.
struct RandomSequence {
  private var random: Seeded
  private(set) var line: AppState
  private var other: AppState
  private var hosts = StoreURL.storeHosts
  private var now = hour(0)
  private var nextID: Int64 = 1
  private var event: Int64 = 0
  private var nextRule: Int64 = 1
  private var wasVisible: Set<Int64> = []
  private var tookOver: [Int64: Int64] = [:]
  private(set) var log: [String] = []
  private let keepsLog: Bool
  private(set) var changes = 0
  private(set) var refusals = 0
  private(set) var answers = 0
  private(set) var prompts = 0

  private static let spellings: [Version] = [
    "0.9", "1.0", "1.0.0", "1", "1.0.1", "1.1", "1.2", "1.2.0", "1.9", "1.10", "2.0", "2", "2.0.1", "2.1",
    "3.0", "3.0.5",
    "999.0.0",
  ].compactMap { try? Version($0) }
  private static let clients: [Version] = [
    "0.1", "1.0", "1.0.0.4", "1.0.1", "1.1", "1.2", "1.9", "1.10", "2.0", "2.0.1", "2.0.9", "2.1", "3.0",
    "999", "1000",
  ].compactMap { try? Version($0) }
  private static let systems: [Version] = ["12.4", "15.0", "17"].compactMap { try? Version($0) }
  private static let ranges: [VersionRange] = [
    "all", "below:2.0", "upto:1.2", "1.0", "1.2", "2.0", "1.0..2.0", "from:1.1", "above:1.0 below:3.0",
  ].compactMap { try? VersionRange($0) }
  private static let pages = [
    "https://apps.apple.com/app/id7", "https://dl.example.com/app", "https://evil.example/app",
    "http://apps.apple.com/",
  ]
  private static let states = ReleaseState.allCases

  init(seed: UInt64, keepsLog: Bool = false) {
    random = Seeded(seed)
    self.keepsLog = keepsLog
    var app = sampleApp()
    if random.oneIn(3) { app.hold = .zero }
    if random.oneIn(4) { app.appleID = nil }
    line = AppState(app: app)
    other = AppState(app: sampleApp("other"))
    if random.oneIn(2), let version = RandomSequence.spellings.last {
      var release = Release(id: 900, version: version, state: .live, since: hour(-9))
      release.liveAt = hour(-9)
      release.visibleAt = hour(Int64(random.below(60)) - 9)
      other.releases = [release]
    }
  }

  mutating func step() -> String? {
    now = now + TimeSpan(seconds: Int64([0, 0, 1, 3_600, 36_000, 86_400][random.below(6)]))
    let before = line
    let told = line.target(at: now)
    var change: Change?
    do throws(LawViolation) {
      change = try command()
    } catch {
      refusals += 1
      if line != before { return "a refused command changed something" }
    }
    if let change {
      event += 1
      changes += 1
      line.apply(change, event: event)
      note(change.kind.rawValue + " " + (change.version?.text ?? ""))
      if let broken = moved(from: before, change: change, told: told) { return broken }
    } else if random.oneIn(2) {
      surroundings()
    }
    if let broken = checkRecord() ?? checkAnswers(at: now) { return broken }
    return random.oneIn(2) ? checkAnswers(at: later()) : nil
  }

  private mutating func note(_ text: @autoclosure () -> String) {
    if keepsLog { log.append("\(now.text) \(text())") }
  }

  private mutating func later() -> Timestamp {
    now + TimeSpan(seconds: Int64(random.below(60)) * 3_600)
  }

  private mutating func details() -> ReleaseDetails {
    var details = ReleaseDetails()
    if random.oneIn(5) { details.isMandatory = random.oneIn(2) }
    if random.oneIn(5) { details.minOS = random.pick(RandomSequence.systems) }
    if random.oneIn(6) { details.url = random.pick(RandomSequence.pages) }
    return details
  }

  private mutating func anyVersion() -> Version {
    let known = random.oneIn(8) ? nil : random.pick(line.releases)?.version
    return known ?? RandomSequence.spellings[random.below(RandomSequence.spellings.count)]
  }

  private mutating func anyMoment() -> Timestamp? {
    switch random.below(6) {
    case 0: now - TimeSpan(seconds: Int64(random.below(50)) * 3_600)
    case 1: random.oneIn(6) ? now + TimeSpan(seconds: 60) : now
    default: nil
    }
  }

  private mutating func command() throws(LawViolation) -> Change? {
    switch random.below(18) {
    case 0, 1, 2:
      let version = RandomSequence.spellings[random.below(RandomSequence.spellings.count)]
      note("publish \(version.text)")
      let change = try line.publish(version, details(), id: nextID, now: now)
      if change != nil { nextID += 1 }
      return change
    case 3, 4, 5, 6, 7, 8, 9:
      let state: ReleaseState = random.oneIn(2) ? .live : RandomSequence.states[random.below(10)]
      let version = anyVersion()
      note("mark \(version.text) \(state.rawValue)")
      return try line.mark(version, state, at: anyMoment(), isVisibleNow: random.oneIn(4), now: now)
    case 10:
      let version = anyVersion()
      note("mark \(version.text) removed")
      return try line.mark(version, .removed, at: nil, isVisibleNow: false, now: now)
    case 11:
      let version = line.live?.version ?? anyVersion()
      note("unmark \(version.text)")
      return try line.unmark(version, now: now)
    case 12:
      let version = anyVersion()
      note("void \(version.text)")
      return try line.void(version, now: now)
    case 13:
      let version = anyVersion()
      let moment = anyMoment() ?? now
      note("import \(version.text)")
      let change = try line.importPast(version, details(), releasedAt: moment, id: nextID, now: now)
      if change != nil { nextID += 1 }
      return change
    case 14:
      let version = anyVersion()
      note("amend \(version.text)")
      return try line.amend(version, details())
    case 15:
      let version = anyVersion()
      note("void \(version.text), never shipped")
      return try line.void(version, neverShipped: true, now: now)
    case 16:
      let version = RandomSequence.spellings[random.below(RandomSequence.spellings.count)]
      let moment = anyMoment() ?? now
      note("import \(version.text) as past")
      let change = try line.recordPast(version, details(), releasedAt: moment, id: nextID, now: now)
      if change != nil { nextID += 1 }
      return change
    default: return nil
    }
  }

  /// Rules, redirects, stops and trust, put straight into the line: whatever they are, the laws hold.
  private mutating func surroundings() {
    func destination(_ random: inout Seeded) -> Destination {
      random.oneIn(3)
        ? .app(random.oneIn(4) ? "taxi" : "other") : .url(random.pick(RandomSequence.pages) ?? "")
    }
    let range = random.pick(RandomSequence.ranges) ?? .all
    switch random.below(8) {
    case 0, 1, 2:
      let rule = Rule(
        number: nextRule, range: range, action: random.pick([.force, .remind, .none]) ?? .none,
        from: random.oneIn(3) ? later() : nil, until: random.oneIn(3) ? later() : nil,
        destination: random.oneIn(3) ? destination(&random) : nil)
      nextRule += 1
      note("rule \(rule)")
      line.rules.append(rule)
    case 3:
      let redirect = Redirect(number: nextRule, range: range, destination: destination(&random))
      nextRule += 1
      note("redirect \(redirect)")
      line.redirects.append(redirect)
    case 4:
      note("clear")
      line.rules = []
      line.redirects = []
    case 5: line.app.isStopped = random.oneIn(3)
    case 6: other.app.isStopped = random.oneIn(3)
    default:
      if hosts.remove("dl.example.com") == nil { hosts.insert("dl.example.com") }
    }
  }

  // MARK: What is recorded

  /// Laws 2 and 1, and the record's own sense.
  private mutating func checkRecord() -> String? {
    var live = 0
    var greatest: Version?
    for release in line.releases {
      if release.state == .live { live += 1 }
      if release.isPast {
        guard [.superseded, .void].contains(release.state), release.visibleAt == nil else {
          return "past \(release.version.text) is \(release.state.rawValue)"
        }
        continue
      }
      if release.state.isReleased, release.liveAt == nil || release.visibleAt == nil {
        return "\(release.version.text) is \(release.state.rawValue) without its moments"
      }
      if (release.state == .removed) != (release.removedAt != nil) {
        return "removedAt of \(release.version.text)"
      }
      if release.state == .void {
        if release.liveAt != nil || release.approvedAt != nil { return "law 3: void after approval" }
        continue
      }
      if let greatest, release.version <= greatest { return "law 1: \(release.version.text) does not grow" }
      greatest = release.version
      if NaiveModel.isVisible(release, at: now) { wasVisible.insert(release.id) }
    }
    return live > 1 ? "law 2: \(live) live releases" : nil
  }

  /// Laws 1 and 3: what a change may move.
  private mutating func moved(from before: AppState, change: Change, told: Release?) -> String? {
    var isRemoval = false
    for (index, release) in line.releases.enumerated() {
      guard index < before.releases.count else {
        guard release.state == .prepared || release.state == .live || release.isPast else {
          return "law 3: new and \(release.state)"
        }
        continue
      }
      let old = before.releases[index]
      guard old.id == release.id, old.version.isSpelled(like: release.version) else {
        return "history was altered"
      }
      if old.state == release.state {
        if old.state == .live, old.liveAt != release.liveAt { return "law 4: liveAt changed" }
        if let was = old.visibleAt, let will = release.visibleAt, was < will { return "law 4: a hold grew" }
        continue
      }
      if release.state == .removed { isRemoval = true }
      if let broken = movedLegally(old, release, change) { return broken }
      if release.state == .live, case .marked = change {
        tookOver[release.id] = before.releases.first { $0.state == .live }?.id
        // Law 1 for a release that goes live: greater than all that became visible and than what was live.
        for rival in line.releases where rival.id != release.id && rival.version > release.version {
          if wasVisible.contains(rival.id) { return "law 1: \(rival.version.text) became visible" }
          if before.releases.contains(where: { $0.id == rival.id && $0.state == .live }) {
            return "law 1: \(rival.version.text) was live"
          }
        }
        guard let liveAt = release.liveAt, liveAt <= now else { return "law 4: live in the future" }
      }
    }
    if case .voided(let struckOut, _, _, _) = change {
      wasVisible.remove(struckOut.id)
      for (newer, older) in tookOver where older == struckOut.id { tookOver[newer] = tookOver[struckOut.id] }
      // What clients are told may fall, but not to nothing that was there, and to nothing past.
      return line.target(at: now)?.isPast == true ? "a past release is a target" : nil
    }
    if case .unmarked(let back, _, _) = change {
      // What it superseded is live again, unless it has been removed meanwhile, and nothing else is.
      let heir = tookOver[back.id].flatMap { id in before.releases.first { $0.id == id } }
      let expected = heir.flatMap { $0.state == .superseded ? $0.id : nil }
      if line.live?.id != expected { return "law 3: unmark restores \(line.live?.version.text ?? "nothing")" }
    }
    // The version clients are told of falls only by removal, or where unmark uncovers an earlier one.
    if case .unmarked = change, line.releases.contains(where: { $0.state == .removed }) { return nil }
    if !isRemoval, let told {
      guard let next = line.target(at: now) else { return "the target \(told.version.text) went away" }
      if next.version < told.version { return "the target fell to \(next.version.text)" }
    }
    return nil
  }

  private func movedLegally(_ old: Release, _ new: Release, _ change: Change) -> String? {
    let words =
      "law 3: \(old.version.text) from \(old.state.rawValue) to \(new.state.rawValue) by \(change.kind)"
    let isItself = change.release?.id == new.id
    switch change {
    case .marked where isItself:
      return old.state.mayBecome(new.state) ? nil : words
    case .marked, .imported:
      return old.state == .live && new.state == .superseded && change.release?.state == .live ? nil : words
    case .unmarked where isItself:
      return old.state == .live && new.state != .live && (old.visibleAt.map { $0 > now } ?? false)
        && !(new.state == .prepared && wasVisible.contains(new.id)) ? nil : words
    case .unmarked: return old.state == .superseded && new.state == .live ? nil : words
    case .voided where isItself: return new.state == .void ? nil : words
    case .voided: return old.state == .superseded && new.state == .live ? nil : words
    default: return words
    }
  }

  // MARK: What is told

  /// Laws 4, 5, 6 and 8, for clients of all versions around.
  private mutating func checkAnswers(at moment: Timestamp) -> String? {
    let snapshot = Snapshot(line: line, others: ["other": other], hosts: hosts)
    let decider = Decider(snapshot, at: moment)
    let naive = NaiveModel(snapshot: snapshot, moment: moment)
    let os = random.oneIn(3) ? random.pick(RandomSequence.systems) : nil
    let asWhole = random.below(RandomSequence.clients.count)
    // Every other client, from the first or the second on: the next step asks the rest.
    for index in stride(from: random.below(2), to: RandomSequence.clients.count, by: 2) {
      let version = RandomSequence.clients[index]
      let decision = decider.decide(Client(version: version, os: os))
      answers += 1
      if index == asWhole, NaiveModel.Answer(decision) != naive.answer(version, os: os) {
        return "\(version.text) is told something else than the contract says: \(decision)"
      }
      if decision.review != naive.isInReview(version) { return "law 5: review of \(version.text)" }
      if decision.action == .none {
        if decision.target != nil || decision.url != nil || decision.targetApp != nil {
          return "none with a target"
        }
        continue
      }
      prompts += 1
      if let broken = check(decision, version, os, moment) {
        return "\(broken), for \(version.text) at \(moment.text)"
      }
    }
    return nil
  }

  private func check(_ decision: Decision, _ version: Version, _ os: Version?, _ moment: Timestamp) -> String?
  {
    if decision.review { return "law 5: an unreleased client is prompted" }
    if line.app.isStopped { return "a stopped app prompts" }
    guard let target = decision.target, let url = decision.url, let slug = decision.targetApp else {
      return "law 4: a prompt without a target"
    }
    let owner = slug == "taxi" ? line : other
    if slug != "taxi", other.app.isStopped { return "a stopped app is a target" }
    guard owner.releases.contains(target) else { return "law 4: \(target.version.text) is not recorded" }
    guard NaiveModel.isVisible(target, at: moment) else {
      return "law 4: \(target.version.text) is not visible"
    }
    for release in owner.releases
    where release.state == .removed && release.version > target.version
      && !owner.releases.contains(where: { $0.liveAt != nil && $0.version > release.version })
    {
      return "law 4: the newest is removed"
    }
    if slug == "taxi", !(target.version > version) { return "law 6: \(target.version.text) is not newer" }
    if let os, let minOS = target.minOS, os < minOS { return "law 6: it does not run on \(os.text)" }
    guard url.hasPrefix("https://"), hosts.contains(where: { url.hasPrefix("https://\($0)/") }) else {
      return "law 8: \(url) is not trusted"
    }
    return nil
  }
}

/// Makes a schedule with as few calls of the decision function as possible.
///
/// The decision function sees a client's version only as its standing, its rule, its redirect and its
/// settings, and a moment only as what is visible and which rules, redirects and settings apply. So the
/// versions are visited in ascending order, bound by bound, and the function is called where any of this
/// changes.
struct Sweep {
  private let moments: [Timestamp]
  /// The oldest system of each kind that sees the same releases; nil, at last, for new and unknown ones.
  private let systems: [Version]
  private let outlooks: [(slot: Int, outlook: Outlook, sights: [Sight], sightOf: [Int])]
  private let bounds: [VersionKey]
  private var rules: Prevailing<Rule>
  private var redirects: Prevailing<Redirect>
  private var settings: Prevailing<Setting>
  private var standings: [[Standing]] = []
  private var builder: ScheduleBuilder
  var schedule: Schedule { builder.schedule }

  init(
    _ snapshot: Snapshot, at moments: [Timestamp], within range: Range<VersionKey> = .least ..< .end
  ) {
    self.moments = moments
    let line = snapshot.line
    let background = Background(snapshot)
    let isSilent = line.app.silence != nil
    let needed = isSilent ? [] : snapshot.systems
    let olderNames = line.app.platform.olderNames(of: needed).filter { !needed.contains($0) }
    var systems = needed + olderNames
    systems.sortUniquely()
    self.systems = systems
    var starts = moments.prefix(1).map { (slot: 0, at: $0) }
    if !isSilent, let now = moments.first, moments.count > 1 {
      starts += snapshot.momentsOfVisibility(after: now).sorted().map { moment in
        (slot: moments.firstPosition { moment <= $0 }, at: moment)
      }
    }
    outlooks = starts.map { start in
      let outlook = Outlook(background, at: start.at)
      var sights: [Sight] = []
      let sightOf = (0...systems.count).map { place -> Int in
        let os = place == systems.count ? nil : place == 0 ? Version.zero : systems[place - 1]
        let sight = outlook.sight(os: os)
        if let known = sights.firstIndex(of: sight) { return known }
        sights.append(sight)
        return sights.count - 1
      }
      return (start.slot, outlook, sights, sightOf)
    }
    let targets = outlooks.flatMap { part in part.sights.flatMap(part.outlook.bounds) }
    rules = Prevailing(isSilent ? [] : line.rules, moments)
    redirects = Prevailing(isSilent ? [] : line.redirects, moments)
    settings = Prevailing(line.settings, moments)
    let edges = rules.edges + redirects.edges + settings.edges
    bounds =
      [range.lowerBound]
      + snapshot.versionBounds(edges: edges, targets: targets).filter {
        range.lowerBound < $0 && $0 < range.upperBound
      }
    var schedule = Schedule(
      app: line.app.slug, remindEvery: line.app.remindEvery,
      from: moments.first ?? Timestamp(seconds: .min))
    schedule.olderNames = olderNames
    builder = ScheduleBuilder(schedule)
  }

  /// Visits all versions; returns whether the schedule has no more tiles than a limit, else it is not
  /// complete.
  mutating func run(atMost limit: Int) -> Bool {
    var count = 0
    for bound in bounds {
      guard let version = bound.version, moves(to: version) else { continue }
      let course = course(of: version)
      let before = builder.schedule.slabs.last.map { builder.schedule.courses[$0.course] }
      guard course != before else { continue }
      count += news(in: course, since: before ?? [])
      guard count <= limit else { return false }
      builder.add(course, from: bound)
    }
    return true
  }

  /// How many entries of a course do not go on from the previous slab's.
  private func news(in course: [Schedule.Entry], since before: [Schedule.Entry]) -> Int {
    var (count, place) = (0, 0)
    for (index, entry) in course.enumerated() {
      while place < before.count, before[place].from < entry.from { place += 1 }
      let goesOn =
        place < before.count && before[place] == entry
        && schedule.end(of: place, in: before) == schedule.end(of: index, in: course)
      if !goesOn { count += 1 }
    }
    return count
  }

  /// Moves on to a greater version; returns whether anything that decides is different.
  private mutating func moves(to version: Version) -> Bool {
    let now = outlooks.map { part in part.sights.map { part.outlook.standing(of: version, $0) } }
    var isOther = now != standings
    standings = now
    if rules.move(to: version) { isOther = true }
    if redirects.move(to: version) { isOther = true }
    if settings.move(to: version) { isOther = true }
    return isOther
  }

  private mutating func course(of version: Version) -> [Schedule.Entry] {
    let (rules, redirects) = (rules.course(), redirects.course())
    var slots = outlooks.map(\.slot) + rules.map(\.slot) + redirects.map(\.slot)
    for item in settings.current {
      slots += [settings.windows[item].lowerBound, settings.windows[item].upperBound]
    }
    slots.sortUniquely()
    if let last = slots.last, last >= moments.count { slots.removeLast() }
    var (outlook, rule, redirect) = (0, 0, 0)
    var trace = Trace(client: Client(version: version), steps: nil)
    var decisions: [[Decision]] = []
    for slot in slots {
      while outlook + 1 < outlooks.count, outlooks[outlook + 1].slot <= slot { outlook += 1 }
      while rule + 1 < rules.count, rules[rule + 1].slot <= slot { rule += 1 }
      while redirect + 1 < redirects.count, redirects[redirect + 1].slot <= slot { redirect += 1 }
      let part = outlooks[outlook]
      let bySight = zip(part.sights, standings[outlook]).map { sight, standing in
        part.outlook.decide(
          standing, sight, rule: rules[rule].item, redirect: redirects[redirect].item, &trace)
      }
      decisions.append(part.sightOf.map { bySight[$0] })
    }
    foretell(&decisions, slots)
    return builder.course(
      zip(slots, decisions).map { slot, decisions in
        (moments[slot], fold(decisions, settings: values(at: slot, decisions)))
      })
  }

  private func foretell(_ decisions: inout [[Decision]], _ slots: [Int]) {
    for system in 0...systems.count {
      var forcedFrom: Timestamp?
      for place in decisions.indices.reversed() {
        if decisions[place][system].action == .force {
          forcedFrom = moments[slots[place]]
        } else {
          decisions[place][system].forcedFrom = forcedFrom
        }
      }
    }
  }

  private func values(at slot: Int, _ decisions: [Decision]) -> [String: String] {
    guard !settings.current.isEmpty else { return [:] }
    return settings.current.lazy.filter { [settings] in settings.windows[$0].contains(slot) }
      .map { [settings] in settings.items[$0] }.values(inReview: decisions.first?.review ?? false)
  }

  /// Makes an answer with a tier only where it is another than on the next newer system, or has another reason.
  private func fold(_ decisions: [Decision], settings: [String: String]) -> Answer {
    guard let newest = decisions.last else { return .nothing }
    let tiers = zip(systems, decisions).map { Answer.Tier(below: $0, decision: $1) }
    return Answer(newest, tiers: tiers, settings: settings).folded(==)
  }
}

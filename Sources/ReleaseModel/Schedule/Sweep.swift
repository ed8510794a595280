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
  private let outlooks: [(slot: Int, outlook: Outlook, places: [[Place]])]
  /// Which of them counts, by the index of the moment.
  private let parts: Steps<Int, Int>
  private let bounds: [VersionKey]
  private var rules: Prevailing<Rule>
  private var redirects: Prevailing<Redirect>
  private var settings: Prevailing<Setting>
  private var standings: [[Standing]] = []
  private var builder: Schedule.Builder
  private let olderNames: [Version]
  private let remindEvery: ReminderFrequency

  /// What every version of a range is told, from the first of some moments on.
  static func schedule(
    _ snapshot: Snapshot, at moments: [Timestamp], within range: Range<VersionKey> = .least ..< .end
  ) -> Schedule {
    var sweep = Sweep(snapshot, at: moments, within: range)
    for bound in sweep.bounds {
      guard let version = bound.version, sweep.moves(to: version) else { continue }
      sweep.builder.add(sweep.course(of: version), from: bound)
    }
    return sweep.builder.schedule(olderNames: sweep.olderNames)
  }

  private init(_ snapshot: Snapshot, at moments: [Timestamp], within range: Range<VersionKey>) {
    self.moments = moments
    let line = snapshot.line
    let usableURLs = snapshot.usableURLs
    let isSilent = line.app.silence != nil
    let needed = isSilent ? [] : snapshot.systems
    olderNames = line.app.platform.olderNames(of: needed).filter { !needed.contains($0) }
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
      let outlook = Outlook(snapshot, at: start.at, usableURLs: usableURLs)
      let older = ([.zero] + systems.dropLast()).prefix(systems.count).map(Optional.some)
      return (start.slot, outlook, (older + [nil]).map { outlook.places(os: $0) })
    }
    parts = Steps(outlooks.enumerated().map { ($1.slot, $0) }) ?? Steps(0, from: 0)
    let targets = outlooks.flatMap { part in part.places.flatMap(part.outlook.bounds) }
    rules = Prevailing(isSilent ? [] : line.rules, moments)
    redirects = Prevailing(isSilent ? [] : line.redirects, moments)
    settings = Prevailing(line.settings, moments)
    let edges = rules.edges + redirects.edges + settings.edges
    bounds =
      [range.lowerBound]
      + snapshot.versionBounds(edges: edges, targets: targets).filter {
        range.lowerBound < $0 && $0 < range.upperBound
      }
    remindEvery = line.app.remindEvery
    builder = Schedule.Builder(line.app.slug, from: moments.first ?? Timestamp(seconds: .min))
  }

  /// Moves on to a greater version; returns whether anything that decides is different.
  private mutating func moves(to version: Version) -> Bool {
    let now = outlooks.map { part in part.places.map { part.outlook.standing(of: version, $0) } }
    var isOther = now != standings
    standings = now
    if rules.move(to: version) { isOther = true }
    if redirects.move(to: version) { isOther = true }
    if settings.move(to: version) { isOther = true }
    return isOther
  }

  private func course(of version: Version) -> [(from: Timestamp, told: Told)] {
    let edges = settings.current.flatMap {
      [settings.windows[$0].lowerBound, settings.windows[$0].upperBound]
    }
    let steps = rules.course().merged(with: redirects.course()).merged(with: parts)
      .cut(at: edges.filter { $0 < moments.count })
    var trace = Trace(client: Client(version: version), steps: nil)
    var decisions = steps.map { step in
      let ((rule, redirect), index) = step.value
      let part = outlooks[index]
      return zip(part.places, standings[index]).map { places, standing in
        part.outlook.decide(standing, places, rule: rule, redirect: redirect, &trace)
      }
    }
    foretell(&decisions, steps.starts)
    return zip(steps.starts, decisions).map { slot, decisions in
      let told = Told(
        zip([.zero] + systems, decisions), settings: values(at: slot, decisions), remindEvery: remindEvery)
      return (moments[slot], told ?? .nothing)
    }
  }

  private func foretell(_ decisions: inout [[Decision]], _ slots: [Int]) {
    for system in 0...systems.count {
      var forcedFrom: Timestamp?
      for index in decisions.indices.reversed() {
        if decisions[index][system].action == .force {
          forcedFrom = moments[slots[index]]
        } else {
          decisions[index][system].forcedFrom = forcedFrom
        }
      }
    }
  }

  private func values(at slot: Int, _ decisions: [Decision]) -> [String: String] {
    guard !settings.current.isEmpty else { return [:] }
    return settings.current.lazy.filter { [settings] in settings.windows[$0].contains(slot) }
      .map { [settings] in settings.items[$0] }.values(inReview: decisions.first?.review ?? false)
  }
}

/// What known versions are told from a moment on, worked out with as few calls of the decision function as
/// possible.
///
/// The decision function sees a client's version only as its standing, its rule, its redirect and its
/// settings, and a moment only as what is visible and which rules, redirects and settings apply. So versions
/// are visited in ascending order: while all of that stays the same from one version to the next, so does the
/// whole course of answers. Within a course, the function is called only where something becomes visible, or
/// where a rule, redirect or setting starts or stops applying to these versions.
struct Forecast<Answer> {
  /// Answers in order of time, each starting at the moment at a position of `moments`.
  typealias Course = [(slot: Int, answer: Answer)]

  /// The first moment and every later one at which answers may change, ascending.
  private let moments: [Timestamp]
  /// What is visible, each entry starting at the moment at a position of `moments`.
  private let outlooks: [(slot: Int, outlook: Outlook)]
  private var rules: Prevailing<Rule>
  private var redirects: Prevailing<Redirect>
  private var settings: Holders<Setting>
  private let answer: (Decision, _ settings: [Setting]) -> Answer
  private var standings: [Standing] = []
  /// What the version that was last moved to is told.
  private(set) var course: Course = []

  /// Prepares to ask about versions in ascending order.
  ///
  /// - Parameters:
  ///   - moments: The first moment and every later one at which some answer may change, ascending.
  ///   - withSettings: Whether answers include settings; those that apply are passed on, winning ones first.
  ///   - answer: Makes an answer from a decision.
  init(
    _ snapshot: Snapshot, at moments: [Timestamp], withSettings: Bool,
    answer: @escaping (Decision, _ settings: [Setting]) -> Answer
  ) {
    self.moments = moments
    self.answer = answer
    let line = snapshot.line
    let background = Background(snapshot)
    // No rule, redirect or release applies in a stopped or retired app.
    let isSilent = line.app.silence != nil
    var starts = moments.prefix(1).map { (slot: 0, at: $0) }
    if !isSilent, let now = moments.first {
      starts += snapshot.momentsOfVisibility(after: now).sorted().map { moment in
        (slot: moments.firstPosition { moment <= $0 }, at: moment)
      }
    }
    outlooks = starts.map { ($0.slot, Outlook(background, at: $0.at)) }
    rules = Prevailing(isSilent ? [] : line.rules, moments)
    redirects = Prevailing(isSilent ? [] : line.redirects, moments)
    settings = Holders(withSettings ? line.settings : [], moments)
  }

  /// Moves on to a version that is not less than the previous one.
  ///
  /// - Returns: Whether its course had to be worked out anew; otherwise the previous version's course still
  ///   holds.
  mutating func move(to version: Version) -> Bool {
    let client = Client(version: version)
    let isFirst = standings.isEmpty
    var isOther = isFirst
    for (index, part) in outlooks.enumerated() {
      let standing = part.outlook.standing(of: client)
      if isFirst {
        standings.append(standing)
      } else if standings[index] != standing {
        standings[index] = standing
        isOther = true
      }
    }
    if rules.move(to: version) { isOther = true }
    if redirects.move(to: version) { isOther = true }
    if settings.move(to: version) { isOther = true }
    if isOther { ask(client) }
    return isOther
  }

  /// The course with equal neighbours merged, each entry with the position of the moment at which it ends.
  func folded(to end: Int) -> [(slot: Int, until: Int, told: Answer)] where Answer: Equatable {
    var folded: [(slot: Int, until: Int, told: Answer)] = []
    for (slot, answer) in course {
      if let last = folded.last, last.told == answer { continue }
      if !folded.isEmpty { folded[folded.count - 1].until = slot }
      folded.append((slot, end, answer))
    }
    return folded
  }

  private mutating func ask(_ client: Client) {
    let (rules, redirects) = (rules.course(), redirects.course())
    var slots = outlooks.map(\.slot) + rules.map(\.slot) + redirects.map(\.slot)
    for rank in settings.current {
      slots.append(settings.windows[rank].lowerBound)
      slots.append(settings.windows[rank].upperBound)
    }
    slots.sortUniquely()
    course.removeAll(keepingCapacity: true)
    var (outlook, rule, redirect) = (0, 0, 0)
    var trace = Trace(client: client, steps: nil)
    for slot in slots where slot < moments.count {
      while outlook + 1 < outlooks.count, outlooks[outlook + 1].slot <= slot { outlook += 1 }
      while rule + 1 < rules.count, rules[rule + 1].slot <= slot { rule += 1 }
      while redirect + 1 < redirects.count, redirects[redirect + 1].slot <= slot { redirect += 1 }
      let decision = outlooks[outlook].outlook.decide(
        standings[outlook], os: nil, rule: rules[rule].item, redirect: redirects[redirect].item, &trace)
      let settings = settings.current.lazy.filter { [settings] in settings.windows[$0].contains(slot) }
        .map { [settings] in settings.items[$0] }
      course.append((slot, answer(decision, Array(settings))))
    }
  }
}

/// Which of several items with ranges and windows prevails for a version at each moment.
struct Prevailing<Item: Ranged & Timed> {
  /// The items that apply at every moment, by precedence.
  private let constant: [Item]
  private let firstConstant: FirstInRange
  /// The one of these that applies to the version.
  private var standard: Int?
  /// The items that apply at only some of the moments.
  private var passing: Holders<Item>

  init(_ items: [Item], _ moments: [Timestamp]) {
    let all = 0..<moments.count
    constant = items.filter { $0.slots(in: moments) == all }.byPrecedence()
    firstConstant = FirstInRange(constant.map(\.range))
    passing = Holders(items.filter { $0.slots(in: moments) != all }, moments)
  }

  /// Moves on to a version that is not less than the previous one; returns whether other items may prevail
  /// for it.
  mutating func move(to version: Version) -> Bool {
    let before = standard
    standard = firstConstant.index(of: version)
    return passing.move(to: version) || standard != before
  }

  /// What prevails, in order of time, each entry starting at the moment at a position.
  func course() -> [(slot: Int, item: Item?)] {
    let standard = standard.map { constant[$0] }
    let ranks = passing.current.prefix { rank in
      standard.map { passing.items[rank].wins(over: $0) } ?? true
    }
    guard !ranks.isEmpty else { return [(0, standard)] }
    let windows = ranks.map { passing.windows[$0] }
    var slots = [0]
    for window in windows {
      slots.append(window.lowerBound)
      slots.append(window.upperBound)
    }
    slots.sortUniquely()
    let takers = FirstInRange.takers(
      ofSlots: slots.count,
      windows.lazy.map { window in
        slots.firstPosition { window.lowerBound <= $0 }..<slots.firstPosition { window.upperBound <= $0 }
      })
    var course: [(slot: Int, item: Item?)] = []
    var last: Int32?
    for (slot, taker) in zip(slots, takers) where taker != last {
      course.append((slot, taker < 0 ? standard : passing.items[ranks[Int(taker)]]))
      last = taker
    }
    return course
  }
}

/// The items whose ranges contain a version that moves upwards.
struct Holders<Item: Ranged & Timed> {
  /// The items that apply at one or more of the moments, by precedence.
  let items: [Item]
  /// The positions of the moments at which each item applies.
  let windows: [Range<Int>]
  /// Positions of the items, ordered by where their ranges begin and by where they end.
  private let byStart: [Int]
  private let byEnd: [Int]
  private var begun = 0
  private var ended = 0
  /// Positions of the items whose ranges contain the version, by precedence.
  private(set) var current: [Int] = []

  init(_ items: [Item], _ moments: [Timestamp]) {
    self.items = items.filter { !$0.slots(in: moments).isEmpty }.byPrecedence()
    windows = self.items.map { $0.slots(in: moments) }
    byStart = self.items.indices.sorted { [items = self.items] in
      items[$0].range.start < items[$1].range.start
    }
    byEnd = self.items.indices.sorted { [items = self.items] in items[$0].range.end < items[$1].range.end }
  }

  /// Moves on to a version that is not less than the previous one; returns whether different items contain
  /// it.
  mutating func move(to version: Version) -> Bool {
    let edge = Edge.before(version)
    let held = current.count
    while begun < byStart.count, items[byStart[begun]].range.start <= edge {
      if edge < items[byStart[begun]].range.end { current.append(byStart[begun]) }
      begun += 1
    }
    var isOther = current.count != held
    if isOther { current.sort() }
    let hadEnded = ended
    while ended < byEnd.count, items[byEnd[ended]].range.end <= edge { ended += 1 }
    if hadEnded < ended {
      let left = current.count
      current.removeAll { items[$0].range.end <= edge }
      if current.count != left { isOther = true }
    }
    return isOther
  }
}

extension Timed {
  /// The positions among ascending moments at which it applies.
  fileprivate func slots(in moments: [Timestamp]) -> Range<Int> {
    let first = from.map { from in moments.firstPosition { from <= $0 } } ?? 0
    let end = until.map { until in moments.firstPosition { until <= $0 } } ?? moments.count
    return first..<max(first, end)
  }
}

/// Which rule and which redirect apply to a version before and after a change, at each moment.
///
/// Releases play no part in this, so the result is the same whatever is released later.
struct RuleChange {
  /// The rule and redirect that apply from one moment until the next, or for good.
  struct Period {
    let from: Timestamp
    let until: Timestamp?
    let rule: (before: Rule?, after: Rule?)
    let redirect: (before: Redirect?, after: Redirect?)

    /// Whether the same rule and redirect apply before and after the change.
    var isSame: Bool { rule.before == rule.after && redirect.before == redirect.after }

    /// Whether the period overlaps the time between two moments.
    func isWithin(_ from: Timestamp, _ until: Timestamp?) -> Bool {
      (until.map { self.from < $0 } ?? true) && (self.until.map { from < $0 } ?? true)
    }
  }

  private let before: ReleaseLine
  private let after: ReleaseLine
  /// Now, and every later moment at which a rule or redirect starts or stops applying, ascending.
  private let moments: [Timestamp]
  /// Where ranges begin and end, ascending.
  private let edges: [Edge]
  /// The ranges of the rules and redirects that the change adds, removes or alters.
  private let changed: [VersionRange]
  /// Whether the change adds nothing but rules that prompt nobody.
  let areMilder: Bool

  init(from before: ReleaseLine, to after: ReleaseLine, at now: Timestamp) {
    (self.before, self.after) = (before, after)
    var (moments, edges): ([Timestamp], [Edge]) = ([now], [])
    for line in [before, after] {
      moments += (line.rules.flatMap(\.moments) + line.redirects.flatMap(\.moments)).filter { now < $0 }
      edges += line.ranges.flatMap { [$0.start, $0.end] }
    }
    moments.sortUniquely()
    edges.sortUniquely()
    (self.moments, self.edges) = (moments, edges)
    let rules = RuleChange.changes(from: before.rules, to: after.rules)
    let redirects = RuleChange.changes(from: before.redirects, to: after.redirects)
    changed =
      (rules.gone + rules.new).map(\.range) + (redirects.gone + redirects.new).map(\.range)
    areMilder =
      rules.gone.isEmpty && rules.new.allSatisfy { $0.action == .none } && redirects.gone.isEmpty
      && redirects.new.isEmpty
  }

  /// What exists only before and what exists only after; an altered item appears in both.
  static func changes<Item: Ranged & Equatable>(from before: [Item], to after: [Item]) -> (
    gone: [Item], new: [Item]
  ) {
    func absent(_ items: [Item], from others: [Item]) -> [Item] {
      let numbered = Dictionary(others.map { ($0.number, $0) }) { $1 }
      return items.filter { numbered[$0.number] != $0 }
    }
    return before == after ? ([], []) : (absent(before, from: after), absent(after, from: before))
  }

  /// Whether a different rule or redirect may apply to a version after the change.
  func mayChange(_ version: Version) -> Bool { changed.contains { $0.contains(version) } }

  /// The index of the part of the version line that holds a version; range edges separate the parts, and the
  /// same rules and redirects apply to all of a part.
  func part(of version: Version) -> Int { edges.firstPosition { .before(version) < $0 } }

  /// The rules and redirects that apply to a version, in order of time.
  func course(of version: Version) -> [Period] {
    func course<Item: Ranged & Timed>(_ items: [Item]) -> [(slot: Int, item: Item?)] {
      var prevailing = Prevailing(items.filter { $0.range.contains(version) }, moments)
      _ = prevailing.move(to: version)
      return prevailing.course()
    }
    let rules = (before: course(before.rules), after: course(after.rules))
    let redirects = (before: course(before.redirects), after: course(after.redirects))
    var slots = (rules.before + rules.after).map(\.slot) + (redirects.before + redirects.after).map(\.slot)
    slots.sortUniquely()
    slots.removeAll { moments.count <= $0 }
    return slots.indices.map { place in
      Period(
        from: moments[slots[place]], until: place + 1 < slots.count ? moments[slots[place + 1]] : nil,
        rule: (
          Prevailing.item(of: rules.before, at: slots[place]),
          Prevailing.item(of: rules.after, at: slots[place])
        ),
        redirect: (
          Prevailing.item(of: redirects.before, at: slots[place]),
          Prevailing.item(of: redirects.after, at: slots[place])
        ))
    }
  }
}

extension ReleaseLine {
  /// The ranges of its rules and redirects.
  var ranges: [VersionRange] { rules.map(\.range) + redirects.map(\.range) }
}

/// Compares what clients are told before and after a change, asking no question twice.
struct AnswerComparison {
  /// What a decision depends on before and after a change, apart from rules and redirects, which are the same
  /// for all versions of a part.
  struct Question: Hashable {
    let part: Int
    let moment: Timestamp
    let system: Version?
    let was: Standing
    let willBe: Standing
  }

  let rules: RuleChange
  let now: Timestamp
  let systems: [Version?]
  /// Sample versions that cover every difference between versions, except differences due to the target.
  let versions: [Version]

  /// The kinds of agreement needed in one case.
  ///
  /// - Parameters:
  ///   - remindersCount: Whether a new reminder needs agreement too.
  ///   - asked: The questions already asked in cases that differ only in standings.
  func needs(
    of earlier: Snapshot, _ later: Snapshot, remindersCount: Bool, _ asked: inout Set<Question>
  ) -> Set<ApprovalNeed> {
    // If only rules and redirects differ, only answers that one of these decides can differ.
    let isOther =
      earlier.line.app != later.line.app || earlier.line.releases != later.line.releases
      || earlier.others != later.others || earlier.hosts != later.hosts
    guard later.line.app.silence == nil, isOther || !rules.areMilder else { return [] }
    var needs: Set<ApprovalNeed> = []
    let (past, next) = (Background(earlier), Background(later))
    let moments = earlier.momentsOfVisibility(after: now).union(later.momentsOfVisibility(after: now))
      .union([now]).sorted()
    for (place, moment) in moments.enumerated() {
      let end = place + 1 < moments.count ? moments[place + 1] : nil
      let (past, next) = (Outlook(past, at: moment), Outlook(next, at: moment))
      // One system stands for all systems that see the same releases.
      var seen: Set<[Int?]> = []
      let systems = systems.filter { seen.insert(past.sight(os: $0) + next.sight(os: $0)).inserted }
      let targets = Set(systems.flatMap { past.targets(os: $0) + next.targets(os: $0) })
      for version in versions + targets.steps where isOther || rules.mayChange(version) {
        let part = rules.part(of: version)
        var course: [RuleChange.Period]?
        for system in systems {
          let client = Client(version: version, os: system)
          let (was, willBe) = (past.standing(of: client), next.standing(of: client))
          let question = Question(part: part, moment: moment, system: system, was: was, willBe: willBe)
          guard !willBe.isInReview, asked.insert(question).inserted else { continue }
          course = course ?? rules.course(of: version)
          for period in course ?? [] where period.isWithin(moment, end) && (isOther || !period.isSame) {
            var silent = Trace(client: client, steps: nil)
            let was = past.decide(
              was, os: system, rule: period.rule.before, redirect: period.redirect.before, &silent)
            let willBe = next.decide(
              willBe, os: system, rule: period.rule.after, redirect: period.redirect.after, &silent)
            if was.action < willBe.action {
              if willBe.action == .force { needs.insert(.forces) }
              if remindersCount { needs.insert(.harsher) }
            }
            if remindersCount, was.action != .none, willBe.action != .none, was.url != willBe.url {
              needs.insert(.page)
            }
          }
        }
      }
    }
    return needs
  }

  /// Whether a released client that had a value for a key gets a different one, or none.
  func changesSettings(from before: Snapshot, to after: Snapshot) -> Bool {
    let changed = RuleChange.changes(from: before.line.settings, to: after.line.settings)
    let keys = Set((changed.gone + changed.new).map(\.key))
    guard !keys.isEmpty else { return false }
    let lines = [before.line, after.line]
    let background = Background(before)
    let released = Set(versions + Set(lines.flatMap(\.settings).flatMap(\.range.bounds)).sides)
      .filter { !background.isInReview($0) }.sorted()
    let moments = Set(lines.flatMap(\.settings).flatMap(\.moments).filter { now < $0 }).union([now]).sorted()
    func values(of key: String, in line: ReleaseLine) -> Prevailing<Setting> {
      Prevailing(line.settings.filter { $0.key == key && $0.phase != .review }, moments)
    }
    return keys.contains { key in
      var (past, next) = (values(of: key, in: before.line), values(of: key, in: after.line))
      return released.contains { version in
        guard [past.move(to: version), next.move(to: version)].contains(true) else { return false }
        let (had, has) = (past.course(), next.course())
        return (had + has).contains { slot, _ in
          let value = slot < moments.count ? Prevailing.item(of: had, at: slot)?.value : nil
          return value != nil && Prevailing.item(of: has, at: slot)?.value != value
        }
      }
    }
  }
}

extension Prevailing {
  /// The item that prevails at the moment with the given position.
  fileprivate static func item(of course: [(slot: Int, item: Item?)], at slot: Int) -> Item? {
    course[course.firstPosition { slot < $0.slot } - 1].item
  }
}

extension VersionRange {
  /// The versions that the range begins and ends with.
  var bounds: [Version] { [lower?.version, upper?.version].compactMap(\.self) }
}

extension Set<Version> {
  /// The versions and their immediate neighbours, ascending.
  var sides: [Version] { union(flatMap { [$0.before, $0.after].compactMap(\.self) }).sorted() }

  /// Likewise, with the versions at which the first component that differs from one of them changes.
  var steps: [Version] {
    union(
      flatMap { version in
        (1...3).flatMap { [version.truncated(to: $0), version.truncated(to: $0).before].compactMap(\.self) }
      }
    ).sides
  }
}

/// Where two schedules of an app differ: a range of versions with what was and will be told, moment by moment.
package struct ScheduleDifference: Sendable, Equatable {
  /// What is told before and after, from one moment until another.
  package struct Step: Sendable, Equatable {
    package let from: Timestamp
    package let until: Timestamp?
    package let before: Answer
    package let after: Answer
    /// Where tiers begin and end that repeat others.
    fileprivate var olderNames: [Version] = []
  }

  package let lo: VersionKey
  package internal(set) var hi: VersionKey
  package let steps: [Step]
}

extension Schedule {
  /// Where this schedule says something else than another, or one of an app that did not exist, from a moment
  /// on, in order of versions.
  package func differences(from before: Schedule?, since moment: Timestamp) -> [ScheduleDifference] {
    let past = before ?? Schedule.nothing(app, from: moment)
    var alike: [Pair: Bool] = [:]
    var compared: [Pair: [ScheduleDifference.Step]] = [:]
    func compare(_ pair: Pair) -> [ScheduleDifference.Step] {
      if let known = compared[pair] { return known }
      let (old, new) = (past.courses[pair.before], courses[pair.after])
      var steps: [ScheduleDifference.Step] = []
      var (one, other) = (0, 0)
      while one < old.count, other < new.count {
        let ends = [past.end(of: one, in: old), end(of: other, in: new)]
        let from = max(old[one].from, new[other].from, moment)
        let until = ends.compactMap(\.self).min()
        let answers = Pair(before: old[one].answer, after: new[other].answer)
        if until.map({ from < $0 }) ?? true {
          let (was, willBe) = (past.answers[answers.before], self.answers[answers.after])
          let same = alike[answers] ?? (was == willBe)
          alike[answers] = same
          if !same {
            steps.append(
              ScheduleDifference.Step(
                from: from, until: until, before: was, after: willBe, olderNames: olderNames + past.olderNames
              ))
          }
        }
        guard let until else { break }
        if ends[0] == until { one += 1 }
        if ends[1] == until { other += 1 }
      }
      compared[pair] = steps
      return steps
    }
    var differences: [ScheduleDifference] = []
    var last: Pair?
    var (one, other) = (0, 0)
    while one < past.slabs.count, other < slabs.count {
      let pair = Pair(before: past.slabs[one].course, after: slabs[other].course)
      let (lo, hi) = (max(past.slabs[one].lo, slabs[other].lo), min(past.end(of: one), end(of: other)))
      let steps = compare(pair)
      if !steps.isEmpty {
        if let end = differences.last?.hi, end == lo, last == pair || differences.last?.steps == steps {
          differences[differences.count - 1].hi = hi
        } else {
          differences.append(ScheduleDifference(lo: lo, hi: hi, steps: steps))
        }
      }
      last = pair
      if past.end(of: one) == hi { one += 1 }
      if end(of: other) == hi { other += 1 }
    }
    return differences
  }

  /// Whether it says the same as another from a moment on, reasons included.
  package func saysTheSame(as other: Schedule, since moment: Timestamp) -> Bool {
    remindEvery == other.remindEvery && differences(from: other, since: moment).isEmpty
  }

  private struct Pair: Hashable {
    let before: Int
    let after: Int
  }
}

/// Two answers to clients on the same systems.
package struct SystemsDifference: Sendable, Equatable {
  package let systems: VersionRange
  package let before: Decision
  package let after: Decision
}

extension ScheduleDifference.Step {
  /// The decisions before and after, by kind of system: unknown and new ones first.
  package var systems: [SystemsDifference] {
    var bounds = (before.tiers + after.tiers).map(\.below).filter { !olderNames.contains($0) }
    bounds.sortUniquely()
    func range(_ from: Version?, _ below: Version?) -> VersionRange {
      VersionRange(
        from: from.map { .init($0, isIncluded: true) }, to: below.map { .init($0, isIncluded: false) })
        ?? .all
    }
    let newest = SystemsDifference(
      systems: range(bounds.last, nil), before: before.decision, after: after.decision)
    return [newest]
      + bounds.indices.reversed().map { place in
        // A system just below the bound stands for the tier.
        let from = place == 0 ? nil : bounds[place - 1]
        let os = from ?? .zero
        return SystemsDifference(
          systems: range(from, bounds[place]), before: before.decision(on: os), after: after.decision(on: os))
      }
  }
}

/// The case that releases are visible that are not yet, if only by the next release of an app.
package struct VisibleCase: Sendable, Hashable {
  /// The newest one of each app, by slug; none if stopped apps only speak again.
  package let versions: [String: Version]
  /// Whether Apple releases them in phases.
  package let isPhased: Bool

  init(_ versions: [String: Version], isPhased: Bool = false) {
    (self.versions, self.isPhased) = (versions, isPhased)
  }

  private static let (resumed, phased) = ("resumed", "phased")

  /// The releases, each with its app if that is another one: `8.0.0`, or `8.0.0, van 2.1, phased`.
  func text(in app: String) -> String {
    let others = versions.filter { $0.key != app }.sorted { $0.key < $1.key }
    let names =
      [versions[app]].compactMap { $0?.text } + others.map { "\($0.key) \($0.value.text)" }
      + (isPhased ? [VisibleCase.phased] : [])
    return names.isEmpty ? VisibleCase.resumed : names.joined(separator: ", ")
  }

  /// The same as people read it: `when 8.0.0 is visible`.
  package func words(in app: String) -> String {
    versions.isEmpty && !isPhased ? "once resumed" : "when \(text(in: app)) is visible"
  }

  /// Reads back what `text(in:)` wrote; nil for anything else.
  init?(_ text: String, in app: String) {
    var (versions, isPhased): ([String: Version], Bool) = ([:], false)
    for name in text.split(separator: ",") {
      let words = name.split(separator: " ").map { String($0) }
      if words == [VisibleCase.resumed] { continue }
      if words == [VisibleCase.phased] {
        isPhased = true
        continue
      }
      guard (1...2).contains(words.count), let version = words.last.flatMap({ try? Version($0) }) else {
        return nil
      }
      versions[words.count == 1 ? app : words[0]] = version
    }
    self.init(versions, isPhased: isPhased)
  }
}

/// Where a change alters an app's schedule: as the ledger stands, or in a case.
package struct ComparedCase: Sendable {
  package let visible: VisibleCase?
  package let differences: [ScheduleDifference]
  /// Whether signers are asked because of whom a change would force in this case: below 1.0, of an app's first release,
  /// they are not.
  package let asks: Bool
  /// Whether the person is asked, too: of the first release of an app whose past is whole no one is.
  let asksPerson: Bool
  /// The versions that were looked at: of others, a case like it speaks.
  package let clients: Range<VersionKey>
  /// The app in this case, after the change.
  package let after: Snapshot
  private let app: String
  private let every: (before: ReminderFrequency, after: ReminderFrequency)

  package init(
    _ differences: [ScheduleDifference], from before: Schedule?, to after: Schedule, of snapshot: Snapshot,
    _ clients: Range<VersionKey> = .least ..< .end, visible: VisibleCase? = nil, asks: Bool = false,
    asksPerson: Bool = false
  ) {
    (self.differences, self.visible, self.asks, app) = (differences, visible, asks, after.app)
    (self.asksPerson, self.clients, self.after) = (asksPerson, clients, snapshot)
    every = (before?.remindEvery ?? .once, after.remindEvery)
  }

  /// Compares an app's schedule with what it is told in another state, from a moment on.
  init(_ before: Schedule, to after: Snapshot, from now: Timestamp) {
    let willBe = Schedule(after, from: now)
    self.init(willBe.differences(from: before, since: now), from: before, to: willBe, of: after)
  }

  /// The next hundred moments at which the change alters something.
  package var moments: [Timestamp] {
    var moments = differences.flatMap(\.steps).map(\.from)
    moments.sortUniquely()
    return Array(moments.prefix(Snapshot.mostMoments))
  }

  /// Compares two states of an app from a moment on.
  ///
  /// - Parameter clients: The versions to look at.
  init(
    _ before: Snapshot, _ after: Snapshot, from now: Timestamp,
    _ clients: Range<VersionKey> = .least ..< .end, visible: VisibleCase?, asks: Bool = false,
    asksPerson: Bool = false
  ) {
    let (was, willBe) = (
      Schedule(before, from: now, within: clients), Schedule(after, from: now, within: clients)
    )
    let differences = willBe.differences(from: was, since: now).compactMap { difference in
      difference.lo < clients.upperBound
        ? ScheduleDifference(
          lo: difference.lo, hi: min(difference.hi, clients.upperBound), steps: difference.steps) : nil
    }
    self.init(
      differences, from: was, to: willBe, of: after, clients, visible: visible, asks: asks,
      asksPerson: asksPerson)
  }

  /// Whether some client is forced that was not.
  var forces: Bool { !forcedTo.isEmpty }

  /// The releases, by how they are spelled, that clients are forced to that were not forced.
  var forcedTo: Set<String> {
    Set(
      pairs.filter { $0.after.action == .force && $0.before.action != .force }
        .map { $0.after.target?.version.text ?? "" })
  }

  private var pairs: some Sequence<SystemsDifference> {
    differences.lazy.flatMap(\.steps).flatMap(\.systems)
  }

  /// The agreement that is needed because of what clients are told.
  ///
  /// - Parameters:
  ///   - remindersCount: Whether being reminded, or sent elsewhere, needs it, too.
  ///   - settingsCount: Whether the settings were changed.
  func needs(remindersCount: Bool, settingsCount: Bool) -> Set<Need> {
    var needs: Set<Need> = []
    for pair in pairs {
      let (was, willBe) = (pair.before, pair.after)
      if was.action < willBe.action {
        if willBe.action == .force { needs.insert(.forces) }
        if remindersCount { needs.insert(.stricter) }
      }
      if remindersCount, was.action != .none, willBe.action != .none, was.url != willBe.url {
        needs.insert(.page)
      }
    }
    // A released client that had a value gets another one, or none.
    let isAnotherSet =
      settingsCount
      && differences.lazy.flatMap(\.steps).contains { step in
        !step.before.decision.review
          && step.before.settings.contains { step.after.settings[$0]?.isSpelled(as: $1) != true }
      }
    return isAnotherSet ? needs.union([.setting]) : needs
  }

  /// What the change alters besides prompts and their pages.
  var rest: Impact.Rest {
    let isTold =
      every.before != every.after
      || differences.contains { difference in
        difference.steps.contains {
          $0.before.tag(remindEvery: every.before) != $0.after.tag(remindEvery: every.after)
        }
      }
    return isTold ? .details : differences.isEmpty ? .nothing : .reasons
  }

  /// What people notice of a decision, in a plan with where it points.
  func prompt(_ decision: Decision, namesTargets: Bool) -> ImpactLine.Prompt {
    var target: String?
    if namesTargets, let slug = decision.targetApp, let version = decision.target?.version,
      visible?.versions[slug] != version
    {
      target = slug == app ? version.text : "\(slug) \(version.text)"
    }
    return ImpactLine.Prompt(
      action: decision.decidedBy == .unknown ? nil : decision.action, url: decision.url, target: target)
  }
}

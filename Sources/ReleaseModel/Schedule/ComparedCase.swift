/// Where two schedules of an app differ: a range of versions with what was and will be told, moment by moment.
package struct ScheduleDifference: Sendable, Equatable {
  /// What is told before and after, from one moment until another.
  package struct Step: Sendable, Equatable {
    package let from: Timestamp
    package let until: Timestamp?
    package let before: Told
    package let after: Told
    /// Systems at which the answers step that no one needs to read of.
    fileprivate let olderNames: [Version]

    /// The decisions before and after, by kind of system: unknown and new ones first.
    package var systems: [(systems: VersionRange, before: Decision, after: Decision)] {
      let both = before.systems.merged(with: after.systems)
      let steps = both.indices.filter { $0 == 0 || !olderNames.contains(both[$0].from) }
      return steps.indices.reversed().map { index in
        let span = both[steps[index]]
        func bound(_ version: Version, _ isIncluded: Bool) -> VersionRange.Bound {
          VersionRange.Bound(version, isIncluded: isIncluded)
        }
        let from = index == 0 ? nil : bound(span.from, true)
        guard index + 1 < steps.count else {
          return (VersionRange(from: from, to: nil) ?? .all, before.decision, after.decision)
        }
        let to = bound(both[steps[index + 1]].from, false)
        return (VersionRange(from: from, to: to) ?? .all, span.value.0, span.value.1)
      }
    }
  }

  package let lo: VersionKey
  package let hi: VersionKey
  package let steps: [Step]
}

extension Schedule {
  /// Where this schedule says something else than another, or one of an app that did not exist, from a moment
  /// on, in order of versions.
  package func differences(from before: Schedule?, since moment: Timestamp) -> [ScheduleDifference] {
    let past = before ?? .nothing(app, from: moment)
    var compared: [Pair: [ScheduleDifference.Step]] = [:]
    func compare(_ courses: Pair) -> [ScheduleDifference.Step] {
      if let known = compared[courses] { return known }
      let both = past.courses[courses.before].merged(with: self.courses[courses.after])
      let steps = both.compactMap { span -> ScheduleDifference.Step? in
        let from = max(span.from, moment)
        guard span.end.map({ from < $0 }) ?? true else { return nil }
        let (was, willBe) = (past.answers[span.value.0], self.answers[span.value.1])
        return was == willBe
          ? nil
          : ScheduleDifference.Step(
            from: from, until: span.end, before: was, after: willBe, olderNames: olderNames + past.olderNames)
      }
      compared[courses] = steps
      return steps
    }
    return past.slabs.merged(with: slabs).mapped { compare(Pair(before: $0, after: $1)) }.joined(==)
      .filter { !$0.value.isEmpty }
      .map { ScheduleDifference(lo: $0.from, hi: $0.hi, steps: $0.value) }
  }

  /// Whether it says the same as another from a moment on, reasons included.
  package func saysTheSame(as other: Schedule, since moment: Timestamp) -> Bool {
    differences(from: other, since: moment).isEmpty
  }

  private struct Pair: Hashable {
    let before: Int
    let after: Int
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
  package private(set) var visible: VisibleCase?
  package let differences: [ScheduleDifference]
  /// Whether signers are asked because of whom a change would force in this case: below 1.0, of an app's first release,
  /// they are not.
  package private(set) var asks = false
  /// Whether the person is asked, too: of the first release of an app whose past is whole no one is.
  private(set) var asksPerson = false
  /// The versions that were looked at: of others, a case like it speaks.
  package private(set) var clients: Range<VersionKey> = .least ..< .end
  /// The app in this case, after the change.
  package let after: Snapshot

  /// - Parameter differences: Those of an app as the ledger stands.
  package init(_ differences: [ScheduleDifference], of after: Snapshot) {
    (self.differences, self.after) = (differences, after)
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
    let was = Schedule(before, from: now, within: clients)
    let all = Schedule(after, from: now, within: clients).differences(from: was, since: now)
    let differences = all.compactMap { difference in
      difference.lo < clients.upperBound
        ? ScheduleDifference(
          lo: difference.lo, hi: min(difference.hi, clients.upperBound), steps: difference.steps) : nil
    }
    self.init(differences, of: after)
    (self.clients, self.visible, self.asks, self.asksPerson) = (clients, visible, asks, asksPerson)
  }

  /// Whether some client is forced that was not.
  var forces: Bool { !forcedTo.isEmpty }

  /// The releases, by how they are spelled, that clients are forced to that were not forced.
  var forcedTo: Set<String> {
    Set(
      pairs.filter { $0.after.action == .force && $0.before.action != .force }
        .map { $0.after.targetText(in: after.line.app.slug) ?? "" })
  }

  private var pairs: some Sequence<(systems: VersionRange, before: Decision, after: Decision)> {
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

  /// What the change alters but for the decisions of which lines speak.
  func rest(namesTargets: Bool) -> Impact.Rest {
    var rest = Impact.Rest.nothing
    for step in differences.lazy.flatMap(\.steps) {
      let both = step.before.systems.merged(with: step.after.systems).map { span in
        let (was, willBe) = span.value
        let isSaid = prompt(was, namesTargets: namesTargets) != prompt(willBe, namesTargets: namesTargets)
        return (span.from, isSaid ? (.unreleased, .unreleased) : span.value)
      }
      func untold(_ side: Told, _ decisions: [(Version, Decision)]) -> Told? {
        Told(decisions, settings: side.settings, remindEvery: side.remindEvery)
      }
      let was = untold(step.before, both.map { ($0.0, $0.1.0) })
      let willBe = untold(step.after, both.map { ($0.0, $0.1.1) })
      if was?.tag != willBe?.tag { return .details }
      if was != willBe { rest = .reasons }
    }
    return rest
  }

  /// What people notice of a decision, in a plan with where it points.
  func prompt(_ decision: Decision, namesTargets: Bool) -> Prompt? {
    guard namesTargets, let slug = decision.targetApp, let version = decision.target?.version,
      visible?.versions[slug] != version
    else { return decision.prompt }
    var prompt = decision.prompt
    prompt?.target = decision.targetText(in: after.line.app.slug)
    return prompt
  }
}

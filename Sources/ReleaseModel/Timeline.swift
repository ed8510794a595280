/// A stretch of time over which one answer holds.
package struct Stretch<Answer: Equatable & Sendable>: Equatable, Sendable {
  /// The first moment; nil if nothing is known to have been different before.
  package let from: Timestamp?
  /// The first moment at which it no longer holds; nil if nothing changes by itself.
  package let until: Timestamp?
  package let answer: Answer

  package init(from: Timestamp?, until: Timestamp?, answer: Answer) {
    self.from = from
    self.until = until
    self.answer = answer
  }
}

/// The decision function at a moment, and at the moments around it at which some answer may change by itself.
package struct Timeline: Sendable {
  /// The decision function at the moment that counts as now.
  package let now: Decider
  /// When what holds now began to hold, as far back as was looked.
  private let start: Timestamp?
  /// Earlier moments, latest first, each with the moment from which it holds; nil for the time before every
  /// moment of change.
  private let past: [(from: Timestamp?, decider: Decider)]
  private let background: Background

  /// Looks back over a few moments of change.
  ///
  /// - Parameters:
  ///   - moment: The moment that counts as now.
  ///   - count: How many earlier moments of change to look at. A stretch that reaches further back is
  ///     reported as starting at the earliest of them, or at the moment itself if there is none, which is
  ///     true but incomplete.
  package init(_ snapshot: Snapshot, at moment: Timestamp, lookingBack count: Int) {
    let background = Background(snapshot)
    self.background = background
    let all = snapshot.momentsOfChange(after: .distantPast).filter { $0 <= moment }.sorted()
    let near = all.suffix(count)
    var past = near.dropLast().map { start -> (from: Timestamp?, decider: Decider) in
      (start, Decider(background, at: start))
    }
    if near.count == all.count, !near.isEmpty {
      past.insert((nil, Decider(background, at: .distantPast)), at: 0)
    }
    self.past = past.reversed()
    start = count > 0 ? near.last : moment
    now = Decider(background, at: moment)
  }

  /// What each version is told now, and from when until when.
  ///
  /// - Parameter versions: The versions, ascending.
  package func stretches<Answer>(of versions: [Version], _ ask: (Situation) -> Answer) -> [Stretch<Answer>] {
    var passage = Passage(background, after: now.moment)
    return versions.map { version in
      let answer = ask(now.situation(of: version))
      passage.move(to: version)
      return Stretch(
        from: since { ask($0.situation(of: version)) == answer },
        until: passage.first { ask($0) != answer }, answer: answer)
    }
  }

  /// An answer that depends only on some windows of time, and from when until when it holds.
  package func stretch<Answer>(of windows: [some Timed], _ ask: (Timestamp) -> Answer) -> Stretch<Answer> {
    let answer = ask(now.moment)
    guard windows.contains(where: { !$0.moments.isEmpty }) else {
      return Stretch(from: nil, until: nil, answer: answer)
    }
    let later = Set(windows.flatMap(\.moments)).filter { now.moment < $0 }.sorted()
    return Stretch(
      from: since { ask($0.moment) == answer }, until: later.first { ask($0) != answer }, answer: answer)
  }

  private func since(_ isSame: (Decider) -> Bool) -> Timestamp? {
    var from = start
    for period in past {
      guard isSame(period.decider) else { break }
      from = period.from
    }
    return from
  }
}

/// Moves from version to version and finds the future moments at which something else may decide.
private struct Passage {
  private let moments: [Timestamp]
  private let outlooks: [(slot: Int, outlook: Outlook)]
  private var rules: Prevailing<Rule>
  private var redirects: Prevailing<Redirect>
  private var settings: Holders<Setting>
  private var version = Version.zero
  private var ruleCourse: [(slot: Int, item: Rule?)] = []
  private var redirectCourse: [(slot: Int, item: Redirect?)] = []
  /// The positions of the moments at which something else decides about the version.
  private var slots: [Int] = []

  init(_ background: Background, after now: Timestamp) {
    let (snapshot, line) = (background.snapshot, background.snapshot.line)
    let moments = [now] + snapshot.momentsOfChange(after: now).sorted()
    self.moments = moments
    // No rule, redirect or release applies in a stopped or retired app.
    let isSilent = line.app.silence != nil
    outlooks = ([now] + (isSilent ? [] : snapshot.momentsOfVisibility(after: now).sorted())).map { moment in
      (moments.firstPosition { moment <= $0 }, Outlook(background, at: moment))
    }
    rules = Prevailing(isSilent ? [] : line.rules, moments)
    redirects = Prevailing(isSilent ? [] : line.redirects, moments)
    settings = Holders(line.settings, moments)
  }

  /// Moves on to a version that is not less than the previous one.
  mutating func move(to version: Version) {
    let isFirst = slots.isEmpty
    self.version = version
    let isHeldByOthers = [rules.move(to: version), redirects.move(to: version), settings.move(to: version)]
    guard isFirst || isHeldByOthers.contains(true) else { return }
    (ruleCourse, redirectCourse) = (rules.course(), redirects.course())
    slots = outlooks.map(\.slot) + ruleCourse.map(\.slot) + redirectCourse.map(\.slot)
    for rank in settings.current {
      slots.append(settings.windows[rank].lowerBound)
      slots.append(settings.windows[rank].upperBound)
    }
    slots.sortUniquely()
  }

  /// The first future moment at which a condition holds.
  func first(where holds: (Situation) -> Bool) -> Timestamp? {
    var (outlook, rule, redirect) = (0, 0, 0)
    for slot in slots where 0 < slot && slot < moments.count {
      while outlook + 1 < outlooks.count, outlooks[outlook + 1].slot <= slot { outlook += 1 }
      while rule + 1 < ruleCourse.count, ruleCourse[rule + 1].slot <= slot { rule += 1 }
      while redirect + 1 < redirectCourse.count, redirectCourse[redirect + 1].slot <= slot { redirect += 1 }
      let situation = Situation(
        outlook: outlooks[outlook].outlook, version: version, rule: ruleCourse[rule].item,
        redirect: redirectCourse[redirect].item,
        settings: settings.current.filter { settings.windows[$0].contains(slot) }.map { settings.items[$0] })
      if holds(situation) { return moments[slot] }
    }
    return nil
  }
}

/// What an app's clients are told: every version that could exist, from a moment on, on every system.
package struct Schedule: Sendable {
  /// An answer, from a moment until the next entry of its course.
  package struct Entry: Sendable, Hashable {
    package let from: Timestamp
    package let answer: Int
  }

  /// Neighbouring versions that are told the same at every moment, up to the next slab's.
  package struct Slab: Sendable {
    package let lo: VersionKey
    package let course: Int
  }

  /// A range of versions and a span of time with one answer.
  package struct Tile: Sendable {
    package let lo: VersionKey
    package internal(set) var hi: VersionKey
    package let from: Timestamp
    package let until: Timestamp?
    package let answer: Int
  }

  package let app: String
  package let remindEvery: ReminderFrequency
  package let from: Timestamp
  package internal(set) var answers: [Answer] = []
  package internal(set) var courses: [[Entry]] = []
  package internal(set) var slabs: [Slab] = []
  /// Where tiers begin and end only because some programs are told an older name of a system; no one needs to read of
  /// them.
  var olderNames: [Version] = []

  init(app: String, remindEvery: ReminderFrequency, from: Timestamp) {
    (self.app, self.remindEvery, self.from) = (app, remindEvery, from)
  }

  /// Asks the decision function about every version, from a moment on.
  ///
  /// - Parameter range: Where to ask; the schedule says nothing of versions elsewhere.
  package init(
    _ snapshot: Snapshot, from moment: Timestamp, within range: Range<VersionKey> = .least ..< .end
  ) {
    let moments = [moment] + snapshot.momentsOfChange(after: moment).sorted()
    var sweep = Sweep(snapshot, at: moments, within: range)
    _ = sweep.run(atMost: .max)
    self = sweep.schedule
  }

  package init(_ snapshot: Snapshot, at moment: Timestamp) {
    var sweep = Sweep(snapshot, at: [moment])
    _ = sweep.run(atMost: .max)
    self = sweep.schedule
  }

  /// Asks the decision function about every version, from a moment on.
  ///
  /// - Returns: Nil if the schedule would have more tiles than a limit.
  package init?(_ snapshot: Snapshot, from moment: Timestamp, atMost limit: Int) {
    let moments = [moment] + snapshot.momentsOfChange(after: moment).sorted()
    var sweep = Sweep(snapshot, at: moments)
    guard sweep.run(atMost: limit) else { return nil }
    self = sweep.schedule
  }

  /// The most tiles of an app that a change may bring about.
  package static let mostTiles = 20_000

  /// The tiles of an app from which on a change that makes more of them warns.
  package static let manyTiles = 2_500

  /// The range's end at which a slab ends.
  package func end(of slab: Int) -> VersionKey { slab + 1 < slabs.count ? slabs[slab + 1].lo : .end }

  /// The moment at which an entry of a course ends; nil for never.
  package func end(of entry: Int, in course: [Entry]) -> Timestamp? {
    entry + 1 < course.count ? course[entry + 1].from : nil
  }

  /// The course of answers to a version.
  package func course(of version: Version) -> [Entry] {
    let key = VersionKey(version)
    let slab = slabs.firstPosition { key < $0.lo } - 1
    return slabs.indices.contains(slab) ? courses[slabs[slab].course] : []
  }

  /// What a version is told at a moment, which is not before the schedule's start, and from when until when.
  package func answer(to version: Version, at moment: Timestamp) -> (
    answer: Answer, from: Timestamp, until: Timestamp?
  ) {
    let course = course(of: version)
    let place = Schedule.place(at: moment, in: course)
    guard place < course.count else { return (.nothing, from, nil) }
    return (answers[course[place].answer], course[place].from, end(of: place, in: course))
  }

  /// The position in `answers` of what a version is told at a moment, which is not before the schedule's start.
  package func position(of version: Version, at moment: Timestamp) -> Int {
    let course = course(of: version)
    return course[Schedule.place(at: moment, in: course)].answer
  }

  static func place(at moment: Timestamp, in course: [Entry]) -> Int {
    max(0, course.firstPosition { moment < $0.from } - 1)
  }

  package var moments: [Timestamp] {
    var moments = courses.flatMap { $0.dropFirst().map(\.from) }
    moments.sortUniquely()
    return moments
  }

  /// The schedule without the moments at which clients are told the same for another reason.
  package var asTold: Schedule {
    guard courses.contains(where: { $0.count > 1 }) else { return self }
    let tags = answers.map { $0.tag(remindEvery: remindEvery) }
    var told = self
    told.courses = courses.map { course in
      course.prefix(1)
        + zip(course, course.dropFirst()).filter { tags[$0.answer] != tags[$1.answer] }.map(\.1)
    }
    return told
  }

  /// The first moment after a given one at which some answer changes by itself.
  package func nextChange(after moment: Timestamp) -> Timestamp? {
    courses.compactMap { course in course.first { moment < $0.from }?.from }.min()
  }

  /// The first moment at which clients of some version are sent to a release of an app; nil if none are, as far as is
  /// known.
  package func firstTold(of version: Version, of slug: String) -> Timestamp? {
    let telling = answers.map { answer in
      answer.decisions.contains { $0.targetApp == slug && $0.target?.version == version }
    }
    return courses.compactMap { course in course.first { telling[$0.answer] }?.from }.min()
  }

  /// The tiles of every version and all time from the start on, in order of `lo`, then `from`; each goes on
  /// into the next slab if that has the same answer over the same span.
  package var tiles: [Tile] {
    var tiles: [Tile] = []
    var open: [Int] = []
    for (index, slab) in slabs.enumerated() {
      let course = courses[slab.course]
      var reaching: [Int] = []
      var place = 0
      for (entry, told) in course.enumerated() {
        let until = end(of: entry, in: course)
        while place < open.count, tiles[open[place]].from < told.from { place += 1 }
        if place < open.count, tiles[open[place]].from == told.from, tiles[open[place]].until == until,
          tiles[open[place]].answer == told.answer
        {
          tiles[open[place]].hi = end(of: index)
          reaching.append(open[place])
        } else {
          reaching.append(tiles.count)
          tiles.append(
            Tile(lo: slab.lo, hi: end(of: index), from: told.from, until: until, answer: told.answer))
        }
      }
      open = reaching
    }
    return tiles
  }
}

/// Neighbouring versions that are told the same at a moment, and until then the same moment.
package struct AnswerRange: Sendable {
  package let range: VersionRange
  /// How many recorded versions it holds.
  package let count: Int
  package let answer: Answer
  /// When they are told something else; nil if nothing changes by itself.
  package let until: Timestamp?

  package var decision: Decision { answer.decision }
  package var settings: [String: String] { answer.settings }
}

extension Snapshot {
  /// What every version is told at a moment, ascending.
  package func ranges(at moment: Timestamp) -> [AnswerRange] {
    let (schedule, known) = (Schedule(self, from: moment), line.recordedVersions)
    return schedule.steps(at: moment).map { step in
      AnswerRange(
        range: VersionRange(from: step.lo, to: step.hi) ?? .all,
        count: known.positions(from: step.lo, to: step.hi).count,
        answer: schedule.answers[step.answer], until: step.until)
    }
  }

  /// Whether clients of some version are prompted at a moment.
  package func isPrompting(at moment: Timestamp) -> Bool {
    Schedule(self, at: moment).answers.contains { $0.decisions.contains { $0.action != .none } }
  }

  /// The versions that some client of theirs is forced in at a moment.
  package func forced(at moment: Timestamp) -> [VersionRange] {
    let schedule = Schedule(self, at: moment)
    return schedule.steps(at: moment).filter { step in
      schedule.answers[step.answer].decisions.contains { $0.action == .force }
    }.compactMap { VersionRange(from: $0.lo, to: $0.hi) }.joined()
  }

  /// From when a client will be forced, as far as is known; nil if it is forced already, or never will be.
  package func forcedFrom(_ client: Client, after moment: Timestamp) -> Timestamp? {
    var part = self
    part.line.rules.removeAll { !$0.range.contains(client.version) }
    part.line.redirects.removeAll { !$0.range.contains(client.version) }
    part.line.settings = []
    guard !part.momentsOfChange(after: moment).isEmpty else { return nil }
    return Schedule(part, from: moment).answer(to: client.version, at: moment)
      .answer.decision(on: client.os).forcedFrom
  }
}

extension [AnswerRange] {
  /// How many known versions are told the action of a rule because of that rule.
  package func count(saidBy rule: Rule) -> Int {
    reduce(0) { $0 + ($1.decision.rule == rule.number && $1.decision.action == rule.action ? $1.count : 0) }
  }
}

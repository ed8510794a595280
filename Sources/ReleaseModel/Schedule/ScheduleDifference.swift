/// Where two schedules of an app differ: a range of versions with what was and will be told, moment by moment.
package struct ScheduleDifference: Sendable, Equatable {
  /// What is told before and after, from one moment until another.
  package struct Step: Sendable, Equatable {
    package let from: Timestamp
    package let until: Timestamp?
    package let before: Answer
    package let after: Answer
  }

  package let lo: VersionKey
  package internal(set) var hi: VersionKey
  package let steps: [Step]
}

extension Schedule {
  /// Where this schedule says something else than another, or one of an app that did not exist, from a moment
  /// on, in order of versions.
  package func differences(from before: Schedule?, since moment: Timestamp) -> [ScheduleDifference] {
    let past = before ?? Schedule.silent(app, from: moment)
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
            steps.append(ScheduleDifference.Step(from: from, until: until, before: was, after: willBe))
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

  private static func silent(_ app: String, from moment: Timestamp) -> Schedule {
    var schedule = Schedule(app: app, remindEvery: .once, from: moment)
    schedule.answers = [.nothing]
    schedule.courses = [[Entry(from: moment, answer: 0)]]
    schedule.slabs = [Slab(lo: .least, course: 0)]
    return schedule
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
    var bounds = (before.tiers + after.tiers).map(\.below)
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

package import JSON

extension Schedule {
  /// Neighbouring versions with one answer at one moment, and until then the same moment.
  package struct Step: Sendable {
    package let lo: VersionKey
    package let hi: VersionKey
    package let answer: Int
    /// When they are told something else; nil if nothing changes by itself.
    package let until: Timestamp?

    package var first: Version { lo.version ?? .zero }
  }

  /// What every version is told at a moment, ascending, without gaps; a step ends at each cut, too.
  package func steps(at moment: Timestamp, cutAt cuts: [VersionKey] = []) -> [Step] {
    let told = courses.map { course in
      let place = Schedule.place(at: moment, in: course)
      return (answer: course[place].answer, until: end(of: place, in: course))
    }
    let cuts = Set(cuts)
    var keys = slabs.map(\.lo) + cuts.filter { $0 < .end }
    keys.sortUniquely()
    var starts: [(lo: VersionKey, answer: Int, until: Timestamp?)] = []
    var slab = 0
    for key in keys {
      while slab + 1 < slabs.count, slabs[slab + 1].lo <= key { slab += 1 }
      let (answer, until) = told[slabs[slab].course]
      if let last = starts.last, last.answer == answer, last.until == until, !cuts.contains(key) { continue }
      starts.append((key, answer, until))
    }
    return starts.indices.map { place in
      Step(
        lo: starts[place].lo, hi: place + 1 < starts.count ? starts[place + 1].lo : .end,
        answer: starts[place].answer, until: starts[place].until)
    }
  }
}

/// What an app's clients are told at one moment, in few words, to say later whose answer is another.
package struct ScheduleSlice: Sendable, Equatable {
  /// What a client is told, by its tag, and what people want to read of it.
  fileprivate struct Told: Sendable, Equatable {
    let tag: String
    var action = Action.none
    var target: String?
    var targetApp: String?
    var url: String?
  }

  private var steps: [(lo: VersionKey, told: Told)]

  package static func == (left: ScheduleSlice, right: ScheduleSlice) -> Bool {
    left.steps.elementsEqual(right.steps) { $0.lo == $1.lo && $0.told == $1.told }
  }

  private init(_ steps: [(lo: VersionKey, told: Told)]) { self.steps = steps }

  package static let nothing = ScheduleSlice([
    (.least, Told(tag: Answer.nothing.tag(remindEvery: .once)))
  ])

  /// What a schedule says at a moment, which is not before its start.
  package init(_ schedule: Schedule, at moment: Timestamp) {
    let told = schedule.answers.map { answer in
      let decision = answer.decision
      return Told(
        tag: answer.tag(remindEvery: schedule.remindEvery), action: decision.action,
        target: decision.target?.version.text, targetApp: decision.targetApp, url: decision.url)
    }
    steps = []
    for step in schedule.steps(at: moment) where steps.last?.told != told[step.answer] {
      steps.append((step.lo, told[step.answer]))
    }
  }

  /// How the answer to a range of versions changed.
  package struct Change: Sendable, Equatable {
    fileprivate let lo: VersionKey
    fileprivate var hi: VersionKey
    fileprivate let before: Told
    fileprivate let after: Told

    fileprivate func goes(on other: Change) -> Bool {
      hi == other.lo && before == other.before && after == other.after
    }

    package var range: VersionRange { VersionRange(from: lo, to: hi) ?? .all }

    package var json: JSON {
      [
        "after": .string(after.action.rawValue), "before": .string(before.action.rawValue),
        "target": .optional(after.target), "targetApp": .optional(after.targetApp),
        "url": .optional(after.url),
        "versions": .string(range.text),
      ]
    }
  }

  /// Whose answer has another tag than in an earlier slice, ascending by version.
  package func changes(since earlier: ScheduleSlice) -> [Change] {
    var changes: [Change] = []
    var (old, new) = (0, 0)
    while old < earlier.steps.count, new < steps.count {
      let ends = (earlier.end(of: old), end(of: new))
      let (before, after) = (earlier.steps[old].told, steps[new].told)
      if before.tag != after.tag {
        let change = Change(
          lo: max(earlier.steps[old].lo, steps[new].lo), hi: min(ends.0, ends.1), before: before,
          after: after)
        if changes.last?.goes(on: change) == true {
          changes[changes.count - 1].hi = change.hi
        } else {
          changes.append(change)
        }
      }
      if ends.0 <= ends.1 { old += 1 }
      if ends.1 <= ends.0 { new += 1 }
    }
    return changes
  }

  private func end(of step: Int) -> VersionKey { step + 1 < steps.count ? steps[step + 1].lo : .end }

  package var json: JSON {
    .array(
      steps.map { lo, told in
        [
          "action": .string(told.action.rawValue), "lo": .string(lo.text), "tag": .string(told.tag),
          "target": .optional(told.target), "targetApp": .optional(told.targetApp),
          "url": .optional(told.url),
        ]
      })
  }

  /// Reads back what `json` wrote; nil for anything else.
  package init?(json: JSON?) {
    var steps: [(lo: VersionKey, told: Told)] = []
    for step in json?.array ?? [] {
      guard let lo = step["lo"]?.string.flatMap(VersionKey.init), lo < .end,
        steps.last.map({ $0.lo < lo }) ?? (lo == .least), let tag = step["tag"]?.string,
        let action = step["action"]?.string.flatMap(Action.init(rawValue:))
      else { return nil }
      let told = Told(
        tag: tag, action: action, target: step["target"]?.string, targetApp: step["targetApp"]?.string,
        url: step["url"]?.string)
      steps.append((lo, told))
    }
    guard !steps.isEmpty else { return nil }
    self.steps = steps
  }
}

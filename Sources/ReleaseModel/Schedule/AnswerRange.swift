/// Neighbouring versions that are told the same at a moment, and until then the same moment.
package struct AnswerRange: Sendable {
  package let lo: VersionKey
  /// Where they end.
  package fileprivate(set) var hi: VersionKey
  /// The known ones among them; nil if there are none.
  package fileprivate(set) var known: KnownVersions?
  package let answer: Answer
  /// When they are told something else; nil if nothing changes by itself.
  package let until: Timestamp?
  package let hears: Bool

  package var range: VersionRange { VersionRange(from: lo, to: hi) ?? .all }

  package var versions: String { known.map { Version.spanText($0.first, $0.last) } ?? range.text }

  package var decision: Decision { answer.decision }
  package var settings: [String: String] { answer.settings }
  package var first: Version { known?.first ?? .zero }
  package var last: Version { known?.last ?? .zero }
  package var count: Int { known?.count ?? 0 }
}

extension Schedule {
  /// What every version is told at a moment not before the schedule's start, ascending; `known` is ascending,
  /// too.
  package func ranges(at moment: Timestamp, asksSince: Version?, known: [Version]) -> [AnswerRange] {
    var ranges: [AnswerRange] = []
    let bound = asksSince.map { VersionKey($0) } ?? .least
    for (index, slab) in slabs.enumerated() {
      let course = courses[slab.course]
      let place = max(0, course.firstPosition { moment < $0.from } - 1)
      guard place < course.count else { continue }
      let middle = min(max(bound, slab.lo), end(of: index))
      for (lo, hi, hears) in [(slab.lo, middle, false), (middle, end(of: index), true)] where lo < hi {
        let range = AnswerRange(
          lo: lo, hi: hi, known: nil, answer: answers[course[place].answer],
          until: end(of: place, in: course), hears: hears)
        if let last = ranges.last, last.hears == hears, last.until == range.until,
          last.answer == range.answer
        {
          ranges[ranges.count - 1].hi = hi
        } else {
          ranges.append(range)
        }
      }
    }
    for place in ranges.indices {
      ranges[place].known = KnownVersions(of: known, from: ranges[place].lo, to: ranges[place].hi)
    }
    return ranges
  }
}

extension Snapshot {
  /// What every known version is told at a moment, folded into ranges, greatest first.
  package func knownRanges(at moment: Timestamp) -> [AnswerRange] {
    let known = line.knownPositions.map { line.releases[$0].version }
    var ranges: [AnswerRange] = []
    let all = Schedule(self, at: moment).ranges(at: moment, asksSince: line.app.asksSince, known: known)
    for range in all {
      guard let versions = range.known else { continue }
      if let last = ranges.last, let before = last.known, last.hears == range.hears,
        last.answer == range.answer
      {
        ranges[ranges.count - 1].hi = range.hi
        ranges[ranges.count - 1].known = KnownVersions(
          first: before.first, last: versions.last, count: before.count + versions.count)
      } else {
        ranges.append(range)
      }
    }
    return ranges.reversed()
  }

  /// Whether clients of some version are prompted at a moment.
  package func isPrompting(at moment: Timestamp) -> Bool {
    Schedule(self, at: moment).answers.contains { $0.decisions.contains { $0.action != .none } }
  }

  /// The versions that some client of theirs is forced in at a moment.
  package func forced(at moment: Timestamp) -> [VersionRange] {
    let schedule = Schedule(self, at: moment)
    var spans: [(lo: VersionKey, hi: VersionKey)] = []
    for step in schedule.steps(at: moment)
    where schedule.answers[step.answer].decisions.contains(where: { $0.action == .force }) {
      if spans.last?.hi == step.lo {
        spans[spans.count - 1].hi = step.hi
      } else {
        spans.append((step.lo, step.hi))
      }
    }
    return spans.compactMap { VersionRange(from: $0.lo, to: $0.hi) }
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

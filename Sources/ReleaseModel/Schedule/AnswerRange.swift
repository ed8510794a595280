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
    let bound = asksSince.map { VersionKey($0) } ?? .least
    return steps(at: moment, cutAt: [bound]).map { step in
      AnswerRange(
        lo: step.lo, hi: step.hi, known: KnownVersions(of: known, from: step.lo, to: step.hi),
        answer: answers[step.answer], until: step.until, hears: bound <= step.lo)
    }
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

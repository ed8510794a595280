/// Neighbouring versions that are told the same at a moment, and until then the same moment.
package struct AnswerRange: Sendable {
  package let range: VersionRange
  /// How many known versions it holds.
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
    let (schedule, known) = (Schedule(self, from: moment), line.knownVersions)
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

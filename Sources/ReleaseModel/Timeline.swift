/// A stretch of time over which one answer holds.
package struct Stretch<Answer: Equatable & Sendable>: Equatable, Sendable {
  /// The first moment; nil where nothing is known to have been otherwise before.
  package let from: Timestamp?
  /// The first moment at which it no longer holds; nil where nothing changes by itself.
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
  /// In order of time, each with the moment it counts from; nil for what was before every moment of change.
  private let periods: [(from: Timestamp?, decider: Decider)]
  private let current: Int

  /// The decision function at the moment that counts as now.
  package var now: Decider { periods[current].decider }

  /// Looks forward to the last moment of change, and back over a few.
  ///
  /// - Parameters:
  ///   - moment: The moment that counts as now.
  ///   - count: How many earlier moments of change are looked at; a stretch that reaches further back is said to start
  ///     with the earliest of them, or with the moment itself where none is, which is true, though not all.
  package init(_ snapshot: Snapshot, at moment: Timestamp, lookingBack count: Int) {
    let background = Background(snapshot)
    var periods: [(from: Timestamp?, decider: Decider)] = []
    var start: Timestamp? = moment
    if count > 0 {
      let all = snapshot.momentsOfChange(after: .distantPast).filter { $0 <= moment }.sorted()
      let past = all.suffix(count)
      if past.count == all.count, !all.isEmpty {
        periods.append((nil, Decider(background, at: .distantPast)))
      }
      for start in past.dropLast() { periods.append((start, Decider(background, at: start))) }
      start = past.last
    }
    current = periods.count
    periods.append((start, Decider(background, at: moment)))
    for start in snapshot.momentsOfChange(after: moment).sorted() {
      periods.append((start, Decider(background, at: start)))
    }
    self.periods = periods
  }

  /// What a question is answered now, and from when until when.
  package func stretch<Answer>(_ ask: (Decider) -> Answer) -> Stretch<Answer> {
    let answer = ask(now)
    var first = current
    while first > 0, ask(periods[first - 1].decider) == answer { first -= 1 }
    let next = periods[(current + 1)...].first { ask($0.decider) != answer }
    return Stretch(from: periods[first].from, until: next?.from, answer: answer)
  }
}

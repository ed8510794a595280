/// The phase that a rule which was not lifted is in at a moment.
package enum RulePhase: String, Sendable {
  case armed
  case toCome = "to come"
  case over
}

/// What wins over a rule for every version that it is about, from now or from its start on.
package struct Overriding: Sendable, Equatable {
  package let rules: [Int64]
  package let until: Timestamp?

  package var text: String {
    "overridden by rule\(rules.count == 1 ? "" : "s") \(rules.map { String($0) }.joined(separator: ", "))"
      + (until.map { " until \($0.text)" } ?? "")
  }
}

extension AppState {
  /// The rules that are not over, but apply to no version at a moment or when they start, by their numbers.
  package func overridden(at moment: Timestamp) -> [Int64: Overriding] {
    var moments = [moment] + rules.flatMap(\.moments).filter { moment < $0 }
    moments.sortUniquely()
    var keys = rules.flatMap { [$0.range.start, $0.range.end] }
    keys.sortUniquely()
    var prevailing = Prevailing(rules, moments)
    var first: [Int64: Int] = [:]
    var starts: [Int64: Int] = [:]
    var winners: [Int64: Set<Int64>] = [:]
    for version in keys.compactMap(\.version) {
      _ = prevailing.move(to: version)
      let course = prevailing.course()
      for case (let slot, let rule?) in course { first[rule.number] = min(first[rule.number] ?? slot, slot) }
      for place in prevailing.current {
        let (number, start) = (prevailing.items[place].number, prevailing.windows[place].lowerBound)
        starts[number] = start
        guard let winner = course.last(where: { $0.slot <= start })?.item?.number else { continue }
        winners[number, default: []].insert(winner)
      }
    }
    return Dictionary(
      uniqueKeysWithValues: winners.filter { first[$0.key] != starts[$0.key] }.map { number, winners in
        (number, Overriding(rules: winners.sorted(), until: first[number].map { moments[$0] }))
      })
  }
}

extension Rule {
  /// The phase that the rule is in at a moment.
  package func phase(at moment: Timestamp) -> RulePhase {
    if isActive(at: moment) { return .armed }
    return from.map { moment < $0 } == true ? .toCome : .over
  }
}

/// Something that applies to the versions of a range; of several whose ranges contain a version, one wins.
package protocol Ranged {
  var range: VersionRange { get }
  var number: Int64 { get }
  func wins(over other: Self) -> Bool
}

extension Ranged {
  /// Whether this wins over another; by default, the range decides.
  package func wins(over other: Self) -> Bool { winsByRange(over: other) }

  /// Whether this is for exactly one version and the other is not, or is newer if both or neither are.
  func winsByRange(over other: Self) -> Bool {
    let (exact, otherExact) = (range.exactVersion != nil, other.range.exactVersion != nil)
    return exact != otherExact ? exact : number > other.number
  }
}

extension Sequence where Element: Ranged {
  /// The elements, sorted so that the first one whose range contains a version is the one that applies.
  package func byPrecedence() -> [Element] { sorted { $0.wins(over: $1) } }
}

extension Sequence where Element: Ranged & Timed {
  /// Whether something newer applies to some version of an element, at some moment from now on.
  package func isOverlaid(_ element: Element, at now: Timestamp) -> Bool {
    contains { newer in
      let ends = [newer.until, element.until].compactMap(\.self)
      let start = Swift.max(newer.from ?? now, element.from ?? now, now)
      return newer.number > element.number && newer.range.overlaps(element.range)
        && ends.allSatisfy { start < $0 }
    }
  }
}

/// Something that applies from one moment to another.
package protocol Timed {
  /// The first moment at which it applies; nil for always.
  var from: Timestamp? { get }
  /// The first moment at which it no longer applies; nil for never.
  var until: Timestamp? { get }
}

extension Timed {
  /// Whether it applies at a moment.
  package func isActive(at moment: Timestamp) -> Bool {
    if let from, moment < from { return false }
    if let until, until <= moment { return false }
    return true
  }

  package var moments: [Timestamp] { [from, until].compactMap(\.self) }

  /// Whether it applies in the same window of time as another.
  package func hasWindow(of other: some Timed) -> Bool { from == other.from && until == other.until }

  /// The window in words, with a leading space: ` from … until …`; empty for always.
  package var windowText: String {
    (from.map { " from \($0.text)" } ?? "") + (until.map { " until \($0.text)" } ?? "")
  }
}

/// A window of time, by itself.
package struct Window: Timed, Sendable, Equatable {
  package let from: Timestamp?
  package let until: Timestamp?

  package init(from: Timestamp? = nil, until: Timestamp? = nil) {
    self.from = from
    self.until = until
  }
}

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

  /// What wins, and until when, in words.
  package func text(_ moment: (Timestamp) -> String = { $0.text }) -> String {
    "overridden by rule\(rules.count == 1 ? "" : "s") \(rules.map { String($0) }.joined(separator: ", "))"
      + (until.map { " until \(moment($0))" } ?? "")
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
    var winners: [Int64: [(from: Int, rule: Int64)]] = [:]
    for version in keys.compactMap(\.version) {
      _ = prevailing.move(to: version)
      let course = prevailing.course()
      for step in course {
        if let rule = step.value { first[rule.number] = min(first[rule.number] ?? step.from, step.from) }
      }
      for index in prevailing.current {
        let (number, window) = (prevailing.items[index].number, prevailing.windows[index])
        starts[number] = window.lowerBound
        winners[number, default: []] += course.compactMap { step in
          guard window.overlaps(step.from..<(step.end ?? .max)) else { return nil }
          return step.value.map { (step.from, $0.number) }
        }
      }
    }
    return Dictionary(
      uniqueKeysWithValues: winners.filter { first[$0.key] != starts[$0.key] }.map { number, winners in
        let end = first[number]
        let others = Set(winners.filter { $0.from < end ?? .max }.map(\.rule))
        return (number, Overriding(rules: others.sorted(), until: end.map { moments[$0] }))
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

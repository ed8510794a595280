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

extension Rule {
  /// The phase that the rule is in at a moment.
  package func phase(at moment: Timestamp) -> RulePhase {
    if isActive(at: moment) { return .armed }
    return from.map { moment < $0 } == true ? .toCome : .over
  }
}

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

/// The start or the end of something's window of time.
package struct WindowEdge: Sendable, Equatable {
  package let name: String
  package let says: String
  package let isStart: Bool
  package let event: Int64
}

extension AppState {
  /// The starts and ends of windows at a moment: those of rules, redirects and settings, in this order.
  package func windowEdges(at moment: Timestamp) -> [WindowEdge] {
    func edges<Item: Timed>(_ items: [Item], _ describe: (Item) -> (String, String, Int64)) -> [WindowEdge] {
      items.filter { $0.from == moment || $0.until == moment }.map { item in
        let (name, says, event) = describe(item)
        return WindowEdge(name: name, says: says, isStart: item.from == moment, event: event)
      }
    }
    return edges(rules) { ("rule \($0.number)", "\($0.range.text) → \($0.action.rawValue)", $0.event) }
      + edges(redirects) {
        ("redirect of \($0.range.text)", "to \($0.destination.text)", $0.event)
      }
      + edges(settings) {
        let phase = $0.phase.map { " during \($0.rawValue)" } ?? ""
        return ("setting \($0.key) for \($0.range.text)\(phase)", $0.value, $0.event)
      }
  }
}

extension AppState {
  /// What a release itself does at a moment, in words that follow its name.
  package func passages(of release: Release, at moment: Timestamp) -> [String] {
    guard release.isVisible(at: moment) else { return [] }
    return [
      release.visibleAt == moment ? "becomes visible" : nil,
      remindsFrom(release) == moment ? "reminders start (phased release complete)" : nil,
      release.expires == moment ? "expires" : nil,
    ].compactMap(\.self)
  }
}

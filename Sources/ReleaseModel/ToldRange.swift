/// Neighbouring known versions that are told the same.
package struct ToldRange: Sendable, Equatable {
  package let first: Version
  package private(set) var last: Version
  package private(set) var count: Int
  package let decision: Decision
  @Verbatim package private(set) var settings: [String: String]
  /// Whether these versions ask at all.
  package let hears: Bool

  /// The versions as people write them: `1.2.0–1.4.9`, or one version.
  package var versions: String { Version.spanText(first, last) }

  fileprivate init(_ version: Version, _ decision: Decision, _ settings: [String: String], hears: Bool) {
    first = version
    last = version
    count = 1
    self.decision = decision
    self.settings = settings
    self.hears = hears
  }

  /// Absorbs the next greater version if it is told the same, and returns whether it is.
  fileprivate mutating func takes(_ next: ToldRange) -> Bool {
    guard
      hears == next.hears,
      Told(decision, settings: settings) == Told(next.decision, settings: next.settings)
    else { return false }
    last = next.last
    count += 1
    return true
  }
}

extension Snapshot {
  /// What the decision function says to every known version at a moment, folded into ranges, greatest first.
  package func toldRanges(at moment: Timestamp) -> [ToldRange] {
    let decider = Decider(self, at: moment)
    var ranges: [ToldRange] = []
    for position in line.knownPositions {
      let version = line.releases[position].version
      let decision = decider.decide(Client(version: version))
      let range = ToldRange(
        version, decision, decider.settings(of: version, inReview: decision.review),
        hears: line.app.asksSince.map { $0 <= version } ?? true)
      if ranges.isEmpty || !ranges[ranges.count - 1].takes(range) { ranges.append(range) }
    }
    return ranges.reversed()
  }
}

extension [ToldRange] {
  /// How many known versions are told the action of a rule because of that rule.
  package func count(saidBy rule: Rule) -> Int {
    reduce(0) { $0 + ($1.decision.rule == rule.number && $1.decision.action == rule.action ? $1.count : 0) }
  }
}

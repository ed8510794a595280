/// Something that counts for the versions of a range: of several that contain a version, one wins.
package protocol Ranged {
  var range: VersionRange { get }
  /// Counts up through the ledger.
  var number: Int64 { get }
  /// Whether this wins over another.
  func wins(over other: Self) -> Bool
}

extension Ranged {
  /// Whether this wins over another: where nothing else is said, as its range does.
  package func wins(over other: Self) -> Bool { winsByRange(over: other) }

  /// Whether this is for exactly one version and another is not, or is newer where both are or neither is.
  func winsByRange(over other: Self) -> Bool {
    let (exact, otherExact) = (range.exactVersion != nil, other.range.exactVersion != nil)
    return exact != otherExact ? exact : number > other.number
  }
}

extension Sequence where Element: Ranged {
  /// In the order in which the first whose range contains a version is the one that counts.
  package func byPrecedence() -> [Element] { sorted { $0.wins(over: $1) } }
}

/// Something that counts from one moment to another.
package protocol Timed {
  /// The first moment at which it counts; nil for always.
  var from: Timestamp? { get }
  /// The first moment at which it no longer counts; nil for never.
  var until: Timestamp? { get }
}

extension Timed {
  /// Whether it counts at a moment.
  package func isActive(at moment: Timestamp) -> Bool {
    if let from, moment < from { return false }
    if let until, until <= moment { return false }
    return true
  }

  /// The moments at which it starts or stops to count.
  var moments: [Timestamp] { [from, until].compactMap(\.self) }
}

extension Release {
  /// The moments at which the release itself changes answers.
  var moments: [Timestamp] {
    guard state == .live || state == .superseded, let visibleAt else { return [] }
    return [visibleAt]
  }
}

extension Snapshot {
  /// The moments after one at which something becomes visible.
  func momentsOfVisibility(after now: Timestamp) -> Set<Timestamp> {
    var moments: Set<Timestamp> = []
    for line in [line] + others.values {
      for release in line.releases { moments.formUnion(release.moments.lazy.filter { now < $0 }) }
    }
    return moments
  }

  /// The moments after one at which some answer may change by itself.
  package func momentsOfChange(after now: Timestamp) -> Set<Timestamp> {
    var moments = momentsOfVisibility(after: now)
    func add(_ items: [some Timed]) {
      for item in items { moments.formUnion(item.moments.lazy.filter { now < $0 }) }
    }
    add(line.rules)
    add(line.redirects)
    add(line.settings)
    return moments
  }
}

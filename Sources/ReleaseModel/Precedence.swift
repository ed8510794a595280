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

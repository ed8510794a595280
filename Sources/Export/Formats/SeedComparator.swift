import ReleaseModel

/// Ways in which clients of old compare versions, right only for some.
enum SeedComparator {
  /// By major × 1000 + minor × 100 + patch, in 32 bits, the fourth component left out: 1.10 is 2.0.
  static func asOneNumber(_ version: Version, isBelow other: Version) -> Bool {
    number(version) < number(other)
  }

  private static func number(_ version: Version) -> Int32 {
    let parts = (0..<3).map { Int32(truncatingIfNeeded: version.component($0)) }
    return parts[0] &* 1_000 &+ parts[1] &* 100 &+ parts[2]
  }

  /// By what a decimal number makes of it: 1.10.3 is 1.1, and below 1.9.
  static func asDecimal(_ version: Version, isBelow other: Version) -> Bool {
    decimal(version) < decimal(other)
  }

  private static func decimal(_ version: Version) -> Float {
    let parts = version.text.split(separator: ".").prefix(2)
    return Float(parts.joined(separator: ".")) ?? 0
  }

  /// By any component that is greater, whatever stands before it, or by more components: 2.1 is below 1.5.
  static func byAnyComponent(_ version: Version, isBelow other: Version) -> Bool {
    other.count > version.count
      || (0..<other.count).contains { version.component($0) < other.component($0) }
  }
}

extension Version {
  /// Whether a client that reads three components takes this version for the older.
  func isBelow(inThreeComponents other: Version) -> Bool {
    for index in 0..<3 where component(index) != other.component(index) {
      return component(index) < other.component(index)
    }
    return false
  }
}

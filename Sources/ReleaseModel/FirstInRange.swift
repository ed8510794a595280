/// Finds, of ranges in an order of precedence, the first that holds a version, in a number of steps that grows with the
/// logarithm of their count.
///
/// The bounds cut the line of versions into stretches. Each range in turn takes the stretches of its own that are not
/// taken yet.
struct FirstInRange: Sendable {
  /// The versions that are bounds, ascending.
  private let bounds: [Version]
  /// Which range takes each stretch, -1 for none: below the first bound, at it, between it and the next, and so on.
  private let takers: [Int32]

  /// Prepares to find among ranges, the first in precedence first.
  init(_ ranges: [VersionRange]) {
    let bounds = Set(ranges.flatMap { [$0.lower?.version, $0.upper?.version].compactMap { $0 } }).sorted()
    var takers = [Int32](repeating: -1, count: 2 * bounds.count + 1)
    /// For each stretch one from which on to look for one that is not taken, itself where it is not.
    var free = Array(0...takers.count)
    func firstFree(from stretch: Int) -> Int {
      var end = stretch
      while free[end] != end { end = free[end] }
      var step = stretch
      while free[step] != end, free[step] != step { (step, free[step]) = (free[step], end) }
      return end
    }
    for (index, range) in ranges.enumerated() {
      let lower = range.lower.map {
        FirstInRange.position(of: $0.version, in: bounds) * 2 + ($0.isIncluded ? 1 : 2)
      }
      let upper = range.upper.map {
        FirstInRange.position(of: $0.version, in: bounds) * 2 + ($0.isIncluded ? 1 : 0)
      }
      let last = upper ?? takers.count - 1
      var stretch = firstFree(from: lower ?? 0)
      while stretch <= last {
        takers[stretch] = Int32(clamping: index)
        free[stretch] = stretch + 1
        stretch = firstFree(from: stretch + 1)
      }
    }
    self.bounds = bounds
    self.takers = takers
  }

  /// The index of the first range that holds a version; nil where none does.
  func index(of version: Version) -> Int? {
    let position = FirstInRange.position(of: version, in: bounds)
    let isBound = position < bounds.count && bounds[position] == version
    let taker = takers[2 * position + (isBound ? 1 : 0)]
    return taker < 0 ? nil : Int(taker)
  }

  /// Where a version is in a sorted list, or where it would go.
  private static func position(of version: Version, in sorted: [Version]) -> Int {
    sorted.firstPosition { version <= $0 }
  }
}

extension Array {
  /// The first position from which on a condition holds; the count where it holds nowhere.
  func firstPosition(where holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

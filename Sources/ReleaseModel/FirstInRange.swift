/// A place on the line of versions where a range can begin or end: just before a version, just after it, or beyond all.
struct Edge: Comparable {
  /// -1 below every version, 1 above every version, 0 at one.
  private let side: Int8
  private let version: Version
  private let isAfter: Bool

  private init(side: Int8, _ version: Version, isAfter: Bool) {
    self.side = side
    self.version = version
    self.isAfter = isAfter
  }

  /// Below every version.
  static let least = Edge(side: -1, .zero, isAfter: false)
  /// Above every version.
  static let greatest = Edge(side: 1, .zero, isAfter: true)

  static func before(_ version: Version) -> Edge { Edge(side: 0, version, isAfter: false) }

  static func after(_ version: Version) -> Edge { Edge(side: 0, version, isAfter: true) }

  static func < (left: Edge, right: Edge) -> Bool {
    if left.side != right.side { return left.side < right.side }
    return left.version != right.version ? left.version < right.version : !left.isAfter && right.isAfter
  }
}

extension VersionRange {
  /// Where the range begins.
  var start: Edge { lower.map { $0.isIncluded ? .before($0.version) : .after($0.version) } ?? .least }

  /// Where the range ends.
  var end: Edge { upper.map { $0.isIncluded ? .after($0.version) : .before($0.version) } ?? .greatest }
}

/// Finds, of ranges in an order of precedence, the first that holds a version, in a number of steps that grows with the
/// logarithm of their count.
///
/// The edges cut the line of versions into stretches. Each range in turn takes the stretches of its own that are not
/// taken yet.
struct FirstInRange: Sendable {
  /// Where a stretch begins, ascending; one more lies below the first.
  private let edges: [Edge]
  /// Which range takes each stretch, -1 for none.
  private let takers: [Int32]

  /// Prepares to find among ranges, the first in precedence first.
  init(_ ranges: [VersionRange]) {
    var edges: [Edge] = []
    for range in ranges {
      if range.lower != nil { edges.append(range.start) }
      if range.upper != nil { edges.append(range.end) }
    }
    edges.sortUniquely()
    takers = FirstInRange.takers(
      ofSlots: edges.count + 1,
      ranges.lazy.map { range in
        let first = range.lower == nil ? 0 : edges.firstPosition { range.start <= $0 } + 1
        let end = range.upper == nil ? edges.count + 1 : edges.firstPosition { range.end <= $0 } + 1
        return first..<max(first, end)
      })
    self.edges = edges
  }

  /// The index of the first range that holds a version; nil where none does.
  func index(of version: Version) -> Int? {
    let edge = Edge.before(version)
    let taker = takers[edges.firstPosition { edge < $0 }]
    return taker < 0 ? nil : Int(taker)
  }

  /// Which of several ranges of slots takes each slot, -1 for none: the first that holds it.
  static func takers(ofSlots count: Int, _ ranges: some Sequence<Range<Int>>) -> [Int32] {
    var takers = [Int32](repeating: -1, count: count)
    /// For each slot one from which on to look for one that is not taken, itself where it is not.
    var free = Array(0...count)
    func firstFree(from slot: Int) -> Int {
      var end = slot
      while free[end] != end { end = free[end] }
      var step = slot
      while free[step] != end, free[step] != step { (step, free[step]) = (free[step], end) }
      return end
    }
    for (index, range) in ranges.enumerated() {
      var slot = firstFree(from: range.lowerBound)
      while slot < range.upperBound {
        takers[slot] = Int32(clamping: index)
        free[slot] = slot + 1
        slot = firstFree(from: slot + 1)
      }
    }
    return takers
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

extension Array where Element: Comparable {
  /// Sorts the elements and keeps the first of those that are equal.
  mutating func sortUniquely() {
    sort()
    var kept = 0
    for position in indices where kept == 0 || self[kept - 1] != self[position] {
      self[kept] = self[position]
      kept += 1
    }
    removeSubrange(kept...)
  }
}

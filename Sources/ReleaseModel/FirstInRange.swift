/// A place on the version line where a range can begin or end: just before a version, just after it, or
/// beyond all versions.
struct Edge: Comparable {
  /// -1 below every version, 1 above every version, 0 next to one.
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

/// Finds the first of several ranges, in order of precedence, that contains a version, in logarithmic time.
///
/// The edges cut the version line into stretches. Each range in turn takes those of its stretches that are
/// still free.
struct FirstInRange: Sendable {
  /// Where each stretch begins, ascending; one more stretch lies below the first.
  private let edges: [Edge]
  /// The range that takes each stretch; -1 for none.
  private let takers: [Int32]

  /// Prepares a search among ranges that are given in order of precedence.
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

  /// The index of the first range that contains a version; nil if none does.
  func index(of version: Version) -> Int? {
    let edge = Edge.before(version)
    let taker = takers[edges.firstPosition { edge < $0 }]
    return taker < 0 ? nil : Int(taker)
  }

  /// The first of several ranges of slots that contains each slot; -1 for none.
  static func takers(ofSlots count: Int, _ ranges: some Sequence<Range<Int>>) -> [Int32] {
    var takers = [Int32](repeating: -1, count: count)
    /// For each slot, the slot from which to look for a free one; a free slot holds its own position.
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
  /// The first position from which a condition holds; the count if it holds nowhere.
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
  /// Sorts the elements and removes duplicates.
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

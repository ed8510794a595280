/// The intervals among some that contain a point which moves upwards.
struct Passing<Point: Comparable> {
  private let ends: [Point]
  private let starts: [Point]
  private let byStart: [Int]
  private let byEnd: [Int]
  private var begun = 0
  private var ended = 0
  /// Their indices, ascending.
  private(set) var current: [Int] = []

  init(_ intervals: [Range<Point>]) {
    let (starts, ends) = (intervals.map(\.lowerBound), intervals.map(\.upperBound))
    (self.starts, self.ends) = (starts, ends)
    byStart = intervals.indices.sorted { starts[$0] < starts[$1] }
    byEnd = intervals.indices.sorted { ends[$0] < ends[$1] }
  }

  /// Moves on to a point that is not below the previous one; returns whether other intervals contain it.
  mutating func move(to point: Point) -> Bool {
    var isOther = false
    while begun < byStart.count, starts[byStart[begun]] <= point {
      let interval = byStart[begun]
      begun += 1
      guard point < ends[interval] else { continue }
      current.insert(interval, at: current.firstPosition { interval < $0 })
      isOther = true
    }
    while ended < byEnd.count, ends[byEnd[ended]] <= point {
      let index = current.firstPosition { byEnd[ended] <= $0 }
      if index < current.count, current[index] == byEnd[ended] {
        current.remove(at: index)
        isOther = true
      }
      ended += 1
    }
    return isOther
  }
}

/// The items whose ranges contain a version that moves upwards, and which of them prevails at each moment.
struct Prevailing<Item: Ranged & Timed & Sendable> {
  /// Those that apply at some moment; winning items come first.
  let items: [Item]
  /// When each applies, by the indices of the moments.
  let windows: [Range<Int>]
  private let moments: Int
  private var versions: Passing<VersionKey>

  init(_ items: [Item], _ moments: [Timestamp]) {
    let timed = items.map { (item: $0, window: $0.slots(in: moments)) }.filter { !$0.window.isEmpty }
      .sorted { $0.item.wins(over: $1.item) }
    self.items = timed.map(\.item)
    windows = timed.map(\.window)
    self.moments = moments.count
    versions = Passing(self.items.map { $0.range.start..<max($0.range.start, $0.range.end) })
  }

  /// Where the items begin and end, in no particular order.
  var edges: [VersionKey] { items.flatMap { [$0.range.start, $0.range.end] } }

  /// Those that contain the version, by their indices.
  var current: [Int] { versions.current }

  /// Moves on to a version that is not less than the previous one; returns whether other items contain it.
  mutating func move(to version: Version) -> Bool { versions.move(to: VersionKey(version)) }

  /// What prevails, by the index of the moment.
  func course() -> Steps<Int, Item?> {
    // What applies at all times hides everything that it wins over.
    let constant = current.firstIndex { windows[$0] == 0..<moments }
    let ranks = Array(current.prefix(constant.map { $0 + 1 } ?? current.count))
    var slots = [0] + ranks.flatMap { [windows[$0].lowerBound, windows[$0].upperBound] }
    slots.sortUniquely()
    if slots.last == moments, moments > 0 { slots.removeLast() }
    var applying = Passing(ranks.map { windows[$0] })
    let takers = slots.map { slot in
      _ = applying.move(to: slot)
      return (slot, applying.current.first.map { ranks[$0] })
    }
    return (Steps(takers, joining: ==) ?? Steps(nil, from: 0)).mapped { $0.map { items[$0] } }
  }
}

extension Timed {
  fileprivate func slots(in moments: [Timestamp]) -> Range<Int> {
    let first = from.map { from in moments.firstPosition { from <= $0 } } ?? 0
    let end = until.map { until in moments.firstPosition { until <= $0 } } ?? moments.count
    return first..<max(first, end)
  }
}

extension Array {
  /// The first position from which a condition holds; the count if it holds nowhere.
  package func firstPosition(where holds: (Element) -> Bool) -> Int {
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
  package mutating func sortUniquely() {
    sort()
    var kept = 0
    for position in indices where kept == 0 || self[kept - 1] != self[position] {
      self[kept] = self[position]
      kept += 1
    }
    removeSubrange(kept...)
  }
}

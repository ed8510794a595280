/// The items whose ranges contain a version that moves upwards, and which of them prevails at each moment.
struct Prevailing<Item: Ranged & Timed> {
  let items: [Item]
  let windows: [Range<Int>]
  private let moments: Int
  private let starts: [VersionKey]
  private let ends: [VersionKey]
  private let byStart: [Int]
  private let byEnd: [Int]
  private var begun = 0
  private var ended = 0
  private(set) var current: [Int] = []

  init(_ items: [Item], _ moments: [Timestamp]) {
    let timed = items.map { (item: $0, window: $0.slots(in: moments)) }.filter { !$0.window.isEmpty }
      .sorted { $0.item.wins(over: $1.item) }
    let items = timed.map(\.item)
    self.items = items
    self.moments = moments.count
    windows = timed.map(\.window)
    let (starts, ends) = (items.map(\.range.start), items.map(\.range.end))
    (self.starts, self.ends) = (starts, ends)
    byStart = items.indices.sorted { starts[$0] < starts[$1] }
    byEnd = items.indices.sorted { ends[$0] < ends[$1] }
  }

  /// Where the items begin and end, in no particular order.
  var edges: [VersionKey] { starts + ends }

  /// Moves on to a version that is not less than the previous one; returns whether other items contain it.
  mutating func move(to version: Version) -> Bool {
    let key = VersionKey(version)
    var isOther = false
    while begun < byStart.count, starts[byStart[begun]] <= key {
      let item = byStart[begun]
      begun += 1
      guard key < ends[item] else { continue }
      current.insert(item, at: current.firstPosition { item < $0 })
      isOther = true
    }
    let hadEnded = ended
    while ended < byEnd.count, ends[byEnd[ended]] <= key { ended += 1 }
    if hadEnded < ended {
      let count = current.count
      current.removeAll { ends[$0] <= key }
      isOther = isOther || current.count != count
    }
    return isOther
  }

  /// What prevails, in order of time, each entry starting at the moment at a position.
  func course() -> [(slot: Int, item: Item?)] {
    // What applies at all times hides everything that it wins over.
    let constant = current.firstIndex { windows[$0] == 0..<moments }
    let ranks = current.prefix(constant.map { $0 + 1 } ?? current.count)
    var slots = [0]
    for rank in ranks { slots += [windows[rank].lowerBound, windows[rank].upperBound] }
    slots.sortUniquely()
    if slots.last == moments, moments > 0 { slots.removeLast() }
    /// For each slot, the item that takes it, and the slot from which to look for a free one.
    var takers = [Int?](repeating: nil, count: slots.count)
    var free = Array(0...slots.count)
    func firstFree(from slot: Int) -> Int {
      var end = slot
      while free[end] != end { end = free[end] }
      var step = slot
      while step != end { (step, free[step]) = (free[step], end) }
      return end
    }
    for rank in ranks {
      let end = slots.firstPosition { windows[rank].upperBound <= $0 }
      var slot = firstFree(from: slots.firstPosition { windows[rank].lowerBound <= $0 })
      while slot < end {
        takers[slot] = rank
        free[slot] = slot + 1
        slot = firstFree(from: slot + 1)
      }
    }
    var course: [(slot: Int, item: Item?)] = []
    var last: Int??
    for (slot, taker) in zip(slots, takers) where last != .some(taker) {
      course.append((slot, taker.map { items[$0] }))
      last = .some(taker)
    }
    return course
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

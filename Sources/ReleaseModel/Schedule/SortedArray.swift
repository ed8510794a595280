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

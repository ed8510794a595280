/// Finds a point that is at least as great as a given one in every coordinate, without looking at all points:
/// a k-d tree whose parts know the greatest value of each coordinate.
struct Dominance {
  private let points: [[Int64]]
  /// Positions of the points; the middle of each part separates lesser from greater values of one coordinate.
  private var order: [Int]
  /// The greatest value of each coordinate in the part whose middle is at the same place in `order`.
  private var greatest: [[Int64]]

  /// Prepares a search among points that have equally many coordinates.
  init(_ points: [[Int64]]) {
    self.points = points
    order = Array(points.indices)
    greatest = points
    build(0..<points.count, depth: 0)
  }

  /// The position of a point that is at least as great in every coordinate; nil if there is none.
  func point(notLessThan wanted: [Int64]) -> Int? { point(notLessThan: wanted, in: 0..<order.count) }

  private mutating func build(_ part: Range<Int>, depth: Int) {
    guard !part.isEmpty else { return }
    let coordinate = depth % points[order[part.lowerBound]].count
    order[part].sort { [points] in points[$0][coordinate] < points[$1][coordinate] }
    let middle = part.lowerBound + part.count / 2
    greatest[middle] = points[order[middle]]
    for half in [part.lowerBound..<middle, (middle + 1)..<part.upperBound] where !half.isEmpty {
      build(half, depth: depth + 1)
      let other = greatest[half.lowerBound + half.count / 2]
      for index in other.indices { greatest[middle][index] = max(greatest[middle][index], other[index]) }
    }
  }

  private func point(notLessThan wanted: [Int64], in part: Range<Int>) -> Int? {
    let middle = part.lowerBound + part.count / 2
    guard !part.isEmpty, Dominance.isNowhereLess(greatest[middle], than: wanted) else { return nil }
    if Dominance.isNowhereLess(points[order[middle]], than: wanted) { return order[middle] }
    return point(notLessThan: wanted, in: (middle + 1)..<part.upperBound)
      ?? point(notLessThan: wanted, in: part.lowerBound..<middle)
  }

  private static func isNowhereLess(_ point: [Int64], than wanted: [Int64]) -> Bool {
    for index in wanted.indices where point[index] < wanted[index] { return false }
    return true
  }
}

/// The candidate that a mistyped word most likely stands for; nil if there is none, or if two are equally
/// likely.
///
/// It prefers, in this order, the same word in another letter case, the only candidate that starts with the
/// word, and the only one at the smallest distance. The distance counts letters inserted, left out, replaced,
/// and swapped with a neighbour. It may be 2, or 3 from eight letters on, and never more than half the longer
/// word. The opposite of a word is never suggested, however near: `force` for `unforce`, `--json` for
/// `--no-json`.
package func closest(to word: String, among candidates: [String]) -> String? {
  var known: [String] = []
  for candidate in candidates where !known.contains(candidate) && !areOpposite(word, candidate) {
    known.append(candidate)
  }
  let typed = Array(word.lowercased().unicodeScalars)
  // Dashes alone would be a prefix of every option.
  guard typed.contains(where: { $0 != "-" }) else { return nil }

  let letters = known.map { Array($0.lowercased().unicodeScalars) }
  let same = known.indices.filter { letters[$0] == typed }
  if let only = same.first { return same.count == 1 ? known[only] : nil }
  let longer = known.indices.filter { letters[$0].starts(with: typed) }
  if let only = longer.first, longer.count == 1 { return known[only] }

  var best: (distance: Int, index: Int, isTied: Bool)?
  for index in known.indices {
    let length = max(typed.count, letters[index].count)
    let limit = min(length < 8 ? 2 : 3, length / 2)
    // Skip words of very different length, so that a long typed word does not need a large table.
    guard abs(typed.count - letters[index].count) <= limit else { continue }
    let distance = editDistance(typed, letters[index])
    guard distance <= limit else { continue }
    if let current = best, current.distance <= distance {
      if current.distance == distance { best = (distance, current.index, true) }
    } else {
      best = (distance, index, false)
    }
  }
  guard let best, !best.isTied else { return nil }
  return known[best.index]
}

private func areOpposite(_ word: String, _ other: String) -> Bool {
  let (word, other) = (word.lowercased(), other.lowercased())
  let (long, short) = word.count > other.count ? (word, other) : (other, word)
  let dashes = short.prefix { $0 == "-" }
  return ["un", "no", "no-", "non", "dis"].contains { long == dashes + $0 + short.dropFirst(dashes.count) }
}

/// The Damerau–Levenshtein distance in its restricted form: no letter is edited twice.
func editDistance(_ from: [Unicode.Scalar], _ to: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...to.count)
  for (row, letter) in from.enumerated() {
    var current = [row + 1]
    for (column, other) in to.enumerated() {
      var cost = min(
        last[column] + (letter == other ? 0 : 1),
        last[column + 1] + 1,
        current[column] + 1)
      if row > 0, column > 0, letter == to[column - 1], from[row - 1] == other {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    beforeLast = last
    last = current
  }
  return last.last ?? from.count
}

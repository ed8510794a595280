extension StringProtocol {
  /// Whether a text occurs in this one; `contains` would add a library of more than a megabyte.
  package func holds(_ text: String) -> Bool { rest(after: text) != nil }

  /// What follows the first occurrence of a text; nil if there is none.
  package func rest(after text: String) -> SubSequence? {
    var rest = self[...]
    while !rest.starts(with: text) {
      guard !rest.isEmpty else { return nil }
      rest = rest.dropFirst()
    }
    return rest.dropFirst(text.count)
  }
}

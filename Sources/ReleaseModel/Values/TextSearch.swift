extension StringProtocol {
  /// Whether a text occurs in this one, character by character.
  ///
  /// `contains` would pull in a library with a regular expression parser, which adds more than a megabyte to
  /// every program that calls it.
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

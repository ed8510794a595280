extension StringProtocol {
  /// Whether a text is in it, character by character.
  ///
  /// `contains` would be of a library with a parser of regular expressions, which is more than a megabyte of every program
  /// that calls it.
  package func holds(_ text: String) -> Bool { rest(after: text) != nil }

  /// What follows the first place where a text is in it; nil where it is nowhere.
  package func rest(after text: String) -> SubSequence? {
    var rest = self[...]
    while !rest.starts(with: text) {
      guard !rest.isEmpty else { return nil }
      rest = rest.dropFirst()
    }
    return rest.dropFirst(text.count)
  }
}

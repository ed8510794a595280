extension StringProtocol {
  /// Whether a text occurs in this one; `contains` would add a library of more than a megabyte.
  package func holds(_ text: String) -> Bool { rest(after: text) != nil }

  /// What follows the first occurrence of a text; nil if there is none.
  package func rest(after text: String) -> Substring? {
    var rest = Substring(self)
    // What begins with an ASCII character is looked for at that byte only.
    let first = text.first.flatMap { $0.utf8.count == 1 ? $0.utf8.first : nil }
    while !rest.starts(with: text) {
      guard !rest.isEmpty else { return nil }
      let next = first.map { rest.utf8.dropFirst().firstIndex(of: $0) ?? rest.endIndex }
      rest = rest[(next ?? rest.index(after: rest.startIndex))...]
    }
    return rest.dropFirst(text.count)
  }
}

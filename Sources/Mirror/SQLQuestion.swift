extension SQLDialect {
  /// What an app's row says, as a query: with a join, rows would be sorted instead of read from the end of an index.
  func head(_ column: String, of app: String) -> String {
    "(SELECT p.\(column) FROM \(prefix)app p WHERE p.app = \(app))"
  }

  /// An order of the languages that notes are in by how well each fits a locale, as `Release.note(for:)` has it: the
  /// locale itself or the longest start of it, then its language, for Chinese in the script of the locale.
  ///
  /// - Parameters:
  ///   - name: A language, in lower case with hyphens, and so is the locale.
  ///   - language: The locale's first part.
  func likeness(of name: String, to locale: String, _ language: String) -> String {
    func starts(_ text: String, with start: String) -> String {
      let start = joined([start, "'-'"])
      return "substr(\(text), 1, length(\(start))) = \(start)"
    }
    func isTraditional(_ tag: String) -> String {
      let tag = joined([tag, "'-'"])
      let places = ["tw", "hk", "mo"].map { "\(tag) LIKE '%-\($0)-%'" }.joined(separator: " OR ")
      return "(\(tag) LIKE '%-hant-%' OR (\(tag) NOT LIKE '%-hans-%' AND (\(places))))"
    }
    let isRelated = starts(name, with: language)
    return """
      CASE WHEN \(starts(joined([locale, "'-'"]), with: name)) THEN length(\(name)) ELSE 0 END DESC,
              CASE WHEN \(isRelated) THEN 1 ELSE 0 END DESC,
              CASE WHEN \(language) = 'zh' AND \(isRelated) AND \(isTraditional(name)) = \(isTraditional(locale)) THEN 1
                ELSE 0 END DESC
      """
  }
}

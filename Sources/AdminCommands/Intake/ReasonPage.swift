import Intake

/// The tables of docs/reasons.md that list every reason.
package enum ReasonPage {
  /// Lines of Markdown.
  package static var markdown: String {
    // Sources of evidence share most reasons.
    var ids: [(words: String, ids: String)] = []
    for reason in IntakeReason.allCases {
      let place = ids.firstIndex { $0.words == reason.words }
      if let place {
        ids[place].ids += ", `\(reason.id)`"
      } else {
        ids.append((reason.words, "`\(reason.id)`"))
      }
    }
    let reasons = ids.map { "| \($0.ids) | \($0.words) |\n" }.joined()
    let passed = PassedOver.allCases.map { "| `\($0.rawValue)` | \($0.words) |\n" }.joined()
    return """
      | reason | means |
      |---|---|
      \(reasons)
      Entries that are not taken in are named on standard error and in `passedOver`:

      | reason | means |
      |---|---|
      \(passed)
      """
  }
}

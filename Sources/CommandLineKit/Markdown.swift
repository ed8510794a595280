/// Texts as GitHub-flavoured Markdown in which nothing is markup, whoever wrote them.
///
/// What is special in Markdown is escaped or becomes an entity. Sites look for mentions, issues and addresses
/// only after that, in the parsed text but not in code; so the characters that begin a mention or an issue
/// become code. Sources: CommonMark 0.31.2, 2.4 "Backslash escapes" and 2.5 "Entity references", and the GFM
/// specification 0.29, 4.10 "Tables" and 6.9 "Autolinks".
package enum Markdown {
  /// A text as a whole cell of a table, or as part of a line of a paragraph.
  ///
  /// Blanks at the ends are left out: Markdown ignores them, or reads them as a code block or a line break.
  package static func inline(_ text: String, isCell: Bool) -> String {
    var scalars = Array(text.unicodeScalars.drop { $0 == " " })
    while scalars.last == " " { scalars.removeLast() }
    var out = ""
    var code = ""
    func flush() {
      if !code.isEmpty { out += "`\(code)`" }
      code = ""
    }
    let start = isCell ? nil : listMark(scalars)
    for (index, scalar) in scalars.enumerated() {
      let previous = index > 0 ? scalars[index - 1] : nil
      let next = index + 1 < scalars.count ? scalars[index + 1] : nil
      if scalar == "@" || scalar == "#" || (scalar == "-" && ends(scalars[..<index], "gh")) {
        code.unicodeScalars.append(scalar)
        continue
      }
      flush()
      switch scalar {
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "&": out += "&amp;"
      // With a backslash it could still touch the backquotes around code.
      case "`": out += "&#96;"
      // Inside a time, or before a blank, it does not begin an address.
      case ":" where next != nil && next != " " && !(isDigit(previous) && isDigit(next)): out += "&#58;"
      case "." where ends(scalars[..<index], "www"): out += "&#46;"
      case "\\", "*", "_", "[", "]", "{", "}", "~", "$", "|", "!", "^", "=": out += "\\\(scalar)"
      case _ where index == start: out += "\\\(scalar)"
      default: out.unicodeScalars.append(scalar)
      }
    }
    flush()
    return out
  }

  /// Lines of text as a paragraph, each on a line of its own; indented lines become a list, with a colon
  /// after each label.
  package static func paragraph(_ lines: [String]) -> String {
    var text = ""
    var wasItem = false
    for line in lines {
      let isItem = line.first == " "
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      let parts = words.split(whereSeparator: \.isEmpty).map { $0.joined(separator: " ") }
      guard let first = parts.first else { continue }
      let rest = parts.dropFirst().joined(separator: " ")
      let shown = inline(first + (rest.isEmpty ? "" : isItem ? ": \(rest)" : " \(rest)"), isCell: false)
      if !text.isEmpty { text += isItem != wasItem ? "\n\n" : isItem ? "\n" : "\\\n" }
      text += isItem ? "- \(shown)" : shown
      wasItem = isItem
    }
    return text
  }

  /// The index of the character that would make a line a list item, or a rule across the page; nil if there
  /// is none.
  private static func listMark(_ scalars: [Unicode.Scalar]) -> Int? {
    let digits = scalars.prefix { isDigit($0) }.count
    guard digits < scalars.count else { return nil }
    switch scalars[digits] {
    case "-", "+": return digits == 0 ? 0 : nil
    case ".", ")": return digits > 0 ? digits : nil
    default: return nil
    }
  }

  private static func ends(_ scalars: ArraySlice<Unicode.Scalar>, _ letters: String) -> Bool {
    scalars.count >= letters.unicodeScalars.count
      && zip(scalars.suffix(letters.unicodeScalars.count), letters.unicodeScalars)
        .allSatisfy { $0.properties.lowercaseMapping == String($1) }
  }

  private static func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { ("0"..."9").contains($0) } ?? false
  }
}

extension Table {
  /// As lines of GitHub-flavoured Markdown; where titles are empty, so is the heading.
  package func markdown() -> String {
    func line(_ cells: [String]) -> String {
      "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined() + "\n"
    }
    let rules = columns.map { $0.isRight ? "---:" : "---" }
    return line(columns.map { Markdown.inline($0.title, isCell: true) }) + "|"
      + rules.joined(separator: "|") + "|\n"
      + rows.map { row in
        line(
          columns.indices.map { index in
            row.indices.contains(index) ? Markdown.inline(printable(row[index].text), isCell: true) : ""
          })
      }.joined()
  }
}

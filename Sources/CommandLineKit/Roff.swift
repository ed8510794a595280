/// Text as `man` reads it: the macros of man(7), which both groff and mandoc know.
enum Roff {
  /// The longest line of a source; longer ones are folded, as mandoc's own checks ask for.
  private static let width = 78

  /// Text of which nothing is markup.
  ///
  /// Quotes, carets and dashes would be shown as their typographic kin, which cannot be copied into a shell; what is
  /// not ASCII is written by its number, so that no locale can spoil it.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "\"": escaped += "\\(dq"
      case "\n", "\t": escaped += " "
      case " "..."~": escaped.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return escaped
  }

  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// A line of text; one that starts with a point would be a macro.
  static func line(_ escaped: String) -> String { escaped.hasPrefix(".") ? "\\&" + escaped : escaped }

  /// Words that are escaped already, folded into lines of text.
  static func folded(_ words: [String]) -> [String] { filled(words, width: width).map(line) }

  /// One paragraph of plain text.
  static func paragraph(_ text: String) -> [String] {
    folded(text.split(separator: " ").map { escaped(String($0)) })
  }

  /// Paragraphs apart by an empty line; lines that start with a blank are kept as they are.
  static func paragraphs(_ text: String) -> [String] {
    var blocks: [[String]] = []
    var words: [String] = []
    var kept: [String] = []
    func end() {
      if !words.isEmpty { blocks.append(paragraph(words.joined(separator: " "))) }
      if !kept.isEmpty { blocks.append([".EX"] + kept + [".EE"]) }
      words = []
      kept = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.first == " " {
        if kept.isEmpty { end() }
        kept.append(escaped(String(line)))
      } else if line.isEmpty {
        end()
      } else {
        if !kept.isEmpty { end() }
        words.append(String(line))
      }
    }
    end()
    return Array(blocks.joined(separator: [".PP"]))
  }

  /// A heading with what stands below it.
  static func section(_ title: String, _ lines: [String]) -> [String] {
    [".SH " + escaped(title.uppercased())] + lines
  }

  /// A label, escaped already, and what it is, set in below it.
  static func item(_ label: String, _ text: String) -> [String] { [".TP", line(label)] + paragraph(text) }
}

/// Text for `man`, in the macros of man(7), which both groff and mandoc know.
enum Roff {
  /// The longest line of the source; longer ones are folded, as mandoc's lint recommends.
  private static let width = 78

  /// Text in which nothing is markup.
  ///
  /// Quotes, carets and dashes would be shown as typographic characters, which cannot be copied into a shell.
  /// Characters outside ASCII are written by number, so that no locale can garble them.
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

  /// A line of text; if it started with a full stop, it would be a macro.
  static func line(_ escaped: String) -> String { escaped.hasPrefix(".") ? "\\&" + escaped : escaped }

  static func folded(_ words: [String]) -> [String] { filled(words, width: width).map(line) }

  static func paragraph(_ text: String) -> [String] {
    folded(text.split(separator: " ").map { escaped(String($0)) })
  }

  /// Paragraphs separated by empty lines; lines that start with a blank are kept as they are.
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

  static func section(_ title: String, _ lines: [String]) -> [String] {
    [".SH " + escaped(title.uppercased())] + lines
  }

  /// A label that is already escaped, with its indented description below.
  static func item(_ label: String, _ text: String) -> [String] { [".TP", line(label)] + paragraph(text) }
}

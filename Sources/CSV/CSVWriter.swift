/// Writes CSV as RFC 4180 has it: fields between commas, lines that end in CR LF.
package enum CSVWriter {
  /// A line of fields, its end included; `nil` is an empty field.
  package static func line(_ fields: [String?]) -> String {
    fields.map { $0.map(field) ?? "" }.joined(separator: ",") + "\r\n"
  }

  /// A field, quoted where it holds what would end it.
  private static func field(_ text: String) -> String {
    let text = harmless(text)
    let isPlain = text.utf8.allSatisfy { !"\",;\r\n\t".utf8.contains($0) }
    guard !isPlain || text.first == " " || text.last == " " else { return text }
    // By scalars: a mark that follows a quote makes one character with it.
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// The text with an apostrophe before what a spreadsheet would take for a formula.
  ///
  /// What starts with an apostrophe gets another one, so that taking the first one away always gives the text back
  /// (OWASP, "CSV Injection"; the wide forms are what some spreadsheets read as the plain ones).
  private static func harmless(_ text: String) -> String {
    guard let first = text.unicodeScalars.first else { return text }
    switch first {
    case "=", "+", "-", "@", "\t", "\r", "\n", "'", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}":
      return "'" + text
    default: return text
    }
  }
}

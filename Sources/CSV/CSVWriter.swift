/// Writes CSV as RFC 4180 defines it: fields separated by commas, lines that end in CR LF.
package enum CSVWriter {
  /// A line of fields, including its end; `nil` is an empty field.
  package static func line(_ fields: [String?]) -> String {
    fields.map { $0.map(field) ?? "" }.joined(separator: ",") + "\r\n"
  }

  private static func field(_ text: String) -> String {
    let text = harmless(text)
    let isPlain = text.utf8.allSatisfy { !"\",;\r\n\t".utf8.contains($0) }
    guard !isPlain || text.first == " " || text.last == " " else { return text }
    // Scalar by scalar: a combining mark after a quote forms one character with it.
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// The text, with an apostrophe before anything that a spreadsheet would take for a formula.
  ///
  /// Text that starts with an apostrophe gets another one, so that removing the first one always restores the
  /// text (OWASP, "CSV Injection"; some spreadsheets read the wide forms as the plain ones).
  private static func harmless(_ text: String) -> String {
    guard let first = text.unicodeScalars.first else { return text }
    switch first {
    case "=", "+", "-", "@", "\t", "\r", "\n", "'", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}":
      return "'" + text
    default: return text
    }
  }
}

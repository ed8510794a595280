import CommandLineKit
import ReleaseModel

/// A name of somebody's choice in a message.
func quoted(_ text: String) -> String { "'\(printable(text, limit: 200))'" }

/// Layout of texts that name commands, for the lines of a terminal.
enum CommandText {
  static func fitted(_ text: String, width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      CommandLineKit.fitted(unbroken(String(line)), width: width)
    }.joined(separator: "\n")
  }

  /// Keeps each command in a text on one line: `'pawl …'`, and a bare command up to a comma, a semicolon or
  /// the end.
  ///
  /// In a text without commands, it keeps each per cent sign with its number.
  static func unbroken(_ text: String) -> String {
    guard text.holds("pawl ") else { return withPerCentUnbroken(text) }
    var out = ""
    var word: Substring = ""
    // The command that the loop is in: whether it is quoted, and whether it has ended.
    var command: (isQuoted: Bool, isOver: Bool)?
    var words = text.split(separator: " ", omittingEmptySubsequences: false)[...]
    while let next = words.popFirst() {
      word = next
      if command == nil || command?.isOver == true {
        command = isStart(word, words.first) ? (word.hasPrefix("'"), false) : nil
      }
      out += word
      if let current = command {
        command?.isOver = current.isQuoted ? ends(word) : word.last.map(",;:)".contains) ?? true
      }
      if !words.isEmpty { out += command?.isOver == false ? "\u{A0}" : " " }
    }
    return out
  }

  private static func withPerCentUnbroken(_ text: String) -> String {
    text.reduce(into: "") { out, character in
      if character == "%", out.last == " " {
        out.removeLast()
        out.append("\u{A0}")
      }
      out.append(character)
    }
  }

  /// Whether a command starts here: `pawl` before a command's name, or the `printf` that is piped into it.
  private static func isStart(_ word: Substring, _ next: Substring?) -> Bool {
    // A style may be switched on before it.
    let plain = word.first == "\u{1B}" ? word.drop { $0 != "m" }.dropFirst() : word
    let bare = plain.drop { $0 == "'" || $0 == "(" }
    if bare == "printf" { return true }
    return bare == "pawl"
      && next.map { names.contains(String($0.prefix { $0 == "-" || $0.isLetter })) } == true
  }

  /// Whether a quoted command ends with a word: `taxi'`, `taxi',`.
  private static func ends(_ word: Substring) -> Bool {
    var word = word
    while let last = word.last, ",;:.)".contains(last) { word.removeLast() }
    return word.hasSuffix("'")
  }

  private static let names = Set(AdminCommands.table.subcommands.map(\.name) + ["help"])
}

extension Timestamp {
  /// A moment, as JSON or a zone writes it, shortened to the minute: `2026-12-01 09:00Z`, kept on one line;
  /// nil for any other text.
  static func minutes(of text: String) -> String? {
    guard [20, 25].contains(text.utf8.count), (try? Timestamp(text)) != nil else { return nil }
    return "\(text.prefix(10))\u{A0}\(text.dropFirst(11).prefix(5))\(text.dropFirst(19))"
  }
}

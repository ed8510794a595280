import CommandLineKit
import Platform
import ReleaseModel

/// A name of someone's choice in a message.
func quoted(_ text: String) -> String { "'\(printable(text, limit: 200))'" }

/// The path that was probably meant by a missing one: another name in the same folder, safe to show.
func nearestFile(to path: String) -> String? {
  let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
  let folder = slash.map { String(path[...$0]) } ?? ""
  let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
  guard let names = try? fileNames(in: folder.isEmpty ? "." : folder) else { return nil }
  // A name that only adds to the missing one is a copy of it, or a ledger's journal: never use it by mistake.
  let others = names.filter { $0 != name && !(name.contains(".") && $0.hasPrefix(name)) }
  return closest(to: name, among: others).map { printable(folder + $0, limit: 200) }
}

/// Layout of texts that name commands, for the lines of a terminal.
enum CommandText {
  static func fitted(_ text: String, width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      CommandLineKit.fitted(unbroken(String(line)), width: width)
    }.joined(separator: "\n")
  }

  /// Keeps each command in a text on one line: `'pawl …'`, and a bare command up to a comma, a semicolon or the
  /// end.
  static func unbroken(_ text: String) -> String {
    var end: Character?
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    return zip(words, words.dropFirst() + [""]).reduce(into: "") { out, pair in
      let (word, next) = pair
      let bare = word.drop { $0 == "'" || $0 == "(" }
      if end == nil, isStart(bare, next) {
        end = word.holds("'") ? "'" : ","
      } else if end == "'" ? word.dropFirst().contains("'") : (word.last.map({ ",;:)".contains($0) }) ?? true)
      {
        end = nil
      }
      out += word + (end == nil ? " " : "\u{A0}")
    }.dropLast().description
  }

  /// Whether a command starts here: `pawl` before a command's name, or the `printf` that is piped into it.
  private static func isStart(_ word: Substring, _ next: Substring) -> Bool {
    word == "printf" || word == "pawl" && names.contains(String(next.prefix { $0 == "-" || $0.isLetter }))
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

  /// Words with every moment in them shortened so.
  static func minutes(in words: String) -> String {
    words.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let moment = word.prefix { $0 != "," && $0 != ";" && $0 != ")" }
      return minutes(of: String(moment)).map { $0 + word.dropFirst(moment.count) } ?? String(word)
    }.joined(separator: " ")
  }
}

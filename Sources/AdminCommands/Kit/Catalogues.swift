import CommandLineKit
import JSON
import Pages
import Platform
import ReleaseModel

/// The rows of the tables in docs/errors.md, which is part of the program.
enum ErrorCatalogue {
  /// The words of one wording of an error, with names of values in braces.
  struct Row {
    /// The error's id, and after a slash which of its wordings this is.
    let key: String
    /// The exit status, in words if it varies.
    let status: String
    let message: String
    let hint: String
    /// What else there is to know, only for those who look the error up.
    let note: String

    var id: String { String(key.prefix { $0 != "/" }) }

    var exit: ExitCode {
      ExitCode(rawValue: Int32(status.prefix(while: \.isNumber)) ?? ExitCode.defect.rawValue)
    }
  }

  /// All tables, cell by cell.
  static var cells: [[String]] { tableRows(of: Pages.errors) }

  static var rows: [Row] {
    cells.filter { $0.count > 3 && $0[0] != "id" }.flatMap { cells in
      cells[0].split(separator: ",").map { key in
        Row(
          key: String(key.drop { $0 == " " }), status: cells[1], message: cells[2], hint: cells[3],
          note: cells.count > 4 ? cells[4] : "")
      }
    }
  }

  /// Read when the first error occurs.
  fileprivate static let byKey = Dictionary(rows.map { ($0.key, $0) }) { first, _ in first }
}

/// An error's words: the templates of its row in docs/errors.md, filled in.
struct ErrorWords {
  let id: String
  let message: String
  let hint: String?
  let exit: ExitCode

  /// - Parameters:
  ///   - key: The error's id, or `id/wording`.
  ///   - values: What stands for the names in the templates, made printable here and nowhere else.
  ///   - details: Members that may stand for names, too.
  init(_ key: String, _ values: [String: String], details: JSON = .null) {
    guard let row = ErrorCatalogue.byKey[key] else {
      (id, message, hint, exit) = (key, "cannot say why: \(key)", nil, .defect)
      return
    }
    func filled(_ template: String) -> String {
      completed(template) { name in
        (values[name] ?? details[name]?.plain).map { printable($0, limit: 2_000) }
      }
    }
    (id, message, exit) = (row.id, filled(row.message), row.exit)
    hint = row.hint.isEmpty ? nil : filled(row.hint)
  }
}

extension Finding {
  private var words: ErrorWords { ErrorWords(key, values.merging(["app": app]) { $1 }) }

  var message: String { words.message }
  var hint: String { words.hint ?? "" }
  /// Whether action is needed: something is wrong, or goes wrong unless someone acts.
  var acts: Bool { words.exit != .success }

  var json: JSON {
    [
      "id": .string(id), "app": .string(app), "message": .string(message), "hint": .string(hint),
      "act": .bool(acts),
    ]
  }
}

/// A template with the values of its names in braces; a name without a value stays as it is.
func completed(_ template: String, _ value: (String) -> String?) -> String {
  var text = ""
  var rest = template[...]
  while let brace = rest.firstIndex(of: "{") {
    text += rest[..<brace]
    rest = rest[brace...]
    let name = rest.dropFirst().prefix { $0.isLetter || $0 == "_" }
    let after = rest.dropFirst(name.count &+ 1)
    let value = after.first == "}" ? value(String(name)) : nil
    text += value ?? "{"
    rest = value == nil ? rest.dropFirst() : after.dropFirst()
  }
  return text + rest
}

extension JSON {
  /// A member of an error's details within a sentence.
  fileprivate var plain: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .array(let elements): elements.compactMap(\.plain).joined(separator: ", ")
    default: nil
    }
  }
}

extension UsageError {
  /// An error in the words of docs/errors.md; those of a value follow words that name the parameter and the value.
  init(_ key: String, _ values: [String: String] = [:], hint: String? = nil) {
    let words = ErrorWords(key, values)
    self.init(id: words.id, message: words.message, hint: hint ?? words.hint)
  }

  static func demand(
    _ holds: Bool, _ key: String, _ values: @autoclosure () -> [String: String] = [:]
  ) throws(UsageError) {
    if !holds { throw UsageError(key, values()) }
  }

  /// Demands that options are not combined.
  static func demand(_ holds: Bool, together options: String) throws(UsageError) {
    try demand(holds, "usage.invalid/together", ["options": options])
  }

  /// Demands that some options are given only with another.
  static func demand(_ holds: Bool, _ options: String, needs other: String) throws(UsageError) {
    try demand(holds, "usage.invalid/needs", ["options": options, "other": other])
  }
}

/// The hint that names what was probably meant; nil if nothing is near.
func didYouMean(_ word: String?) -> String? { word.map { "did you mean '\($0)'?" } }

/// What each reason means, from the tables in docs/reasons.md, which is part of the program.
private let meanings = Dictionary(
  tableRows(of: Pages.reasons).flatMap { row in
    row[0].split { $0 == "," || $0 == " " }.map { (String($0), row[1]) }
  }, uniquingKeysWith: { first, _ in first })

/// What an id means: a clause without a capital or a full stop.
///
/// Where the page has `mail.missing.*` for it, the words of the last part stand for the star.
package func meaning(of id: String) -> String? {
  if let words = meanings[id] { return words }
  for dot in id.indices.reversed() where id[dot] == "." {
    guard let words = meanings[id[...dot] + "*"], let part = meanings[String(id[dot...].dropFirst())] else {
      continue
    }
    return words.split(separator: "*", omittingEmptySubsequences: false).joined(separator: part)
  }
  return nil
}

/// A reason with what it means; the id alone if this version of pawl does not know it.
func explained(_ reason: String) -> String { meaning(of: reason).map { "\(reason): \($0)" } ?? reason }

/// Why something in a mailbox was not taken in; nothing about it is recorded, and the next run tries again.
package enum PassedOver: String, Sendable, CaseIterable {
  case link = "entry.link"
  case notAFile = "entry.not-a-file"
  case gone = "entry.gone"
  case unreadable = "entry.unreadable"
  case quota = "evidence.quota"

  package var words: String { meanings[rawValue] ?? "" }
}

extension PassedOver {
  init(_ fault: EntryFault) {
    switch fault {
    case .link: self = .link
    case .notAFile: self = .notAFile
    case .gone: self = .gone
    case .unreadable: self = .unreadable
    }
  }
}

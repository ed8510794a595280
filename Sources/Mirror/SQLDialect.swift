import ReleaseModel

/// How a database spells what all of SQL's have.
protocol SQLDialect: MirrorStore {
  var prefix: String { get }
  var opening: [String] { get }
  /// The seconds since 1970 as a whole number.
  var clock: String { get }
  var lineFeed: String { get }
  var beginning: String { get }
  /// What a query of no table reads from.
  var nothing: String { get }
  var endings: (format: String, app: String, rows: String) { get }
  /// What follows INSERT and UPDATE, so that their failure ends the transaction.
  var otherwise: String { get }

  func type(_ kind: ColumnKind) -> String
  /// A text of other than plain characters, from its bytes as hexadecimal digits.
  func literal(hex: String) -> String
  /// The bytes of a column's text as hexadecimal digits in lower case.
  func hex(_ column: String) -> String
  func joined(_ parts: [String]) -> String
  /// A query of all lines of some rows as one text, in order.
  func lines(_ line: String, from rows: String, order: String) -> String
  /// A condition: that a text has a digest.
  func holds(_ text: String, _ app: MirroredApp) -> String
  /// Makes an app's row what its head says, and ends the transaction; it comes to nothing unless a condition holds
  /// and the row is still what it was.
  ///
  /// - Parameter old: The condition that the row is what it was; nil if there was none.
  func flip(_ cells: [(column: String, literal: String)], where holds: String, old: String?) -> [String]
  /// What has to be run before a text's digest can be compared.
  func preparation(_ text: String) -> [String]
  /// Queries that say what there is beside rows: no tables, tables that the account may not read, a function to ask.
  var questions: [String] { get }
  /// Functions that nothing else needs, and that a server may refuse.
  var functions: String { get }
  /// What asks, and the accounts.
  var access: String { get }
}

extension SQLDialect {
  var beginning: String { "" }
  var nothing: String { "" }
  var endings: (format: String, app: String, rows: String) { ("", "", "") }
  var otherwise: String { "" }

  func joined(_ parts: [String]) -> String { parts.joined(separator: " || ") }

  func preparation(_ text: String) -> [String] { [] }

  /// What of an app's row a writer may change: all but the backend's own switch.
  var writable: String { (MirrorHead.columns.map(\.name) + ["not_before"]).joined(separator: ", ") }

  /// What versions of apps and of systems look like, to a server.
  static var version: String { "^[0-9]{1,9}([.][0-9]{1,9}){0,3}$" }
  static var system: String { "^(0|[1-9][0-9]{0,8})([.](0|[1-9][0-9]{0,8})){0,2}$" }

  /// By a statement that fails unless the condition holds, and undoes whatever the transaction did: no digest
  /// is NULL.
  func flip(_ cells: [(column: String, literal: String)], where holds: String, old: String?) -> [String] {
    let condition = [old, holds].compactMap(\.self).joined(separator: " AND ")
    let set = cells.map { column, literal in
      (column, column == "digest" ? "CASE WHEN \(condition) THEN \(literal) END" : literal)
    }
    guard old != nil else {
      return [
        "INSERT\(otherwise) INTO \(prefix)app (\(set.map(\.0).joined(separator: ", "))) "
          + "VALUES (\(set.map(\.1).joined(separator: ", ")))",
        "COMMIT",
      ]
    }
    return [
      "UPDATE\(otherwise) \(prefix)app SET \(set.dropFirst().map { "\($0) = \($1)" }.joined(separator: ", ")) "
        + "WHERE app = \(cells[0].literal)",
      "COMMIT",
    ]
  }
}

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

import Crypto
package import ReleaseModel
import SQLite
import Schema

extension Ledger {
  /// The SQL condition for the objects of the schema that are compared with the built-in ones.
  ///
  /// These are all that have a text, except the tables in which SQLite's ANALYZE keeps its statistics,
  /// exactly as it makes them. Statistics decide how fast a query runs, never what it answers.
  ///
  /// Source: sqlite.org/fileformat2.html, "The sqlite_stat1 table" and "The sqlite_stat4 table".
  static let ownObjects = """
    sql IS NOT NULL AND sql NOT IN (
      'CREATE TABLE sqlite_stat1(tbl,idx,stat)', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')
    """

  /// The table that says what was applied when.
  static let migrations = """
    CREATE TABLE migration (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, at TEXT NOT NULL
    ) STRICT
    """

  /// The texts of the schema's objects, each with its type and name.
  func objects() throws -> [String: Value] {
    let objects = try query("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE \(Ledger.ownObjects)") {
      (try $0.text(0), try $0.value(1))
    }
    return Dictionary(objects, uniquingKeysWith: { $1 })
  }

  /// Whether tables, indexes and triggers are those that migrations make; no command reads a view.
  ///
  /// SQLite keeps each statement as it was given, so what the first migration makes is compared with the migration
  /// itself. What later ones make of it is asked of SQLite, and so is another order, into which VACUUM puts the objects
  /// (sqlite.org/lang_vacuum.html).
  func hasSchema(of steps: [Schema.Step]) throws -> Bool {
    let isWritten = try steps.first?.sql.withUnsafeBytes { sql in
      var (statements, hasTable, isSame) = (SchemaStatements(sql), false, true)
      try forEach(
        "SELECT sql FROM sqlite_schema WHERE type <> 'view' AND \(Ledger.ownObjects) ORDER BY rowid"
      ) { row in
        guard let text = try row.lend(0).text else { return false }
        // Arrays are compared in a fifth of the time that bytes which are lent take.
        isSame =
          Array(text) == (hasTable ? statements.next().map { Array($0) } : Array(Ledger.migrations.utf8))
        hasTable = true
        return isSame
      }
      return isSame && statements.next() == nil
    }
    if steps.count == 1, isWritten == true { return true }
    func isChecked(_ object: (key: String, value: Value)) -> Bool { !object.key.hasPrefix("view ") }
    let made = try Ledger.inMemory(now: .distantPast, schema: steps).objects()
    return try objects().filter(isChecked) == made.filter(isChecked)
  }
}

extension Ledger {
  /// The views that are missing, altered, or not pawl's, by name; 'pawl init' makes them anew.
  package func alteredViews() throws -> [String] { try differingViews().map(\.name) }

  /// Those views, each with its built-in text.
  private func differingViews() throws -> [(name: String, builtIn: Value?)] {
    let (found, builtIn) = try (objects(), Ledger.inMemory(now: .distantPast).objects())
    return Set(found.keys).union(builtIn.keys).filter { $0.hasPrefix("view ") && found[$0] != builtIn[$0] }
      .sorted().map { (String($0.dropFirst("view ".count)), builtIn[$0]) }
  }

  /// Makes the views anew that are not the built-in ones, and returns their names; other views go.
  package func restoreViews() throws -> [String] {
    try reading {
      try connection.transaction(.immediate) {
        let views = try differingViews()
        for (name, builtIn) in views {
          try connection.run("DROP VIEW IF EXISTS \"\(name.replacing(each: "\"", by: "\"\""))\"")
          if case .text(let sql)? = builtIn { try connection.run(sql) }
        }
        return views.map(\.name)
      }
    }
  }

  /// Reports views that are not the built-in ones; nil for none.
  package static func viewFinding(_ names: [String]) -> Finding? {
    names.isEmpty ? nil : Finding("ledger.views", ["views": names.joined(separator: ", ")])
  }
}

/// The statements of a migration as SQLite keeps them, without those that make views.
///
/// Each begins with CREATE at the start of a line, and ends with a semicolon before an empty line.
struct SchemaStatements {
  private let sql: UnsafeRawBufferPointer
  private var index = 0

  init(_ sql: UnsafeRawBufferPointer) { self.sql = sql }

  mutating func next() -> UnsafeRawBufferPointer? {
    let newline = UInt8(ascii: "\n")
    while index < sql.count {
      let start = index
      var end = start
      let isStatement = sql[start...].starts(with: "CREATE ".utf8)
      repeat {
        while end < sql.count, sql[end] != newline { end += 1 }
        end += 1
      } while isStatement && end < sql.count && sql[end] != newline
      index = end
      if isStatement, !sql[start...].starts(with: "CREATE VIEW ".utf8) {
        return UnsafeRawBufferPointer(rebasing: sql[start..<(index - 2)])
      }
    }
    return nil
  }
}

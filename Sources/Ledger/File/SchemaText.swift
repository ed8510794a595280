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

  func schemaTexts() throws -> [[UInt8]] {
    try connection.query(
      "SELECT sql FROM sqlite_schema WHERE type <> 'view' AND \(Ledger.ownObjects) ORDER BY rowid"
    ) {
      Array(try $0.text(0).utf8)
    }
  }

  /// Whether tables, indexes and triggers are those that migrations make; no command reads a view.
  ///
  /// SQLite keeps each statement as it was given, so what the first migration makes is compared with the migration
  /// itself. What later ones make of it is asked of SQLite.
  func hasSchema(of steps: [Schema.Step]) throws -> Bool {
    let texts = try schemaTexts()
    guard steps.count == 1, let first = steps.first else {
      return try Set(texts) == Set(Ledger.inMemory(now: Timestamp(seconds: 0), schema: steps).schemaTexts())
    }
    let expected = first.sql.withUnsafeBytes { sql in
      var statements = SchemaStatements(sql)
      var all = [Array(Migration.table.utf8)]
      while let statement = statements.next() {
        if !statement.starts(with: "CREATE VIEW ".utf8) { all.append(Array(statement)) }
      }
      return all
    }
    // VACUUM puts the objects into another order (sqlite.org/lang_vacuum.html).
    return texts == expected || texts.count == expected.count && Set(texts) == Set(expected)
  }
}

extension Ledger {
  /// The views that are missing, altered, or not pawl's, by name; 'pawl init' makes them anew.
  package func alteredViews() throws -> [String] {
    let (found, builtIn) = try (views(), Ledger.inMemory(now: .distantPast).views())
    return Set(found.keys).union(builtIn.keys).filter { found[$0] != builtIn[$0] }.sorted()
  }

  /// Makes the views anew that are not the built-in ones, and returns their names; other views go.
  package func restoreViews() throws -> [String] {
    try reading {
      try connection.transaction(.immediate) {
        let (names, builtIn) = try (alteredViews(), Ledger.inMemory(now: .distantPast).views())
        for name in names {
          try connection.run("DROP VIEW IF EXISTS \"\(name.replacing(each: "\"", by: "\"\""))\"")
          if let sql = builtIn[name] { try connection.run(sql) }
        }
        return names
      }
    }
  }

  /// Reports views that are not the built-in ones; nil if there are none.
  package func viewFinding() throws -> Finding? {
    let names = try alteredViews()
    return names.isEmpty ? nil : Finding("ledger.views", ["views": names.joined(separator: ", ")])
  }

  private func views() throws -> [String: String] {
    let views = try query("SELECT name, sql FROM sqlite_schema WHERE type = 'view'") {
      (try $0.text(0), try $0.text(1))
    }
    return Dictionary(views, uniquingKeysWith: { $1 })
  }
}

/// The statements of a migration as SQLite keeps them.
///
/// Each begins with CREATE at the start of a line, and ends with a semicolon before an empty line.
struct SchemaStatements {
  private var rest: UnsafeRawBufferPointer.SubSequence

  init(_ sql: UnsafeRawBufferPointer) { rest = sql[...] }

  mutating func next() -> UnsafeRawBufferPointer? {
    let newline = UInt8(ascii: "\n")
    var start: Int?
    while !rest.isEmpty {
      let end = rest.firstIndex(of: newline) ?? rest.endIndex
      let line = rest[rest.startIndex..<end]
      rest = rest[min(end + 1, rest.endIndex)...]
      if start == nil, line.starts(with: "CREATE ".utf8) { start = line.startIndex }
      guard let start, line.last == UInt8(ascii: ";"), rest.first ?? newline == newline else { continue }
      return UnsafeRawBufferPointer(rebasing: rest.base[start..<(end - 1)])
    }
    return nil
  }
}

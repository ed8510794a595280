import JSON
import ReleaseModel
import SQLite

/// The text of the schema, which shows whether somebody altered a ledger.
extension Ledger {
  /// The schema of an earlier version, from the migrations that made it.
  static func schemaText(ofVersion version: Int) throws -> [UInt8] {
    let ledger = Ledger(connection: try Connection.inMemory(), path: ":memory:")
    let all = Ledger.migrator
    let earlier = Migrator(
      applicationID: all.applicationID, migrations: Array(all.migrations.prefix(version)))
    _ = try earlier.migrate(ledger.connection, recordedAt: Timestamp(seconds: 0).text)
    return try ledger.schemaText()
  }

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

  /// The query for the text of every object of the schema, in order of kind and name.
  private static let schemaTexts = "SELECT sql FROM sqlite_schema WHERE \(ownObjects) ORDER BY type, name"
  /// The separator after each text.
  private static let schemaSeparator: StaticString = ";\n\n"

  /// The text of every object of the schema, in order of kind and name.
  package func schemaText() throws -> [UInt8] {
    var text: [UInt8] = []
    try connection.forEach(Ledger.schemaTexts) { row in
      text.append(contentsOf: Array(try row.text(0).utf8))
      text.append(contentsOf: Array(Ledger.schemaSeparator.description.utf8))
      return true
    }
    return text
  }

  /// Whether the schema's text is the expected one; nothing is copied, since every command checks this.
  func isSchema(_ expected: [UInt8]) throws -> Bool {
    let separator = Ledger.schemaSeparator
    return try expected.withUnsafeBytes { expected in
      var rest = expected[...]
      var isSame = true
      try connection.forEach(Ledger.schemaTexts) { row in
        guard case .text(let text) = try row.lend(0) else {
          isSame = false
          return false
        }
        let count = separator.utf8CodeUnitCount
        isSame =
          UnsafeRawBufferPointer(rebasing: rest.prefix(text.count)).isSame(as: text)
          && UnsafeRawBufferPointer(rebasing: rest.dropFirst(text.count).prefix(count)).isSame(as: separator)
        rest = rest.dropFirst(text.count + count)
        return isSame
      }
      return isSame && rest.isEmpty
    }
  }
}

/// The schema of a ledger: the migrations that make it, oldest first.
package enum Schema {
  /// One migration of the schema, as its file defines it.
  package struct Step: Sendable {
    /// The number, counted from 1 without gaps.
    package let version: Int
    /// The file's name without its extension.
    package let name: String
    /// The statements.
    package let sql: [UInt8]

    package init(version: Int, name: String, sql: [UInt8]) {
      self.version = version
      self.name = name
      self.sql = sql
    }
  }

  /// SQLite's application id of a ledger: "pawl" in ASCII (sqlite.org/pragma.html#pragma_application_id).
  package static let applicationID: Int32 = 0x7061_776C

  /// The migrations, oldest first; a test compares the list with the directory.
  package static var steps: [Step] {
    [Step(version: 1, name: "v0001-create-ledger", sql: PackageResources.v0001_create_ledger_sql)]
  }
}

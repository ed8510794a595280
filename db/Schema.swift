extension [Schema.Step] {
  /// The schema version that the migrations lead to.
  package var version: Int { last?.version ?? 0 }
}

/// The schema of a ledger: the migrations that make it, oldest first.
package enum Schema {
  /// One migration of the schema, as its file defines it.
  package struct Step: Sendable {
    /// The number, counted from the first without gaps.
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
  ///
  /// Lower numbers were used before anything was released.
  package static var steps: [Step] {
    [Step(version: 11, name: "v0011-create-ledger", sql: PackageResources.v0011_create_ledger_sql)]
  }
}

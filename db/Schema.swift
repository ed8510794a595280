/// The schema of a ledger: migrations in their order, and the text they add up to.
package enum Schema {
  /// One migration of the schema, as its file defines it.
  package struct Step: Sendable {
    /// The number, counted from 1 without gaps.
    package let version: Int
    /// The file's name without its extension.
    package let name: String
    /// The statements.
    package let sql: [UInt8]
  }

  /// SQLite's application id of a ledger: "pawl" in ASCII (sqlite.org/pragma.html#pragma_application_id).
  package static let applicationID: Int32 = 0x7061_776C

  /// The number of the newest migration.
  package static let currentVersion = 9

  /// The migrations, oldest first; a test compares the list with the directory.
  package static var steps: [Step] {
    [
      Step(version: 1, name: "v0001-create-ledger", sql: PackageResources.v0001_create_ledger_sql),
      Step(version: 2, name: "v0002-create-releases", sql: PackageResources.v0002_create_releases_sql),
      Step(version: 3, name: "v0003-create-rules", sql: PackageResources.v0003_create_rules_sql),
      Step(version: 4, name: "v0004-create-evidence", sql: PackageResources.v0004_create_evidence_sql),
      Step(version: 5, name: "v0005-create-answers", sql: PackageResources.v0005_create_answers_sql),
      Step(version: 6, name: "v0006-create-past", sql: PackageResources.v0006_create_past_sql),
      Step(version: 7, name: "v0007-create-plan", sql: PackageResources.v0007_create_plan_sql),
      Step(version: 8, name: "v0008-find-releases", sql: PackageResources.v0008_find_releases_sql),
      Step(version: 9, name: "v0009-live-beside-past", sql: PackageResources.v0009_live_beside_past_sql),
    ]
  }

  /// The text of every object in a ledger of the current version, in order of kind and name.
  package static var text: [UInt8] { PackageResources.schema_sql }
}

/// One step of a schema's history.
package struct Migration: Sendable {
  /// Ascending, from 1 or more.
  package let version: Int
  package let name: String
  /// They may not begin or end a transaction.
  package let sql: String
  /// The SHA-256 of `sql` in hexadecimal, computed by the caller.
  package let sha256: String

  package init(version: Int, name: String, sql: String, sha256: String) {
    (self.version, self.name, self.sql, self.sha256) = (version, name, sql, sha256)
  }

  /// Says what was applied when.
  package static let table = """
    CREATE TABLE migration (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, at TEXT NOT NULL
    ) STRICT
    """
}

extension Connection {
  /// Applies the migrations above the version that the database has reached; an empty one has reached 0.
  ///
  /// The application ID says which program the file belongs to, `user_version` which version it has reached, and the
  /// table `migration` what was applied when. All three change in the same transaction as the schema. Each migration is
  /// applied in a transaction of its own, so that one which fails leaves those before it applied and nothing of itself
  /// behind. Foreign keys are not enforced meanwhile, since only then can a table be rebuilt
  /// (<https://sqlite.org/lang_altertable.html#otheralter>), and no cascade runs. Instead, all of them are checked before
  /// each commit.
  ///
  /// - Parameter recordedAt: The time to record, in the form in which the caller keeps times.
  /// - Throws: `SQLiteError`, also within a transaction.
  package func migrate(_ migrations: [Migration], applicationID: Int32, recordedAt: String) throws {
    try enforceForeignKeys(false)
    defer { try? enforceForeignKeys(true) }
    for migration in migrations {
      try transaction(.immediate) {
        // Somebody else may have migrated before this lock was taken.
        let version = Int(try userVersion())
        guard version < migration.version else { return }
        if version == 0 {
          try run(Migration.table)
          try setPragma("application_id", to: Int64(applicationID))
        }
        try execute(migration.sql)
        if let table = try first("PRAGMA foreign_key_check", row: { try $0.text(0) }) {
          throw SQLiteError(code: .constraint, message: "a row of \(table) names one that is not there")
        }
        try run(
          "INSERT INTO migration (version, name, sha256, at) VALUES (?, ?, ?, ?)",
          .integer(Int64(migration.version)), .text(migration.name), .text(migration.sha256),
          .text(recordedAt))
        try setPragma("user_version", to: Int64(migration.version))
      }
    }
  }
}

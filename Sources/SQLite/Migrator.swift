/// One step of a schema's history.
package struct Migration: Sendable {
  /// Counted from 1.
  package let version: Int
  package let name: String
  /// They may not begin or end a transaction.
  package let sql: String
  /// The SHA-256 of `sql` in hexadecimal; computed by the caller, compared here.
  package let sha256: String

  package init(version: Int, name: String, sql: String, sha256: String) {
    self.version = version
    self.name = name
    self.sql = sql
    self.sha256 = sha256
  }
}

/// Why a database is not at the version that a program knows, or cannot be brought to it.
package enum MigrationError: Error, Equatable {
  case newer(found: Int, known: Int)
  /// A migration was changed after it was applied to this database.
  case altered(version: Int, name: String)
  /// The program's own list of migrations leaves a number out.
  case gap(expected: Int, found: Int)
  /// The database's version and its list of applied migrations do not agree.
  case inconsistent(userVersion: Int, recorded: Int)
  /// The database belongs to another program, or (found 0) names no program.
  case wrongApplicationID(found: Int32, expected: Int32)
  case notADatabase
  /// A migration leaves rows whose foreign keys name nothing; `table` holds one of them.
  case foreignKey(version: Int, table: String)
}

/// Brings a database to the last of a list of migrations.
///
/// The application ID says which program the file belongs to, `user_version` which version it has reached,
/// and the table `migration` what was applied when. All three change in the same transaction as the schema.
package struct Migrator: Sendable {
  package let applicationID: Int32
  package let migrations: [Migration]
  package static let table = """
    CREATE TABLE migration (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, at TEXT NOT NULL
    ) STRICT
    """

  package init(applicationID: Int32, migrations: [Migration]) {
    self.applicationID = applicationID
    self.migrations = migrations
  }

  private var first: Int { migrations.first?.version ?? 1 }
  private var last: Int { migrations.last?.version ?? 0 }

  /// The version that a database has reached: 0 for an empty file.
  ///
  /// Changes nothing. Uses the open transaction, or a read transaction of its own.
  ///
  /// - Throws: `MigrationError`, for the application ID before anything else in the file; `SQLiteError`.
  package func version(of connection: Connection) throws -> Int {
    do {
      // In one transaction, so that a migration elsewhere is seen whole or not at all.
      if connection.isInTransaction { return try check(connection) }
      return try connection.transaction(.deferred) { try check(connection) }
    } catch let error as SQLiteError where .notADatabase ~= error.code {
      throw MigrationError.notADatabase
    }
  }

  /// Applies what is pending, and returns the versions applied here, which may be none.
  ///
  /// Each migration is applied in a transaction of its own, so that one which fails leaves those before it
  /// applied and nothing of itself behind. Foreign keys are not enforced meanwhile, since only then can a
  /// table be rebuilt (<https://sqlite.org/lang_altertable.html#otheralter>), and no cascade runs. Instead,
  /// all of them are checked before each commit.
  ///
  /// - Parameter recordedAt: The time to record, in the form in which the caller keeps times.
  /// - Throws: `MigrationError`; `SQLiteError`, including `.misuse` within a transaction.
  package func migrate(_ connection: Connection, recordedAt: String) throws -> [Int] {
    guard !connection.isInTransaction else { throw SQLiteError.misuse("a transaction is open already") }
    // Without a write lock, so that a database that is up to date need not be waited for.
    let start = try version(of: connection)
    guard start < last else { return [] }

    let enforced = try connection.enforcesForeignKeys()
    try connection.enforceForeignKeys(false)
    // This worked above, so it fails only for a connection that was closed, which no longer needs it.
    defer { try? connection.enforceForeignKeys(enforced) }
    return try migrations.filter { $0.version > start }.filter { migration in
      try connection.transaction(.immediate) {
        // Somebody else may have migrated before this lock was taken.
        guard try check(connection) < migration.version else { return false }
        try apply(migration, to: connection, at: recordedAt)
        return true
      }
    }.map(\.version)
  }

  private func apply(_ migration: Migration, to connection: Connection, at recordedAt: String) throws {
    if migration.version == first {
      try connection.run(Migrator.table)
      try connection.setPragma("application_id", to: Int64(applicationID))
    }
    try connection.executeWithinTransaction(migration.sql)
    if let table = try connection.first("PRAGMA foreign_key_check", row: { try $0.text(0) }) {
      throw MigrationError.foreignKey(version: migration.version, table: table)
    }
    try connection.run(
      "INSERT INTO migration (version, name, sha256, at) VALUES (?, ?, ?, ?)",
      .integer(Int64(migration.version)), .text(migration.name), .text(migration.sha256), .text(recordedAt))
    try connection.setPragma("user_version", to: Int64(migration.version))
  }

  /// The version, once everything that could be wrong has been checked.
  private func check(_ connection: Connection) throws -> Int {
    for (expected, migration) in zip(first..., migrations) where migration.version != expected {
      throw MigrationError.gap(expected: expected, found: migration.version)
    }
    let version = Int(try connection.userVersion())
    let found = try connection.applicationID()
    let tables = try connection.first("SELECT count(*) FROM sqlite_schema") { try $0.integer(0) }
    if found == 0, version == 0, tables == 0 { return 0 }
    guard found == applicationID else {
      throw MigrationError.wrongApplicationID(found: found, expected: applicationID)
    }
    // This comes before the table is read, since a later program may have changed its columns.
    guard version <= last else { throw MigrationError.newer(found: version, known: last) }
    try compare(version, connection)
    return version
  }

  private func compare(_ version: Int, _ connection: Connection) throws {
    let hasTable = try connection.first(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'", row: { _ in true })
    let recorded =
      hasTable == nil
      ? []
      : try connection.query("SELECT version, sha256 FROM migration ORDER BY version") {
        (version: try $0.integer(0), sha256: try $0.text(1))
      }
    let applied = version < first ? [] : Array(first...version)
    guard version == applied.last ?? 0, recorded.map({ Int($0.version) }) == applied else {
      throw MigrationError.inconsistent(userVersion: version, recorded: recorded.count)
    }
    for (migration, row) in zip(migrations, recorded) where migration.sha256 != row.sha256 {
      throw MigrationError.altered(version: migration.version, name: migration.name)
    }
  }
}

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

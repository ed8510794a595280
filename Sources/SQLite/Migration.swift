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

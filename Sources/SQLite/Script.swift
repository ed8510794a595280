internal import CSQLite

/// Running statements. Each goes through the cache and is reset before the call returns, however it ends.
extension Connection {
  /// Runs a statement to its end, ignoring its rows.
  ///
  /// - Throws: `SQLiteError`: SQLite's own; `.range` when there are more or fewer values than parameters.
  package func run(_ sql: String, _ values: Value...) throws(SQLiteError) {
    try run(sql, values: values)
  }

  /// Runs a statement to its end, its values in an array.
  package func run(_ sql: String, values: [Value]) throws(SQLiteError) {
    let statement = try take(sql)
    defer { giveBack(statement) }
    try statement.bind(values)
    while try statement.step() {}
  }

  /// - Throws: `SQLiteError`, and what `row` throws, as the others do.
  package func query<T>(_ sql: String, _ values: Value..., row: (Row) throws -> T) throws -> [T] {
    try query(sql, values: values, row: row)
  }

  /// All rows of a statement, its values in an array.
  package func query<T>(_ sql: String, values: [Value], row: (Row) throws -> T) throws -> [T] {
    var result: [T] = []
    try forEach(sql, values: values) {
      result.append(try row($0))
      return true
    }
    return result
  }

  /// The first row of a statement, or nil; further rows are not looked at.
  package func first<T>(_ sql: String, _ values: Value..., row: (Row) throws -> T) throws -> T? {
    try first(sql, values: values, row: row)
  }

  /// The first row of a statement, or nil, its values in an array.
  package func first<T>(_ sql: String, values: [Value], row: (Row) throws -> T) throws -> T? {
    let statement = try take(sql)
    defer { giveBack(statement) }
    try statement.bind(values)
    guard try statement.step() else { return nil }
    return try row(statement.currentRow)
  }

  /// The rows of a statement one by one, until `row` returns false.
  ///
  /// `row` may run other statements, including this same one. If it changes rows of the query, it is
  /// undefined whether those are still to come, or come again (<https://sqlite.org/isolation.html>).
  package func forEach(_ sql: String, _ values: Value..., row: (Row) throws -> Bool) throws {
    try forEach(sql, values: values, row: row)
  }

  /// The rows of a statement one by one, its values in an array.
  package func forEach(_ sql: String, values: [Value], row: (Row) throws -> Bool) throws {
    let statement = try take(sql)
    defer { giveBack(statement) }
    try statement.bind(values)
    while try statement.step() {
      guard try row(statement.currentRow) else { return }
    }
  }
}

extension Connection {
  /// Runs the statements of a script in order, ignoring their rows.
  ///
  /// Not atomic by itself: without a transaction around it, the statements before one that fails stay in
  /// effect. The error holds the text of the statement that failed.
  package func execute(_ script: String) throws(SQLiteError) {
    let database = try handle()
    try script.utf8CString.withUnsafeBufferPointer { text throws(SQLiteError) in
      var cursor = ScriptCursor(text)
      while let statement = try cursor.next(flags: 0, on: database) {
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW { code = sqlite3_step(statement) }
        guard code == SQLITE_DONE else {
          let sql = sqlite3_sql(statement).map { String(cString: $0) }
          throw SQLiteError(code, on: database, sql: sql)
        }
      }
    }
  }
}

/// Goes through the statements of a text, by the tail pointer that `sqlite3_prepare_v3` gives.
///
/// Valid only as long as the buffer it was made with.
struct ScriptCursor {
  /// What has not been compiled yet, with the NUL at its end: given a text without one, SQLite copies all of
  /// it for each statement.
  private var rest: UnsafeBufferPointer<CChar>

  /// Takes the UTF-8 of a text with its final NUL.
  init(_ text: UnsafeBufferPointer<CChar>) { rest = text }

  var isAtEnd: Bool { rest.count <= 1 }

  /// Compiles the next statement; nil after the last. The caller finalizes it.
  mutating func next(flags: UInt32, on database: OpaquePointer) throws(SQLiteError) -> OpaquePointer? {
    // A blank or a comment compiles to no statement, though more text may follow.
    while !isAtEnd, let start = rest.baseAddress {
      var handle: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let length = Int32(clamping: rest.count)
      let code = sqlite3_prepare_v3(database, start, length, flags, &handle, &tail)
      let used = min(max(tail.map { $0 - start } ?? 0, 0), rest.count)
      guard code == SQLITE_OK else {
        // The tail of a text that does not compile is where the compiler gave up.
        let text = UnsafeRawBufferPointer(.init(rebasing: used == 0 ? rest.dropLast() : rest[..<used]))
        throw SQLiteError(code, on: database, sql: String(decoding: text, as: UTF8.self))
      }
      // If nothing was read, this can only be the end; stopping here keeps the loop finite.
      rest = UnsafeBufferPointer(rebasing: rest[(used == 0 ? rest.count : used)...])
      if let handle { return handle }
    }
    return nil
  }
}

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
        // Someone else may have migrated before this lock was taken.
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

internal import CSQLite

/// A failure of SQLite, or a use of this module that cannot be carried out.
///
/// It never contains bound values. SQLite's own message may quote an argument of one of its functions (a
/// malformed JSON path, for one), so a secret must not be handed to SQL as such an argument.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
  package let code: ResultCode
  /// SQLite's own message, or this module's for a misuse.
  package let message: String
  /// The text of the statement, without its parameters' values; nil if there was none.
  package let sql: String?
  /// The system's own number (`errno`) where an open, a read or a write failed, else 0.
  package let systemCode: Int32

  package init(code: ResultCode, message: String, sql: String? = nil, systemCode: Int32 = 0) {
    (self.code, self.message, self.sql, self.systemCode) = (code, message, sql, systemCode)
  }

  package var description: String {
    let head = "\(message) (SQLite result \(code.rawValue))"
    guard let sql else { return head }
    return "\(head), in: \(sql)"
  }
}

extension SQLiteError {
  /// The last failure of a connection; to be made before any other call on it, which would replace the
  /// message.
  init(_ code: Int32, on database: OpaquePointer?, sql: String?) {
    // Without a connection sqlite3_errmsg says "out of memory", which here would be true.
    let message = sqlite3_errmsg(database).map { String(cString: $0) }
    let result = ResultCode(rawValue: code)
    let isSystems = result.primary == .cantOpen || result.primary == .ioError
    self.init(
      code: result, message: message ?? "no message", sql: sql,
      systemCode: isSystems ? sqlite3_system_errno(database) : 0)
  }

  static func misuse(_ message: String, sql: String? = nil) -> SQLiteError {
    SQLiteError(code: .misuse, message: message, sql: sql)
  }

  /// A call on a connection, or on a statement of one, after its close.
  static func closed(sql: String? = nil) -> SQLiteError {
    .misuse("the connection is closed", sql: sql)
  }
}

/// A result code of SQLite, primary or extended.
///
/// The low byte of an extended code is its primary code. The connections of this module report extended
/// codes wherever SQLite has one. See <https://sqlite.org/rescode.html>.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

  /// Whether a pattern matches: a primary code matches all its extended ones, an extended code only itself.
  package static func ~= (pattern: ResultCode, value: ResultCode) -> Bool {
    pattern == value || pattern == value.primary
  }
}

extension ResultCode {
  /// An error with no code of its own, most often in the text of a statement.
  package static let error = ResultCode(rawValue: SQLITE_ERROR)
  /// Another connection holds a lock that is in the way.
  package static let busy = ResultCode(rawValue: SQLITE_BUSY)
  /// A statement of this same connection is in the way.
  package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  package static let noMemory = ResultCode(rawValue: SQLITE_NOMEM)
  package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  package static let interrupt = ResultCode(rawValue: SQLITE_INTERRUPT)
  package static let ioError = ResultCode(rawValue: SQLITE_IOERR)
  package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  package static let full = ResultCode(rawValue: SQLITE_FULL)
  package static let cantOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  /// Such as a call on a closed connection.
  package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  package static let range = ResultCode(rawValue: SQLITE_RANGE)
  package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
}

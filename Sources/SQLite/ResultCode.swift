internal import CSQLite

/// A result code of SQLite, primary or extended.
///
/// The low byte of an extended code is its primary code. The connections of this module report extended
/// codes wherever SQLite has one. See <https://sqlite.org/rescode.html>.
package struct ResultCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

  package var description: String {
    guard let text = sqlite3_errstr(rawValue) else { return "SQLite result \(rawValue)" }
    return "\(String(cString: text)) (SQLite result \(rawValue))"
  }

  /// Whether a pattern matches: a primary code matches all its extended ones, an extended code only itself.
  package static func ~= (pattern: ResultCode, value: ResultCode) -> Bool {
    pattern == value || pattern == value.primary
  }
}

extension ResultCode {
  /// An error with no code of its own, most often in the text of a statement.
  package static let error = ResultCode(rawValue: SQLITE_ERROR)
  package static let authorization = ResultCode(rawValue: SQLITE_AUTH)
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
  package static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  /// Such as a call on a closed connection.
  package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  package static let range = ResultCode(rawValue: SQLITE_RANGE)
  package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
}

internal import CSQLite

extension Connection {
  /// What a connection may do to its file.
  package enum Mode: Sendable {
    /// Read an existing file. A hot journal left by a crash makes the first read fail, since playing it back
    /// is a write.
    case readOnly
    case readWrite
    case create

    /// The flags for `sqlite3_open_v2`. NOMUTEX, because a connection is not Sendable; EXRESCODE, so that
    /// errors of the open itself have extended codes; NOFOLLOW on principle.
    var flags: Int32 {
      let access =
        switch self {
        case .readOnly: SQLITE_OPEN_READONLY
        case .readWrite: SQLITE_OPEN_READWRITE
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
      return access | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX
    }
  }
}

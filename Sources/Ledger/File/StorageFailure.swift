import Platform
import SQLite

/// What a failure of SQLite means, without its result codes.
package struct StorageFailure: Sendable, Equatable {
  /// The kinds of failure that call for different responses.
  package enum Kind: Sendable, Equatable {
    case busy
    case notADatabase
    case forbidden
    case outOfFiles
    case full
    case refused
    case interrupted
    case io
    case other
  }

  package let kind: Kind
  /// SQLite's message, which never has a bound value in it.
  package let reason: String

  init(_ error: SQLiteError) {
    reason = error.message
    let system = SystemError(code: error.systemCode, operation: "open", path: "")
    switch error.code.primary {
    case .busy, .locked: kind = .busy
    // In a STRICT table, a value of a type other than its column's is damage.
    case .notADatabase, .corrupt, .mismatch: kind = .notADatabase
    // A journal that cannot be made is most often a matter of rights.
    case .cantOpen where system.isFull: kind = .full
    case .cantOpen where system.isOutOfFiles: kind = .outOfFiles
    case .cantOpen where system.isTrouble: kind = .io
    case .readOnly, .cantOpen: kind = .forbidden
    case .full: kind = .full
    case .constraint: kind = .refused
    case .interrupt: kind = .interrupted
    case .ioError: kind = .io
    default: kind = .other
    }
  }
}

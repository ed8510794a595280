import JSON
package import Platform
package import ReleaseModel
import SQLite

/// Why the ledger cannot be used, or not now: what its functions throw besides `Refusal`.
package enum LedgerError: Error {
  /// The file, its folder or its record is not as it must be.
  case unusable(Refusal)
  case noLedger(path: String)
  case alteredSchema(path: String)
  case busy(path: String, holder: LockHolder?)
  case noLock(path: String, SystemError)
  case noApp(String, known: [String])
  case noEvent(Int64, last: Int64)
  /// The last event's hash does not match its bytes and its predecessor's hash.
  case headBroken(Int64)
  case unreadableEvent(Int64)
  case unreadableRow(String)
  case approvalsRequired(Approvals)
  case storage(StorageFailure, path: String)
  case system(SystemError)

  static func unusable(
    _ key: String, _ path: String, _ values: [String: String] = [:], details: JSON = [:]
  ) -> LedgerError {
    .unusable(Refusal(key, values.merging(["path": path]) { $1 }, details: details))
  }

  static func notALedger(_ path: String) -> LedgerError { .unusable("ledger.not-a-ledger", path) }

  static func unsafeFile(_ path: String, _ reason: String) -> LedgerError {
    .unusable("ledger.unsafe-file", path, ["reason": reason])
  }

  /// A build with another schema wrote the ledger; an older one cannot be brought up to date where it may not be written.
  static func schema(_ key: String, _ path: String, found: Int, known: Int) -> LedgerError {
    .unusable(key, path, details: ["found": .integer(Int64(found)), "known": .integer(Int64(known))])
  }
}

/// Why a change is not recorded for lack of approval.
package struct Approvals: Sendable, Equatable {
  package let needed: Int
  package let names: [String]
  package let signers: [String]
  package let needs: [Need]
  package let impact: Impact
}

extension Refusal {
  static func touched(_ seq: Int64, by later: Int64) -> Refusal {
    Refusal("undo.touched", details: ["event": .integer(seq), "later": .integer(later)])
  }

  static func notUndoable(_ seq: Int64, _ kind: String) -> Refusal {
    let key =
      switch EventKind(rawValue: kind) {
      case .releaseMark: "undo.never/mark"
      case .releaseVoid, .releaseNeverShipped: "undo.never/void"
      case .releaseImport: "undo.never/import"
      case .trustAdd: "undo.never/trust"
      case .evidenceAdd, .evidenceSettle: "undo.never/evidence"
      case .exportSet, .exportClear: "undo.never/export"
      default: "undo.never"
      }
    return Refusal(key, details: ["event": .integer(seq), "kind": .string(kind)])
  }
}

/// What a failure of SQLite means, without its result codes.
package struct StorageFailure: Sendable, Equatable {
  /// The kinds of failure that call for different responses, each with its row of errors.
  package enum Kind: String, Sendable {
    case busy = "ledger.busy"
    case notADatabase = "ledger.not-a-ledger/damaged"
    case forbidden = "ledger.forbidden"
    case full = "ledger.disk-full"
    case outOfFiles = "file.too-many-open"
    case refused = "ledger.refused"
    case interrupted
    case io = "ledger.io"
    case other = "internal"
  }

  package let kind: Kind
  /// SQLite's message, which never has a bound value in it.
  package let reason: String

  init(_ error: SQLiteError, writing path: String = "") {
    reason = error.message
    let system = SystemError(code: error.systemCode, operation: "open", path: "")
    switch error.code.primary {
    case .busy, .locked: kind = .busy
    // In a STRICT table, a value of a type other than its column's is damage.
    case .notADatabase, .corrupt, .mismatch: kind = .notADatabase
    // A journal that cannot be made is most often a matter of rights.
    case .cantOpen where system.isFull: kind = .full
    // SQLite then tries to open it for reading, so that the system's number is that of a missing file.
    case .cantOpen where system.isMissing && (try? FileSystem(holding: path))?.isOutOfFiles == true:
      kind = .full
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

import Crypto
package import Platform
import SQLite

/// A file or folder beside a ledger that belongs to it, named like the ledger with this suffix.
package enum Companion: String, Sendable, CaseIterable {
  /// SQLite's own files (<https://sqlite.org/tempfiles.html>).
  case journal = "-journal"
  case log = "-wal"
  case index = "-shm"
  case lock = "-lock"
  case told = "-told"
  case heard = "-heard"
  case sign = "-sign"
  case deliver = "-deliver"
  /// The folder of what each mirror was last found to hold.
  case mirrors = "-mirrors"
  /// The folder of the directories that documents were exported to besides the ledger's own.
  case exports = "-exports"
}

extension Ledger {
  /// Which file of which host the ledger is.
  package func identity() throws -> FileIdentity {
    do {
      return try FileIdentity(of: connection.path, host: FileIdentity.thisHost())
    } catch {
      throw LedgerError.system(error)
    }
  }

  /// Where a companion of the ledger is.
  package func path(of companion: Companion) -> String { path + companion.rawValue }

  /// What a companion by an account that may write the ledger holds; no link is followed, nothing blocks.
  func read(_ companion: Companion, limit: Int) -> [UInt8]? {
    guard !connection.isInMemory, let model = try? FileStatus(of: connection.path) else { return nil }
    let file = connection.path + companion.rawValue
    return (try? readPlainFile(file, limit: limit) { model.mayBeWritten(byOwnerOf: $0) }) ?? nil
  }
}

extension FileIdentity {
  /// The name of this host: programs must not show the machine's id itself, machine-id(5).
  package static func thisHost() throws(SystemError) -> String {
    String(SHA256.hexadecimal(of: Array("pawl host \(try machineID())".utf8)).prefix(32))
  }
}

import Platform
import SQLite

/// A file or folder that belongs to a ledger and stands beside it: the ledger's name with the value at its end.
package enum Companion: String, Sendable, CaseIterable {
  /// SQLite's (<https://sqlite.org/tempfiles.html>).
  case journal = "-journal"
  case log = "-wal"
  case index = "-shm"
  /// The turn of those who change it.
  case lock = "-lock"
  /// The last moment that documents were written for.
  case told = "-told"
  /// When sources of evidence were heard of last.
  case heard = "-heard"
  /// The name of the key that signs documents.
  case sign = "-sign"
  /// Where deliveries are.
  case deliver = "-deliver"
}

extension Ledger {
  /// Where a companion of the ledger is.
  package func path(of companion: Companion) -> String { path + companion.rawValue }

  /// What a companion file holds; nil if there is none that somebody wrote who may write the ledger. No link is followed,
  /// and nothing that would have to be waited for is opened.
  func read(_ companion: Companion, limit: Int) -> [UInt8]? {
    guard !connection.isInMemory, let model = try? FileStatus(of: connection.path) else { return nil }
    let file = connection.path + companion.rawValue
    return (try? readPlainFile(file, limit: limit) { model.mayBeWritten(byOwnerOf: $0) }) ?? nil
  }
}

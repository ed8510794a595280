import Crypto
package import JSON
package import Platform
import ReleaseModel
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
      // Programs must not show the machine's id itself, machine-id(5).
      let host = try machine().map { SHA256.hexadecimal(of: Array("pawl host \($0)".utf8)).prefix(32) }
      return try FileIdentity(of: connection.path, host: host.map(String.init))
    } catch let error as SystemError {
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

/// A folder beside a ledger that holds a file in JSON for each name.
package struct CompanionFolder {
  package let folder: Directory
  /// The rights of the files in it: those of the ledger, without those for others.
  package let rights: UInt32

  package static let limit = 1 << 28

  /// Opens the folder, and makes it if it is to be made.
  ///
  /// - Throws: `Obstruction`, `SystemError`, `UnsafeDirectory`.
  package init(_ companion: Companion, of ledger: Ledger, makes: Bool) throws {
    let status = try FileStatus(of: ledger.path)
    // Whoever makes a file goes on to write it, also where the ledger may only be read.
    rights = status.rights & 0o660 | 0o600
    // An account that may read the ledger may see who is behind; one that may write it may bring them up to date.
    let isGroups = status.rights & 0o020 != 0
    let folderRights: UInt32 = 0o700 | (isGroups ? 0o2070 : status.rights & 0o040 != 0 ? 0o050 : 0)
    folder = try Directory.open(
      Ledger.resolve(ledger.path(of: companion)), makingWith: makes ? folderRights : nil, followsLinks: false)
    folder.leave(to: status)
  }

  /// The names that files are kept for, in order.
  package func names() throws -> [String] {
    try folder.names().filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }
      .filter(App.isSlug).sorted()
  }

  /// The path of a file in it.
  package func path(of file: String) -> String { "\(folder.path)/\(file)" }

  /// What a file holds, `null` if that is not JSON; nil if the file does not exist.
  package func read(_ file: String) throws -> JSON? {
    guard let bytes = try folder.read(file, limit: CompanionFolder.limit) else { return nil }
    return (try? JSON(parsing: bytes)) ?? .null
  }

  /// Replaces a file as a whole, durably.
  package func write(_ json: JSON, _ file: String) throws { try update(file) { _ in json } }

  /// Replaces a file as a whole, durably, by what a body makes of what it holds; nil leaves it.
  ///
  /// - Throws: `LedgerError.busy` where others keep writing; `Obstruction`, `SystemError`.
  package func update(_ file: String, _ body: (JSON?) throws -> JSON?) throws {
    let lock = try folder.lock("lock", rights: rights)
    guard try lock.take(waiting: 10) else { throw LedgerError.busy(path: folder.path, holder: nil) }
    guard let json = try body(read(file)) else { return }
    let staged = file + ".new"
    try folder.remove(staged)
    let writer = try folder.create(staged, rights: rights)
    try writer.write(json.bytes() + [0x0A])
    try writer.flush()
    try folder.rename(staged, to: file, in: folder)
    try folder.flush()
    lock.release()
  }
}

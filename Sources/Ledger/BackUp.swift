package import JSON
import Platform
package import ReleaseModel
import SQLite

/// A copy of a ledger that was made and proved.
package struct BackedUp: Sendable, Equatable {
  package let events: Int64
  package let head: Head
  /// The size of the file.
  package let bytes: Int64

  /// The copy as `backup` prints it.
  package func json(file: String) -> JSON {
    ["events": .integer(events), "head": head.json, "bytes": .integer(bytes), "file": .string(file)]
  }
}

extension Ledger {
  /// How many pages are copied under one lock: some milliseconds.
  private static let pagesAtOnce: Int32 = 2_000
  /// How often a copy begins anew because of others' changes, before it is made in one go.
  private static let patience = 4

  /// Makes a consistent copy of the ledger while others use it, proves it, and gives it its name.
  ///
  /// The copy is made by SQLite's backup in steps, between which others may write; a write makes it begin anew, so after
  /// some tries it is made under one lock. Unlike VACUUM INTO it copies pages as they are.
  ///
  /// - Parameters:
  ///   - replaces: Whether a file of the name may be there.
  ///   - copying: Told how many of how many pages are copied; throws to give the copy up.
  ///   - proving: Told how many of how many events and rows of the copy are done; throws likewise.
  /// - Throws: `LedgerError`, of which `faultyCopy` says that the ledger itself is not what was recorded.
  package func backUp(
    to file: String, replaces: Bool, now: Timestamp,
    copying: (_ done: Int, _ total: Int) throws -> Void = { _, _ in },
    proving: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> BackedUp {
    let resolved = try Ledger.resolve(file)
    try checkCopy(resolved, named: file, replaces: replaces)
    removeLeftovers(of: resolved)
    let temporary = temporaryName(for: resolved)
    do {
      try createFile(temporary, rights: Ledger.rights)
    } catch {
      throw LedgerError.system(error)
    }
    do {
      try reading { try copyPages(to: temporary, copying) }
      let copy = try Ledger.open(temporary, for: .reading, now: now)
      defer { copy.close() }
      let found = try copy.verify(progress: proving)
      copy.close()
      guard found.isClean else { throw LedgerError.faultyCopy(path: path, found) }
      let size = try FileStatus(of: temporary).size
      try publish(temporary, as: resolved, replaces: replaces)
      return BackedUp(events: found.events, head: found.head, bytes: size)
    } catch {
      removeFile(temporary)
      removeFile(temporary + "-journal")
      if let error = error as? SystemError {
        throw error.isTaken ? LedgerError.copyExists(path: file) : LedgerError.system(error)
      }
      throw error
    }
  }

  /// Refuses what would harm another file, before anything is copied.
  private func checkCopy(_ resolved: String, named file: String, replaces: Bool) throws {
    if try resolved == Ledger.resolve(path) {
      throw LedgerError.unsafeCopy(path: file, reason: "it is the ledger itself")
    }
    // SQLite would roll it back into the copy when that is used.
    if (try? FileStatus(of: resolved + "-journal")) != nil {
      throw LedgerError.unsafeCopy(
        path: file, reason: "there is a '\(resolved)-journal', which is not the copy's")
    }
    guard let status = try? FileStatus(of: resolved) else { return }
    guard status.kind == .regular else {
      throw LedgerError.unsafeCopy(path: file, reason: "there is something that is no file")
    }
    guard replaces else { throw LedgerError.copyExists(path: file) }
  }

  private func copyPages(to temporary: String, _ progress: (Int, Int) throws -> Void) throws {
    let target = try Connection(path: temporary, mode: .readWrite)
    try target.harden()
    // Nobody else knows the file yet, and it is flushed as a whole before it gets its name.
    _ = try target.setPragma("synchronous", to: 0)
    let backup = try Backup(from: connection, to: target)
    var remaining = Int.max
    var restarts = 0
    var total = 0
    while try !backup.step(pages: restarts < Ledger.patience ? Ledger.pagesAtOnce : -1) {
      total = max(total, backup.remaining)
      try progress(total - backup.remaining, total)
      if backup.remaining >= remaining { restarts += 1 }
      remaining = backup.remaining
    }
    backup.finish()
    try target.close()
  }
}

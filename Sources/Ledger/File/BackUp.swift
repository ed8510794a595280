package import JSON
import Platform
package import ReleaseModel
import SQLite
import Schema

/// A copy of a ledger that was made and verified.
package struct BackedUp: Sendable, Equatable {
  package let events: Int64
  package let head: Head
  /// The ledger's own head, where the copy has one event more, which says that it is a copy; else the copy's.
  package let ledgerHead: Head
  package let bytes: Int64

  /// The copy as `backup` prints it.
  package func json(file: String) -> JSON {
    [
      "events": .integer(events), "head": head.json, "ledgerHead": ledgerHead.json, "bytes": .integer(bytes),
      "file": .string(file),
    ]
  }
}

extension Ledger {
  /// How many pages are copied under one lock, which takes a few milliseconds.
  private static let pagesAtOnce: Int32 = 2_000
  /// How often others' changes may restart a copy before it is made in one go.
  private static let patience = 4

  /// Makes a consistent copy of the ledger while others use it, verifies it, and gives it its name.
  ///
  /// SQLite's backup makes the copy in steps, between which others may write. A write restarts the copy, so
  /// after some restarts it is made under one lock. Unlike VACUUM INTO, it copies pages as they are.
  ///
  /// The copy names no directory for documents: its own first event says that it is a copy.
  ///
  /// - Parameters:
  ///   - replaces: Whether an existing file of that name may be replaced.
  ///   - recording: Who makes the copy, and when.
  ///   - between: Called between steps; throws to abandon the copy.
  /// - Throws: `LedgerError`; `backup.faulty` means that the ledger itself is not what was recorded.
  package func backUp(
    to file: String, replaces: Bool, recording: Recording,
    between: @escaping () throws -> Void = {}
  ) throws -> BackedUp {
    let resolved = try Ledger.resolve(file)
    try checkCopy(resolved, named: file, replaces: replaces)
    do {
      let name = try TemporaryName(for: resolved)
      let temporary = name.path
      try createFile(temporary, rights: Ledger.rights)
      try reading { try copyPages(to: temporary, between) }
      let own = try leave(temporary, recording)
      let copy = try Ledger.open(temporary, for: .reading, now: recording.clock)
      defer { copy.close() }
      let found = try copy.verify(between: between)
      copy.close()
      guard found.isClean else {
        throw LedgerError.unusable(
          "backup.faulty", path, ["fault": found.faults.first?.id ?? "unknown"])
      }
      let size = try FileStatus(of: temporary).size
      try publish(name, as: resolved, replaces: replaces)
      return BackedUp(events: found.events, head: found.head, ledgerHead: own ?? found.head, bytes: size)
    } catch {
      if let error = error as? SystemError {
        throw error.isTaken ? LedgerError.unusable("backup.exists", file) : LedgerError.system(error)
      }
      throw error
    }
  }

  /// Notes in a copy that it is one, if the ledger names a directory; returns the head before that.
  private func leave(_ temporary: String, _ recording: Recording) throws -> Head? {
    // What cannot be read is for the verification to report.
    guard let named = try? publication(), !named.isCopied else { return nil }
    let copy = try Ledger.open(temporary, for: .writing, now: recording.clock)
    defer { copy.close() }
    var recording = recording
    // A clock that jumped keeps no one from making a copy.
    recording.clockCheck.isUrgent = true
    let own = try copy.head()
    _ = try copy.record(recording, body: { try $0.publish(to: named.copied) })
    return own
  }

  private func checkCopy(_ resolved: String, named file: String, replaces: Bool) throws {
    func unsafe(_ reason: String) -> LedgerError { .unusable("backup.unsafe", file, ["reason": reason]) }
    if try resolved == Ledger.resolve(path) { throw unsafe("it is the ledger itself") }
    // Some file systems ignore case.
    if Companion.allCases.contains(where: { resolved.lowercased().hasSuffix($0.rawValue) }) {
      throw unsafe("a file with that name belongs to a ledger")
    }
    if let folder = FileSafety.openFolder(above: resolved) {
      throw unsafe("every account can replace it in folder '\(folder)'")
    }
    // SQLite would play it into the copy when the copy is first used.
    for left in ["-journal", "-wal"] where (try? FileStatus(of: resolved + left)) != nil {
      throw unsafe("there is a '\(resolved)\(left)', which is not the copy's")
    }
    guard let status = try? FileStatus(of: resolved) else { return }
    guard status.kind == .regular else { throw unsafe("something that is not a file has that name") }
    guard replaces else { throw LedgerError.unusable("backup.exists", file) }
    // An interrupted copy left an empty file, or someone made one to hold the copy.
    if status.size == 0 { return }
    let bytes = try? readRecord(of: resolved, from: 0, stride: DatabaseHeader.size, count: 1) { _ in true }
    guard let header = bytes.flatMap({ DatabaseHeader($0) }), header.applicationID == Schema.applicationID,
      !header.hasLog
    else { throw unsafe("the file with that name is not a copy of a ledger") }
    if let other = try? Ledger.name(ofCopy: resolved), try other != name() {
      throw unsafe("the file with that name is another ledger, \(other)")
    }
  }

  /// The name of a ledger that is only looked at: it may have any schema, or be damaged.
  private static func name(ofCopy file: String) throws -> String {
    let connection = try Connection(path: file, mode: .readOnly)
    try connection.harden()
    let ledger = Ledger(connection: connection, path: file)
    defer { ledger.close() }
    return try ledger.name()
  }

  private func copyPages(to temporary: String, _ between: () throws -> Void) throws {
    let target = try Connection(path: temporary, mode: .readWrite)
    try target.harden()
    // No one else knows the file yet, and it is flushed as a whole before it gets its name.
    _ = try target.setPragma("synchronous", to: 0)
    try connection.copy(
      to: target, pagesAtOnce: Ledger.pagesAtOnce, restarts: Ledger.patience, between: between)
    try target.close()
  }
}

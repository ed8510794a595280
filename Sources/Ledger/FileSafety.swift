import Platform
import Schema

/// What is looked at before SQLite opens a file, since SQLite would act on it: play a journal back, begin a log.
struct FileSafety {
  /// The file, links among its folders followed.
  let file: String
  /// The file as it was named.
  let path: String
  let status: FileStatus

  /// Refuses a file that others could have put there or prepared.
  ///
  /// - Throws: `LedgerError`.
  func check() throws {
    try checkFolder()
    if found("-wal") != nil { throw LedgerError.writeAheadLog(path: path) }
    let journal = found("-journal")
    if let journal { try checkOwner(of: journal) }
    guard let header = prefix("", count: DatabaseHeader.size) else { return }
    if header.starts(with: DatabaseHeader.magic) {
      if header[18] == 2 || header[19] == 2 { throw LedgerError.writeAheadLog(path: path) }
    } else if journal == nil {
      // A journal may be there to put the beginning back.
      throw LedgerError.notALedger(path: path)
    }
    if journal != nil { try checkContent() } else { try checkLength() }
  }

  /// Refuses a file whose end is cut off: SQLite takes what is missing of the last page for zeros.
  private func checkLength() throws {
    // Somebody may be writing right now: beginning and end are from two moments unless nothing moves for several.
    for _ in 0..<20 {
      guard found("-journal") == nil, let size = found("")?.size,
        let header = prefix("", count: DatabaseHeader.size).flatMap(DatabaseHeader.init)
      else { return }
      if size % Int64(header.pageSize) == 0, size / Int64(header.pageSize) >= header.pages { return }
    }
    throw LedgerError.notALedger(path: path)
  }

  private func checkFolder() throws {
    if let folder = FileSafety.openFolder(above: file) {
      let isOwn = folder == Platform.folder(of: file)
      throw LedgerError.worldWritableFolder(path: path, folder: isOwn ? Platform.folder(of: path) : folder)
    }
  }

  /// The nearest folder above a file, up to the root, in which everybody may put something else in place of what leads to
  /// the file; nil if there is none. Where the sticky bit is set, as in /tmp, everybody may only add to it.
  ///
  /// - Parameter file: An absolute path without links.
  static func openFolder(above file: String) -> String? {
    var folder = file
    repeat {
      folder = Platform.folder(of: folder)
      if let status = try? FileStatus(of: folder), status.isWorldWritable, status.rights & 0o1000 == 0 {
        return folder
      }
    } while folder != "/" && folder != "."
    return nil
  }

  private func checkOwner(of journal: FileStatus) throws {
    let name = path + "-journal"
    guard journal.kind == .regular, journal.links == 1 else {
      throw LedgerError.unsafeFile(path: name, reason: "it is not a regular file with one name")
    }
    if journal.isWorldWritable { throw LedgerError.worldWritable(path: name) }
    guard status.mayBeWritten(byOwnerOf: journal) else {
      throw LedgerError.unsafeFile(path: name, reason: "it belongs to somebody who cannot write the ledger")
    }
  }

  /// Refuses a journal that is not this ledger's: SQLite would write another file's pages into it.
  ///
  /// A journal has no name of its file in it, but nearly always the first page as it was. There stand the mark of the
  /// program and a count of the changes, which in the file is the same, or one more once the change began to be written.
  private func checkContent() throws {
    // The journal of a change that goes on right now is replaced at any time. Only what belongs to one and the same
    // transaction is compared, told by the number that each has.
    guard let before = journalHeader() else { return }
    let first = before.firstPage(of: file + "-journal")
    let header = prefix("", count: DatabaseHeader.size).flatMap(DatabaseHeader.init)
    guard let header, journalHeader() == before else { return }
    var isOurs = before.pageSize == header.pageSize
    if let first {
      let old = DatabaseHeader(first)
      isOurs =
        isOurs && old?.applicationID == Schema.applicationID
        && (old?.changes == header.changes || old.map { $0.changes &+ 1 } == header.changes)
    }
    guard isOurs else {
      throw LedgerError.unsafeFile(path: path + "-journal", reason: "it is the journal of another file")
    }
  }

  private func journalHeader() -> JournalHeader? {
    prefix("-journal", count: JournalHeader.size).flatMap(JournalHeader.init)
  }

  /// The first bytes of a file beside the ledger; nil where it has fewer, or cannot be read.
  private func prefix(_ suffix: String, count: Int) -> [UInt8]? {
    guard let bytes = try? readPrefix(file + suffix, limit: count), bytes.count == count else { return nil }
    return bytes
  }

  /// A file beside the ledger, where there is one; a name too long for the system is none.
  private func found(_ suffix: String) -> FileStatus? { try? FileStatus(of: file + suffix) }
}

extension FileStatus {
  /// Whether whoever owns a file beside this one may write this one, as far as the two files tell.
  func mayBeWritten(byOwnerOf other: FileStatus) -> Bool {
    let isGroups = rights & 0o020 != 0 && other.group == group
    return isGroups || [owner, 0, effectiveUserID].contains(other.owner)
  }
}

/// The header of a database (sqlite.org/fileformat2.html, "The Database Header").
struct DatabaseHeader {
  static let size = 100
  static let magic = Array("SQLite format 3\0".utf8)

  let pageSize: Int
  /// Whether the database is kept with a write-ahead log.
  let hasLog: Bool
  /// How many changes were committed, more or less: each change of this program adds one.
  let changes: UInt32
  let applicationID: Int32
  /// How many pages the file has; 0 where an old program wrote it, which did not say.
  let pages: Int64

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= DatabaseHeader.size, bytes.starts(with: DatabaseHeader.magic) else { return nil }
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    guard size == 1 || size >= 512 else { return nil }
    pageSize = size == 1 ? 65_536 : size
    hasLog = bytes[18] == 2 || bytes[19] == 2
    changes = bigEndian(bytes[24..<28])
    applicationID = Int32(bitPattern: bigEndian(bytes[68..<72]))
    pages = bytes[24..<28] == bytes[92..<96] ? Int64(bigEndian(bytes[28..<32])) : 0
  }
}

/// The header of a rollback journal (sqlite.org/fileformat2.html, "The Rollback Journal").
private struct JournalHeader: Equatable {
  static let size = 28
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  let count: UInt32
  /// A random number of the transaction.
  let nonce: UInt32
  let sectorSize: Int
  let pageSize: Int

  /// Reads a header; nil where SQLite would play nothing back.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= JournalHeader.size, bytes.starts(with: JournalHeader.magic) else { return nil }
    count = bigEndian(bytes[8..<12])
    nonce = bigEndian(bytes[12..<16])
    sectorSize = Int(bigEndian(bytes[20..<24]))
    pageSize = Int(bigEndian(bytes[24..<28]))
    guard count > 0, (32...65_536).contains(sectorSize), (512...65_536).contains(pageSize) else { return nil }
  }

  /// The beginning of the first page as it was before the transaction; nil where the journal does not have it.
  func firstPage(of journal: String) -> [UInt8]? {
    // A page's number, its bytes, and a sum over them.
    let record = try? readRecord(of: journal, from: sectorSize, stride: pageSize + 8, count: Int(count)) {
      bigEndian($0.prefix(4)) == 1
    }
    return record.map { Array($0.dropFirst(4)) }
  }
}

private func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

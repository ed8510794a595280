import Platform
import ReleaseModel
import Schema

/// Checks made before SQLite opens a file: it would act on what it finds, play a journal back or begin a log.
struct FileSafety {
  let file: String
  let path: String
  let status: FileStatus

  func check() throws {
    try checkFolder()
    if found("-wal") != nil { throw LedgerError.unusable("ledger.write-ahead-log", path) }
    let journal = found("-journal")
    if let journal { try checkOwner(of: journal) }
    guard let header = prefix("", count: DatabaseHeader.size) else { return }
    if header.starts(with: DatabaseHeader.magic) {
      if header[18] == 2 || header[19] == 2 { throw LedgerError.unusable("ledger.write-ahead-log", path) }
    } else if journal == nil {
      throw LedgerError.notALedger(path)
    }
    if journal != nil { try checkContent() } else { try checkLength() }
  }

  /// Refuses a file whose end is cut off: SQLite would read what is missing from the last page as zeros.
  private func checkLength() throws {
    // Someone may be writing, so that header and size are from two moments: only a lasting mismatch counts.
    for _ in 0..<20 {
      guard found("-journal") == nil, let size = found("")?.size,
        let header = prefix("", count: DatabaseHeader.size).flatMap(DatabaseHeader.init)
      else { return }
      if size % Int64(header.pageSize) == 0, size / Int64(header.pageSize) >= header.pages { return }
    }
    throw LedgerError.notALedger(path)
  }

  private func checkFolder() throws {
    if let folder = FileSafety.openFolder(above: file) {
      let isOwn = folder == Platform.folder(of: file)
      throw LedgerError.unusable(
        "ledger.world-writable/folder", path, ["folder": isOwn ? Platform.folder(of: path) : folder])
    }
  }

  /// The nearest folder above a file, named without links, in which everyone may replace what leads to it.
  /// In one with the sticky bit, such as /tmp, everyone may only add files.
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
      throw LedgerError.unsafeFile(name, "it is not a regular file with one name")
    }
    if journal.isWorldWritable { throw LedgerError.unusable("ledger.world-writable", name) }
    guard status.mayBeWritten(byOwnerOf: journal) else {
      throw LedgerError.unsafeFile(name, "it belongs to an account that cannot write the ledger")
    }
  }

  /// Refuses a journal that belongs to another file: SQLite would write that file's pages into the ledger.
  ///
  /// A journal does not name its file, but nearly always holds the first page as it was. That page has the
  /// application ID and the change counter, which in the file is the same, or one more once the change began
  /// to be written.
  private func checkContent() throws {
    // A change under way may replace its journal at any time, so only what has the same header is compared.
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
      throw LedgerError.unsafeFile(path + "-journal", "it is the journal of another file")
    }
  }

  private func journalHeader() -> JournalHeader? {
    prefix("-journal", count: JournalHeader.size).flatMap(JournalHeader.init)
  }

  private func prefix(_ suffix: String, count: Int) -> [UInt8]? {
    guard let bytes = try? readPrefix(file + suffix, limit: count), bytes.count == count else { return nil }
    return bytes
  }

  /// The status of the ledger, or of a file beside it; nil if it is missing or its name is too long.
  private func found(_ suffix: String) -> FileStatus? { try? FileStatus(of: file + suffix) }
}

extension FileStatus {
  /// Whether the owner of another file may write this one, as far as the two files tell.
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
  let hasLog: Bool
  let changes: UInt32
  let applicationID: Int32
  /// How many pages the file has; 0 if an old version of SQLite wrote it, which did not say.
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

private struct JournalHeader: Equatable {
  static let size = 28
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  let count: UInt32
  let nonce: UInt32
  let sectorSize: Int
  let pageSize: Int

  /// Reads a header; nil if SQLite would play nothing back.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= JournalHeader.size, bytes.starts(with: JournalHeader.magic) else { return nil }
    count = bigEndian(bytes[8..<12])
    nonce = bigEndian(bytes[12..<16])
    sectorSize = Int(bigEndian(bytes[20..<24]))
    pageSize = Int(bigEndian(bytes[24..<28]))
    guard count > 0, (32...65_536).contains(sectorSize), (512...65_536).contains(pageSize) else { return nil }
  }

  func firstPage(of journal: String) -> [UInt8]? {
    let record = try? readRecord(of: journal, from: sectorSize, stride: pageSize + 8, count: Int(count)) {
      bigEndian($0.prefix(4)) == 1
    }
    return record.map { Array($0.dropFirst(4)) }
  }
}

private func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

extension Ledger {
  static let groupRights: UInt32 = 0o660

  /// The rights of that ledger's folder: what is made in it belongs to the group, whoever makes it.
  static let groupFolderRights: UInt32 = 0o2770

  /// Makes the folder of a group's ledger, or gives an empty one to the group: if one account leaves a
  /// journal, another must be able to read it, roll it back and remove it.
  static func prepareFolder(of path: String, for group: UInt32) throws {
    let folder = folder(of: path)
    do {
      let isNew = try makeDirectory(folder, rights: 0o700)
      let resolved = try resolvedPath(folder)
      let status = try FileStatus(of: resolved)
      let isGroups = status.group == group && status.rights & groupFolderRights == groupFolderRights
      if isGroups, status.rights & 0o1000 == 0 { return }
      guard try isNew || fileNames(in: resolved).isEmpty else {
        throw LedgerError.unusable(Refusal("ledger.not-the-groups", ["folder": folder]))
      }
      do {
        try share(resolved, withGroup: group, rights: groupFolderRights)
      } catch {
        if isNew { removeFolder(resolved) }
        throw error
      }
    } catch let error as SystemError {
      throw LedgerError.system(error)
    }
  }

  static func check(_ status: FileStatus, isOf group: UInt32, named path: String) throws {
    guard status.group == group, status.rights & groupRights == groupRights else {
      throw LedgerError.unusable("ledger.other-group", path)
    }
  }
}

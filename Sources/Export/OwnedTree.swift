import JSON
package import Platform
import ReleaseModel

/// A directory that belongs to a ledger: its mark, its lock, and the files in it that are ours.
///
/// Everything is done through directories held open (`Directory`), so that nothing outside is ever read or
/// written. A file is replaced or removed only if the state lists it. Files are written completely in a
/// staging folder beside the tree, flushed, and then renamed into place, many at a time: a reader sees the
/// earlier file or the new one, never a part. Before the first file gets into place, and before any gets a name
/// that the state does not list yet, the name goes into a journal, so that after a crash the file is known to be
/// ours, and the state known to be older than what is there.
package final class OwnedTree {
  let root: Directory
  let rights: Rights
  /// What the state file says.
  let state: ExportState
  /// Whether an earlier run was interrupted, so that files may be newer than the state, which lacks what is in the journal.
  let wasInterrupted: Bool
  /// The second in which a file of ours was last written, since 1970.
  ///
  /// Web servers and copying programs distinguish two states of a file by its length and its time in seconds
  /// (nginx's ETag is made of these), so no two states may share both.
  var newest: Int64 = 0
  /// The lengths, by path, of the states of that second that are no longer in place.
  var replaced: [String: Set<Int64>] = [:]
  /// What the journal has to say about those before more files are put in place.
  var notes = ""
  var journaled: Set<String> = []

  let home: Directory
  let isNew: Bool
  /// Its file has the event that the documents are of which a run began to put in place last: what is there is written
  /// over, so that a full disk does not keep it away.
  let lock: FileLock
  /// The event that the documents of this run are of, until the first of them is put in place.
  var head: ExportHead?
  var staging: Directory?
  var waiting: [(staged: String, path: String)] = []
  /// Whether files of ours are replaced even where the disk has no room for the journal.
  var isUrgent = false
  /// What kept files from getting in place, by their paths.
  var missed: [String: any Error] = [:]
  var bytes = 0
  /// The folder that was used last; files come in the order of their folders.
  var last: (path: String, directory: Directory)?

  /// This many files are flushed at once; more would take memory for their names and gain nothing.
  var mostFiles = 8_192
  /// This many where they should be in place soon, even on a disk that is nearly full.
  static let fewAtOnce = 64
  static let mostBytes = 32 << 20
  /// Up to this many files are flushed one by one: flushing one file takes about as long as flushing all.
  static let fewFiles = 8
  static let fileRights: UInt32 = 0o644
  static let folderRights: UInt32 = 0o755
  static let stateName = "state.json"
  static let journalName = "journal"
  static let stagingName = "staging"
  static let lockName = "lock"
  static let stateLimit = 1 << 28
  /// The end of the year 9999; no one has written a later time.
  static let latest: Int64 = 253_402_300_799

  /// Opens a ledger's directory and takes its lock.
  ///
  /// - Parameters:
  ///   - file: The only file of the ledger that it may belong to; nil for any.
  ///   - seconds: How long to wait for the lock.
  /// - Throws: `Refusal`, `Obstruction`, `UnsafeDirectory`, `SystemError`.
  init(
    _ path: String, ledger: String, file: FileIdentity?, agreement: Agreement, waiting seconds: Double
  ) throws {
    let unmarked = Refusal("export.unmarked", details: ["directory": .string(path)])
    guard let root = try OwnedTree.open(path, agreement) else { throw unmarked }
    self.root = root
    rights = Rights(in: root)
    if agreement.isGiven {
      let made = try root.makeDirectory(OwnedTree.homeName, rights: rights.ownFolder)
      if made.isNew { try root.flush() }
      home = made.directory
      isNew = made.isNew
    } else {
      guard let found = try root.directory(OwnedTree.homeName) else { throw unmarked }
      home = found
      isNew = false
      // Without a mark not even the lock's file is made.
      guard let mark = try home.status(of: OwnedTree.stateName), agreement.trusts(mark) else {
        throw unmarked
      }
    }
    try OwnedTree.check(home)
    lock = try home.lock(OwnedTree.lockName, rights: rights.own)
    guard try lock.take(waiting: seconds) else { throw Refusal("export.busy", ["directory": path]) }
    let found = try OwnedTree.readState(in: home)
    guard found != nil || agreement.isGiven else { throw unmarked }
    state = found ?? ExportState(["ledger": .string(ledger)])
    try state.check(path, ledger: ledger, file: file)
    let journal = try home.read(OwnedTree.journalName, limit: OwnedTree.stateLimit)
    wasInterrupted = journal != nil
    (newest, replaced) = (state.newest, state.replaced)
    for line in (journal ?? []).split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      take(journalLine: String(decoding: line, as: UTF8.self))
    }
    let isTrusted = try home.status(of: OwnedTree.stateName).map(agreement.trusts) ?? false
    if found == nil || (agreement.isGiven && !isTrusted) { try placeState(state, agreement) }
  }

  /// What the state of a directory says, and whether its mark counts; nil if no state can be used.
  ///
  /// - Throws: `SystemError` if this account may not look.
  static func look(
    at path: String, agreement: Agreement
  ) throws(SystemError) -> (state: ExportState, isTrusted: Bool)? {
    // Looking makes nothing, whoever named the directory.
    do {
      guard
        let home = try Directory.open(path, makingWith: nil, group: agreement.group).directory(homeName),
        let state = try readState(in: home), let status = try home.status(of: stateName)
      else { return nil }
      return (state, agreement.trusts(status))
    } catch let error as SystemError where error.isForbidden {
      throw error
    } catch {
      return nil
    }
  }

  /// Opens the directory, and makes it if someone named it; nil if it is missing.
  static func open(_ path: String, _ agreement: Agreement) throws -> Directory? {
    if let status = try? FileStatus(of: path), status.kind != .directory, status.kind != .symbolicLink {
      throw Obstruction(path: path, what: "not a directory")
    }
    do {
      let root = try Directory.open(
        path, makingWith: agreement.isGiven ? folderRights : nil, group: agreement.group)
      root.heir = agreement.heir
      return root
    } catch let error as SystemError where error.isMissing && !agreement.isGiven {
      return nil
    }
  }

  /// The folder in the directory for the mark, the lock and the state.
  static let homeName = ".pawl"

  /// Checks everything that is used in the home folder before anything is written there.
  static func check(_ home: Directory) throws {
    for name in [stateName, journalName, lockName, stagingName] {
      guard let status = try home.status(of: name) else { continue }
      guard status.kind == (name == stagingName ? .directory : .regular),
        status.kind == .directory || status.links == 1
      else { throw Obstruction(path: "\(home.path)/\(name)", what: status.words) }
    }
  }

  /// Nil if no mark names a ledger. An interrupted run may have told clients of an event that its state does not have.
  private static func readState(in home: Directory) throws -> ExportState? {
    let json = try home.read(stateName, limit: stateLimit).flatMap { try? JSON(parsing: $0) }
    guard var state = json.map(ExportState.init), !state.ledger.isEmpty else { return nil }
    let begun = String(decoding: try home.read(lockName, limit: stateLimit) ?? [], as: UTF8.self)
    let parts = begun.split(separator: " ")
    if parts.count == 2, let seq = Int64(parts[0]), seq > state.heads.map(\.seq).max() ?? 0 {
      state.heads.append((seq, String(parts[1])))
    }
    return state
  }

  /// The rights of folders, and of what is no one's business but the owner's: if a group may write the directory, its
  /// members may write the folders below, too, and need what we keep there.
  struct Rights {
    let folder: UInt32
    let ownFolder: UInt32
    let own: UInt32

    init(in root: Directory) {
      let group = root.status.rights & 0o2020
      let isGroups = group & 0o020 != 0
      folder = OwnedTree.folderRights | (isGroups ? group : 0)
      ownFolder = isGroups ? group & 0o2000 | 0o770 : 0o700
      own = isGroups ? 0o660 : 0o600
    }
  }

  // MARK: Looking

  /// Whether the file at a path is ours.
  func owns(_ path: String) -> Bool { journaled.contains(path) || state.lists(path) }

  /// The file in a document's place, if it says the same; nil otherwise.
  ///
  /// Both may differ in the line feeds at the end, which tell states of one second apart.
  ///
  /// - Throws: `Obstruction` if something else is there.
  func inPlace(_ document: Document) throws -> Document? {
    guard owns(document.path), let place = try place(of: document.path) else { return nil }
    let count = document.bytes.count
    do {
      guard let found = try place.folder.read(place.name, limit: count + 8_192),
        found.says(document.bytes),
        try place.folder.status(of: place.name)?.rights == OwnedTree.fileRights
      else { return nil }
      return Document(path: document.path, bytes: found)
    } catch is FileTooLarge {
      return nil
    }
  }

  /// The bytes of a file of ours, or nil.
  ///
  /// - Throws: `Obstruction`, `FileTooLarge`, `SystemError`.
  func read(_ path: String, limit: Int) throws -> [UInt8]? {
    guard let place = try place(of: path) else { return nil }
    return try place.folder.read(place.name, limit: limit)
  }

  /// What the system reports about a file, or nil.
  func status(of path: String) throws -> FileStatus? {
    guard let place = try place(of: path) else { return nil }
    return try place.folder.status(of: place.name)
  }

  /// - Throws: `Obstruction` if something else has the name.
  func names(in path: String) throws -> [String]? { try folder(path)?.names() }

  /// Refuses to write a file where there is something that is not ours.
  ///
  /// - Throws: `Obstruction`, `Refusal`; `SystemError` if this account may not write the folder.
  func check(_ path: String) throws {
    guard DocumentPath.isOwn(path) else { throw Refusal.badName(path) }
    try folder(OwnedTree.parent(of: path))?.checkWritable()
    guard let status = try status(of: path) else { return }
    let isPlain = status.kind == .regular && status.links == 1
    guard !isPlain || !owns(path) else { return }
    throw Obstruction(path: "\(root.path)/\(path)", what: status.words)
  }
}

extension OwnedTree {
  static func parent(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
  }

  /// The path of the document that answers in place of a missing one in the same folder.
  static func fallback(beside path: String) -> String { parent(of: path) + "/" + DocumentPath.fallback }

  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
}

extension Refusal {
  /// A name from the ledger cannot be the name of a file.
  static func badName(_ name: String) -> Refusal {
    Refusal("ledger.unreadable", ["place": name], details: ["name": .string(name)])
  }
}

/// What permits writing to a directory.
package struct Agreement {
  /// Whether someone on this host is naming the directory right now, so that it may be made and marked.
  let isGiven: Bool
  /// The group that may write the directory too.
  let group: UInt32
  /// The ledger's file, whose owner gets what root makes there.
  let heir: FileStatus?
  /// Whether a mark with a given status counts, which means that its owner may change the ledger.
  package let trusts: (FileStatus) -> Bool

  package init(
    isGiven: Bool, group: UInt32, heir: FileStatus? = nil, trusts: @escaping (FileStatus) -> Bool
  ) {
    (self.isGiven, self.group, self.heir, self.trusts) = (isGiven, group, heir, trusts)
  }
}

package import JSON
package import Platform

extension OwnedTree {
  /// Accepts a file, which may not be in place until `commit`.
  ///
  /// - Throws: `TreeError`, `SystemError`.
  package func add(_ document: Document) throws {
    try check(document.path)
    let staged = String(waiting.count)
    try stagingOnce().create(staged, rights: OwnedTree.fileRights).write(document.bytes)
    waiting.append((staged, document.path))
    bytes += document.bytes.count
    if waiting.count >= OwnedTree.mostFiles || bytes >= OwnedTree.mostBytes { try commit() }
  }

  /// Puts one file in place, durably and by itself.
  ///
  /// - Parameters:
  ///   - write: Writes the file.
  ///   - isInPlace: Whether exactly the same file is already in place.
  @discardableResult
  package func put<Written>(
    _ path: String, _ write: (borrowing FileWriter) throws -> Written,
    unless isInPlace: (Written) -> Bool = { _ in false }
  ) throws -> Written {
    try commit()
    try check(path)
    let staging = try stagingOnce()
    let written = try write(staging.create("0", rights: OwnedTree.fileRights))
    if isInPlace(written) {
      try staging.remove("0")
      return written
    }
    waiting.append(("0", path))
    try commit()
    return written
  }

  /// Puts the waiting files in place, durably.
  ///
  /// - Throws: `TreeError`, `SystemError`.
  package func commit() throws {
    guard !waiting.isEmpty, let staging else { return }
    var lines = ""
    for (staged, path) in waiting {
      try check(path)
      let time = try setTime(of: staged, in: staging, for: path)
      if !owns(path) {
        lines += "\(time) \(path)\n"
        journaled.insert(path)
      }
    }
    try journal(lines)
    try flush(waiting.map(\.staged)) { try staging.flush($0) }
    var touched: Set<String> = []
    for (staged, path) in waiting {
      let parent = OwnedTree.parent(of: path)
      let folder = try makeFolder(parent, &touched)
      try staging.rename(staged, to: OwnedTree.name(of: path), in: folder)
      touched.insert(parent)
    }
    try flush(touched.sorted()) { try folder($0)?.flush() }
    waiting = []
    bytes = 0
  }

  /// Removes files of ours durably, and the folders that this leaves empty; other files stay.
  ///
  /// The fallback answers at the address of a document that is gone. So that no web server takes one for the
  /// other, the fallback is removed first, or gets a time that no document had.
  ///
  /// - Returns: How many were removed.
  /// - Throws: `SystemError`.
  package func remove(_ paths: [String]) throws -> Int {
    let removals = paths.filter(isRemovable)
    guard !removals.isEmpty else { return 0 }
    for path in removals {
      newest = max(newest, OwnedTree.time(try status(of: path)?.modified))
    }
    var lines = removals.map { "\(newest) \($0)\n" }.joined()
    let fallbacks = Set(removals.map(OwnedTree.fallback))
    var renewals: [(path: String, time: Int64)] = []
    for path in fallbacks.subtracting(removals).sorted() where isRemovable(path) && newest < OwnedTree.latest
    {
      newest += 1
      renewals.append((path, newest))
      lines += "\(newest) \(path)\n"
    }
    try journal(lines)
    for (path, time) in renewals {
      guard let place = try place(of: path) else { continue }
      try place.folder.setModified(place.name, to: time)
      try place.folder.flush(place.name)
    }
    for path in removals.filter(fallbacks.contains) + removals.filter({ !fallbacks.contains($0) }) {
      guard let place = try place(of: path) else { continue }
      try place.folder.remove(place.name)
    }
    var touched = Set(removals.map(OwnedTree.parent))
    for path in touched.sorted(by: >) {
      last = nil
      guard path != ".", let above = try folder(OwnedTree.parent(of: path)) else { continue }
      if above.removeEmptyDirectory(OwnedTree.name(of: path)) {
        touched.remove(path)
        touched.insert(OwnedTree.parent(of: path))
      }
    }
    // The folder of a format, once its last app is gone.
    for path in touched.sorted() where path != "." && !path.contains("/") {
      last = nil
      if root.removeEmptyDirectory(path) {
        touched.remove(path)
        touched.insert(".")
      }
    }
    try flush(touched.sorted()) { try folder($0)?.flush() }
    return removals.count
  }

  /// Stores the state for the next run, durably; it includes what the journal holds.
  ///
  /// - Throws: `SystemError`.
  package func finish(_ state: JSON, _ agreement: Agreement) throws {
    try commit()
    try placeState(state, agreement)
    guard try home.status(of: OwnedTree.journalName) != nil else { return }
    try home.remove(OwnedTree.journalName)
    try home.flush()
  }

  /// Removes the mark that this run made, if the run wrote nothing else.
  package func withdraw() {
    guard isNew, journaled.isEmpty, (try? home.status(of: OwnedTree.journalName)) == .some(nil) else {
      return
    }
    for file in [OwnedTree.stateName, OwnedTree.lockName] { try? home.remove(file) }
    _ = home.removeEmptyDirectory(OwnedTree.stagingName)
    _ = root.removeEmptyDirectory(name)
    try? root.flush()
  }

  // MARK: Parts

  /// Whether there is a file of ours at a path.
  private func isRemovable(_ path: String) -> Bool {
    guard isOwnPath(path), owns(path), let status = try? status(of: path) else { return false }
    return status.kind == .regular && status.links == 1
  }

  func placeState(_ state: JSON, _ agreement: Agreement) throws {
    let staging = try stagingOnce()
    let staged = "state"
    try staging.create(staged, rights: OwnedTree.fileRights).write(state.bytes() + [0x0A])
    // So that the other members of a group's ledger see that one of them agreed.
    if let status = try staging.status(of: staged), status.group != agreement.group, !agreement.trusts(status)
    {
      staging.give(staged, toGroup: agreement.group)
    }
    try staging.flush(staged)
    try staging.rename(staged, to: OwnedTree.stateName, in: home)
    try home.flush()
  }

  /// Gives a staged file a later time than the file it replaces and than the fallback beside it, which a
  /// client may have received at the same address before the file existed; or a later time than any file that
  /// is gone.
  func setTime(of staged: String, in staging: Directory, for path: String) throws -> Int64 {
    let now = try staging.status(of: staged)?.modified ?? 0
    let fallback = OwnedTree.fallback(beside: path)
    let before =
      try status(of: path).map { own in
        try max(own.modified, path == fallback ? 0 : status(of: fallback)?.modified ?? 0)
      } ?? newest
    guard now <= before, before < OwnedTree.latest else {
      newest = max(newest, OwnedTree.time(now))
      return now
    }
    try staging.setModified(staged, to: before + 1)
    newest = max(newest, OwnedTree.time(before + 1))
    return before + 1
  }

  func journal(_ lines: String) throws {
    guard !lines.isEmpty else { return }
    let isNew = try home.status(of: OwnedTree.journalName) == nil
    let journal = try home.append(to: OwnedTree.journalName, rights: OwnedTree.fileRights)
    try journal.write(Array(lines.utf8))
    try journal.flush()
    if isNew { try home.flush() }
  }

  func take(journalLine line: String) {
    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = Int64(parts[0]), isOwnPath(String(parts[1])) else { return }
    newest = max(newest, OwnedTree.time(seconds))
    journaled.insert(String(parts[1]))
  }

  func stagingOnce() throws -> Directory {
    if let staging { return staging }
    let made = try home.makeDirectory(OwnedTree.stagingName, rights: OwnedTree.folderRights(in: root))
      .directory
    // What an interrupted run left; a link itself is removed, not its target.
    for name in try made.names() where try made.status(of: name)?.kind != .directory { try made.remove(name) }
    staging = made
    return made
  }

  /// The folder of a path and the file's name in it; nil where there is no such folder.
  func place(of path: String) throws -> (folder: Directory, name: String)? {
    try folder(OwnedTree.parent(of: path)).map { ($0, OwnedTree.name(of: path)) }
  }

  /// A folder below the root, `.` for the root itself; nil if there is none.
  func folder(_ path: String) throws -> Directory? {
    if path == "." { return root }
    if let last, last.path == path { return last.directory }
    do {
      guard let found = try folder(OwnedTree.parent(of: path))?.directory(OwnedTree.name(of: path)) else {
        return nil
      }
      last = (path, found)
      return found
    } catch let obstruction as Obstruction {
      throw TreeError(obstruction)
    }
  }

  func makeFolder(_ path: String, _ touched: inout Set<String>) throws -> Directory {
    if let found = try folder(path) { return found }
    let parent = OwnedTree.parent(of: path)
    do {
      let made = try makeFolder(parent, &touched).makeDirectory(
        OwnedTree.name(of: path), rights: OwnedTree.folderRights(in: root))
      if made.isNew { touched.insert(parent) }
      last = (path, made.directory)
      return made.directory
    } catch let obstruction as Obstruction {
      throw TreeError(obstruction)
    }
  }

  /// Flushes a few things one by one, and many together.
  func flush(_ things: [String], _ each: (String) throws -> Void) throws {
    if things.count > OwnedTree.fewFiles, try root.flushFileSystem() { return }
    for thing in things { try each(thing) }
  }

  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// The path of the document that answers in place of a missing one in the same folder.
  static func fallback(beside path: String) -> String { parent(of: path) + "/" + DocumentPath.fallback }

  static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}

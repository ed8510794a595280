import JSON
import Platform

extension OwnedTree {
  /// Accepts a file, which may not be in place until `commit`, and returns it as it will be served.
  @discardableResult
  func add(_ document: Document) throws -> Document {
    try check(document.path)
    let feeds = try lineFeeds(after: Int64(document.bytes.count), at: document.path)
    let served = Document(path: document.path, bytes: document.bytes + feeds)
    let staged = String(waiting.count)
    do {
      try stage(served, as: staged)
    } catch let error as SystemError where error.isFull && !waiting.isEmpty {
      // A file that is replaced leaves room for the next one.
      try commit()
      return try add(document)
    }
    waiting.append((staged, document.path))
    bytes += served.bytes.count
    if waiting.count >= mostFiles || bytes >= OwnedTree.mostBytes { try commit() }
    return served
  }

  private func stage(_ document: Document, as name: String) throws {
    let staging = try stagingOnce()
    do {
      try staging.create(name, rights: OwnedTree.fileRights).write(document.bytes)
      try staging.setModified(name, to: newest)
    } catch {
      try? staging.remove(name)
      throw error
    }
  }

  /// Puts the waiting files in place, durably: all but those that something keeps from it, which it notes in `missed`.
  ///
  /// - Throws: What keeps them all from it.
  func commit() throws {
    guard !waiting.isEmpty, let staging else { return }
    if let head { lock.say("\(head.seq) \(head.hash)", isDurable: true) }
    head = nil
    func each(_ body: (_ staged: String, _ path: String) throws -> Void) {
      waiting = waiting.filter { staged, path in
        do {
          try body(staged, path)
          return true
        } catch {
          let cause = error as? SystemError
          missed[path] =
            cause.map { SystemError(code: $0.code, operation: $0.operation, path: "\(root.path)/\(path)") }
            ?? error
          try? staging.remove(staged)
          return false
        }
      }
    }
    each { _, path in
      try check(path)
      if !owns(path) || journaled.isEmpty { note(path, 0) }
    }
    do {
      try journal()
    } catch let error as SystemError
      where error.isFull && isUrgent && waiting.allSatisfy({ state.lists($0.path) })
    {
      notes = ""
    }
    if try !flushAll(waiting.count) { each { staged, _ in try staging.flush(staged) } }
    var touched: Set<String> = []
    each { staged, path in
      let parent = OwnedTree.parent(of: path)
      let folder = try makeFolder(parent, &touched)
      try staging.rename(staged, to: OwnedTree.name(of: path), in: folder)
      touched.insert(parent)
    }
    let placed = waiting.map(\.path)
    (waiting, bytes) = ([], 0)
    do { try flush(touched) } catch { for path in placed { missed[path] = error } }
  }

  /// Writes fallbacks again that will answer at the addresses of documents that are about to go, so that no
  /// web server takes one for the other.
  func renewFallbacks(of paths: [String]) throws -> [Document] {
    advance()
    var times: [String: Int64] = [:]
    for path in paths where isRemovable(path) {
      guard let status = try status(of: path) else { continue }
      if status.modified >= newest { note(path, status.size) }
      let fallback = OwnedTree.fallback(beside: path)
      times[fallback] = max(times[fallback] ?? 0, status.modified)
    }
    return try times.sorted(by: { $0.key < $1.key }).compactMap { path, time in
      guard !paths.contains(path), isRemovable(path), let status = try status(of: path),
        status.modified <= time, let bytes = try read(path, limit: OwnedTree.mostBytes)
      else { return nil }
      return try add(Document(path: path, bytes: bytes))
    }
  }

  /// Removes files of ours durably, and the folders that this leaves empty; returns the number of files.
  func remove(_ paths: [String]) throws -> Int {
    let removals = paths.filter(isRemovable)
    guard !removals.isEmpty else { return 0 }
    for path in removals { note(path, 0) }
    try journal()
    let fallbacks = Set(removals.map(OwnedTree.fallback))
    for path in removals.filter(fallbacks.contains) + removals.filter({ !fallbacks.contains($0) }) {
      guard let place = try place(of: path) else { continue }
      try place.folder.remove(place.name)
    }
    // With the last file of a folder the folder goes, and so does a format's with its last app.
    var left: Set<String> = []
    for folder in Set(removals.map(OwnedTree.parent)) {
      var path = folder
      last = nil
      while path != ".", let above = try self.folder(OwnedTree.parent(of: path)),
        above.removeEmptyDirectory(OwnedTree.name(of: path))
      {
        path = OwnedTree.parent(of: path)
        last = nil
      }
      left.insert(path)
    }
    try flush(left)
    return removals.count
  }

  /// Stores the state for the next run, durably; it includes what the journal holds.
  func finish(_ state: ExportState, _ agreement: Agreement) throws {
    try commit()
    var state = state
    (state.newest, state.replaced) = (newest, replaced)
    try placeState(state, agreement)
    guard try home.status(of: OwnedTree.journalName) != nil else { return }
    try home.remove(OwnedTree.journalName)
    try home.flush()
  }

  /// Removes the mark that this run made, if the run wrote nothing else.
  func withdraw() {
    guard isNew, journaled.isEmpty, (try? home.status(of: OwnedTree.journalName)) == .some(nil) else {
      return
    }
    for file in [OwnedTree.stateName, OwnedTree.lockName] { try? home.remove(file) }
    _ = home.removeEmptyDirectory(OwnedTree.stagingName)
    _ = root.removeEmptyDirectory(OwnedTree.homeName)
    try? root.flush()
  }

  // MARK: Parts

  private func isRemovable(_ path: String) -> Bool {
    guard DocumentPath.isOwn(path), owns(path), let status = try? status(of: path) else { return false }
    return status.kind == .regular && status.links == 1
  }

  func placeState(_ state: ExportState, _ agreement: Agreement) throws {
    let staging = try stagingOnce()
    let staged = "state"
    try staging.create(staged, rights: rights.own).write(state.json.bytes() + [0x0A])
    // So that the other members of a group's ledger see that one of them agreed.
    if let status = try staging.status(of: staged), status.group != agreement.group, !agreement.trusts(status)
    {
      staging.give(staged, toGroup: agreement.group)
    }
    try staging.flush(staged)
    try staging.rename(staged, to: OwnedTree.stateName, in: home)
    try home.flush()
  }

  /// Lets the current second begin, in which no state has been replaced yet; the clock may have been set back.
  private func advance() {
    let now = secondsNow()
    if newest < now { (newest, replaced) = (now, [:]) }
  }

  /// What has to follow a file's bytes so that no state which a client may have been given at its address, and
  /// which was written in the same second, has its length: nothing, or line feeds.
  private func lineFeeds(after size: Int64, at path: String) throws -> [UInt8] {
    advance()
    let fallback = OwnedTree.fallback(beside: path)
    let own = try status(of: path)
    let others = path == fallback ? nil : try status(of: fallback)
    var used = (replaced[path] ?? []).union(replaced[fallback] ?? [])
    if own == nil || path == fallback {
      // Where a version has no file of its own, the fallback or another spelling's file answers.
      let folder = OwnedTree.parent(of: path) + "/"
      for (other, sizes) in replaced where other.hasPrefix(folder) { used.formUnion(sizes) }
    }
    for status in [own, others].compactMap(\.self) where newest <= status.modified {
      used.insert(status.size)
    }
    if let own, newest <= own.modified { note(path, own.size) }
    var count: Int64 = used.isEmpty ? 0 : 1
    while used.contains(size + count) { count += 1 }
    return [UInt8](repeating: 0x0A, count: Int(count))
  }

  /// Notes that a path is ours, and the length of a state of it that goes in the second that it was written
  /// in; 0 for none.
  private func note(_ path: String, _ size: Int64) {
    journaled.insert(path)
    if size > 0 { replaced[path, default: []].insert(size) }
    notes += "\(newest) \(size) \(path)\n"
  }

  private func journal() throws {
    guard !notes.isEmpty else { return }
    let isNew = try home.status(of: OwnedTree.journalName) == nil
    let journal = try home.append(to: OwnedTree.journalName, rights: rights.own)
    try journal.write(Array(notes.utf8))
    try journal.flush()
    if isNew { try home.flush() }
    notes = ""
  }

  func take(journalLine line: String) {
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let seconds = Int64(parts[0]), let size = Int64(parts[1]),
      DocumentPath.isOwn(String(parts[2]))
    else { return }
    let path = String(parts[2])
    if newest < seconds { (newest, replaced) = (ExportState.time(seconds), [:]) }
    if newest == seconds, size > 0 { replaced[path, default: []].insert(size) }
    journaled.insert(path)
  }

  func stagingOnce() throws -> Directory {
    if let staging { return staging }
    let made = try home.makeDirectory(OwnedTree.stagingName, rights: rights.ownFolder)
      .directory
    OwnedTree.empty(made)
    staging = made
    return made
  }

  /// Removes what this run did not put in place.
  func emptyStaging() { if let staging { OwnedTree.empty(staging) } }

  /// Removes the files that an interrupted run left; of a link the link itself, not its target.
  static func empty(_ staging: Directory) {
    for name in (try? staging.names()) ?? [] { try? staging.remove(name) }
  }

  func place(of path: String) throws -> (folder: Directory, name: String)? {
    try folder(OwnedTree.parent(of: path)).map { ($0, OwnedTree.name(of: path)) }
  }

  /// A folder below the root, `.` for the root itself, or nil.
  func folder(_ path: String) throws -> Directory? {
    if path == "." { return root }
    if let last, last.path == path { return last.directory }
    guard let found = try folder(OwnedTree.parent(of: path))?.directory(OwnedTree.name(of: path)) else {
      return nil
    }
    last = (path, found)
    return found
  }

  func makeFolder(_ path: String, _ touched: inout Set<String>) throws -> Directory {
    if let found = try folder(path) { return found }
    let parent = OwnedTree.parent(of: path)
    let made = try makeFolder(parent, &touched).makeDirectory(
      OwnedTree.name(of: path), rights: rights.folder)
    if made.isNew { touched.insert(parent) }
    last = (path, made.directory)
    return made.directory
  }

  /// Flushes everything at once, if that is worth it for so many; returns whether it did.
  private func flushAll(_ count: Int) throws -> Bool {
    try count > OwnedTree.fewFiles && root.flushFileSystem()
  }

  private func flush(_ folders: Set<String>) throws {
    if try flushAll(folders.count) { return }
    for path in folders.sorted() { try folder(path)?.flush() }
  }
}

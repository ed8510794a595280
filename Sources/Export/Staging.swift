import Platform

/// Puts files in place: each is written whole beside the tree, flushed, and given its name, many at a time.
///
/// A reader sees the earlier file or the new one, never a part; a crash leaves nothing but files in the staging folder,
/// which the next export removes.
package struct Staging {
  /// The directory that is served.
  private let root: String
  /// Where files wait, on the same file system, and not served.
  private let folder: String
  private var waiting: [(staged: String, path: String)] = []
  private var bytes = 0
  private var madeFolders: Set<String> = []

  /// So many files are flushed at once; more of them would take memory for their names and gain nothing.
  private static let mostFiles = 8_192
  private static let mostBytes = 32 << 20

  static let fileRights: UInt32 = 0o644
  package static let folderRights: UInt32 = 0o755

  /// Makes the folder, or empties one that an interrupted run left.
  ///
  /// - Throws: `SystemError`.
  package init(root: String, folder: String) throws {
    self.root = root
    self.folder = folder
    try makeDirectory(folder, rights: Staging.folderRights)
    for name in try fileNames(in: folder) { try deleteFile("\(folder)/\(name)") }
  }

  /// Whether the very same file is in place.
  package static func isInPlace(_ document: Document, below root: String) -> Bool {
    let path = "\(root)/\(document.path)"
    guard let found = try? readFile(path, limit: document.bytes.count), found == document.bytes,
      let status = try? FileStatus(of: path)
    else { return false }
    return status.kind == .regular && status.rights == fileRights
  }

  /// Takes in a file for a path below the root; it may be in place only after `commit`.
  ///
  /// - Throws: `SystemError`.
  package mutating func add(_ document: Document) throws {
    let staged = "\(folder)/\(waiting.count)"
    try writeFile(document.bytes, to: staged, rights: Staging.fileRights)
    waiting.append((staged, document.path))
    bytes += document.bytes.count
    if waiting.count >= Staging.mostFiles || bytes >= Staging.mostBytes { try commit() }
  }

  /// Puts in place what waits, durably.
  ///
  /// - Throws: `SystemError`.
  package mutating func commit() throws {
    guard !waiting.isEmpty else { return }
    for (staged, path) in waiting { try makeNewer(staged, than: "\(root)/\(path)") }
    try flush(waiting.map(\.staged), in: folder)
    var touched: Set<String> = []
    for (staged, path) in waiting {
      let parent = Staging.parent(of: path)
      try makeFolders(parent, &touched)
      try renameFile(staged, to: "\(root)/\(path)")
      touched.insert("\(root)/\(parent)")
    }
    try flush(touched.sorted(), in: folder)
    waiting = []
    bytes = 0
  }

  /// Puts one file in place, durably and by itself.
  ///
  /// - Parameters:
  ///   - write: Writes the file to the path it is given.
  ///   - isInPlace: Whether the very same is in place already.
  @discardableResult
  mutating func put<Written>(
    _ path: String, _ write: (String) throws -> Written, unless isInPlace: (Written) -> Bool = { _ in false }
  ) throws -> Written {
    let staged = "\(folder)/\(waiting.count)"
    let written = try write(staged)
    if isInPlace(written) {
      try deleteFile(staged)
      return written
    }
    waiting.append((staged, path))
    try commit()
    return written
  }

  /// Removes a file of the tree; durable after `commitRemovals`.
  ///
  /// - Throws: `SystemError`.
  package func remove(_ path: String) throws { try deleteFile("\(root)/\(path)") }

  /// Makes removals durable.
  ///
  /// - Throws: `SystemError`.
  package func commitRemovals(_ paths: [String]) throws {
    let parents = Set(paths.map { "\(root)/\(Staging.parent(of: $0))" })
    try flush(parents.sorted(), in: folder)
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  private mutating func makeFolders(_ path: String, _ touched: inout Set<String>) throws {
    guard madeFolders.insert(path).inserted, path != "." else { return }
    let parent = Staging.parent(of: path)
    try makeFolders(parent, &touched)
    if try makeDirectory("\(root)/\(path)", rights: Staging.folderRights) {
      touched.insert("\(root)/\(parent)")
    }
  }
}

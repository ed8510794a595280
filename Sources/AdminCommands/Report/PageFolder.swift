import CommandLineKit
import Export
import HTMLReport
import JSON
import Platform

/// A directory of pages, written by one report at a time; files that are not pages of the ledger stay as they are.
///
/// Pages are put in place as documents are: written whole beside the directory's files, flushed, and then named.
struct PageFolder {
  private let path: String
  /// The ledger's own name.
  private let ledger: String
  private var staging: Staging?
  private(set) var written = 0
  private(set) var unchanged = 0
  private(set) var removed = 0

  private static let folder = ".pawl-report"

  /// Writes pages into a directory, made where it is not there.
  ///
  /// - Parameters:
  ///   - ledger: The ledger's own name.
  ///   - names: The pages that will be put; each is looked for first, so that a refusal leaves all as it was.
  ///   - known: All pages of the ledger; those that are no longer among them are removed last.
  ///   - wait: How many seconds to wait for another report.
  /// - Throws: `Report`, `SystemError`, and what the body throws.
  static func write(
    _ path: String, ledger: String, names: [String], known: Set<String>, wait: Double,
    _ body: (inout PageFolder) throws -> Void
  ) throws -> PageFolder {
    // A new directory's own name is kept by the one above it.
    if try makeDirectory(path, rights: Staging.folderRights) { try flush("\(path)/..") }
    var pages = PageFolder(path: path, ledger: ledger)
    for name in names { try pages.check(name) }
    try makeDirectory("\(path)/\(folder)", rights: Staging.folderRights)
    let lock = try FileLock("\(path)/\(folder)/lock", rights: 0o644)
    guard try lock.take(waiting: wait) else {
      throw Report(
        "report.busy", "cannot write pages to '\(printable(path))': another report is writing there",
        hint: "try again, or wait longer with --wait", exit: .busy)
    }
    defer { lock.release() }
    try body(&pages)
    try pages.staging?.commit()
    try pages.removePages(except: known)
    return pages
  }

  private init(path: String, ledger: String) {
    self.path = path
    self.ledger = ledger
  }

  /// Whether there is a page of this name and ledger.
  func hasPage(_ name: String) -> Bool { owner(of: name) == ledger }

  /// Puts a page in place, unless the very same is there; it may be there only after the last one.
  mutating func put(_ bytes: [UInt8], as name: String) throws {
    let page = Document(path: name, bytes: bytes)
    if Staging.isInPlace(page, below: path) {
      unchanged += 1
      return
    }
    var staging = try self.staging ?? Staging(root: path, folder: "\(path)/\(PageFolder.folder)/staging")
    try staging.add(page)
    self.staging = staging
    written += 1
  }

  /// Removes pages of the ledger, such as those of apps that it had before an older ledger was put back.
  private mutating func removePages(except names: Set<String>) throws {
    let leftovers = try fileNames(in: path).filter { name in
      name.hasSuffix(".html") && !names.contains(name) && hasPage(name)
    }
    guard !leftovers.isEmpty else { return }
    for name in leftovers { try deleteFile("\(path)/\(name)") }
    try flush(path)
    removed = leftovers.count
  }

  /// The ledger whose page a file is; nil where it is none.
  private func owner(of name: String) -> String? {
    let file = "\(path)/\(name)"
    guard (try? FileStatus(of: file))?.kind == .regular,
      let bytes = try? readPrefix(file, limit: PageMark.length)
    else { return nil }
    return PageMark.ledger(of: bytes)
  }

  /// Refuses to put a page in the place of something else.
  private func check(_ name: String) throws {
    let file = "\(path)/\(name)"
    do throws(SystemError) {
      _ = try FileStatus(of: file)
    } catch {
      if error.isMissing { return }
      throw error
    }
    let details: JSON = ["file": .string(file)]
    switch owner(of: name) {
    case ledger: return
    case nil:
      throw Report(
        "report.foreign-file", "cannot write '\(printable(file))': something else is there",
        hint: "name a directory of its own, or move that file away", details: details, exit: .refused)
    case .some:
      throw Report(
        "report.other-ledger", "cannot write '\(printable(file))': it is a page of another ledger",
        hint: "name another directory, or remove the pages there first", details: details, exit: .refused)
    }
  }
}

import CommandLineKit
import Export
import HTMLReport
import JSON
import Platform
import ReleaseModel

/// A directory of pages; one report at a time writes it, and touches only what a report wrote.
///
/// Pages are put in place in the same way as documents (`OwnedTree`).
struct PageFolder {
  private let tree: OwnedTree
  private let agreement: Agreement
  private let ledger: String
  private var pages: Set<String>
  private(set) var written = 0
  private(set) var unchanged = 0
  private(set) var removed = 0

  private static let home = OwnedTree.reportHome

  /// Writes pages into a directory, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - ledger: The ledger's own name.
  ///   - names: The pages to be put; each is checked first, so that a refusal leaves everything as it was.
  ///   - known: All pages of the ledger; any others are removed last.
  ///   - wait: How many seconds to wait for another report.
  /// - Throws: `CommandFailure`, `UnsafeDirectory`, `SystemError`, and what the body throws.
  static func write(
    _ path: String, ledger: String, agreement: Agreement, names: [String], known: Set<String>, wait: Double,
    _ body: (inout PageFolder) throws -> Void
  ) throws -> PageFolder {
    do {
      let tree = try OwnedTree(
        path, home: home, ledger: ledger, agreement: agreement, waiting: wait, isOwnPath: isPage)
      var pages: PageFolder
      do {
        pages = try PageFolder(tree, agreement, ledger)
        for name in names { try tree.check(name) }
      } catch {
        tree.withdraw()
        throw error
      }
      try body(&pages)
      try pages.finish(except: known)
      return pages
    } catch let obstruction as Obstruction {
      throw refusal(obstruction, path, agreement, ledger)
    } catch let error as TreeError {
      throw report(pages: error)
    }
  }

  private init(_ tree: OwnedTree, _ agreement: Agreement, _ ledger: String) throws {
    self.tree = tree
    self.agreement = agreement
    self.ledger = ledger
    pages = Set((tree.state["files"]?.array ?? []).compactMap(\.string).filter(PageFolder.isPage))
    tree.lists = { [pages] in pages.contains($0) }
  }

  private static func isPage(_ name: String) -> Bool {
    guard name.hasSuffix(".html") else { return false }
    let stem = String(name.dropLast(5))
    return App.isSlug(stem) || (stem.hasSuffix("_") && App.isSlug(String(stem.dropLast())))
  }

  func hasPage(_ name: String) -> Bool {
    tree.owns(name) && (try? tree.status(of: name))?.kind == .regular
  }

  /// Puts a page in place, unless an identical one is there; the page may not appear before the last one is
  /// put.
  mutating func put(_ bytes: [UInt8], as name: String) throws {
    let page = Document(path: name, bytes: bytes)
    pages.insert(name)
    if try tree.inPlace(page) != nil {
      unchanged += 1
      return
    }
    try tree.add(page)
    written += 1
  }

  /// Removes pages of apps that the ledger no longer has, after an older ledger was restored, and writes the
  /// list.
  private mutating func finish(except known: Set<String>) throws {
    try tree.commit()
    removed = try tree.remove(pages.union(tree.journaled).subtracting(known).sorted())
    pages.formIntersection(known)
    guard written + removed > 0 || tree.wasInterrupted else { return }
    try tree.finish(
      ["files": .array(pages.sorted().map { .string($0) }), "ledger": .string(ledger)], agreement)
  }

  /// The ledger that a page belongs to; nil if the file is not a page.
  private static func owner(of name: String, in folder: Directory) throws -> String? {
    let bytes = try folder.read(name, limit: 1 << 30)
    return bytes.flatMap { PageMark.ledger(of: Array($0.prefix(PageMark.length))) }
  }

  private static func refusal(
    _ obstruction: Obstruction, _ path: String, _ agreement: Agreement, _ ledger: String
  ) -> CommandFailure {
    let file = obstruction.path
    let name = file.lastIndex(of: "/").map { String(file[file.index(after: $0)...]) } ?? file
    if let root = try? OwnedTree.open(path, agreement), let owner = try? owner(of: name, in: root),
      owner != ledger
    {
      return CommandFailure(
        "report.other-ledger", "cannot write '\(printable(file))': it is a page from another ledger",
        hint: "name another directory, or remove the pages there first", details: ["file": .string(file)])
    }
    return CommandFailure(
      "report.foreign-file", "cannot write \(quoted(file)): something else is there: \(obstruction.what)",
      hint: "use a directory of its own, or move that file away", details: ["file": .string(file)])
  }
}

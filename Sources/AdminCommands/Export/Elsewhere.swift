import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// The directories besides its own that a ledger's documents were exported to, noted beside it for `stop` and `doctor`;
/// no export depends on the note.
enum Elsewhere {
  private static let most = 100

  /// Notes a directory; an account that may only read the ledger notes nothing.
  static func note(_ directory: String, of ledger: Ledger) {
    guard let path = try? resolvedPath(directory),
      let folder = try? CompanionFolder(.exports, of: ledger, makes: true)
    else { return }
    let known = paths(in: folder)
    guard !known.contains(path) else { return }
    try? folder.write((known + [path]).suffix(most).map { $0 }.json, file)
  }

  private static let file = "directories.json"

  private static func paths(in folder: CompanionFolder) -> [String] {
    ((try? folder.read(file)) ?? nil)?.array?.compactMap(\.string) ?? []
  }

  /// The directories that still hold documents of this file, and say something else than the ledger.
  static func findings(of ledger: Ledger, _ context: PawlContext) throws -> [Finding] {
    guard let folder = try? CompanionFolder(.exports, of: ledger, makes: false) else { return [] }
    let own = try DocumentExport.directory(of: ledger, context).map { DocumentExport.resolved($0.path) }
    return try paths(in: folder).filter { $0 != own }.compactMap { path -> Finding? in
      guard let standing = try DocumentExport.standing(in: (path, false), ledger, context),
        standing.isMarked, standing.owner == nil
      else { return nil }
      let late = standing.behind.filter { standing.servedApps[$0] != nil }
      guard !late.isEmpty else { return nil }
      let apps = late.count == 1 ? late[0] : "\(late.count) apps"
      return Finding(
        "export.elsewhere", app: late.count == 1 ? late[0] : "", ["path": path, "apps": apps])
    }
  }

  /// What a stop did not reach, each with the command that reaches it; nothing where that cannot be found out, which
  /// must not hide the stop.
  static func unreached(by ledger: Ledger, _ context: PawlContext) -> [Finding] {
    let now = (try? ledger.now(clock: context.clock())) ?? context.clock()
    let mirrors = (try? Standing.mirrors(of: ledger, now: now)) ?? []
    var findings = (try? findings(of: ledger, context)) ?? []
    let own = try? DocumentExport.directory(of: ledger, context)
    if own == nil, mirrors.isEmpty { findings.insert(Finding("export.none"), at: 0) }
    return findings
      + mirrors.filter { !$0.behind.isEmpty }.map { Finding("mirror.behind/stop", ["name": $0.name]) }
  }
}

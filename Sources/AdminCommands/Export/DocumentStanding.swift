import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// The directories that a ledger's documents were written to and are not its own, noted beside it for `stop` and `doctor`;
/// no export depends on the note.
enum Elsewhere {
  private static let most = 100

  /// Notes a directory; an account that may only read the ledger notes nothing.
  static func note(_ directory: String, of ledger: Ledger) {
    guard let path = try? resolvedPath(directory),
      let folder = try? CompanionFolder(.exports, of: ledger, makes: true)
    else { return }
    try? folder.update(file) { json in
      let known = json?.array?.compactMap(\.string) ?? []
      return known.contains(path) ? nil : (known + [path]).suffix(most).map { $0 }.json
    }
  }

  private static let file = "directories.json"

  private static func paths(in folder: CompanionFolder) -> [String] {
    ((try? folder.read(file)) ?? nil)?.array?.compactMap(\.string) ?? []
  }

  /// The directories that still hold documents of this file, and say something else than the ledger.
  static func findings(of ledger: Ledger, _ context: PawlContext) throws -> [Finding] {
    let (folder, fault) = try CompanionFolder.found(.exports, of: ledger)
    guard let folder else { return fault.map { [$0] } ?? [] }
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
  static func unreached(by ledger: Ledger, _ context: PawlContext, isAnyones: Bool) -> [Finding] {
    let now = (try? ledger.now(clock: context.clock())) ?? context.clock()
    let mirrors = (try? Standing.mirrors(of: ledger, now: now)) ?? []
    var findings = (try? findings(of: ledger, context)) ?? []
    let own = (try? DocumentExport.directory(of: ledger, context, isAnyones: isAnyones)) ?? nil
    if own == nil, let named = (try? ledger.publication()) ?? nil {
      findings.insert(Finding("export.none/copy", ["path": named.directory]), at: 0)
    } else if own == nil, mirrors.isEmpty {
      findings.insert(Finding("export.none"), at: 0)
    }
    return findings + mirrors.compactMap { $0.isUnread ? $0.finding : nil }
      + mirrors.filter { !$0.behind.isEmpty }.map { Finding("mirror.behind/stop", ["name": $0.name]) }
  }
}

extension CompanionFolder {
  /// A folder beside a ledger; nil without one, or if it is not opened, which the finding says.
  static func found(_ companion: Companion, of ledger: Ledger) throws -> (CompanionFolder?, Finding?) {
    do {
      return (try CompanionFolder(companion, of: ledger, makes: false), nil)
    } catch let error as SystemError where error.isMissing {
      return (nil, nil)
    } catch {
      let path = ledger.path(of: companion)
      return (nil, Finding("ledger.folder-unread", ["path": path, "words": report(error).message]))
    }
  }
}

extension ExportStanding {
  /// Why someone should export, and how; nil if the documents are up to date.
  func overdue(now: Timestamp) -> Finding? {
    func found(_ key: String, of apps: [String] = [], _ more: [String: String] = [:]) -> Finding {
      let one = apps.count == 1 ? apps[0] : nil
      let values = ["path": directory, "apps": one ?? "\(apps.count) apps"]
      return Finding(key, app: one ?? "", values.merging(more) { $1 })
    }
    if isOthers { return found("export.other-ledger/found") }
    if !isMarked { return found("export.unmarked/found") }
    if !isFileKnown { return found("export.no-identity/found") }
    if let owner { return found("export.other-copy/found", ["owner": owner]) }
    if isForked { return found("export.forked/found") }
    if !unsigned.isEmpty { return found("export.unsigned/found", of: unsigned) }
    if !behind.isEmpty { return found("export.behind", of: behind) }
    if let renewAt, let expiresAt, renewAt <= now {
      return found(
        expiresAt <= now ? "export.renewal/expired" : "export.renewal",
        ["expires": expiresAt.text, "renewal": renewAt.text])
    }
    guard let next = nextChange, next <= now else { return nil }
    return found("export.overdue", ["next": next.text])
  }

  func json(now: Timestamp) -> JSON {
    [
      "behind": .array(behind.map { .string($0) }), "directory": .string(directory),
      "expiresAt": .optional(expiresAt?.text), "marked": .bool(isMarked),
      "nextChange": .optional(nextChange?.text),
      "overdue": .bool(overdue(now: now) != nil), "renewAt": .optional(renewAt?.text),
      "unsigned": .array(unsigned.map { .string($0) }),
    ]
  }
}

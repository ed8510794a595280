import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

extension ExportStanding {
  /// Why somebody should export, and how; nil if the documents are up to date.
  func overdue(now: Timestamp) -> Finding? {
    func found(_ key: String, of apps: [String] = [], _ more: [String: String] = [:]) -> Finding {
      let one = apps.count == 1 ? apps[0] : nil
      let values = ["path": directory, "apps": one ?? "\(apps.count) apps"]
      return Finding(key, app: one ?? "", values.merging(more) { $1 })
    }
    if !isMarked { return found("export.unmarked/found") }
    if let owner { return found("export.other-copy/found", ["owner": owner.words]) }
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

extension FileIdentity {
  var words: String {
    "'\(printable(path, limit: 200))'" + (host == (try? FileIdentity.thisHost()) ? "" : " on another host")
  }
}

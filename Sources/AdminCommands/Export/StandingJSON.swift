import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

extension ExportStanding {
  /// Why somebody should export, and how; nil if the documents are up to date.
  func overdue(now: Timestamp) -> Finding? {
    let (path, again) = (printable(directory), "pawl export \(printable(directory))")
    func found(_ id: String, of apps: [String] = [], _ message: String, _ hint: String) -> Finding {
      Finding(id: id, app: apps.count == 1 ? apps[0] : "", message: message, hint: hint)
    }
    func named(_ apps: [String]) -> String { apps.count == 1 ? apps[0] : "\(apps.count) apps" }
    if !isMarked {
      return found(
        "export.unmarked",
        "changes write no documents: '\(path)' has not been approved on this host yet", again)
    }
    if let owner {
      return found(
        "export.other-copy",
        "changes reach no client: '\(path)' belongs to another file of this ledger, \(owner.words)",
        again + " --take-over, or give this file a directory of its own: pawl init --export NEWDIR")
    }
    if isForked {
      return found(
        "export.forked",
        "changes reach no client, except for 'pawl stop': the documents in '\(path)' are of events "
          + "that this ledger does not have", again + " --take-over")
    }
    if !unsigned.isEmpty {
      return found(
        "export.unsigned", of: unsigned,
        "the v1-signed documents of \(named(unsigned)) in '\(path)' are out of date: new ones could not be signed",
        "pawl init --export \(path) --sign KEY")
    }
    if !behind.isEmpty {
      return found(
        "export.behind", of: behind, "the documents in '\(path)' are behind for \(named(behind))", again)
    }
    if let renewAt, let expiresAt, renewAt <= now {
      return found(
        "export.renewal",
        expiresAt <= now
          ? "signatures in '\(path)' expired at \(expiresAt.text): clients no longer accept them"
          : "signatures in '\(path)' expire at \(expiresAt.text), and should have been renewed at \(renewAt.text)",
        again)
    }
    guard let next = nextChange, next <= now else { return nil }
    return found(
      "export.overdue", "the documents in '\(path)' should have been exported again at \(next.text)", again)
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

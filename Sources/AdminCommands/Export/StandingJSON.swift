import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

extension ExportStanding {
  /// Why somebody should export, and how; nil if the documents are up to date.
  func overdue(now: Timestamp) -> Finding? {
    let hint = "pawl export \(printable(directory))"
    if !isMarked {
      return Finding(
        id: "export.unmarked", app: "",
        message:
          "changes write no documents: '\(printable(directory))' has not been approved on this host yet",
        hint: hint)
    }
    if let owner {
      return Finding(
        id: "export.other-copy", app: "",
        message:
          "changes reach no client: '\(printable(directory))' belongs to another file of this ledger, \(owner.words)",
        hint: hint + " --take-over, or give this file a directory of its own: pawl init --export NEWDIR")
    }
    if isForked {
      return Finding(
        id: "export.forked", app: "",
        message:
          "changes reach no client, except for 'pawl stop': the documents in '\(printable(directory))' are of events "
          + "that this ledger does not have",
        hint: hint + " --take-over")
    }
    if !unsigned.isEmpty {
      let apps = unsigned.count == 1 ? unsigned[0] : "\(unsigned.count) apps"
      return Finding(
        id: "export.unsigned", app: unsigned.count == 1 ? unsigned[0] : "",
        message:
          "the v1-signed documents of \(apps) in '\(printable(directory))' are out of date: new ones could not be signed",
        hint: "pawl init --export \(printable(directory)) --sign KEY")
    }
    if !behind.isEmpty {
      let apps = behind.count == 1 ? behind[0] : "\(behind.count) apps"
      return Finding(
        id: "export.behind", app: behind.count == 1 ? behind[0] : "",
        message: "the documents in '\(printable(directory))' are behind for \(apps)", hint: hint)
    }
    if let renewAt, let expiresAt, renewAt <= now {
      return Finding(
        id: "export.renewal", app: "",
        message: expiresAt <= now
          ? "signatures in '\(printable(directory))' expired at \(expiresAt.text): clients no longer accept them"
          : "signatures in '\(printable(directory))' expire at \(expiresAt.text), and should have been renewed at "
            + renewAt.text,
        hint: hint)
    }
    guard let next = nextChange, next <= now else { return nil }
    return Finding(
      id: "export.overdue", app: "",
      message: "the documents in '\(printable(directory))' should have been exported again at \(next.text)",
      hint: hint)
  }

  /// The standing as `due` and `status` show it.
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
  /// Where the file was when it was last used, for messages.
  var words: String {
    "'\(printable(path, limit: 200))'" + (host == (try? FileIdentity.thisHost()) ? "" : " on another host")
  }
}

import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

extension Ledger {
  /// Says that the answers kept for `client_decision` are not those of the decision function; nil where they are.
  func alteredAnswers(in snapshot: Snapshot) throws -> Finding? {
    try answerFault(in: snapshot).map { fault in
      Finding(
        id: "answers.altered", app: snapshot.line.app.slug,
        message: "client_decision disagrees with the decision: \(printable(fault.message))",
        hint:
          "somebody changed the file without pawl: run 'pawl verify'; the app's next change repairs it")
    }
  }
}

extension EvidenceQuota {
  /// Whether mails of the largest size have to wait.
  private var isFull: Bool { isFull(for: Int64(RawMessage.maximumSize)) }

  /// Says that evidence has to wait; nil while there is room.
  var finding: Finding? {
    guard isFull else { return nil }
    return Finding(
      id: "inbox.full", app: "",
      message: "the inbox has no room for more unproved evidence: \(used) of \(limit) bytes are used",
      hint: "pawl inbox")
  }

  /// How it is shown by `status` and `doctor`.
  var json: JSON { ["full": .bool(isFull), "limit": .integer(limit), "unproved": .integer(used)] }
}

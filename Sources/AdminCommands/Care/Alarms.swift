import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

extension Ledger {
  /// Reports that the answers kept for `client_decision` differ from the decision function; nil if they do
  /// not.
  func alteredAnswers(in snapshot: Snapshot) throws -> Finding? {
    try answerFault(in: snapshot).map { fault in
      Finding(
        id: "answers.altered", app: snapshot.line.app.slug,
        message: "client_decision disagrees with the decision: \(printable(fault.message))",
        hint:
          "the file was changed without pawl: run 'pawl verify'; the app's next change repairs it")
    }
  }
}

extension EvidenceQuota {
  private var isFull: Bool { isFull(for: Int64(RawMessage.maximumSize)) }

  /// Reports that evidence has to wait; nil while there is room.
  var finding: Finding? {
    guard isFull else { return nil }
    return Finding(
      id: "inbox.full", app: "",
      message: "the inbox has no room for more unproved evidence: \(used) of \(limit) bytes are used",
      hint: "pawl inbox")
  }

  var json: JSON { ["full": .bool(isFull), "limit": .integer(limit), "unproved": .integer(used)] }
}

import AppleIntake
import Intake
import JSON
import Ledger
import ReleaseModel

extension Ledger {
  /// Reports that the answers kept for `client_decision` differ from the decision function; nil if they do
  /// not.
  func alteredAnswers(in snapshot: Snapshot) throws -> Finding? {
    try answerFault(in: snapshot).map { fault in
      Finding("answers.altered/found", app: snapshot.line.app.slug, ["fault": fault.message])
    }
  }
}

extension EvidenceQuota {
  private var isFull: Bool { isFull(for: Int64(RawMessage.maximumSize)) }

  /// Reports that evidence has to wait; nil while there is room.
  var finding: Finding? {
    isFull ? Finding("inbox.full", ["used": "\(used)", "limit": "\(limit)"]) : nil
  }

  var json: JSON { ["full": .bool(isFull), "limit": .integer(limit), "unproved": .integer(used)] }
}

package import Intake

/// What each reason means, from the tables in docs/reasons.md, which is part of the program.
private let meanings = Dictionary(
  rows(of: PackageResources.reasons_md).flatMap { row in
    row[0].split { $0 == "," || $0 == " " }.map { (String($0), row[1]) }
  }, uniquingKeysWith: { first, _ in first })

/// A reason with what it means; the id alone if this version of pawl does not know it.
func explained(_ reason: String) -> String { meanings[reason].map { "\(reason): \($0)" } ?? reason }

extension IntakeReason {
  /// What the reason means: a clause without a capital or a full stop.
  package var words: String { meanings[id] ?? "" }
}

/// Why something in a mailbox was not taken in; nothing about it is recorded, and the next run tries again.
package enum PassedOver: String, Sendable, CaseIterable {
  case link = "entry.link"
  case notAFile = "entry.not-a-file"
  case gone = "entry.gone"
  case unreadable = "entry.unreadable"
  case quota = "evidence.quota"

  package var words: String { meanings[rawValue] ?? "" }
}

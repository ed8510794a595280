package import JSON
import ReleaseModel

extension SyncRun {
  /// Why an app's schedule is not put into the mirror.
  package enum Fault: String, Sendable {
    case newer = "mirror.newer"
    case forked = "mirror.forked"
    case otherCopy = "mirror.other-copy"
    case foreign = "mirror.foreign"
    case altered = "mirror.altered"
    case lost = "mirror.lost"
    case denied = "mirror.denied"
    case failed = "mirror.failed"
    /// The ledger's own answers were altered.
    case unsound = "answers.altered"

    package var isTakenOver: Bool { [.newer, .forked, .otherCopy, .altered].contains(self) }

    /// Whether it is about what was sent, so that the server may have said more.
    package var isSending: Bool { self == .lost || self == .denied || self == .failed }
  }

  /// An app, and what became of its schedule.
  package struct Line: Sendable {
    package let app: String
    /// What the mirror said last that it has; nil for nothing.
    package internal(set) var head: MirrorHead?
    /// What it should say; nil if the app was struck out.
    var wanted: MirrorHead?
    /// Why it is refused; nil if it is not.
    package internal(set) var fault: Fault?
    /// What exactly is wrong, after "taxi: ".
    package internal(set) var words = ""
    var isSent = false

    /// Whether the mirror says that it has what it should.
    var isSame: Bool { fault == nil && wanted != nil && head == wanted }

    mutating func refuse(_ fault: Fault, _ words: String) { (self.fault, self.words) = (fault, words) }

    package var outcome: String {
      fault != nil ? "refused" : !isSent ? "same" : wanted == nil ? "removed" : "sent"
    }

    package var json: JSON {
      [
        "app": .string(app), "generation": .optional(head?.generation), "id": .optional(fault?.rawValue),
        "outcome": .string(outcome),
      ]
    }
  }
}

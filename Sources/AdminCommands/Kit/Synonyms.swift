import AppleIntake
import CommandLineKit
import ReleaseModel

/// What people and Apple call things that pawl calls otherwise: understood in hints, never executed.
enum Synonyms {
  /// A command, as somebody may name it, and the line that does it.
  static let commands = [
    "app delete": "app retire", "app remove": "app retire", "app rm": "app retire",
    "approve": "mark APP VERSION approved", "block": "force", "deploy": "mark APP VERSION live",
    "disable": "stop", "enable": "resume", "go-live": "mark APP VERSION live", "log": "history",
    "ls": "app list", "list": "app list", "new": "publish", "pause": "stop",
    "reject": "mark APP VERSION rejected", "release": "mark APP VERSION live", "remove-rule": "lift",
    "rollback": "unmark", "silence": "allow", "start": "resume", "submit": "mark APP VERSION waiting",
    "unallow": "lift", "unblock": "lift", "trust delete": "trust remove", "trust show": "trust list",
    "undo": "revert", "unforce": "lift", "unpublish": "void",
    "unredirect": "redirect APP RANGE --clear", "unremind": "lift", "unset": "setting APP KEY --clear",
    "unstop": "resume", "untrust": "trust remove", "unvoid": "publish",
    "withdraw": "mark APP VERSION withdrawn",
  ]

  /// The state that a word means, or is a slip of the pen for.
  static func state(_ word: String) -> String? {
    let spoken = word.lowercased().map { $0 == "_" || $0 == " " ? "-" : String($0) }.joined()
    let apple = WebhookEvent.state(spoken.uppercased().map { $0 == "-" ? "_" : String($0) }.joined())
    let state = apple ?? people[spoken]
    return state?.rawValue ?? closest(to: word, among: ReleaseState.reachable.map(\.rawValue))
  }

  /// The states in people's words, beside the names that App Store Connect gives them.
  private static let people: [String: ReleaseState] = [
    "accepted": .approved, "available": .live, "cancelled": .withdrawn, "canceled": .withdrawn,
    "deleted": .removed, "draft": .prepared, "for-sale": .live, "on-sale": .live, "passed": .approved,
    "published": .live, "refused": .rejected, "released": .live, "review": .inReview, "reviewing": .inReview,
    "submitted": .waiting,
  ]
}

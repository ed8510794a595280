import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// What one client is told, as `check` prints it.
struct CheckAnswer {
  let snapshot: Snapshot
  let client: Client
  let decision: Decision
  let settings: [String: String]
  let locale: String?
  /// The head of the ledger that was asked.
  let head: Int64

  /// Asks on behalf of a client.
  init(
    _ decider: Decider, _ snapshot: Snapshot, _ client: Client, _ decision: Decision, locale: String?,
    head: Int64
  ) {
    self.snapshot = snapshot
    self.client = client
    self.decision = decision
    self.locale = locale
    self.head = head
    settings = decider.settings(of: client.version, inReview: decision.review)
  }

  /// The members of the answer, in the contract's names.
  var json: JSON {
    let target = decision.target
    return [
      "app": .string(snapshot.line.app.slug), "version": .string(client.version.text),
      "action": .string(decision.action.rawValue), "review": .bool(decision.review),
      "target": .optional(target?.version.text), "targetApp": .optional(decision.targetApp),
      "minOS": .optional(target?.minOS?.text), "url": .optional(decision.url),
      "notes": .optional(target?.note(for: locale)), "decidedBy": .string(decision.decidedBy.rawValue),
      "rule": .optional(decision.rule),
      "settings": .object(JSON.Object(settings.map { ($0.key, .string($0.value)) })),
      "remindEvery": .string(snapshot.line.app.remindEvery.rawValue), "asOf": .integer(head),
    ]
  }

  /// The answer in words.
  func text(at moment: Timestamp?, styles: Bool) -> String {
    let style = Paint.style(of: decision.action)
    var text = "\(snapshot.line.app.slug) \(client.version.text)"
    if let os = client.os { text += " on \(os.text)" }
    if let moment { text += " at \(moment.text)" }
    text += ": " + style.apply(decision.action.rawValue, enabled: styles)
    if let target = decision.target {
      let app = decision.targetApp == snapshot.line.app.slug ? "" : "\(decision.targetApp ?? "") "
      text += " → \(app)\(target.version.text)\n"
      text += "  \(decision.url ?? "")\n"
      if let note = target.note(for: locale) {
        text += note.split(whereSeparator: \.isNewline).map { "  \(printable(String($0)))\n" }.joined()
      }
    } else {
      text += "\n"
    }
    return text + "  because: \(reason)\n"
      + settings.sorted { $0.key < $1.key }.map { "  \(printable($0.key)) = \(printable($0.value))\n" }
      .joined()
  }

  private var reason: String {
    let rule = decision.rule.map { " (rule \($0))" } ?? ""
    switch decision.decidedBy {
    case .stopped: return "the app is stopped"
    case .unreleased: return "this version is not released; a reviewer may be looking at it"
    case .rule: return "a rule says so" + rule
    case .mandatory: return "a newer release is mandatory"
    case .policy: return "the segment policy \(snapshot.line.app.policy.text)"
    case .current: return "nothing newer is visible" + rule
    case .noTarget: return "there is nothing to point at" + rule
    }
  }
}

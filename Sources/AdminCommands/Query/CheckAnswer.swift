import CommandLineKit
import JSON
import ReleaseModel

/// What one client is told, as `check` prints it.
struct CheckAnswer {
  let snapshot: Snapshot
  let client: Client
  let decision: Decision
  let steps: [DecisionStep]?
  let settings: [String: String]
  let locale: String?
  let head: Int64
  let moment: Timestamp?

  init(
    _ decider: Decider, _ snapshot: Snapshot, _ client: Client, _ decision: Decision,
    steps: [DecisionStep]? = nil, locale: String?, head: Int64, at moment: Timestamp? = nil
  ) {
    (self.snapshot, self.client, self.steps) = (snapshot, client, steps)
    (self.locale, self.head, self.moment) = (locale, head, moment)
    var decision = decision
    if decision.action != .force, decision.forcedFrom == nil {
      decision.forcedFrom = snapshot.forcedFrom(client, after: decider.moment)
    }
    self.decision = decision
    settings = decider.settings(of: client.version, inReview: decision.review)
  }

  var json: JSON {
    var object = snapshot.answer(decision, to: client.version, settings: settings, locale: locale)
    object["asOf"] = .integer(head)
    if let moment { object["at"] = .string(moment.text) }
    if let steps { object["steps"] = .array(steps.map(\.json)) }
    return .object(object)
  }

  func text(styles: Bool) -> String {
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
    if let forced = decision.forcedFrom { text += "  required from \(forced.text)\n" }
    return text + "  because: \(snapshot.reason(of: decision, for: client.version))\n"
      + settings.sorted { $0.key < $1.key }.map { "  \(printable($0.key)) = \(printable($0.value))\n" }
      .joined()
  }

  var table: Table {
    let facts: [(String, String?)] = [
      ("app", snapshot.line.app.slug),
      ("version", client.version.text),
      ("OS", client.os?.text),
      ("at", moment?.text),
      ("told", decision.action.rawValue),
      ("target", decision.target?.version.text),
      ("target's app", decision.targetApp == snapshot.line.app.slug ? nil : decision.targetApp),
      ("URL", decision.url),
      ("notes", decision.target?.note(for: locale)),
      ("required from", decision.forcedFrom?.text),
      ("because", snapshot.reason(of: decision, for: client.version)),
    ]
    return Table(facts: facts + settings.sorted { $0.key < $1.key }.map { ($0.key, Optional($0.value)) })
  }
}

extension Snapshot {
  /// Why versions are told something, in words.
  ///
  /// - Parameter version: The version, if it is one.
  func reason(of decision: Decision, for version: Version?) -> String {
    let rule = decision.rule.map { " (rule \($0))" } ?? ""
    switch decision.decidedBy {
    case .stopped: return "the app is \(line.app.silence ?? "stopped")"
    case .unreleased:
      switch version.flatMap(line.release)?.state {
      case .void: return "this version was struck out"
      case .rejected: return "this version was rejected"
      case .withdrawn: return "this version was withdrawn"
      default:
        return (version == nil ? "" : "this version is ") + "not released; a reviewer may be looking at it"
      }
    case .rule:
      let why = line.rules.first { $0.number == decision.rule }?.reason
      return decision.rule.map { "rule \($0)" + (why.map { " (\(printable($0, limit: 200)))" } ?? "") }
        ?? "a rule"
    case .mandatory: return "a newer release is mandatory"
    case .policy: return "the segment policy \(line.app.policy.text)"
    case .phased: return "the phased release of the newest version is not over"
    case .current: return "nothing newer is visible" + rule
    case .noTarget: return "there is no release or page to send it to" + rule
    }
  }
}

import CommandLineKit
import JSON
import ReleaseModel

/// What one client is told, as `check` prints it.
struct CheckAnswer {
  let decider: Decider
  let client: Client
  let decision: Decision
  let steps: [DecisionStep]?
  let settings: [String: String]
  let locale: String?
  let head: Int64
  let moment: Timestamp?

  var snapshot: Snapshot { decider.snapshot }

  /// - Parameters:
  ///   - known: What the client is told, if that is known already.
  ///   - moment: The moment that was asked for, if it is not now.
  init(
    _ decider: Decider, _ client: Client, _ known: Decision? = nil, steps: [DecisionStep]? = nil,
    locale: String? = nil, head: Int64, at moment: Timestamp? = nil
  ) {
    (self.decider, self.client, self.steps) = (decider, client, steps)
    (self.locale, self.head, self.moment) = (locale, head, moment)
    var decision = known ?? decider.decide(client)
    if decision.action != .force, decision.forcedFrom == nil {
      decision.forcedFrom = decider.snapshot.forcedFrom(client, after: decider.moment)
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

  func text(_ context: PawlContext) -> String {
    let style = Paint.style(of: decision.action)
    var text = "\(snapshot.line.app.slug) \(client.version.text)"
    if let os = client.os { text += " on \(os.text)" }
    if let moment { text += " at \(context.zone.text(moment))" }
    text += ": " + style.apply(decision.action.rawValue, enabled: context.hasStyles)
    if let target = decision.target {
      let app = decision.targetApp == snapshot.line.app.slug ? "" : "\(decision.targetApp ?? "") "
      text += " → \(app)\(target.version.text)\n"
      text += "  \(decision.url ?? "")\n"
      text += indented(target.note(for: locale) ?? "")
    } else {
      text += "\n"
    }
    if let forced = decision.forcedFrom { text += "  required from \(context.zone.text(forced))\n" }
    return text + "  because: \(snapshot.reason(of: decision, for: client.version))\n"
      + settings.sorted { $0.key < $1.key }.map { "  \(printable($0.key)) = \(printable($0.value))\n" }
      .joined()
  }

  /// That clients of documents are told otherwise, in a line; nothing if they are not.
  var misinformed: String {
    DocumentedVersions(snapshot, at: decider.moment)
      .misinforms(client.version, told: decision.action, settings) ? "  \(CheckRanges.withoutFile)\n" : ""
  }
}

/// A text line by line, each printable and indented.
func indented(_ text: String) -> String {
  text.split(whereSeparator: \.isNewline).map { "  \(printable(String($0)))\n" }.joined()
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
    case .policy:
      let target = decision.targetApp == line.app.slug ? decision.target?.version : nil
      let segment = target.flatMap { version?.segment(below: $0) }
      return "the segment policy \(line.app.policy.text)"
        + (segment.map { " (\($0): \(decision.action.rawValue))" } ?? "")
    case .phased: return "the phased release of the newest version is not over"
    case .current: return "nothing newer is visible" + rule
    case .noTarget: return "there is no release or page to send it to" + rule
    }
  }
}

extension Version {
  /// The name of the first component in which it differs from a target.
  fileprivate func segment(below target: Version) -> String {
    ["major", "minor", "patch", "build"][(0..<3).first { component($0) != target.component($0) } ?? 3]
  }
}

import CommandLineKit
import JSON
import ReleaseModel

/// What one client is told, as `check` prints it.
struct CheckAnswer {
  let snapshot: Snapshot
  let client: Client
  let decision: Decision
  /// How it was decided, if that was asked.
  let steps: [ExplainedStep]?
  let settings: [String: String]
  let locale: String?
  /// The head of the ledger that gave the answer.
  let head: Int64
  /// The requested moment; nil for now.
  let moment: Timestamp?

  init(
    _ decider: Decider, _ snapshot: Snapshot, _ client: Client, _ decision: Decision,
    steps: [ExplainedStep]? = nil, locale: String?, head: Int64, at moment: Timestamp? = nil
  ) {
    self.snapshot = snapshot
    self.client = client
    var decision = decision
    if decision.action != .force, decision.forcedFrom == nil {
      decision.forcedFrom = snapshot.forcedFrom(client, after: decider.moment)
    }
    self.decision = decision
    self.steps = steps
    self.locale = locale
    self.head = head
    self.moment = moment
    settings = decider.settings(of: client.version, inReview: decision.review)
  }

  /// The members of the answer, in the contract's names.
  var json: JSON {
    var object = snapshot.answer(decision, to: client.version, settings: settings, locale: locale)
    object["asOf"] = .integer(head)
    if let moment { object["at"] = .string(moment.text) }
    if let steps { object["steps"] = .array(steps.map(\.json)) }
    return .object(object)
  }

  /// The answer in words.
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
    var facts = FactTable()
    facts.add("app", snapshot.line.app.slug)
    facts.add("version", client.version.text)
    facts.add("OS", client.os?.text)
    facts.add("at", moment?.text)
    facts.add("told", decision.action.rawValue)
    facts.add("target", decision.target?.version.text)
    facts.add("target's app", decision.targetApp == snapshot.line.app.slug ? nil : decision.targetApp)
    facts.add("URL", decision.url)
    facts.add("notes", decision.target?.note(for: locale))
    facts.add("required from", decision.forcedFrom?.text)
    facts.add("because", snapshot.reason(of: decision, for: client.version))
    for setting in settings.sorted(by: { $0.key < $1.key }) { facts.add(setting.key, setting.value) }
    return facts.table
  }
}

extension Snapshot {
  /// Why versions are told something, in words.
  ///
  /// - Parameter version: The version, if it is one.
  func reason(of decision: Decision, for version: Version?) -> String {
    let rule = decision.rule.map { " (rule \($0))" } ?? ""
    switch decision.decidedBy {
    case .stopped: return "the app is stopped or retired"
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

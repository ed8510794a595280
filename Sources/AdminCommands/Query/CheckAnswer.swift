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
  /// - Parameter range: The versions, if they are several.
  func reason(of decision: Decision, for version: Version?, in range: VersionRange? = nil) -> String {
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
      let segment = decision.target.flatMap { target -> String? in
        guard decision.targetApp == line.app.slug else { return nil }
        return version.map { $0.segment(below: target.version) } ?? range?.segment(below: target.version)
      }
      return "the segment policy \(line.app.policy.text)"
        + (segment.map { " (\($0): \(decision.action.rawValue))" } ?? "")
    case .phased: return "the phased release of the newest version is not over"
    case .current: return "nothing newer is visible" + rule
    case .noTarget: return "there is no release or page to send it to" + rule
    }
  }
}

extension Version {
  /// The first component in which it differs from another version; after the last one if it does not.
  fileprivate func firstDifference(from other: Version) -> Int {
    (0..<4).first { component($0) != other.component($0) } ?? 4
  }

  fileprivate func segment(below target: Version) -> String {
    ["major", "minor", "patch", "build"][min(3, firstDifference(from: target))]
  }
}

extension VersionRange {
  /// The first component in which its versions differ from a greater one, if it is the same for all.
  fileprivate func segment(below target: Version) -> String? {
    guard let first = start.version, let end = end.version, first < end, end <= target else { return nil }
    // The greatest version below the end is less in the end's last component that is not 0.
    let last = min(end.firstDifference(from: target), (0..<4).last { end.component($0) != 0 } ?? 0)
    return first.firstDifference(from: target) == last ? first.segment(below: target) : nil
  }
}

import CommandLineKit
import Export
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

  /// What clients of documents miss since the version has none of its own; nil for nothing.
  var unfiled: Unfiled? {
    DocumentedVersions(snapshot, at: decider.moment)
      .misinformed(client.version, told: decision.action, settings)
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
    case .unknown: return "it cannot be read"
    case .noTarget: return "there is no release or page to send it to" + rule
    }
  }
}

extension Snapshot {
  /// The same in a few words, beside a range.
  fileprivate func cause(of decision: Decision, for version: Version?) -> String {
    let rule = decision.rule.map { " (rule \($0))" } ?? ""
    switch decision.decidedBy {
    case .stopped: return line.app.silence ?? "stopped"
    case .unreleased:
      let state = version.flatMap(line.release)?.state
      return state == .rejected || state == .withdrawn ? state?.rawValue ?? "" : "not released"
    case .rule:
      let why = line.rules.first { $0.number == decision.rule }?.reason
      return "rule \(decision.rule ?? 0)" + (why.map { ": \(printable($0, limit: 200))" } ?? "")
    case .mandatory: return "a newer one is mandatory"
    case .policy:
      let parts = (0..<4).filter { line.app.policy.action(ofComponent: $0) == decision.action }
      let isOne = parts.count == 1 && decision.targetApp == line.app.slug
      return isOne ? "policy (\(Version.segments[parts[0]]))" : "policy"
    case .phased: return "phased release"
    case .current: return "nothing newer" + rule
    case .unknown: return "it cannot be read"
    case .noTarget: return "no release or page" + rule
    }
  }
}

extension Version {
  fileprivate static let segments = ["major", "minor", "patch", "build"]

  /// The name of the first component in which it differs from a target.
  fileprivate func segment(below target: Version) -> String {
    Version.segments[(0..<3).first { component($0) != target.component($0) } ?? 3]
  }
}

/// What every version that could exist is told at a moment, as `check APP` prints it.
struct CheckRanges {
  private let snapshot: Snapshot
  private let moment: Timestamp
  private let head: Int64
  private let usage: Usage?
  /// The formats of the ledger's documents that answer one version.
  private let formats: [String]
  private let documented: DocumentedVersions
  /// Greatest versions first.
  private let ranges: [AnswerRange]

  init(
    _ snapshot: Snapshot, at moment: Timestamp, head: Int64, _ usage: Usage?, formats: [String] = []
  ) {
    (self.snapshot, self.moment, self.head, self.usage) = (snapshot, moment, head, usage)
    self.formats = formats
    documented = DocumentedVersions(snapshot, at: moment)
    ranges = snapshot.ranges(at: moment).reversed()
  }

  var json: JSON {
    let ranges = ranges.map { range in
      var object = snapshot.answer(to: range)
      object["versions"] = .string(range.range.text)
      object["devices"] = .optional(usage?.part(of: range.range).devices)
      object["until"] = .optional(range.until?.text)
      object["noFile"] = .optional(unfiled(range)?.range.text)
      return JSON.object(object)
    }
    return [
      "app": .string(snapshot.line.app.slug), "at": .string(moment.text), "asOf": .integer(head),
      "ranges": .array(ranges),
    ]
  }

  func table(_ text: @escaping (Timestamp) -> String = { $0.text }) -> Table {
    func older(_ range: AnswerRange) -> String {
      range.answer.folded { $0.isTold(as: $1) }.tiers.map { "below:\($0.below.text) \(said($0.decision))" }
        .joined(separator: ", ")
    }
    func settings(_ range: AnswerRange) -> String {
      range.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
    let shown: [(Column, (AnswerRange) -> Cell)?] = [
      ("TOLD", { Cell(said($0.decision), Paint.style(of: $0.decision.action)) }),
      ranges.allSatisfy(\.answer.tiers.isEmpty) ? nil : ("OLDER SYSTEMS", { Cell(older($0)) }),
      ranges.allSatisfy(\.settings.isEmpty) ? nil : ("SETTINGS", { Cell(settings($0)) }),
      (
        "BECAUSE",
        { range in
          let until = range.until.map { ", until \(text($0))" } ?? ""
          return Cell(snapshot.cause(of: range.decision, for: range.range.exactVersion) + until, .dim)
        }
      ),
    ]
    let columns = shown.compactMap(\.self)
    // Ranges that differ in nothing that is shown are one row.
    var rows: [(range: VersionRange, count: Int, cells: [Cell])] = []
    for range in ranges {
      let cells = columns.map { $0.1(range) }
      if let last = rows.last, last.cells.map(\.text) == cells.map(\.text),
        let both = VersionRange(from: range.range.start, to: last.range.end)
      {
        rows[rows.count - 1] = (both, last.count + range.count, cells)
      } else {
        rows.append((range.range, range.count, cells))
      }
    }
    return Table(
      columns: ["VERSIONS", .right("RECORDED")] + (usage == nil ? [] : [.right("DEVICES")])
        + columns.map(\.0),
      rows: rows.map { row in
        [
          Cell(row.range.text { snapshot.line.counted($0)?.version.text ?? $0.text }, .bold),
          Cell(grouped(row.count)),
        ] + (usage.map { [Cell(grouped(Int(clamping: $0.part(of: row.range).devices)))] } ?? []) + row.cells
      })
  }

  /// The ranges that have no documents of their own, with what their clients miss, in a line each; nothing if there are
  /// none.
  var unfiled: String {
    let missed = ranges.compactMap(unfiled)
    return [missed.filter(\.isPrompted), missed.filter { !$0.isPrompted }].filter { !$0.isEmpty }
      .map { "\($0.sentence(formats: formats))\n" }.joined()
  }

  private func unfiled(_ range: AnswerRange) -> Unfiled? {
    formats.isEmpty ? nil : documented.misinformed(range.range, told: range.decision.action, range.settings)
  }

  private func said(_ decision: Decision) -> String {
    guard let target = decision.target else { return decision.action.rawValue }
    let app = decision.targetApp == snapshot.line.app.slug ? "" : "\(decision.targetApp ?? "") "
    return "\(decision.action.rawValue) → \(app)\(target.version.text)"
  }
}

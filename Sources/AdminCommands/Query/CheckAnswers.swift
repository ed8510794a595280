import CommandLineKit
import Export
import JSON
import ReleaseModel

/// What one client is told, as `check` prints it.
struct CheckAnswer {
  let decider: Decider
  let client: Client
  let told: Told
  let steps: [DecisionStep]?
  let locale: String?
  let head: Int64
  let moment: Timestamp?

  var snapshot: Snapshot { decider.snapshot }

  /// - Parameter moment: The moment that was asked for, if it is not now.
  init(
    _ decider: Decider, _ client: Client, steps: [DecisionStep]? = nil, locale: String? = nil, head: Int64,
    at moment: Timestamp? = nil
  ) {
    (self.decider, self.client, self.steps) = (decider, client, steps)
    (self.locale, self.head, self.moment) = (locale, head, moment)
    var decision = decider.decide(client)
    if decision.action != .force, decision.forcedFrom == nil {
      decision.forcedFrom = decider.snapshot.forcedFrom(client, after: decider.moment)
    }
    let settings = decider.settings(of: client.version, inReview: decision.review)
    told = Told(decision, settings: settings, remindEvery: decider.snapshot.line.app.remindEvery)
  }

  var json: JSON {
    var object = told.json(notesFor: locale)
    object["app"] = .string(snapshot.line.app.slug)
    object["version"] = .string(client.version.text)
    object["asOf"] = .integer(head)
    if let moment { object["at"] = .string(moment.text) }
    if let steps { object["steps"] = .array(steps.map(\.json)) }
    return .object(object)
  }

  func text(_ context: PawlContext) -> String {
    let decision = told.decision
    let style = Paint.style(of: decision.action)
    var text = "\(snapshot.line.app.slug) \(client.version.text)"
    if let os = client.os { text += " on \(os.text)" }
    if let moment { text += " at \(context.zone.text(moment))" }
    text += ": " + style.apply(decision.action.rawValue, enabled: context.hasStyles)
    if let target = decision.targetText(in: snapshot.line.app.slug) {
      text += " → \(target)\n  \(decision.url ?? "")\n"
      text += indented(decision.target?.note(for: locale) ?? "")
    } else {
      text += "\n"
    }
    if let forced = decision.forcedFrom { text += "  required from \(context.zone.text(forced))\n" }
    return text + "  because: \(snapshot.reason(of: decision, for: client.version).words)\n"
      + told.settings.sorted { $0.key < $1.key }.map { "  \(printable($0.key)) = \(printable($0.value))\n" }
      .joined()
  }

  /// What clients of documents miss since the version has none of its own; nil for nothing.
  var unfiled: Unfiled? {
    DocumentedVersions(snapshot, at: decider.moment)
      .misinformed(
        .exactly(client.version),
        told: told)
  }
}

/// A text line by line, each printable and indented.
func indented(_ text: String) -> String {
  text.split(whereSeparator: \.isNewline).map { "  \(printable(String($0)))\n" }.joined()
}

extension Snapshot {
  /// Why versions are told something, in words, and in few ones that stand beside a range.
  ///
  /// - Parameter version: The version, if it is one.
  func reason(of decision: Decision, for version: Version?) -> (words: String, brief: String) {
    let rule = decision.rule.map { " (rule \($0))" } ?? ""
    switch decision.decidedBy {
    case .stopped:
      let silence = line.app.silence ?? "stopped"
      return ("the app is \(silence)", silence)
    case .unreleased:
      switch version.flatMap(line.release)?.state {
      case .void: return ("this version was struck out", "not released")
      case .rejected: return ("this version was rejected", "rejected")
      case .withdrawn: return ("this version was withdrawn", "withdrawn")
      default:
        let subject = version == nil ? "" : "this version is "
        return (subject + "not released; a reviewer may be looking at it", "not released")
      }
    case .rule:
      let name = decision.rule.map { "rule \($0)" } ?? "a rule"
      let reason = line.rules.first { $0.number == decision.rule }?.reason
      guard let why = reason.map({ printable($0, limit: 200) }) else { return (name, name) }
      return ("\(name) (\(why))", "\(name): \(why)")
    case .mandatory: return ("a newer release is mandatory", "a newer one is mandatory")
    case .policy:
      let target = decision.targetApp == line.app.slug ? decision.target?.version : nil
      let segments = ["major", "minor", "patch", "build"]
      let segment = target.flatMap { version?.commonComponents(with: $0) }.map { segments[min($0, 3)] }
      let parts = (0..<4).filter { line.app.policy.action(ofComponent: $0) == decision.action }
      return (
        "the segment policy \(line.app.policy.text)"
          + (segment.map { " (\($0): \(decision.action.rawValue))" } ?? ""),
        target != nil && parts.count == 1 ? "policy (\(segments[parts[0]]))" : "policy"
      )
    case .phased: return ("the phased release of the newest version is not over", "phased release")
    case .current: return ("nothing newer is visible" + rule, "nothing newer" + rule)
    case .unknown: return ("it cannot be read", "it cannot be read")
    case .noTarget:
      return ("there is no release or page to send it to" + rule, "no release or page" + rule)
    }
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
  /// The recorded versions, ascending.
  private let known: [Version]
  /// Greatest versions first.
  private let ranges: [Range]

  private typealias Range = Steps<VersionKey, Schedule.Current>.Span

  init(
    _ snapshot: Snapshot, at moment: Timestamp, head: Int64, _ usage: Usage?, formats: [String] = []
  ) {
    (self.snapshot, self.moment, self.head, self.usage) = (snapshot, moment, head, usage)
    self.formats = formats
    documented = DocumentedVersions(snapshot, at: moment)
    known = snapshot.line.recordedVersions
    ranges = Schedule(snapshot, from: moment).current(at: moment).reversed()
  }

  var json: JSON {
    let ranges = ranges.map { range in
      var object = range.value.told.json()
      object["count"] = .integer(Int64(count(range)))
      object["versions"] = .string(range.range.text)
      object["devices"] = .optional(usage?.part(of: range.range).devices)
      object["until"] = .optional(range.value.until?.text)
      object["noFile"] = .optional(unfiled(range)?.range.text)
      return JSON.object(object)
    }
    return [
      "app": .string(snapshot.line.app.slug), "at": .string(moment.text), "asOf": .integer(head),
      "ranges": .array(ranges),
    ]
  }

  private func count(_ range: Range) -> Int { known.positions(from: range.from, to: range.hi).count }

  func table(_ text: @escaping (Timestamp) -> String = { $0.text }) -> Table {
    func older(_ range: Range) -> String {
      range.value.told.tiers { $0.isSeen(as: $1) }.map { "below:\($0.below.text) \(said($0.decision))" }
        .joined(separator: ", ")
    }
    let shown: [(Column, (Range) -> Cell)?] = [
      ("TOLD", { Cell(said($0.value.told.decision), Paint.style(of: $0.value.told.decision.action)) }),
      ranges.allSatisfy { $0.value.told.systems.count == 1 } ? nil : ("OLDER SYSTEMS", { Cell(older($0)) }),
      (
        "BECAUSE",
        { range in
          let until = range.value.until.map { ", until \(text($0))" } ?? ""
          let reason = snapshot.reason(of: range.value.told.decision, for: range.range.exactVersion)
          return Cell(reason.brief + until, .dim)
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
        rows[rows.count - 1] = (both, last.count + count(range), cells)
      } else {
        rows.append((range.range, count(range), cells))
      }
    }
    return Table(
      columns: ["VERSIONS", .right("RECORDED")] + (usage == nil ? [] : [.right("DEVICES")])
        + columns.map(\.0),
      rows: rows.map { row in
        [
          Cell(spelled(row.range), .bold),
          Cell(grouped(row.count)),
        ] + (usage.map { [Cell(grouped(Int(clamping: $0.part(of: row.range).devices)))] } ?? []) + row.cells
      })
  }

  private func spelled(_ range: VersionRange) -> String {
    range.text { snapshot.line.counted($0)?.version.text ?? $0.text }
  }

  /// Which settings clients get, a line for each range of versions with the same ones.
  var settings: String {
    let known = ranges.reversed().reduce(into: [(settings: [String: String], ranges: [VersionRange])]()) {
      known, range in
      guard let index = known.firstIndex(where: { $0.settings == range.value.told.settings }) else {
        return known.append((range.value.told.settings, [range.range]))
      }
      known[index].ranges = (known[index].ranges + [range.range]).joined()
    }
    return known.filter { !$0.settings.isEmpty }.map { settings, ranges in
      let whose = ranges == [.all] ? "" : " of \(ranges.map(spelled).joined(separator: ", "))"
      return "settings\(whose): "
        + settings.sorted { $0.key < $1.key }.map { "\(printable($0.key)) = \(printable($0.value))" }
        .joined(separator: ", ") + "\n"
    }.joined()
  }

  /// The ranges that have no documents of their own, with what their clients miss, in a line each; nothing if there are
  /// none.
  var unfiled: String {
    let missed = ranges.compactMap(unfiled)
    return [missed.filter(\.isPrompted), missed.filter { !$0.isPrompted }].filter { !$0.isEmpty }
      .map { "\($0.sentence(formats: formats))\n" }.joined()
  }

  private func unfiled(_ range: Range) -> Unfiled? {
    formats.isEmpty ? nil : documented.misinformed(range.range, told: range.value.told)
  }

  private func said(_ decision: Decision) -> String {
    decision.action.rawValue + (decision.targetText(in: snapshot.line.app.slug).map { " → \($0)" } ?? "")
  }
}

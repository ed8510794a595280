import Crypto
package import JSON
package import ReleaseModel

/// What the clients of an app are told at one moment, by ranges that cover every possible version: enough to
/// tell later whose answer has changed.
package struct AnswerTable: Sendable, Equatable {
  /// Neighbouring versions that are told the same.
  package struct Row: Sendable, Equatable {
    package let range: VersionRange
    let told: Told
  }

  /// What some versions are told: the parts of a prompt, and a digest of everything that a document says
  /// about it.
  struct Told: Sendable, Equatable {
    var action = Action.none
    var target: String?
    var targetApp: String?
    var url: String?
    var digest: String
  }

  /// Ascending, without gaps.
  package private(set) var rows: [Row] = []

  /// What versions of an app that the ledger does not have are told.
  package static let nothing = AnswerTable(
    rows: [Row(range: .all, told: Told(digest: digest(TieredAnswer(toUnknownWith: [:]), "once")))])

  private init(rows: [Row]) { self.rows = rows }

  /// Asks the decision function about every version.
  package init(_ sheet: AnswerSheet) {
    let systems = sheet.systems
    var bounds = sheet.bounds(os: nil)
    for system in [Version.zero] + systems { bounds.formUnion(sheet.bounds(os: system)) }
    for setting in sheet.snapshot.line.settings {
      bounds.formUnion([setting.range.lower?.version, setting.range.upper?.version].compactMap(\.self))
    }
    let decider = sheet.decider
    let cadence = sheet.app.remindEvery.rawValue
    for step in DecisionLine(bounds: bounds, decide: { sheet.decide($0) }).steps {
      let decision = step.decision
      let answer = TieredAnswer(decider.situation(of: step.first), systems: systems)
      add(
        Row(
          range: step.range,
          told: Told(
            action: decision.action, target: decision.target?.version.text, targetApp: decision.targetApp,
            url: decision.url, digest: AnswerTable.digest(answer, cadence))))
    }
  }

  /// Adds the next greater versions, merging them into the previous row if they are told the same.
  private mutating func add(_ row: Row) {
    if let last = rows.last, last.told == row.told,
      let whole = VersionRange(from: last.range.lower, to: row.range.upper)
    {
      rows[rows.count - 1] = Row(range: whole, told: row.told)
    } else {
      rows.append(row)
    }
  }

  /// A digest of everything that reaches a client, which does not include the reasons.
  private static func digest(_ answer: TieredAnswer, _ cadence: String) -> String {
    func json(_ decision: Decision) -> JSON {
      let notes = (decision.target?.notes ?? []).map { ($0.locale, JSON.string($0.text)) }
      return [
        "action": .string(decision.action.rawValue), "app": .optional(decision.targetApp),
        "minOS": .optional(decision.target?.minOS?.text), "notes": .object(JSON.Object(notes)),
        "review": .bool(decision.review), "target": .optional(decision.target?.version.text),
        "url": .optional(decision.url),
      ]
    }
    let whole: JSON = [
      "every": .string(cadence),
      "settings": .object(JSON.Object(answer.settings.map { ($0.key, .string($0.value)) })),
      "tiers": .array(answer.tiers.map { ["below": .string($0.below.text), "told": json($0.decision)] }),
      "told": json(answer.decision),
    ]
    return String(SHA256.hexadecimal(of: whole.bytes()).prefix(16))
  }

  /// How an answer to some versions changed.
  package struct Change: Sendable, Equatable {
    package let range: VersionRange
    let before: Told
    let after: Told

    /// The change as a message shows it.
    package var json: JSON {
      [
        "after": .string(after.action.rawValue), "before": .string(before.action.rawValue),
        "target": .optional(after.target), "targetApp": .optional(after.targetApp),
        "url": .optional(after.url),
        "versions": .string(range.text),
      ]
    }
  }

  /// What changed from an earlier table to this one, by ranges, ascending.
  package func changes(since earlier: AnswerTable) -> [Change] {
    guard earlier != self else { return [] }
    let ends = (rows + earlier.rows).flatMap { [$0.range.lower?.version, $0.range.upper?.version] }
    var changes: [Change] = []
    var (old, new) = (0, 0)
    for step in DecisionLine(bounds: Set(ends.compactMap(\.self)), decide: { _ in .unreleased }).steps {
      while old + 1 < earlier.rows.count, !earlier.rows[old].range.contains(step.first) { old += 1 }
      while new + 1 < rows.count, !rows[new].range.contains(step.first) { new += 1 }
      guard old < earlier.rows.count, new < rows.count else { return changes }
      let (before, after) = (earlier.rows[old].told, rows[new].told)
      guard before != after else { continue }
      if let last = changes.last, last.before == before, last.after == after,
        last.range.touches(step.range), let whole = VersionRange(from: last.range.lower, to: step.range.upper)
      {
        changes[changes.count - 1] = Change(range: whole, before: before, after: after)
      } else {
        changes.append(Change(range: step.range, before: before, after: after))
      }
    }
    return changes
  }

  /// The table as it is stored.
  package var json: JSON {
    .array(
      rows.map { row in
        [
          "action": .string(row.told.action.rawValue), "digest": .string(row.told.digest),
          "range": .string(row.range.text), "target": .optional(row.told.target),
          "targetApp": .optional(row.told.targetApp), "url": .optional(row.told.url),
        ]
      })
  }

  /// Reads back what `json` wrote; nil for anything else.
  package init?(json: JSON?) {
    for row in json?.array ?? [] {
      guard let range = row["range"]?.string.flatMap({ try? VersionRange($0) }),
        let action = row["action"]?.string.flatMap(Action.init(rawValue:)), let digest = row["digest"]?.string
      else { return nil }
      rows.append(
        Row(
          range: range,
          told: Told(
            action: action, target: row["target"]?.string, targetApp: row["targetApp"]?.string,
            url: row["url"]?.string, digest: digest)))
    }
    guard !rows.isEmpty else { return nil }
  }
}

extension VersionRange {
  /// Whether another range begins where this one ends.
  fileprivate func touches(_ next: VersionRange) -> Bool {
    guard let end = upper, let start = next.lower else { return false }
    return end.version == start.version
      ? end.isIncluded != start.isIncluded : end.version.next == start.version
  }
}

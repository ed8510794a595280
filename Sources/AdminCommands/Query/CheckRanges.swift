import CommandLineKit
import JSON
import ReleaseModel

/// What every version that could exist is told at a moment, as `check APP` prints it.
struct CheckRanges {
  private let snapshot: Snapshot
  private let moment: Timestamp
  private let head: Int64
  private let usage: Usage?
  private let documented: DocumentedVersions
  /// Greatest versions first.
  private let ranges: [AnswerRange]

  init(_ snapshot: Snapshot, at moment: Timestamp, head: Int64, _ usage: Usage?) {
    (self.snapshot, self.moment, self.head, self.usage) = (snapshot, moment, head, usage)
    documented = DocumentedVersions(snapshot, at: moment)
    ranges = snapshot.ranges(at: moment).reversed()
  }

  var json: JSON {
    let ranges = ranges.map { range in
      var object = snapshot.answer(to: range)
      object["versions"] = .string(range.range.text)
      object["devices"] = .optional(usage?.part(of: range.range).devices)
      object["until"] = .optional(range.until?.text)
      object["noFile"] = .optional(misinformed(range)?.text)
      return JSON.object(object)
    }
    return [
      "app": .string(snapshot.line.app.slug), "at": .string(moment.text), "asOf": .integer(head),
      "ranges": .array(ranges),
    ]
  }

  func table(_ text: @escaping (Timestamp) -> String = { $0.text }) -> Table {
    func older(_ range: AnswerRange) -> String {
      range.answer.tiers.map { "below:\($0.below.text) \(said($0.decision))" }.joined(separator: ", ")
    }
    func settings(_ range: AnswerRange) -> String {
      range.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
    let shown: [(Column, (AnswerRange) -> Cell)?] = [
      ("TOLD", { Cell(said($0.decision), Paint.style(of: $0.decision.action)) }),
      ranges.allSatisfy(\.answer.tiers.isEmpty) ? nil : ("OLDER SYSTEMS", { Cell(older($0)) }),
      ranges.allSatisfy(\.settings.isEmpty) ? nil : ("SETTINGS", { Cell(settings($0)) }),
      ("UNTIL", { Cell($0.until.map(text) ?? "–") }),
      ("BECAUSE", { Cell(snapshot.reason(of: $0.decision, for: $0.range.exactVersion), .dim) }),
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
      columns: ["VERSIONS", .right("KNOWN")] + (usage == nil ? [] : [.right("DEVICES")]) + columns.map(\.0),
      rows: rows.map { row in
        [Cell(row.range.text, .bold), Cell(String(row.count))]
          + (usage.map { [Cell(String($0.part(of: row.range).devices))] } ?? []) + row.cells
      })
  }

  /// The ranges that clients of documents are told otherwise about, in a line; nothing if there are none.
  var misinformed: String { CheckRanges.misinformed(ranges.compactMap(misinformed)) }

  private func misinformed(_ range: AnswerRange) -> VersionRange? {
    documented.misinformed(range.range, told: range.decision.action, range.settings)
  }

  static let withoutFile = "no file: v1 clients are told none, as in review"

  /// What is said beside ranges whose versions have no file; neighbours are one.
  static func misinformed(_ ranges: [VersionRange]) -> String {
    let found = ranges.joined()
    return found.isEmpty ? "" : "\(found.map(\.text).joined(separator: ", ")): \(withoutFile)\n"
  }

  private func said(_ decision: Decision) -> String {
    guard let target = decision.target else { return decision.action.rawValue }
    let app = decision.targetApp == snapshot.line.app.slug ? "" : "\(decision.targetApp ?? "") "
    return "\(decision.action.rawValue) → \(app)\(target.version.text)"
  }
}

import CommandLineKit
import JSON
import ReleaseModel

/// What every version that could exist is told at a moment, as `check APP` prints it.
struct CheckRanges {
  private let snapshot: Snapshot
  private let moment: Timestamp
  /// The head of the ledger that gave the answer.
  private let head: Int64
  private let usage: Usage?
  /// Greatest versions first.
  private let ranges: [AnswerRange]

  init(_ snapshot: Snapshot, at moment: Timestamp, head: Int64, _ usage: Usage?) {
    (self.snapshot, self.moment, self.head, self.usage) = (snapshot, moment, head, usage)
    let known = snapshot.line.knownPositions.map { snapshot.line.releases[$0].version }
    ranges = Schedule(snapshot, from: moment).ranges(at: moment, asksSince: nil, known: known).reversed()
  }

  /// The members of the answer, in the contract's names.
  var json: JSON {
    let ranges = ranges.map { range in
      var object = snapshot.answer(to: range)
      object["versions"] = .string(range.range.text)
      object["devices"] = .optional(usage?.part(of: range.range).devices)
      object["until"] = .optional(range.until?.text)
      return JSON.object(object)
    }
    return [
      "app": .string(snapshot.line.app.slug), "at": .string(moment.text), "asOf": .integer(head),
      "ranges": .array(ranges),
    ]
  }

  /// The ranges as a table, with columns only for what some range has.
  var table: Table {
    let older = ranges.map { range in
      range.answer.tiers.map { "below:\($0.below.text) \(said($0.decision))" }.joined(separator: ", ")
    }
    let settings = ranges.map { range in
      range.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
    let columns: [(Column, [Cell])?] = [
      (Column("VERSIONS"), ranges.map { Cell($0.range.text, .bold) }),
      (Column.right("KNOWN"), ranges.map { Cell(String($0.count)) }),
      usage.map { usage in
        (Column.right("DEVICES"), ranges.map { Cell(String(usage.part(of: $0.range).devices)) })
      },
      (Column("TOLD"), ranges.map { Cell(said($0.decision), Paint.style(of: $0.decision.action)) }),
      older.allSatisfy(\.isEmpty) ? nil : (Column("OLDER SYSTEMS"), older.map { Cell($0) }),
      settings.allSatisfy(\.isEmpty) ? nil : (Column("SETTINGS"), settings.map { Cell($0) }),
      (Column("UNTIL"), ranges.map { Cell($0.until?.text ?? "–") }),
      (
        Column("BECAUSE"),
        ranges.map { Cell(snapshot.reason(of: $0.decision, for: $0.range.exactVersion), .dim) }
      ),
    ]
    let shown = columns.compactMap(\.self)
    return Table(
      columns: shown.map(\.0), rows: ranges.indices.map { row in shown.map { $0.1[row] } })
  }

  /// What a decision tells, in words: `force → 7.4.0`.
  private func said(_ decision: Decision) -> String {
    guard let target = decision.target else { return decision.action.rawValue }
    let app = decision.targetApp == snapshot.line.app.slug ? "" : "\(decision.targetApp ?? "") "
    return "\(decision.action.rawValue) → \(app)\(target.version.text)"
  }
}

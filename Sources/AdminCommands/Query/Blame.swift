import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// Who last changed each field of an app or a release, and what a version is told; as `show --blame` prints it.
enum BlamePage {
  static func print(_ app: String, _ query: Query) throws -> ExitCode {
    _ = try query.ledger.app(app)
    let fields = try query.ledger.blame(app: app)
    return try query.print(["app": .string(app), "fields": .array(fields.map(\.json))]) {
      table(fields, "app", query.context)
    }
  }

  static func print(_ app: String, _ client: Client, limit: Int, _ query: Query) throws -> ExitCode {
    let (ledger, context) = (query.ledger, query.context)
    let told = try ledger.blame(app, client, clock: context.clock(), limit: limit)
    let fields = try ledger.blame(app: app, client.version)
    let answer = CheckAnswer(Decider(told.snapshot, at: told.moment), client, head: told.head.seq)
    return try query.print([
      "app": .string(app), "version": .string(client.version.text), "answer": answer.json,
      "changes": .array(told.changes.map(\.json)), "fields": .array(fields.map(\.json)),
      "asOf": .integer(told.head.seq),
    ]) {
      var text = answer.text(context)
      for change in told.changes { text += "\n" + words(change, context) }
      let shown = fields.map { $0.named(by: told.snapshot.line) }
      return text + (shown.isEmpty ? "" : "\n" + table(shown, "release", context))
    }
  }

  private static func table(_ fields: [FieldBlame], _ title: String, _ context: PawlContext) -> String {
    func short(_ value: JSON) -> String { printable(FieldChange.shown(value, context.zone), limit: 48) }
    let table = Table(
      of: fields.filter { $0.value != .null || $0.was != nil },
      [
        ("FIELD", { Cell(FieldChange.label($0.field)) }), ("IS", { Cell(short($0.value)) }),
        ("WAS", { Cell($0.was.map(short) ?? "–", .dim) }),
        (.right("EVENT"), { Cell(String($0.event.seq), .bold) }),
        ("AT", { Cell(context.zone.text($0.event.at)) }), ("WHO", { Cell(Actor($0.event).text) }),
        ("REASON", { Cell($0.event.reason ?? "", .dim) }),
      ])
    return table.rows.isEmpty ? "No event changed this \(title).\n" : context.rendered(table)
  }

  private static func words(_ change: ToldChange, _ context: PawlContext) -> String {
    var lines: [String]
    if let event = change.event {
      let reason = event.reason.map { ": \($0)" } ?? ""
      lines = [
        "changed by event \(event.seq) at \(context.zone.text(change.at))",
        "  \(Actor(event).text) \(EventText.what(event))\(reason)",
      ]
    } else {
      lines = ["changed on schedule at \(context.zone.text(change.at))"]
      lines += change.causes.map { "  \($0.text), as set by event \($0.event)" }
    }
    return lines.map { printable($0) + "\n" }.joined() + FieldChange.text(change.differences, context)
  }
}

extension FieldBlame {
  /// The field as people read it: a release by its version, where programs get the row's number.
  fileprivate func named(by line: AppState) -> FieldBlame {
    guard field == "supersededBy" else { return self }
    func version(_ row: JSON) -> JSON {
      row.integer.flatMap { id in line.releases.first { $0.id == id } }.map { .string($0.version.text) }
        ?? row
    }
    var named = self
    named.value = version(value)
    named.was = was.map(version)
    return named
  }

  fileprivate var json: JSON {
    [
      "field": .string(field), "value": value, "was": was ?? .null, "first": .bool(was == nil),
      "event": .integer(event.seq), "at": .string(event.at), "kind": .string(event.kind),
      "actor": Actor(event).json, "reason": .optional(event.reason),
    ]
  }
}

extension ToldChange {
  fileprivate var differences: [FieldChange] { FieldChange.all(from: before?.json ?? .null, to: after.json) }

  fileprivate var json: JSON {
    [
      "at": .string(at.text), "event": .optional(event?.seq), "kind": .optional(event?.kind),
      "actor": event.map { Actor($0).json } ?? .null, "reason": .optional(event?.reason),
      "causes": .array(causes.map { ["text": .string($0.text), "event": .integer($0.event)] }),
      "before": before?.json ?? .null, "after": after.json, "changes": .array(differences.map(\.json)),
    ]
  }
}

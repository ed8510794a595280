import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// Who last changed each field of an app or a release, and what a version is told; as `show --blame` prints it.
enum BlamePage {
  static func print(
    _ app: String, _ ledger: Ledger, _ zone: Zone, _ common: CommonOptions, _ context: PawlContext
  )
    throws
  {
    _ = try ledger.app(app)
    let fields = try ledger.blame(app: app)
    try common.print(["app": .string(app), "fields": .array(fields.map(\.json))], context) {
      BlameText.fields(fields, "app", zone, context)
    }
  }

  static func print(
    _ app: String, _ client: Client, limit: Int, _ ledger: Ledger, _ zone: Zone, _ common: CommonOptions,
    _ context: PawlContext
  ) throws {
    let told = try ledger.blame(app, client, clock: context.clock(), limit: limit)
    let fields = try ledger.blame(app: app, client.version)
    let answer = CheckAnswer(
      Decider(told.snapshot, at: told.moment), told.snapshot, client, told.told.decision, locale: nil,
      head: told.head.seq)
    try common.print(
      [
        "app": .string(app), "version": .string(client.version.text), "answer": answer.json,
        "changes": .array(told.changes.map(\.json)), "fields": .array(fields.map(\.json)),
        "asOf": .integer(told.head.seq),
      ], context
    ) {
      var text = answer.text(styles: context.hasStyles)
      for change in told.changes { text += "\n" + BlameText.change(change, zone, context) }
      let shown = fields.map { $0.named(by: told.snapshot.line) }
      if !shown.isEmpty { text += "\n" + BlameText.fields(shown, "release", zone, context) }
      return text
    }
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

private enum BlameText {
  static func fields(_ fields: [FieldBlame], _ title: String, _ zone: Zone, _ context: PawlContext) -> String
  {
    var table = Table(columns: ["FIELD", "IS", "WAS", .right("EVENT"), "AT", "WHO", "REASON"])
    for field in fields where field.value != .null || field.was != nil {
      table.add([
        Cell(FieldChange.label(field.field)), Cell(short(field.value, zone)),
        Cell(field.was.map { short($0, zone) } ?? "–", .dim),
        Cell(String(field.event.seq), .bold), Cell(zone.text(field.event.at)),
        Cell(Actor(field.event).text), Cell(field.event.reason ?? "", .dim),
      ])
    }
    guard !table.rows.isEmpty else { return "No event changed this \(title).\n" }
    return context.rendered(table)
  }

  private static func short(_ value: JSON, _ zone: Zone) -> String {
    printable(FieldChange.shown(value, zone), limit: 48)
  }

  static func change(_ change: ToldChange, _ zone: Zone, _ context: PawlContext) -> String {
    var text = ""
    if let event = change.event {
      let reason = event.reason.map { ": \($0)" } ?? ""
      text = "changed by event \(event.seq) at \(zone.text(change.at))\n"
      text += "  \(Actor(event).text) \(EventText.what(event))\(reason)\n"
    } else {
      text = "changed on schedule at \(zone.text(change.at))\n"
      for cause in change.causes { text += "  \(cause.text), as set by event \(cause.event)\n" }
    }
    let lines = text.split(separator: "\n").map { printable(String($0)) + "\n" }.joined()
    return lines + FieldChange.text(change.differences, zone, context)
  }
}

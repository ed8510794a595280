import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var blame: Command {
    Command(
      "blame", reach: .remote, asks: true,
      summary: "Show who last changed each field, and what a version is told",
      discussion: """
        For an app: each field, and the event that last changed it. For a version: the same for its release, \
        and what its clients are told now, what they were told before, and what made the difference: an \
        event, or time alone, when a hold ends or a rule starts or ends. A change made by time is shown with \
        the event that set the time.
        """,
      examples: [
        .init("pawl blame taxi", "who last changed the policy, the hold, the stop switch"),
        .init("pawl blame taxi 7.3.2", "who changed what 7.3.2 is told, and from what"),
        .init("pawl blame taxi 7.3.2 --limit 10", "the last ten changes"),
      ],
      section: "Record"
    ) {
      (
        .app, .optionalArgument("VERSION", .version, help: "A client's version"),
        .option("--os", "V", .shortVersion, help: "The client's system"),
        .option(
          "--limit", "N", .integer(1...10_000),
          help: "How many of the answer's changes to show; default: 1"),
        .zone, .common
      )
    } run: { context, app, version, os, limit, zone, common in
      try UsageError.demand(version != nil || (os == nil && limit == nil), "--os and --limit need a VERSION")
      let zone = try zone.zone(for: common, context)
      let ledger = try common.open(context)
      guard let version else {
        _ = try ledger.app(app)
        let fields = try ledger.blame(app: app)
        return try common.print(["app": .string(app), "fields": .array(fields.map(\.json))], context) {
          BlameText.fields(fields, "app", zone, context)
        }
      }
      let client = Client(version: version, os: os)
      let told = try ledger.blame(app, client, clock: context.clock(), limit: limit ?? 1)
      let fields = try ledger.blame(app: app, version)
      let answer = CheckAnswer(
        Decider(told.snapshot, at: told.moment), told.snapshot, client, told.told.decision, locale: nil,
        head: told.head.seq)
      return try common.print(
        [
          "app": .string(app), "version": .string(version.text), "answer": answer.json,
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

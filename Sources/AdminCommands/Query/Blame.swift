import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct BlameOptions: Sendable {
  var common = CommonOptions()
  var zone = ZoneOptions()
  var app = ""
  var version: Version?
  var os: Version?
  var limit: Int?
}

extension Command where Context == PawlContext {
  /// Who last changed what.
  static var blame: Command {
    Command(
      "blame", summary: "Say who last changed each field, and what a version is told",
      discussion: """
        For an app: each field, the event that last changed it, and from what. For a version: the same of its release, \
        and what clients of that version are told now, what they were told before, and the event or the moment that \
        made the difference. An answer also changes by time alone, when a hold ends or a rule starts or ends; it is \
        then named with the event that had set the moment.
        """,
      examples: [
        .init("pawl blame taxi", "who last changed the policy, the hold, the stop switch"),
        .init("pawl blame taxi 7.3.2", "who changed what 7.3.2 is told, and from what"),
        .init("pawl blame taxi 7.3.2 --limit 10", "the last ten changes of it"),
      ],
      section: "Record", options: { BlameOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app") { $0.app = $1 },
          .argument("VERSION", .version, help: "A client's version", required: false) { $0.version = $1 },
          .option("--os", "V", .shortVersion, help: "The client's system") { $0.os = $1 },
          .option(
            "--limit", "N", .integer(1...10_000), help: "So many changes of what the version is told (else 1)"
          ) { $0.limit = $1 },
        ] + ZoneOptions.parameters.pulled(\.zone) + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      guard options.version != nil || (options.os == nil && options.limit == nil) else {
        throw UsageError(message: "--os and --limit are about what a version is told, and none is named")
      }
      let zone = try options.zone.zone(context)
      let ledger = try options.common.open(context)
      defer { ledger.close() }
      guard let version = options.version else {
        _ = try ledger.app(options.app)
        let fields = try ledger.blame(app: options.app)
        let json: JSON = ["app": .string(options.app), "fields": .array(fields.map(\.json))]
        try context.print(
          options.common.isJSON ? json.text() + "\n" : BlameText.fields(fields, "app", zone, context))
        return .success
      }
      let client = Client(version: version, os: options.os)
      let told = try ledger.blame(options.app, client, clock: context.clock(), limit: options.limit ?? 1)
      let fields = try ledger.blame(app: options.app, version)
      let decider = Decider(told.snapshot, at: told.moment)
      let answer = CheckAnswer(
        decider, told.snapshot, client, told.told.decision, locale: nil, head: told.head.seq)
      if options.common.isJSON {
        let json: JSON = [
          "app": .string(options.app), "version": .string(version.text), "answer": answer.json,
          "changes": .array(told.changes.map(\.json)), "fields": .array(fields.map(\.json)),
          "asOf": .integer(told.head.seq),
        ]
        try context.print(json.text() + "\n")
        return .success
      }
      var text = answer.text(at: nil, styles: context.hasStyles)
      for change in told.changes { text += "\n" + BlameText.change(change, zone, context) }
      if !fields.isEmpty { text += "\n" + BlameText.fields(fields, "release", zone, context) }
      try context.print(text)
      return .success
    }
  }
}

extension FieldBlame {
  fileprivate var json: JSON {
    [
      "field": .string(field), "value": value, "was": was ?? .null, "first": .bool(was == nil),
      "event": .integer(event.seq), "at": .string(event.at), "kind": .string(event.kind),
      "actor": event.json["actor"] ?? .null, "reason": .optional(event.reason),
    ]
  }
}

extension ToldChange {
  /// The fields in which the answers differ.
  fileprivate var differences: [FieldChange] { FieldChange.all(from: before?.json ?? .null, to: after.json) }

  fileprivate var json: JSON {
    [
      "at": .string(at.text), "event": .optional(event?.seq), "kind": .optional(event?.kind),
      "actor": event?.json["actor"] ?? .null, "reason": .optional(event?.reason),
      "causes": .array(causes.map { ["text": .string($0.text), "event": .integer($0.event)] }),
      "before": before?.json ?? .null, "after": after.json, "changes": .array(differences.map(\.json)),
    ]
  }
}

/// Blame in words.
private enum BlameText {
  /// The fields that say something, or said something else before.
  static func fields(_ fields: [FieldBlame], _ title: String, _ zone: Zone, _ context: PawlContext) -> String
  {
    var table = Table(columns: [
      Column("FIELD"), Column("IS"), Column("WAS"), Column("EVENT", .right), Column("AT"), Column("WHO"),
      Column("REASON"),
    ])
    for field in fields where field.value != .null || field.was != nil {
      table.add([
        Cell(field.field), Cell(short(field.value, zone)),
        Cell(field.was.map { short($0, zone) } ?? "", .dim),
        Cell(String(field.event.seq), .bold), Cell(zone.text(field.event.at)),
        Cell(EventText.who(field.event.json)), Cell(field.event.reason ?? "", .dim),
      ])
    }
    guard !table.rows.isEmpty else { return "No event tells of this \(title).\n" }
    return context.rendered(table)
  }

  private static func short(_ value: JSON, _ zone: Zone) -> String {
    printable(FieldChange.shown(value, zone), limit: 48)
  }

  /// One change of what is told, with who or what made it.
  static func change(_ change: ToldChange, _ zone: Zone, _ context: PawlContext) -> String {
    var text = ""
    if let event = change.event {
      let reason = event.reason.map { ": \($0)" } ?? ""
      text = "changed by event \(event.seq) at \(zone.text(change.at))\n"
      text += "  \(EventText.who(event.json)) \(EventText.what(event.json))\(reason)\n"
    } else {
      text = "changed by itself at \(zone.text(change.at))\n"
      for cause in change.causes { text += "  \(cause.text), as event \(cause.event) had set it\n" }
    }
    let lines = text.split(separator: "\n").map { printable(String($0)) + "\n" }.joined()
    return lines + FieldChange.text(change.differences, zone, context)
  }
}

import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct HistoryOptions: Sendable {
  var common = CommonOptions()
  var filter = HistoryFilter()
  var since: TimeArgument?
  var until: TimeArgument?
}

private struct ShowEventOptions: Sendable {
  var common = CommonOptions()
  var seq: Int64 = 0
}

extension Command where Context == PawlContext {
  /// The past, newest first.
  static var history: Command {
    Command(
      "history", summary: "Show the past, newest first",
      examples: [
        .init("pawl history taxi --limit 5", "the last five changes"),
        .init("pawl history --since 7d --by release-bot", "what one name did this week"),
      ],
      section: "Record", options: { HistoryOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "One app only", required: false) { $0.filter.app = $1 },
          .option("--version", "V", .version, help: "One version only") { $0.filter.version = $1 },
          .option("--since", "TIME", .time, help: "From a moment on, or as long ago as 7d") { $0.since = $1 },
          .option("--until", "TIME", .time, help: "Before a moment, or longer ago than 7d") { $0.until = $1 },
          .option("--by", "NAME", .line, help: "One user or claimed name only") { $0.filter.by = $1 },
          .option("--kind", "K", .eventKind, help: "One kind only, such as release or release.mark") {
            $0.filter.kind = $1
          },
          .option("--limit", "N", .integer(1...Int.max), help: "At the most so many") {
            $0.filter.limit = $1
          },
        ] + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let ledger = try options.common.open(context)
      let (events, head) = try ledger.snapshotting {
        let now = try ledger.now(clock: context.clock())
        var filter = options.filter
        filter.since = options.since?.ago(from: now)
        filter.until = options.until?.ago(from: now)
        if let app = filter.app { _ = try ledger.app(app) }
        return (try ledger.history(filter), try ledger.head())
      }
      ledger.close()
      if options.common.isJSON {
        let json: JSON = ["events": .array(events.map(\.json)), "head": head.json]
        try context.print(json.text() + "\n")
        return .success
      }
      guard !events.isEmpty else {
        context.note("No events.\n")
        return .success
      }
      var table = Table(columns: [
        Column("EVENT", .right), Column("AT"), Column("WHO"), Column("WHAT"), Column("REASON"),
      ])
      for event in events {
        let json = event.json
        table.add([
          Cell(String(event.seq), .bold), Cell(event.at), Cell(EventText.who(json)),
          Cell(EventText.what(json)),
          Cell(event.reason ?? "", .dim),
        ])
      }
      try context.print(
        table.render(width: context.isOutputTerminal ? context.width : nil, styles: context.hasStyles))
      return .success
    }
  }

  /// One event.
  static var show: Command {
    Command(
      "show", summary: "Show one event: who, when, why, and what was before and after",
      examples: [.init("pawl show 12", "the twelfth event")],
      section: "Record", options: { ShowEventOptions() },
      parameters: {
        [.argument("SEQ", .integer(1...Int.max), help: "The event's number") { $0.seq = Int64($1) }]
          + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let event = try options.common.open(context).event(options.seq)
      if options.common.isJSON {
        try context.print(event.json.text() + "\n")
        return .success
      }
      try context.print(EventText.page(event.json, context))
      return .success
    }
  }
}

extension ValueType where Value == String {
  /// A kind of event, or what stands before the point of several.
  fileprivate static var eventKind: Self {
    ValueType(completion: .values) { text throws(ValueError) in
      let groups = Change.kinds.compactMap { $0.split(separator: ".").first.map(String.init) }
      guard Change.kinds.contains(text) || groups.contains(text) else {
        throw ValueError(
          "there is no such kind of event",
          hint: closest(to: text, among: Change.kinds + Set(groups)).map { "did you mean '\($0)'?" }
            ?? "such as release, release.mark, rule or app.set")
      }
      return text
    }
  }
}

/// An event in words.
enum EventText {
  static func who(_ event: JSON) -> String {
    let user = "\(event["actor"]?["user"]?.string ?? "?")@\(event["actor"]?["host"]?.string ?? "?")"
    guard let claimed = event["actor"]?["claimed"]?.string else { return user }
    return "\(claimed) (\(user))"
  }

  static func what(_ event: JSON) -> String {
    let kind = event["kind"]?.string ?? ""
    let app = event["app"]?.string ?? ""
    let version = event["version"]?.string ?? ""
    let before = event["before"]?["state"]?.string
    let after = event["after"]?["state"]?.string
    switch kind {
    case "ledger.init": return "made the ledger"
    case "app.add": return "added app \(app)"
    case "app.set": return "changed app \(app)"
    case "release.publish": return "published \(app) \(version)"
    case "release.import": return "imported \(app) \(version)"
    case "release.amend": return "amended \(app) \(version)"
    case "release.mark":
      guard let before, let after, before != after else { return "ended the hold of \(app) \(version)" }
      let other = event["after"]?["superseded"]?.string.map { ", superseding \($0)" } ?? ""
      return "marked \(app) \(version) \(before) → \(after)\(other)"
    case "release.unmark":
      let other = event["after"]?["restored"]?.string.map { ", \($0) live again" } ?? ""
      return "took back \(app) \(version) → \(after ?? "")\(other)"
    case "release.void": return "struck out \(app) \(version)"
    case "app.stop": return "stopped \(app)"
    case "app.resume": return "resumed \(app)"
    case "rule.force", "rule.remind", "rule.none": return "made \(RuleText.line(event["after"] ?? .null))"
    case "rule.lift": return "lifted \(RuleText.line(event["before"] ?? .null))"
    case "rule.restore": return "gave back \(RuleText.line(event["after"] ?? .null))"
    case "redirect.set": return "redirected \(app) \(place(event["after"] ?? .null))"
    case "redirect.clear": return "cleared the redirect of \(app) \(event["before"]?["range"]?.string ?? "")"
    case "setting.set":
      let setting = event["after"] ?? .null
      return "set \(app) \(setting["key"]?.string ?? "") for \(setting["range"]?.string ?? "")"
    case "setting.clear": return "cleared \(app) \(event["before"]?["key"]?.string ?? "")"
    case "evidence.add", "evidence.settle":
      let evidence = event["after"] ?? .null
      let reason = evidence["reason"]?.string.map { ": \($0)" } ?? ""
      return
        "\(evidence["outcome"]?.string ?? "") \(evidence["kind"]?.string ?? "") \(evidence["id"]?.integer ?? 0)\(reason)"
    case "trust.add":
      return "trusts \(trusted(event["after"] ?? .null))"
    case "trust.remove": return "no longer trusts \(trusted(event["before"] ?? .null))"
    case "request": return "nothing, as a request asked again"
    default: return "\(kind) \(app) \(version)"
    }
  }

  private static func trusted(_ trust: JSON) -> String {
    let selector = trust["selector"]?.string.map { " selector \($0)" } ?? ""
    return "\(trust["kind"]?.string ?? "") \(trust["value"]?.string ?? "")\(selector)"
  }

  private static func place(_ redirect: JSON) -> String {
    "\(redirect["range"]?.string ?? "") to \(redirect["to"]?.string ?? redirect["url"]?.string ?? "")"
  }

  static func page(_ event: JSON, _ context: PawlContext) -> String {
    var table = Table(columns: [Column(""), Column("")])
    func add(_ label: String, _ text: String?) {
      if let text { table.add([Cell(label, .dim), Cell(text)]) }
    }
    add("event", event["seq"]?.integer.map { String($0) })
    add("at", event["at"]?.string)
    add("who", who(event))
    add("what", what(event))
    add("reason", event["reason"]?.string)
    add("request id", event["requestId"]?.string)
    add("hash", event["hash"]?.string)
    let changes = differences(event["before"] ?? .null, event["after"] ?? .null, context)
    let impact = Preview.text(event["impact"]?.array ?? [], context)
    return table.render(styles: context.hasStyles) + (changes.isEmpty ? "" : "\n" + changes) + impact
  }

  /// What differs, a line a field.
  private static func differences(_ before: JSON, _ after: JSON, _ context: PawlContext) -> String {
    let keys = Set((before.object?.members ?? []).map(\.key) + (after.object?.members ?? []).map(\.key))
    var table = Table(columns: [Column("FIELD"), Column("BEFORE"), Column("AFTER")])
    for key in keys.sorted() {
      let (old, new) = (before[key] ?? .null, after[key] ?? .null)
      guard old != new else { continue }
      table.add([Cell(key), Cell(shown(old), .red), Cell(shown(new), .green)])
    }
    return table.rows.isEmpty ? "" : table.render(styles: context.hasStyles)
  }

  private static func shown(_ value: JSON) -> String {
    switch value {
    case .null: "–"
    case .string(let text): text
    default: value.text()
    }
  }
}

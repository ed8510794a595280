import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var history: Command {
    .query(
      "history", isList: true, summary: "Show recorded events, newest first",
      discussion: """
        An event is shown if it meets all conditions. On a terminal the newest 50 are shown, unless --limit says otherwise.
        """,
      examples: [
        .init("pawl history taxi --limit 5", "the last five changes"),
        .init("pawl history --since 7d --by release-bot", "what one name did this week"),
      ]
    ) {
      (
        .oneApp,
        .option(
          "--version", "V", .version,
          help: "One version, with the rules, redirects and settings that apply to it"),
        .option("--since", "TIME", .time(.since), help: "From this time on, or from a span ago (7d)"),
        .option(
          "--until", "TIME", .time(.upTo),
          help: "Before a time, the end of a date, or a span ago (7d)"),
        .option("--by", "NAME", .line, help: "One user, claimed name or principal only"),
        .option("--kind", "K", .eventKind, help: "One kind only, such as release or release.mark"),
        .option("--limit", "N", .integer(1...Int.max), help: "At most this many")
      )
    } run: { query, app, version, since, until, by, kind, limit in
      let (context, ledger) = (query.context, query.ledger)
      let head = try ledger.head()
      let now = try ledger.now(clock: context.clock())
      // Leave out what is recorded while this runs, so that the events match the head in the answer.
      var filter = HistoryFilter(app: app, kind: kind, last: head.seq, limit: limit)
      (filter.version, filter.by) = (version, by)
      filter.since = try since?.moment(now: now, query.zone, context)
      filter.until = try until?.moment(now: now, query.zone, context)
      // An app that was struck out still has a past.
      if let app, try ledger.history(HistoryFilter(app: app, limit: 1)).isEmpty {
        _ = try ledger.app(app)
      }
      guard query.common.isJSON else { return try printTable(ledger, filter, context) }
      try context.printing { write in
        try write("{\"events\":[")
        var separator = ""
        try ledger.eachEvent(filter) { event in
          try write(separator + event.json.text())
          separator = ","
          return true
        }
        // Members are sorted by name, as in every answer.
        let window = [("since", filter.since), ("until", filter.until)].compactMap { name, moment in
          moment.map { ",\"\(name)\":\"\($0.text)\"" }
        }
        try write("],\"head\":\(head.json.text())\(window.joined())}\n")
      }
      return .success
    }
  }

  private static func printTable(
    _ ledger: Ledger, _ filter: HistoryFilter, _ context: PawlContext
  ) throws -> ExitCode {
    var filter = filter
    let most = context.lineWidth == nil || filter.limit != nil ? nil : 50
    // One more shows whether there are others.
    if let most { filter.limit = most + 1 }
    let found = try ledger.history(filter)
    let events = found.prefix(most ?? .max)
    let window = [("from", filter.since), ("before", filter.until)].compactMap { word, moment in
      moment.map { " \(word) \(context.zone.text($0))" }
    }.joined()
    if !window.isEmpty { context.note("Events\(window):\n") }
    guard !events.isEmpty else {
      context.note("No events.\n")
      return .success
    }
    let rows = events.map { EventText.row($0, context.zone, isWhole: context.lineWidth == nil) }
    try context.print(context.page(context.table(EventText.columns, rows)))
    if found.count > events.count {
      context.note("These are the newest \(events.count); --limit N shows more.\n")
    }
    return .success
  }
}

extension ValueType where Value == String {
  fileprivate static var eventKind: Self {
    ValueType(completion: .live(.eventKind)) { text throws(UsageError) in
      let groups = EventKind.names.compactMap { $0.split(separator: ".").first.map(String.init) }
      guard EventKind.names.contains(text) || groups.contains(text) else {
        throw UsageError(
          "usage.invalid-value/event-kind",
          hint: didYouMean(
            EventKind.names.first { $0.hasSuffix("." + text) }
              ?? closest(to: text, among: EventKind.names + Set(groups))))
      }
      return text
    }
  }
}

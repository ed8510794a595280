import CSV
import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct HistoryOptions: Sendable {
  var common = CommonOptions()
  var zone = ZoneOptions()
  var filter = HistoryFilter()
  var since: TimeArgument?
  var until: TimeArgument?
  var isCSV = false
}

extension Command where Context == PawlContext {
  /// The past, newest first.
  static var history: Command {
    Command(
      "history", summary: "Show the past, newest first",
      discussion: """
        With --csv as a table for spreadsheets (RFC 4180, a header line), with --json as one object. Conditions are \
        joined: an event is shown if all hold. --zone changes what people read, tables and CSV; JSON is always UTC.
        """,
      examples: [
        .init("pawl history taxi --limit 5", "the last five changes"),
        .init("pawl history --since 7d --by release-bot", "what one name did this week"),
        .init("pawl history --from-seq 100 --to-seq 199", "a hundred events by their numbers"),
        .init("pawl history taxi --zone Europe/Berlin --csv > taxi.csv", "a table for the auditor"),
      ],
      section: "Record", options: { HistoryOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "One app only", required: false) { $0.filter.app = $1 },
          .option("--version", "V", .version, help: "One version only") { $0.filter.version = $1 },
          .option("--since", "TIME", .time, help: "From a moment on, or as long ago as 7d") { $0.since = $1 },
          .option("--until", "TIME", .time, help: "Before a moment, or longer ago than 7d") { $0.until = $1 },
          .option(
            "--from-seq", "SEQ", .integer(1...Int.max).offering(.live(.event)), help: "From this event on"
          ) {
            $0.filter.first = Int64($1)
          },
          .option("--to-seq", "SEQ", .integer(1...Int.max).offering(.live(.event)), help: "Up to this event")
          {
            $0.filter.last = Int64($1)
          },
          .option("--by", "NAME", .line, help: "One user, claimed name or principal only") {
            $0.filter.by = $1
          },
          .option("--kind", "K", .eventKind, help: "One kind only, such as release or release.mark") {
            $0.filter.kind = $1
          },
          .option("--reason", "TEXT", .line, help: "Whose reason has this text in it, in capitals or not") {
            $0.filter.reason = $1
          },
          .option("--evidence", "N", .integer(1...Int.max), help: "What relies on, or is about, one evidence")
          {
            $0.filter.evidence = Int64($1)
          },
          .option("--request-id", "ID", .line, help: "The event of one request") { $0.filter.requestID = $1 },
          .option("--limit", "N", .integer(1...Int.max), help: "At the most so many") {
            $0.filter.limit = $1
          },
          .flag("--csv", help: "Print a table for spreadsheets", incidental: true) { $0.isCSV = true },
        ] + ZoneOptions.parameters.pulled(\.zone) + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      guard !options.isCSV || !options.common.isJSON else {
        throw UsageError(message: "--csv and --json exclude each other")
      }
      let zone = try options.zone.zone(context)
      let ledger = try options.common.open(context)
      defer { ledger.close() }
      let head = try ledger.head()
      let now = try ledger.now(clock: context.clock())
      var filter = options.filter
      filter.since = options.since?.ago(from: now)
      filter.until = options.until?.ago(from: now)
      // What is recorded while this runs is not in it: it goes with the head it names.
      filter.last = min(filter.last ?? head.seq, head.seq)
      if let app = filter.app { _ = try ledger.app(app) }
      if options.common.isJSON {
        try printJSON(ledger, filter, head, context)
      } else if options.isCSV {
        var out = OutputChunks(context)
        try out.add(EventCSV.header)
        try ledger.eachEvent(filter) { event in
          try out.add(EventCSV.line(event, zone))
          return true
        }
        try out.end("")
      } else {
        try printTable(ledger, filter, zone, context)
      }
      return .success
    }
  }

  private static func printJSON(
    _ ledger: Ledger, _ filter: HistoryFilter, _ head: Head, _ context: PawlContext
  ) throws {
    var out = OutputChunks(context)
    try out.add("{\"events\":[")
    var separator = ""
    try ledger.eachEvent(filter) { event in
      try out.add(separator + event.json.text())
      separator = ","
      return true
    }
    try out.end("],\"head\":\(head.json.text())}\n")
  }

  private static func printTable(
    _ ledger: Ledger, _ filter: HistoryFilter, _ zone: Zone, _ context: PawlContext
  ) throws {
    var table = Table(columns: [
      Column("EVENT", .right), Column("AT"), Column("WHO"), Column("WHAT"), Column("REASON"),
    ])
    try ledger.eachEvent(filter) { event in
      let json = event.json
      table.add([
        Cell(String(event.seq), .bold), Cell(zone.text(event.at)), Cell(EventText.who(json)),
        Cell(EventText.what(json)),
        Cell(event.reason ?? "", .dim),
      ])
      return true
    }
    guard !table.rows.isEmpty else {
      context.note("No events.\n")
      return
    }
    try context.print(
      context.rendered(table))
  }
}

/// Output that is written in pieces of some size, so that a long past is not held in memory.
private struct OutputChunks {
  private let context: PawlContext
  private var waiting = ""

  init(_ context: PawlContext) { self.context = context }

  mutating func add(_ text: String) throws {
    waiting += text
    if waiting.utf8.count >= 1 << 18 { try flush() }
  }

  /// Writes the last piece.
  mutating func end(_ text: String) throws {
    waiting += text
    try flush()
  }

  private mutating func flush() throws {
    guard !waiting.isEmpty else { return }
    try context.print(waiting)
    waiting = ""
  }
}

extension ValueType where Value == String {
  /// A kind of event, or what stands before the point of several.
  fileprivate static var eventKind: Self {
    ValueType(completion: .live(.eventKind)) { text throws(ValueError) in
      let groups = EventKind.names.compactMap { $0.split(separator: ".").first.map(String.init) }
      guard EventKind.names.contains(text) || groups.contains(text) else {
        throw ValueError(
          "there is no such kind of event",
          hint: closest(to: text, among: EventKind.names + Set(groups)).map { "did you mean '\($0)'?" }
            ?? "such as release, release.mark, rule or app.set")
      }
      return text
    }
  }
}

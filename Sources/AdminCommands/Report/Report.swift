import CommandLineKit
import HTMLReport
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var reportPage: Command {
    Command(
      "report", reach: .remote, summary: "Write an HTML report for a person or an auditor",
      discussion: """
        One self-contained file: what is live, whom it forces, what changed in a period, and the ledger's head with how \
        to check it; then of each app who is told what, its rules, releases and settings; then the history. It replaces \
        only a report of the same ledger. Its times are in UTC; --zone is for those that you give.
        """,
      examples: [
        .init("pawl report report.html", "all apps, with the newest 1,000 events"),
        .init("pawl report taxi.html --app taxi --since 2026-10-01 --until 2026-12-31", "one app's quarter"),
      ]
    ) {
      (
        .argument("FILE", .newFile.naming(.host), help: "Where to write the report"),
        .options("--app", "APP", .slug, help: "One app only"),
        .option("--since", "TIME", .time(.since), help: "History from this time on, or from a span ago (7d)"),
        .option(
          "--until", "TIME", .time(.upTo),
          help: "History before a time, the end of a date, or a span ago (7d)"),
        .option("--limit", "N", .integer(1...100_000), help: "At most this many events; default: 1000"),
        .zone, .common
      )
    } run: { context, file, apps, since, until, limit, zone, common in
      try Directory.checkWay(to: file)
      let ledger = try common.open(context)
      let report = try ledger.snapshotting {
        let now = try ledger.now(clock: context.clock())
        return Report(
          ledger: try ledger.name(), apps: apps, head: try ledger.head(), at: now,
          sections: try (apps.isEmpty ? ledger.apps().map(\.slug) : Set(apps).sorted()).map {
            try AppSection(ledger.snapshot($0), ledger, at: now)
          })
      }
      var filter = HistoryFilter(last: report.head.seq)
      filter.since = try since?.moment(now: report.at, zone, context)
      filter.until = try until?.moment(now: report.at, zone, context)
      let (page, events) = try report.page(ledger, filter, limit: limit ?? 1_000)
      try publish(page, as: file, ofLedger: report.ledger)
      let json: JSON = [
        "apps": report.sections.map(\.app.slug).json, "at": .string(report.at.text),
        "events": .integer(Int64(events)),
        "file": .string(file), "head": report.head.json,
      ]
      return try common.print(json, context) {
        "Wrote '\(printable(file))': \(events) events of \(report.sections.count == 1 ? "one app" : "\(report.sections.count) apps").\n"
      }
    }
  }

  /// Puts a page in place by rename, unless something else than a report of the same ledger is there.
  private static func publish(_ page: ReportPage, as file: String, ofLedger ledger: String) throws {
    do {
      let start = try readPlainPrefix(file, limit: ReportPage.markLength)
      guard let start, ReportPage.isPage(start, ofLedger: ledger) else {
        throw CommandFailure("export.foreign/report", details: ["file": .string(file)])
      }
    } catch let error as SystemError where error.isMissing {}
    try publishFile(page.bytes, as: file, rights: Ledger.rights, replaces: true)
  }
}

/// What the page says of one app.
private struct AppSection {
  let board: Board
  let tables: [(caption: String, table: Table)]

  var app: App { board.line.app }

  init(_ snapshot: Snapshot, _ ledger: Ledger, at now: Timestamp) throws {
    let (line, slug, head) = (snapshot.line, snapshot.line.app.slug, try ledger.head().seq)
    board = try Board(snapshot, inbox: [], ledger, now: now)
    let told = CheckRanges(snapshot, at: now, head: head, try ledger.usage(of: slug, upTo: head))
    let all: [(String, Table)] = [
      ("Who is told what", told.table(Report.text)),
      ("Rules", ListedRule.table(try ListedRule.all(of: snapshot, ledger, at: now), Report.text)),
      ("Redirects", Owned.table(line.redirects.map { $0.of(slug) }, Report.text)),
      ("Releases, newest first", Owned.table(line.newestFirst, isOfOneApp: true, Report.text)),
      ("Settings for clients", Owned.table(line.settings.map { $0.of(slug) }, Report.text)),
      ("The app's own settings", line.app.facts()),
    ]
    // The section is about one app.
    tables = all.map { caption, table in (caption, table.columns { table.columns[$0].title != "APP" }) }
  }

  /// What is live, and since when; a release whose hold runs is not what clients are told of.
  var live: String {
    guard let live = board.line.live else { return "nothing" }
    let hold = live.isHeld(at: board.now) ? live.visibleAt.map { ", on hold until \(Report.text($0))" } : nil
    return "\(live.version.text) since \(Report.text(live.liveAt ?? live.since))\(hold ?? "")"
  }

  var goTo: String {
    board.destination ?? "no prompts: \(Timestamp.minutes(in: board.whyNowhere))"
  }

  /// Whom the app forces now, and at the end of each hold that changes that.
  var forced: String {
    func words(_ forced: Forced) -> String {
      forced.ranges.isEmpty ? "nobody" : forced.ranges.map(\.text).joined(separator: ", ")
    }
    let now = board.forced.first
    let later = board.forced.dropFirst().filter { $0.ranges != now?.ranges }
      .map { "; from \(Report.text($0.at)) \(words($0))" }
    return (now.map(words) ?? "nobody") + later.joined()
  }

  /// How many devices are forced now, of all that were counted; empty if no one counted.
  var devices: String {
    guard let usage = board.usage?.usage, let forced = board.forced.first?.devices else { return "" }
    let part = usage.part(forced)
    return "\(count(part.devices)) of \(count(usage.total)) (\(part.shareText))"
  }

  private func count(_ devices: Int64) -> String { grouped(Int(clamping: devices)) }
}

private struct Report {
  /// The ledger's id.
  let ledger: String
  /// The apps that were asked for; empty for all.
  let apps: [String]
  let head: Head
  let at: Timestamp
  let sections: [AppSection]

  /// A moment on the page, to the minute in UTC.
  static func text(_ moment: Timestamp) -> String { Timestamp.minutes(of: moment.text) ?? moment.text }

  func page(_ ledger: Ledger, _ filter: HistoryFilter, limit: Int) throws -> (ReportPage, events: Int) {
    var events: [EventRecord] = []
    var hasMore = false
    try ledger.eachEvent(filter) { event in
      guard apps.isEmpty || event.app.map(apps.contains) == true else { return true }
      hasMore = events.count == limit
      if !hasMore { events.append(event) }
      return !hasMore
    }
    let start = filter.since.map { " from \(Report.text($0))" } ?? ""
    let end = filter.until.map { " before \(Report.text($0))" } ?? ""
    let period = "\(hasMore ? "The newest " : "")\(grouped(events.count, "event"))\(start)\(end)"
    var page = ReportPage(
      ledger: self.ledger, title: "Release report",
      lead: """
        <p>As of \(Report.text(at)), after event \(head.seq) of ledger <code>\(self.ledger)</code>. Made by pawl \
        \(AdminCommands.version). All times are UTC.</p>

        """)
    page.begin("At a glance", id: "glance")
    page.add("What is live, and whom it forces", glance(events))
    page.add("What changed: \(period)", changes(events))
    page.add(
      """
      <p>The record ends with event \(head.seq), whose hash is <code>\(head.hash)</code>. This command exits with 0 \
      while the ledger is intact and still contains that record:</p>
      <p><code>pawl verify --head \(head.seq):\(head.hash)</code></p>

      """)
    for section in sections {
      page.begin(section.title, id: "app-\(section.app.slug)")
      if let silence = section.app.silence { page.add("<p class=\"red\">\(silence): no prompts</p>\n") }
      for (caption, table) in section.tables { page.add(caption, table) }
    }
    page.begin("History", id: "history")
    page.add(
      period,
      Table(
        columns: EventText.columns,
        rows: events.map { event in
          EventText.row(event, .utc, isWhole: true).enumerated().map { place, cell in
            // What people wrote stays as it is.
            place < 4 ? Cell(Timestamp.minutes(in: cell.text), cell.style) : cell
          }
        }))
    return (page, events.count)
  }

  private func glance(_ events: [EventRecord]) -> Table {
    Table(
      of: sections,
      [
        ("APP", { Cell($0.title) }), ("LIVE", { Cell($0.live) }),
        ("CLIENTS GO TO", { Cell($0.goTo, $0.board.lead == nil ? .yellow : .plain) }),
        (
          "FORCED TO UPDATE",
          { Cell($0.forced, $0.board.forced.first?.ranges.isEmpty == false ? .red : .plain) }
        ),
        (.right("DEVICES FORCED"), { Cell($0.devices) }),
        (
          .right("EVENTS"),
          { section in Cell(grouped(events.reduce(0) { $0 + ($1.app == section.app.slug ? 1 : 0) })) }
        ),
      ])
  }

  /// How many events there are about each kind of thing, what they did and who made them, the most frequent first.
  private func changes(_ events: [EventRecord]) -> Table {
    func counted(_ events: [EventRecord], _ name: (EventRecord) -> Substring) -> [(
      key: String, value: [EventRecord]
    )] {
      Dictionary(grouping: events) { String(name($0)) }.sorted {
        ($1.value.count, $0.key) < ($0.value.count, $1.key)
      }
    }
    func did(_ event: EventRecord) -> Substring { event.kind.drop { $0 != "." }.dropFirst() }
    return Table(
      of: counted(events) { $0.kind.prefix { $0 != "." } },
      [
        ("ABOUT", { Cell($0.key) }), (.right("EVENTS"), { Cell(grouped($0.value.count)) }),
        (
          "WHAT",
          { about in
            Cell(
              counted(about.value, did).map { "\(grouped($0.value.count)) \($0.key)" }.joined(separator: ", ")
            )
          }
        ),
        ("BY", { Cell(Set($0.value.map { Actor($0).shortText }).sorted().joined(separator: ", ")) }),
        ("LAST", { Cell(($0.value.first?.at).map { Timestamp.minutes(of: $0) ?? $0 } ?? "") }),
      ])
  }
}

extension AppSection {
  /// The app's name with its slug, or the slug alone.
  fileprivate var title: String { app.name.map { "\($0) (\(app.slug))" } ?? app.slug }
}

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
        One self-contained file: the apps, their releases with times, who is told what, rules, redirects and \
        settings, the history of a period, and the ledger's head with how to check it. It replaces only a \
        report of the same ledger. All times are UTC.
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
        .zoneOfTimes, .common
      )
    } run: { context, file, apps, since, until, limit, zone, common in
      try Directory.checkWay(to: file)
      let ledger = try common.open(context)
      let report = try ledger.snapshotting {
        let now = try ledger.now(clock: context.clock())
        return Report(
          ledger: try ledger.name(), apps: apps, head: try ledger.head(), at: now,
          sections: try (apps.isEmpty ? ledger.apps().map(\.slug) : apps).map {
            try appSection(ledger.snapshot($0), ledger, at: now)
          })
      }
      var filter = HistoryFilter(last: report.head.seq)
      filter.since = try since?.moment(now: report.at, zone, context)
      filter.until = try until?.moment(now: report.at, zone, context)
      let (page, events) = try report.page(ledger, filter, limit: limit ?? 1_000, context)
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

private typealias AppSection = (app: App, tables: [(caption: String, table: Table)])

private func appSection(_ snapshot: Snapshot, _ ledger: Ledger, at now: Timestamp) throws -> AppSection {
  let (line, slug, head) = (snapshot.line, snapshot.line.app.slug, try ledger.head().seq)
  let told = CheckRanges(snapshot, at: now, head: head, try ledger.usage(of: slug, upTo: head))
  return (
    line.app,
    [
      ("The app", line.app.facts()), ("Who is told what", told.table()),
      ("Releases, newest first", Owned.table(line.newestFirst, isOfOneApp: true)),
      ("Rules", ListedRule.table(try ListedRule.all(of: snapshot, ledger, at: now))),
      ("Redirects", Owned.table(line.redirects.map { $0.of(slug) })),
      ("Settings", Owned.table(line.settings.map { $0.of(slug) })),
    ]
  )
}

private struct Report {
  /// The ledger's id.
  let ledger: String
  /// The apps that were asked for; empty for all.
  let apps: [String]
  let head: Head
  let at: Timestamp
  let sections: [AppSection]

  func page(
    _ ledger: Ledger, _ filter: HistoryFilter, limit: Int, _ context: PawlContext
  ) throws -> (ReportPage, events: Int) {
    var page = ReportPage(
      ledger: self.ledger, title: "Release report",
      lead: """
        <p>As of \(at.text), after event \(head.seq) of ledger <code>\(self.ledger)</code>. Made by pawl \
        \(AdminCommands.version).</p>

        """)
    for section in sections {
      let silence: Markup = section.app.silence.map { "<p class=\"red\">\($0): no prompts</p>\n" } ?? ""
      page.begin(
        section.app.name.map { "\($0) (\(section.app.slug))" } ?? section.app.slug,
        id: "app-\(section.app.slug)")
      page.add(silence)
      for (caption, table) in section.tables { page.add(caption, table) }
    }
    var table = Table(columns: EventText.columns)
    var hasMore = false
    try ledger.eachEvent(filter) { event in
      guard apps.isEmpty || event.app.map(apps.contains) == true else { return true }
      hasMore = table.rows.count == limit
      if !hasMore { table.rows.append(EventText.row(event, context)) }
      return !hasMore
    }
    let start = filter.since.map { " from \($0.text)" } ?? ""
    let end = filter.until.map { " before \($0.text)" } ?? ""
    let count = hasMore ? "the newest \(table.rows.count) events" : "\(table.rows.count) events"
    page.begin("History", id: "history")
    page.add("History\(start)\(end): \(count)", table)
    page.begin("How to check this report", id: "check")
    page.add(
      """
      <p>The record ends with event \(head.seq), whose hash is <code>\(head.hash)</code>. This command exits with 0 \
      while the ledger is intact and still contains that record:</p>
      <p><code>pawl verify --head \(head.seq):\(head.hash)</code></p>

      """)
    return (page, table.rows.count)
  }
}

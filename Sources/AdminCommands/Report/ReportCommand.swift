import CommandLineKit
import Export
import HTMLReport
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var reportPages: Command {
    Command(
      "report", reach: .remote, summary: "Write an HTML page per app: releases, answers, rules, history",
      discussion: """
        Writes one HTML file per app and an index.html, each self-contained: nothing is loaded from \
        elsewhere. Each file is replaced as a whole, and left alone if nothing in it changes; files that are \
        not pages of this ledger are never replaced. With --json, also prints what the pages say. See \
        docs/report.md.
        """,
      examples: [
        .init("pawl report ./report", "a page per app, and index.html"),
        .init("pawl report ./report --app taxi --limit 100", "one app, the newest hundred events"),
        .init(
          "pawl report ./audit --as-of 2026-12-31T23:59:59Z", "what the ledger said at the end of the year"),
      ],
      section: "Documents"
    ) {
      (
        .argument("DIR", .directory, help: "Where to write"),
        .options("--app", "APP", .slug, help: "One app only"),
        .option(
          "--at", "TIME", .time(.question), help: "Write what will hold at a time, or after a span (7d)"),
        .option("--as-of", "TIME|SEQ", .pastPoint, help: "The ledger as it was then"),
        .option(
          "--limit", "N", .integer(1...5_000),
          help: "At most this many events, and releases, on a page; default: 1000"),
        .option("--wait", "D", .span, help: "How long to wait for another report; default: 60s"),
        .zoneOfTimes,
        .common
      )
    } run: { context, directory, apps, written, point, limit, wait, zone, common in
      let ledger = try common.open(context)
      let asOf = try point?.point(now: context.clock(), zone, context)
      let asked = try AskedLedger(ledger, asOf: asOf, clock: context.clock()) { ledger, _ in
        (slugs: try askedApps(nil, else: ledger.apps()), state: LedgerState?.none)
      } replayed: { state, _ in
        (slugs: askedApps(nil, else: state.apps), state: state)
      }
      let reading = ReportReading(
        ledger: ledger, name: try ledger.name(), limit: limit ?? 1_000,
        past: asked.answer.state.map { ($0, asked.head) })
      for app in apps { _ = try reading.snapshot(app) }
      let moment = try written?.moment(now: max(context.clock(), asked.moment), zone, context)
      let (slugs, at) = (asked.answer.slugs, moment ?? asked.moment)
      for slug in slugs where !App.isSlug(slug) { throw TreeError.badName(slug) }
      let wanted = slugs.filter { apps.isEmpty || apps.contains($0) }
      let agreement = try Agreement(ledger, isGiven: true)
      let state =
        "each page in '\(printable(directory))' is complete, but some may be from the previous report"
      let pages = try context.working(ifStopped: state) { work in
        try PageFolder.write(
          directory, ledger: reading.name, agreement: agreement,
          names: wanted.map(AppReport.fileName) + [IndexPage.fileName],
          known: Set(slugs.map(AppReport.fileName) + [IndexPage.fileName]), wait: Double(wait?.seconds ?? 60)
        ) { pages in
          var index = IndexPage(at: at, head: reading.reportHead(asked.head))
          // App by app, since all of it may not fit into memory.
          if common.isJSON { try context.print("{\"apps\":[") }
          for (done, slug) in slugs.enumerated() {
            try work.step("writing pages, app", done, of: slugs.count)
            let name = AppReport.fileName(slug)
            guard wanted.contains(slug) else {
              let summary = AppSummary(try reading.snapshot(slug).snapshot, at: at)
              index.add(summary, hasPage: pages.hasPage(name))
              continue
            }
            let report = try reading.report(slug, at: at)
            try pages.put(report.page, as: name)
            index.add(report.summary, hasPage: true)
            if common.isJSON { try context.print((slug == wanted.first ? "" : ",") + report.json.text()) }
          }
          try pages.put(index.bytes, as: IndexPage.fileName)
        }
      }
      guard common.isJSON else {
        try context.print(
          """
          \(pages.written) written, \(pages.unchanged) unchanged, \(pages.removed) removed in \
          '\(printable(directory))'.

          """)
        return .success
      }
      let rest: JSON = [
        "at": .string(at.text), "head": asked.head.json, "removed": .integer(Int64(pages.removed)),
        "unchanged": .integer(Int64(pages.unchanged)), "written": .integer(Int64(pages.written)),
      ]
      try context.print("]," + rest.text().dropFirst() + "\n")
      return .success
    }
  }
}

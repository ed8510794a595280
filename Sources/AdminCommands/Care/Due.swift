import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

private struct DueOptions: Sendable {
  var common = CommonOptions()
  var app: String?
  var since: TimeArgument?
}

extension Command where Context == PawlContext {
  /// When answers change by themselves.
  static var due: Command {
    Command(
      "due", summary: "List the moments at which some answer changes by itself",
      discussion: """
        A hold that ends, or a rule that starts or ends. With --since also those that have passed. Where changes write \
        documents, also whether those need a new export.
        """,
      examples: [
        .init("pawl due", "what is to come"), .init("pawl due --since 7d", "and what this week brought"),
      ],
      section: "Answers", options: { DueOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "One app only", required: false) { $0.app = $1 },
          .option("--since", "TIME", .time, help: "Also what has passed since a moment, or since 7d ago") {
            $0.since = $1
          },
        ] + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let ledger = try options.common.open(context)
      let (moments, standing, now) = try ledger.snapshotting {
        let now = try ledger.now(clock: context.clock())
        let since = options.since?.ago(from: now) ?? now
        let slugs = try options.app.map { [$0] } ?? ledger.apps().map(\.slug)
        return try (
          slugs.flatMap { slug in
            try DueMoment.all(of: try ledger.snapshot(slug), after: since)
          }.sorted { $0.at < $1.at }, Publication.standing(ledger, context), now
        )
      }
      ledger.close()
      let passed = moments.filter { $0.at <= now }
      let coming = moments.filter { now < $0.at }
      if options.common.isJSON {
        let json: JSON = [
          "passed": .array(passed.map(\.json)), "due": .array(coming.map(\.json)), "at": .string(now.text),
          "next": .optional(coming.first?.at.text), "export": standing?.json(now: now) ?? .null,
        ]
        try context.print(json.text() + "\n")
        return .success
      }
      let overdue = standing?.overdue(now: now).map {
        Style.yellow.apply("warning:", enabled: context.hasStyles) + " \($0.message): \($0.hint)\n"
      }
      guard !moments.isEmpty else {
        try context.print("No answer changes by itself.\n" + (overdue ?? ""))
        return .success
      }
      var table = Table(columns: [
        Column("AT"), Column("IN"), Column("APP"), Column("WHAT"), Column("CHANGES"),
      ])
      for moment in moments {
        let left = now < moment.at ? TimeSpan(seconds: moment.at.seconds - now.seconds).roundedText : "passed"
        table.add([
          Cell(moment.at.text), Cell(left), Cell(moment.app, .bold), Cell(moment.what), Cell(moment.changes),
        ])
      }
      try context.print(context.rendered(table) + (overdue ?? ""))
      return .success
    }
  }
}

/// A moment at which an app's answers may change by themselves.
struct DueMoment {
  let at: Timestamp
  let app: String
  let what: String
  /// How many known versions are told something else from then on.
  let count: Int

  var changes: String { count == 1 ? "1 version" : "\(count) versions" }

  var json: JSON {
    ["at": .string(at.text), "app": .string(app), "what": .string(what), "count": .integer(Int64(count))]
  }

  /// The moments of an app after one.
  static func all(of snapshot: Snapshot, after since: Timestamp) throws -> [DueMoment] {
    snapshot.momentsOfChange(after: since).sorted().map { moment in
      var what: [String] = []
      for line in [snapshot.line] + snapshot.others.values.sorted(by: { $0.app.slug < $1.app.slug }) {
        for release in line.releases where release.visibleAt == moment && release.isVisible(at: moment) {
          what.append("\(line.app.slug) \(release.version.text) becomes visible")
        }
      }
      for rule in snapshot.line.rules {
        if rule.from == moment {
          what.append("rule \(rule.number) starts: \(rule.range.text) → \(rule.action.rawValue)")
        }
        if rule.until == moment { what.append("rule \(rule.number) ends") }
      }
      let before = Decider(snapshot, at: Timestamp(seconds: moment.seconds - 1))
      let after = Decider(snapshot, at: moment)
      let count = snapshot.line.releases.filter { release in
        let client = Client(version: release.version)
        return before.decide(client) != after.decide(client)
      }.count
      return DueMoment(
        at: moment, app: snapshot.line.app.slug, what: what.joined(separator: "; "), count: count)
    }
  }
}

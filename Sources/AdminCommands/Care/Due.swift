import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var due: Command {
    .query(
      "due", isList: true, summary: "List when answers will change by themselves",
      discussion: """
        Answers change when a hold or phased release ends, a build expires, or a rule, redirect or setting starts or \
        ends. Lists what changed since the last export (or event), or since --since, then what is coming. If changes \
        write documents, also says whether they need a new export.
        """,
      examples: [
        .init("pawl due", "what is coming up"), .init("pawl due --since 7d", "and what happened this week"),
      ]
    ) {
      (
        .oneApp,
        .option(
          "--since", "TIME", .time(.since),
          help: "List what has happened since a time, or in the last 7d, instead of since the last export")
      )
    } run: { query, app, since in
      let (context, ledger) = (query.context, query.ledger)
      let formats = try DocumentExport.thresholdFormats(of: ledger, context)
      let (moments, expiring, standing, start, now) = try ledger.snapshotting {
        let now = try ledger.now(clock: context.clock())
        let start = try since?.moment(now: now, query.zone, context)
        let standing = try DocumentExport.standing(ledger, context)
        let head = try ledger.head()
        let found = try (app.map { [$0] } ?? ledger.apps().map(\.slug)).map { slug in
          let since = start ?? toldUntil(of: slug, standing, head, now: now)
          let part = try ledger.snapshot(slug, from: min(since, now))
          let isQuiet = Schedule(part, from: since).asTold.moments.isEmpty
          // What happens is told of all releases.
          let snapshot = try isQuiet ? part : ledger.snapshot(slug, withNotes: false)
          let moments = DueMoment.all(of: snapshot, after: since)
          // What a format will not say then; what it does not say now is no news.
          let unsaid =
            isQuiet ? [] : snapshot.documentFindings(in: formats, from: now).filter { $0.at != nil }
          return (moments: moments, expiring: part.expiryFindings(now: now) + unsaid.map(\.noted))
        }
        return (
          found.flatMap(\.moments).sorted { $0.at < $1.at }, found.flatMap(\.expiring), standing, start, now
        )
      }
      let coming = moments.filter { now < $0.at }
      let warnings = ([standing?.overdue(now: now)].compactMap(\.self) + expiring).map {
        Style.yellow.apply("warning:", enabled: context.hasStyles)
          + " \($0.app.isEmpty ? "" : $0.app + " ")\(context.inZone($0.message)): \($0.hint)\n"
      }.joined()
      let head = start.map { "Since \(context.text($0)), and coming up:\n" } ?? ""
      let table = Table(
        of: moments,
        [
          ("AT", { Cell(context.text($0.at)) }),
          (
            "IN",
            { Cell(now < $0.at ? TimeSpan(seconds: $0.at.seconds - now.seconds).roundedText : "passed") }
          ),
          ("APP", { Cell($0.app, .bold) }), ("WHAT", { Cell($0.what) }), ("CHANGES", { Cell($0.changes) }),
        ])
      return try query.print(
        [
          "passed": .array(moments.filter { $0.at <= now }.map(\.json)), "due": .array(coming.map(\.json)),
          "at": .string(now.text), "next": .optional(coming.first?.at.text),
          "export": standing?.json(now: now) ?? .null, "since": .optional(start?.text),
          "warnings": .array(expiring.map(\.json)),
        ], table, none: head + "No scheduled changes.\n" + warnings
      ) {
        head + context.rendered($0) + warnings
      }
    }
  }
}

/// The moment up to which the documents of an app agree with the ledger; without documents, the moment of the
/// last event.
private func toldUntil(
  of app: String, _ standing: ExportStanding?, _ head: Head, now: Timestamp
) -> Timestamp {
  let last = min(head.at ?? now, now)
  guard let standing else { return last }
  // The documents name the first moment at which another export is needed.
  let exported = standing.nextChange.map { min($0 - TimeSpan(seconds: 1), now) } ?? now
  return standing.behind.contains(app) ? min(exported, last) : exported
}

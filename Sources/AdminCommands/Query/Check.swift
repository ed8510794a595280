import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var check: Command {
    .query(
      "check", summary: "Show what clients are told",
      discussion: """
        Answers for one client version, now or at another time. Without VERSION it answers for every version \
        that could exist, in ranges: what they are told, why, and when that changes. With --stdin it answers for \
        many: one 'VERSION [OS]' per input line, one JSON object per output line; with --if as if a plan were applied.
        """,
      examples: [
        .init("pawl check taxi", "who is told what"),
        .init("pawl check taxi 7.3.2", "what that version is told now"),
        .init("pawl check taxi 7.3.2 --os 16.4 --explain", "each step of the decision"),
        .init("pawl check taxi 7.3.2 --as-of 2026-11-20T12:00:00Z", "what it was told at that hour"),
        .init("pawl check taxi --stdin < versions.txt", "many at once"),
        .init("pawl check taxi --stdin --if change.plan < versions.txt", "what a plan would tell them"),
      ]
    ) {
      (
        .app, .optionalArgument("VERSION", .version, help: "The client's version"),
        .option("--os", "V", .system, help: "The client's system"),
        .option("--locale", "L", .locale, help: "The language of the notes"),
        .option("--at", "TIME", .time(.question), help: "Ask about another time, or a span ahead (7d)"),
        .option("--as-of", "TIME|SEQ", .pastPoint, help: "Ask the ledger as it was then"),
        .flag("--explain", help: "Print every step, with the event behind it"),
        .flag(
          "--stdin", help: "Read 'VERSION [OS]' lines and print one JSON object each", forPrograms: true,
          path: .input),
        .option(
          "--if", "PLAN", .input,
          help:
            "With --stdin: answer as if this plan were applied; - if it is the first line of standard input")
      )
    } run: { query, app, version, os, locale, writtenAt, writtenPoint, isExplained, readsInput, plan in
      let (context, ledger) = (query.context, query.ledger)
      try UsageError.demand(
        !readsInput || (version == nil && os == nil && !isExplained),
        together: "--stdin and VERSION, --os or --explain")
      try UsageError.demand(readsInput || plan == nil, "usage.missing-argument/if")
      try UsageError.demand(plan == nil || writtenPoint == nil, together: "--if and --as-of")
      try UsageError.demand(
        readsInput || version != nil || (os == nil && locale == nil && !isExplained),
        "usage.missing-argument/check")
      let point = try writtenPoint?.point(
        now: ledger.now(clock: context.clock()), query.zone, context)
      // The requested moment, once the ledger's present moment is known.
      func moment(_ now: Timestamp) throws -> Timestamp {
        try writtenAt?.moment(now: max(context.clock(), now), query.zone, context) ?? now
      }
      var rest: [UInt8] = []
      let signed = try plan.map { try PlanFiles.readLine($0, context, rest: &rest) }
      let (snapshot, head, now) =
        try signed.map { try $0.asked(app, query.common, context) }
        ?? ledger.asked(app, asOf: point, clock: context.clock()) { ledger, now in
          guard let version else { return try ledger.snapshot(app) }
          return try ledger.snapshot(app, for: Client(version: version, os: os), at: moment(now))
        }
      let at = writtenAt == nil && point == nil ? nil : try moment(now)
      let decider = Decider(snapshot, at: at ?? now)
      if readsInput {
        var stream = CheckStream(decider, locale: locale, head: head, at: at)
        return try stream.run(context, after: rest)
      }
      let formats = try DocumentExport.formatsWritten(of: ledger, context).filter(\.isByVersion).map(\.name)
      guard let version else {
        let told = CheckRanges(
          snapshot, at: decider.moment, head: head, try ledger.usage(of: app, upTo: head), formats: formats)
        return try query.print(told.json) {
          (at.map { "\(app) at \(context.text($0))\n" } ?? "")
            + context.rendered(told.table(context.text)) + told.settings + told.unfiled
        }
      }
      let client = Client(version: version, os: os)
      let steps =
        isExplained ? try ledger.steps(for: client, in: snapshot, at: decider.moment, upTo: head) : nil
      let answer = CheckAnswer(decider, client, steps: steps, locale: locale, head: head, at: at)
      let unfiled = formats.isEmpty ? nil : answer.unfiled
      return try query.print(answer.json.adding(["noFile": .optional(unfiled?.range.text)])) {
        answer.text(context) + (unfiled.map { "  \([$0].sentence(formats: formats))\n" } ?? "")
          + (try steps.map { steps in
            let rows = try steps.map { step in
              let who = try step.event.map { Actor(try ledger.event($0)).shortText }
              return [
                Cell(step.step), Cell(step.event.map { String($0) } ?? "–", .dim), Cell(who ?? "–"),
                Cell(context.inZone(step.result)),
              ]
            }
            return "\n" + context.table(["STEP", .right("EVENT"), "WHO", "RESULT"], rows)
          } ?? "")
      }
    }
  }
}

extension Ledger {
  /// What is read of an app as it is, or as its events up to a point in the past add up to, with the head and the moment
  /// that counts as now for it.
  fileprivate func asked(
    _ app: String, asOf point: PastPoint?, clock: Timestamp, _ read: (Ledger, Timestamp) throws -> Snapshot
  ) throws -> (Snapshot, head: Int64, moment: Timestamp) {
    guard let point else {
      return try snapshotting {
        let now = try now(clock: clock)
        return (try read(self, now), try head().seq, now)
      }
    }
    let past = try asOf(point, of: [app])
    let last = try past.head()
    let moment = if case .moment(let asked) = point { asked } else { last.at ?? clock }
    do {
      return (try read(past, moment), last.seq, moment)
    } catch LedgerError.noApp(let slug, _) {
      let added = HistoryFilter(app: slug, kind: EventKind.appAdd.rawValue, first: last.seq + 1, limit: 1)
      guard let event = try history(added).first else {
        throw LedgerError.noApp(slug, known: try apps().map(\.slug))
      }
      throw Refusal(
        "app.not-found/yet",
        [
          "when": last.seq == 0 ? "before the first event" : "yet at event \(last.seq)",
          "added": String(event.seq), "at": event.at,
        ], details: ["app": .string(slug), "nearest": .null])
    }
  }
}

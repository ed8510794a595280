import CommandLineKit
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
        many: one 'VERSION [OS]' per input line, one JSON object per output line.
        """,
      examples: [
        .init("pawl check taxi", "who is told what"),
        .init("pawl check taxi 7.3.2", "what that version is told now"),
        .init("pawl check taxi 7.3.2 --os 16.4 --explain", "each step of the decision"),
        .init("pawl check taxi 7.3.2 --as-of 2026-11-20T12:00:00Z", "what it was told at that hour"),
        .init("pawl check taxi --stdin < versions.txt", "many at once"),
      ]
    ) {
      (
        .app, .optionalArgument("VERSION", .version, help: "The client's version"),
        .option("--os", "V", .shortVersion, help: "The client's system"),
        .option("--locale", "L", .locale, help: "The language of the notes"),
        .option("--at", "TIME", .time(.question), help: "Ask about another time, or a span ahead (7d)"),
        .option("--as-of", "TIME|SEQ", .pastPoint, help: "Ask the ledger as it was then"),
        .flag("--explain", help: "Print every step, with the event behind it"),
        .flag("--stdin", help: "Read 'VERSION [OS]' lines and print one JSON object each", path: .input)
      )
    } run: { query, app, version, os, locale, writtenAt, writtenPoint, isExplained, readsInput in
      let (context, ledger) = (query.context, query.ledger)
      try UsageError.demand(
        !readsInput || (version == nil && os == nil && !isExplained),
        together: "--stdin and VERSION, --os or --explain")
      try UsageError.demand(
        readsInput || version != nil || (os == nil && locale == nil && !isExplained),
        "usage.missing-argument/check")
      let point = try writtenPoint?.point(now: context.clock(), query.zone, context)
      // The requested moment, once the ledger's present moment is known.
      func moment(_ now: Timestamp) throws -> Timestamp {
        try writtenAt?.moment(now: max(context.clock(), now), query.zone, context) ?? now
      }
      let asked = try AskedLedger(ledger, asOf: point, of: [app], clock: context.clock()) { ledger, now in
        guard let version else { return try ledger.snapshot(app) }
        return try ledger.snapshot(app, for: Client(version: version, os: os), at: moment(now))
      }
      let (snapshot, head) = (asked.answer, asked.head.seq)
      let at = writtenAt == nil && point == nil ? nil : try moment(asked.moment)
      let decider = Decider(snapshot, at: at ?? asked.moment)
      if readsInput {
        var stream = CheckStream(decider, locale: locale, head: head, at: at)
        return try stream.run(context)
      }
      guard let version else {
        let told = CheckRanges(
          snapshot, at: decider.moment, head: head, try ledger.usage(of: app, upTo: head))
        return try query.print(told.json) {
          (at.map { "\(app) at \(context.zone.text($0))\n" } ?? "")
            + context.rendered(told.table(context.text)) + told.misinformed
        }
      }
      let client = Client(version: version, os: os)
      let steps =
        isExplained ? try ledger.steps(for: client, in: snapshot, at: decider.moment, upTo: head) : nil
      let answer = CheckAnswer(decider, client, steps: steps, locale: locale, head: head, at: at)
      return try query.print(answer.json) {
        answer.text(context) + answer.misinformed
          + (steps.map { steps in
            let rows = steps.map {
              [Cell($0.step), Cell($0.event.map { String($0) } ?? "–", .dim), Cell($0.result)]
            }
            return "\n" + context.table(["STEP", .right("EVENT"), "RESULT"], rows)
          } ?? "")
      }
    }
  }
}

/// What was read from the ledger, as it is or as it was, and the moment that counts as now for it.
struct AskedLedger<Answer> {
  let answer: Answer
  let head: Head
  let moment: Timestamp

  /// Asks the ledger at one moment, or the one that its events up to a point in the past add up to.
  init(
    _ ledger: Ledger, asOf point: PastPoint?, of slugs: Set<String>? = nil, clock: Timestamp,
    _ read: (Ledger, Timestamp) throws -> Answer
  ) throws {
    guard let point else {
      (answer, head, moment) = try ledger.snapshotting {
        let now = try ledger.now(clock: clock)
        return (try read(ledger, now), try ledger.head(), now)
      }
      return
    }
    let past = try ledger.asOf(point, of: slugs)
    head = try past.head()
    switch point {
    case .event: moment = head.at ?? clock
    case .moment(let asked): moment = asked
    }
    do {
      answer = try read(past, moment)
    } catch LedgerError.noApp(let slug, _) {
      if let refusal = try AskedLedger.notYet(ledger, slug, head.seq) { throw refusal }
      throw LedgerError.noApp(slug, known: try ledger.apps().map(\.slug))
    }
  }

  private static func notYet(_ ledger: Ledger, _ slug: String, _ seq: Int64) throws -> Refusal? {
    let added = HistoryFilter(app: slug, kind: EventKind.appAdd.rawValue, first: seq + 1, limit: 1)
    return try ledger.history(added).first.map { event in
      Refusal(
        "app.not-found/yet",
        [
          "when": seq == 0 ? "before the first event" : "yet at event \(seq)", "added": String(event.seq),
          "at": event.at,
        ], details: ["app": .string(slug), "nearest": .null])
    }
  }
}

import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension ClockCorrection: JSONValue {}

extension Command where Context == PawlContext {
  static var doctor: Command {
    Command(
      "doctor", reach: .remote, asks: true, no: "somebody has to act", summary: "Report what needs attention",
      discussion: """
        Looks for outdated documents, a full inbox, releases that have waited too long, builds that stop opening, \
        sources of evidence gone silent, rules that match nothing, an old \
        checkpoint, stored answers or a last event that somebody altered, and a file system or clock that cannot be \
        relied on. Then lists what is worth knowing, such as running holds, and facts about the ledger's file. Exits \
        with 1 while somebody has to act, else with 0. 'verify' checks the whole record. PAWL_CHECKPOINT names the \
        file of the last checkpoint.

        With --correct-clock, records instead that the clock was ahead for a while: holds, rules and all else set by \
        the wrong clock move back with it, and the last time it showed becomes now. Set the clock first.
        """,
      examples: [
        .init("pawl doctor", "what to look at"),
        .init(
          "pawl doctor --correct-clock --reason \"battery of the host\" --dry-run",
          "what a correction would alter, after a clock that was ahead"),
      ],
      section: "Care"
    ) {
      (
        .flag(
          "--correct-clock", help: "Record what the clock should have said while it was ahead",
          reach: .unlimited), .change
      )
    } run: { context, correctsClock, options in
      guard correctsClock else {
        try UsageError.demand(
          context.planTask == nil && options == ChangeOptions(call: options.call, common: options.common),
          "'pawl doctor' changes nothing without '--correct-clock'",
          hint: "leave the change options out, or add --correct-clock", id: "usage.missing-option")
        return try examine(options.common, context)
      }
      try UsageError.demand(
        options.reason != nil, "'pawl doctor --correct-clock' needs '--reason TEXT'",
        hint: "say what was wrong with the clock, for the record", id: "usage.missing-option")
      var correction: ClockCorrection?
      return try Changing(options, context).run { draft in
        correction = try draft.correctClock(context.clock())
      } answer: { _ in
        [("clock", correction.json)]
      } text: { answer in
        guard let found: ClockCorrection = try answer.value("clock") else {
          return Said("Nothing to correct: no event is ahead of this clock.\n")
        }
        return Said(
          "Corrected the clock: event \(found.since) was recorded at \(found.to.text), not \(found.from.text).\n",
          next: "pawl doctor")
      }
    }
  }

  private static func examine(_ common: CommonOptions, _ context: PawlContext) throws -> ExitCode {
    let ledger = try common.open(context)
    let now = try ledger.now(clock: context.clock())
    let examination = try Examination(ledger, context, now: now)
    let formats = try DocumentExport.thresholdFormats(of: ledger, context)
    let findings = try ledger.snapshotting {
      try examination.findings() + ledger.inboxWithAlarms().compactMap(\.alarm)
        + ledger.apps().flatMap { app in
          var snapshot = try ledger.present(app.slug)
          // What a rule matches, whom a release forces, and what a format says depend on every version.
          if !formats.isEmpty || !snapshot.line.rules.isEmpty
            || snapshot.line.releases.contains(where: { $0.isOnLine && !$0.state.isReleased })
          {
            snapshot = try ledger.snapshot(app.slug)
          }
          return try [ledger.alteredAnswers(in: snapshot)].compactMap(\.self)
            + snapshot.findings(now: now) { seq in try? Timestamp(ledger.event(seq).at) }
            + ledger.sourceWords(of: snapshot.line, now: now).findings(app: app.slug, now: now)
            + snapshot.documentFindings(in: formats, at: now).map(\.noted)
        }
    }
    let acting = findings.filter { $0.weight == .act }
    try common.print(["facts": examination.json, "findings": .array(findings.map(\.json))], context) {
      table(acting, "ACTION NEEDED", context)
        + table(findings.filter { $0.weight == .note }, "FYI", context)
        + (findings.isEmpty ? "Nothing needs attention.\n\n" : "") + examination.table(context)
    }
    return acting.isEmpty ? .success : .refused
  }

  private static func table(_ findings: [Finding], _ title: String, _ context: PawlContext) -> String {
    guard !findings.isEmpty else { return "" }
    let rows = findings.map { finding in
      [
        Cell(finding.app.isEmpty ? "–" : finding.app, .bold),
        Cell(finding.id, finding.weight == .act ? .yellow : .plain), Cell(finding.message),
        Cell(finding.hint),
      ]
    }
    return context.table([Column(title), "FINDING", "WHAT", "WHAT TO DO"], rows) + "\n"
  }
}

import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var doctor: Command {
    .query(
      "doctor", no: "action needed", summary: "Report what needs attention",
      discussion: """
        Looks for outdated documents, a full inbox, releases that have waited too long, builds that stop opening, \
        sources of evidence gone silent, rules that match nothing, an old \
        checkpoint, stored answers or a last event that somebody altered, and a file system or clock that cannot be \
        relied on. Then lists what is worth knowing, such as running holds, and facts about the ledger's file. Exits \
        with 1 while action is needed, else with 0. 'verify' checks the whole record. PAWL_CHECKPOINT names the \
        file of the last checkpoint.
        """,
      examples: [
        .init("pawl doctor", "what to look at")
      ]
    ) {
      ()
    } run: { query in
      try examine(query)
    }
  }

  private static func examine(_ query: Query) throws -> ExitCode {
    let (context, ledger) = (query.context, query.ledger)
    let now = try ledger.now(clock: context.clock())
    var examination = try Examination(ledger, context, now: now)
    let formats = try DocumentExport.thresholdFormats(of: ledger, context)
    let findings = try ledger.snapshotting {
      try examination.findings(of: ledger, context) + ledger.inboxWithAlarms().compactMap(\.alarm)
        + InboxText.unknownSelectors(ledger.inboxWithAlarms().map(\.evidence), ledger)
        + ledger.apps().flatMap { app in
          var snapshot = try ledger.present(app.slug)
          // What a rule matches, whom a release forces, and what a format says depend on every version.
          if !formats.isEmpty || !snapshot.line.rules.isEmpty
            || snapshot.line.releases.contains(where: { $0.isOnLine && !$0.state.isReleased })
          {
            snapshot = try ledger.snapshot(app.slug)
          }
          examination.forced += try Forced.all(in: snapshot, ledger, now: now)
          return try [ledger.alteredAnswers(in: snapshot), ledger.storeFinding(of: snapshot, now: now)]
            .compactMap(\.self)
            + snapshot.findings(now: now) { seq in try? Timestamp(ledger.event(seq).at) }
            + ledger.sourceWords(of: snapshot.line, now: now).findings(app: app.slug, now: now)
            + snapshot.documentFindings(in: formats, at: now).map(\.noted)
        }
    }
    let acting = findings.filter(\.acts)
    try query.print(["facts": examination.json, "findings": .array(findings.map(\.json))]) {
      table(acting, "ACTION NEEDED", context)
        + table(findings.filter { !$0.acts }, "FYI", context)
        + (findings.isEmpty ? "Nothing needs attention.\n\n" : "") + examination.table(context)
    }
    return acting.isEmpty ? .success : .refused
  }

  private static func table(_ findings: [Finding], _ title: String, _ context: PawlContext) -> String {
    guard !findings.isEmpty else { return "" }
    let rows = findings.map { finding in
      [
        Cell(finding.app.isEmpty ? "–" : finding.app, .bold),
        Cell(finding.id, finding.acts ? .yellow : .plain), Cell(finding.message),
        Cell(finding.hint),
      ]
    }
    return context.table([Column(title), "FINDING", "WHAT", "WHAT TO DO"], rows) + "\n"
  }
}

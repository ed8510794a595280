import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  /// What somebody should look at.
  static var doctor: Command {
    Command(
      "doctor", summary: "Report what needs attention",
      discussion: """
        Documents that lag behind, a full inbox, releases that wait for long, builds that stop opening, sources of \
        evidence gone silent, rules that match nothing, a checkpoint \
        that is old, kept answers or a last event that somebody altered, a file system or a clock that cannot be \
        relied on. Then what is worth knowing, such as holds that run, and the facts of the ledger's file. Exits 1 \
        while somebody has to act, else 0. 'verify' proves the whole record. PAWL_CHECKPOINT names the file of the \
        last checkpoint.
        """,
      section: "Care"
    ) {
      .common
    } run: { context, common in
      let ledger = try common.open(context)
      let now = try ledger.now(clock: context.clock())
      let examination = try Examination(ledger, context, now: now)
      let formats = try DocumentExport.thresholdFormats(of: ledger, context)
      let findings = try ledger.snapshotting {
        try examination.findings()
          + ledger.apps().flatMap { app in
            let snapshot = try ledger.snapshot(app.slug)
            return try [ledger.alteredAnswers(in: snapshot)].compactMap(\.self)
              + snapshot.findings(now: now) { seq in try? Timestamp(ledger.event(seq).at) }
              + ledger.sourceWords(of: snapshot.line, now: now).findings(app: app.slug, now: now)
              + snapshot.documentFindings(in: formats, at: now).map(\.noted)
          }
      }
      ledger.close()
      let acting = findings.filter { $0.weight == .act }
      try common.print(["facts": examination.json, "findings": .array(findings.map(\.json))], context) {
        table(acting, "TO ACT ON", context)
          + table(findings.filter { $0.weight == .note }, "TO KNOW", context)
          + (findings.isEmpty ? "Nothing needs attention.\n\n" : "") + examination.table(context)
      }
      return acting.isEmpty ? .success : .refused
    }
  }

  private static func table(_ findings: [Finding], _ title: String, _ context: PawlContext) -> String {
    guard !findings.isEmpty else { return "" }
    var table = Table(columns: [Column(title), Column("FINDING"), Column("WHAT"), Column("WHAT TO DO")])
    for finding in findings {
      table.add([
        Cell(finding.app.isEmpty ? "–" : finding.app, .bold),
        Cell(finding.id, finding.weight == .act ? .yellow : .plain), Cell(finding.message),
        Cell(finding.hint),
      ])
    }
    return context.rendered(table) + "\n"
  }
}

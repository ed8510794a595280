import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  /// What somebody should look at.
  static var doctor: Command {
    Command(
      "doctor", summary: "Look for what somebody should look at",
      discussion: """
        Forces armed for more than 30 days, rules that match nothing or never count, holds that run, releases that \
        wait for long, documents that lag behind, an inbox that fills, a checkpoint that is old, a file system or a \
        clock that cannot be relied on. Then the facts of the ledger's file. Exit 0 whatever is found: these are \
        questions, not faults; 'verify' looks for faults. PAWL_CHECKPOINT names the file of the last checkpoint.
        """,
      section: "Care"
    ) {
      .common
    } run: { context, common in
      let ledger = try common.open(context)
      let now = try ledger.now(clock: context.clock())
      let examination = try Examination(ledger, context, now: now)
      let findings = try ledger.snapshotting {
        try examination.findings()
          + ledger.apps().flatMap { app in
            try ledger.snapshot(app.slug).findings(now: now) { seq in try? Timestamp(ledger.event(seq).at) }
          }
      }
      ledger.close()
      try common.print(["facts": examination.json, "findings": .array(findings.map(\.json))], context) {
        guard !findings.isEmpty else { return "Nothing to look at.\n\n" + examination.table(context) }
        var table = Table(columns: [Column("APP"), Column("FINDING"), Column("WHAT"), Column("WHAT TO DO")])
        for finding in findings {
          table.add([
            Cell(finding.app, .bold), Cell(finding.id, .yellow), Cell(finding.message), Cell(finding.hint),
          ])
        }
        return context.rendered(table) + "\n" + examination.table(context)
      }
      return .success
    }
  }
}

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
        wait for long. Exit 0 whatever is found: these are questions, not faults.
        """,
      section: "Care", options: { CommonOptions() }, parameters: { CommonOptions.parameters }
    ) { options, _, context in
      let ledger = try options.open(context)
      let findings = try ledger.snapshotting {
        let now = try ledger.now(clock: context.clock())
        let documents = try Publication.standing(ledger, context)?.overdue(now: now)
        return try (documents.map { [$0] } ?? [])
          + ledger.apps().flatMap { app in
            try ledger.snapshot(app.slug).findings(now: now) { seq in try? Timestamp(ledger.event(seq).at) }
          }
      }
      ledger.close()
      if options.isJSON {
        let json: JSON = ["findings": .array(findings.map(\.json))]
        try context.print(json.text() + "\n")
        return .success
      }
      guard !findings.isEmpty else {
        try context.print("Nothing to look at.\n")
        return .success
      }
      var table = Table(columns: [Column("APP"), Column("FINDING"), Column("WHAT"), Column("WHAT TO DO")])
      for finding in findings {
        table.add([
          Cell(finding.app, .bold), Cell(finding.id, .yellow), Cell(finding.message), Cell(finding.hint),
        ])
      }
      try context.print(table.render(styles: context.hasStyles))
      return .success
    }
  }
}

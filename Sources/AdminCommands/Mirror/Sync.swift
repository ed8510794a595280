import CommandLineKit
import Ledger
import Mirror
import ReleaseModel

extension Command where Context == PawlContext {
  static var sync: Command {
    Command(
      "sync", no: "the mirror was refused for some app", summary: "Bring a mirror up to date",
      discussion: """
        A mirror is your own database, from which a backend answers at login and at heartbeat. Runs COMMAND, such as \
        psql, with statements on its standard input, and believes only what comes back on its standard output. Asks the \
        mirror what it holds, compares that with the ledger, sends the schedules that differ, and asks again. A run that \
        is lost, repeated, late or killed does no harm: the next one finds out. Run it from a timer, and at once when the \
        ledger is written; give COMMAND a time limit with timeout(1). COMMAND's words are no place for a password. With \
        --schema, prints what makes the tables instead. See docs/mirrors.md.
        """,
      examples: [
        .init("pawl sync app --as postgresql --schema | psql service=app -qX", "make the tables"),
        .init("pawl sync app --as postgresql -- psql service=app -qXAt", "bring them up to date"),
        .init("pawl sync app --as mysql --verify --repair -- mysql -N -B pawl", "compare every row, too"),
      ]
    ) {
      (
        .argument("NAME", .mirror, help: "The mirror, as the board and doctor call it"),
        .requiredOption("--as", "KIND", .one(of: MirrorKind.self), help: "What it is"),
        .flag("--schema", help: "Print the statements that make its tables, and exit"),
        .flag("--verify", help: "Compare every row"),
        .flag("--repair", help: "With --verify: send what differs again"),
        .flag(
          "--take-over",
          help: "Replace what is of another file of the ledger, or of events that it lost; asks first"),
        .arguments("COMMAND", .text, help: "The program and its arguments, after --", required: false),
        .takingOver
      )
    } run: { context, name, kind, isSchema, verifies, repairs, takesOver, command, options in
      if isSchema {
        try context.print(kind.store.schema)
        return .success
      }
      try UsageError.demand(!command.isEmpty, "usage.missing-argument/sync")
      try UsageError.demand(verifies || !repairs, "--repair", needs: "--verify")
      let ledger = try options.common.open(context)
      try ledger.checkHead()
      var run = try SyncRun(name, kind, command, takesOver: takesOver, ledger, options, context)
      do {
        try run.run(verifies: verifies, repairs: repairs)
      } catch {
        run.keep(fault: report(error).id)
        throw error
      }
      run.keep(fault: run.failure?.id)
      try options.common.print(run.json, context) { run.text }
      if let failure = run.failure { throw failure }
      return .success
    }
  }
}

extension Parameter where Value == ChangeOptions {
  /// A take-over asks as a change does, but records nothing.
  fileprivate static var takingOver: Parameter {
    .group(
      .call, .flag("--yes", short: Character("y"), help: "Agree to a take-over without being asked"), .common
    ) { ChangeOptions(call: $0, saysYes: $1, common: $2) }
  }
}

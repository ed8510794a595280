package import CommandLineKit
import Platform
import ReleaseModel

/// pawl's commands as functions: words in, output and exit status out.
package enum AdminCommands {
  package typealias Context = PawlContext

  /// The table of all commands, from which parsing, help and the reference page are made.
  package static var table: Command<Context> {
    Command(
      "pawl", summary: "The release ledger of a mobile-app team",
      discussion: """
        Publish versions, flip review state, and see what each client is told; every change is on record. \
        The ledger is one SQLite file: --ledger PATH, else PAWL_LEDGER, else ./pawl.db; with ssh://HOST/PATH the \
        command runs on the host that has it.
        """,
      subcommands: [
        .makeLedger, .app, .publish, .amend, .mark, .unmark, .void, .importPast, .releases, .check, .status,
        .due,
        .force, .remind, .allow, .lift, .rules, .redirect, .redirects, .setting, .settings, .stop, .resume,
        .revert, .ingest, .inbox, .trust, .history, .show, .blame, .verify, .checkpoint, .export, .payload,
        .reportPages, .backup, .doctor, .completions, .serveSSH, .version,
      ], synonyms: { Synonyms.commands })
  }

  /// The version of this build.
  package static let version = "0.1.0"

  /// The day of this version.
  package static let date = "2026-11-21"

  /// Runs the command of a process.
  ///
  /// - Parameter commandLine: The program's name and its words.
  /// - Returns: The exit status.
  package static func start(_ commandLine: [String], _ context: PawlContext) -> Int32 {
    // On Linux the runtime looks for the words by way of /proc/self/maps, and finds not even the name where that cannot
    // be read. It might be a mail server's pipe, so that 75 it is.
    guard !commandLine.isEmpty else {
      let report = CommandFailure(
        "system.no-words", "cannot read the command line: /proc/self/maps cannot be read",
        hint: "nothing was done; try again, and see that /proc is mounted", exit: .busy)
      context.note(report.text(isJSON: false, styles: false))
      return report.exit.rawValue
    }
    return run(Array(commandLine.dropFirst()), context)
  }

  /// Runs one command.
  ///
  /// - Parameter words: The command line without the program's name.
  /// - Returns: The exit status, catalogued in docs/errors.md.
  package static func run(_ words: [String], _ context: PawlContext) -> Int32 {
    do {
      // As everywhere, and always of this program; the command may be sent to another host.
      if words == ["--version"] || words == ["-V"] {
        try context.print("pawl \(version)\n")
        return ExitCode.success.rawValue
      }
      if words.first == Command<Context>.completionEntry {
        let live = LiveValues(context: context)
        try context.print(table.completionAnswer(to: words.dropFirst(), live: live.candidates))
        return ExitCode.success.rawValue
      }
      switch try table.parse(words, width: min(context.width, 100)) {
      case .help(_, let text):
        try context.print(text)
        return ExitCode.success.rawValue
      case .run(let invocation):
        if let remote = try RemoteRun(invocation, context) {
          let status = try remote.run().rawValue
          return status != 0 && isMailPipe(words) ? ExitCode.busy.rawValue : status
        }
        return try invocation.run(context).rawValue
      }
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has seen enough; what was to be recorded is recorded.
      return ExitCode.io.rawValue
    } catch {
      let report = report(Stopped(error, context) ?? error)
      let isJSON = words.prefix { $0 != "--" }.contains("--json")
      context.note(
        report.text(
          isJSON: isJSON,
          styles: context.isErrorTerminal && context.environment("NO_COLOR") == nil))
      return isMailPipe(words) ? ExitCode.busy.rawValue : report.exit.rawValue
    }
  }

  /// Whether a mail server hands over a mail: it bounces what is neither 0 nor 75 (Postfix, pipe(8)), and a bounced
  /// mail is lost, so that every error but a mail too large, which is no error here, asks it to try again.
  private static func isMailPipe(_ words: [String]) -> Bool {
    guard let ingest = words.firstIndex(of: "ingest") else { return false }
    return words[ingest...].dropFirst().first == "mail" && words[ingest...].contains("-")
  }
}

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
        Publish versions, track their review, and see what each client is told. Every change is recorded. \
        The ledger is one SQLite file, named with --ledger PATH or PAWL_LEDGER; default: ./pawl.db. With \
        ssh://HOST/PATH the command runs on the host that holds it.
        """,
      subcommands: [
        .makeLedger, .app, .publish, .next, .amend, .mark, .unmark, .void, .importPast, .releases, .check,
        .status,
        .due,
        .force, .remind, .allow, .lift, .rules, .redirect, .redirects, .setting, .settings, .stop, .resume,
        .revert, .ingest, .inbox, .plan, .trust, .history, .show, .blame, .verify, .checkpoint, .export,
        .deliver,
        .payload,
        .reportPages, .backup, .doctor, .completions, .serveSSH, .version,
      ], synonyms: { Synonyms.commands })
  }

  /// The version of this build.
  package static let version = "0.1.0"

  /// The day of this version.
  package static let date = "2026-11-21"

  /// The beginning of that day, before which no right clock can be.
  static var programDate: Timestamp { (try? Timestamp(date + "T00:00:00Z")) ?? .distantPast }

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
        hint: "nothing was done; check that /proc is mounted, then try again", exit: .busy)
      context.note(report.text(isJSON: false, styles: false))
      return report.exit.rawValue
    }
    let words = Array(commandLine.dropFirst())
    guard areWordsText else {
      // As if they were something else, they would name other files.
      return ending(words, context) {
        throw UsageError(
          id: "usage.not-utf8", message: "an argument, or a variable that begins with PAWL_, is not UTF-8",
          hint: "use a name in UTF-8")
      }
    }
    // A mail server bounces a mail whose program a signal ends.
    if isMailPipe(words) { ignoreClosedPipes() }
    return run(words, context)
  }

  /// Runs one command.
  ///
  /// - Parameter words: The command line without the program's name.
  /// - Returns: The exit status, catalogued in docs/errors.md.
  package static func run(_ words: [String], _ context: PawlContext) -> Int32 {
    ending(words, context) {
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
      if words.first == manualEntry { return try printManual(words.dropFirst(), context) }
      return try perform(try outcome(of: words, context), words, context)
    }
  }

  /// Runs what came over ssh, if the gate admits it.
  ///
  /// - Returns: The exit status; 77 for what the gate refuses, whoever asked for it.
  static func serve(_ words: [String], through gate: SSHGate, _ context: PawlContext) -> Int32 {
    ending(words, context) {
      let admitted: Outcome<Context>
      do {
        admitted = try gate.admit(words, context)
      } catch let refusal as CommandFailure {
        return say(refusal, words, context).exit.rawValue
      }
      context.admitPlanned = { try gate.check(planned: $0) }
      return try perform(admitted, words, context)
    }
  }

  /// What the words of a command line ask for.
  static func outcome(of words: [String], _ context: PawlContext) throws(UsageError) -> Outcome<Context> {
    if words == ["--version"] { return .help(path: [], text: "pawl \(version)\n") }
    do throws(UsageError) {
      return try table.parse(words, width: min(context.width, 100))
    } catch {
      var error = error
      error.hint = Synonyms.hint(for: error, words) ?? error.hint
      throw error
    }
  }

  private static func perform(
    _ outcome: Outcome<Context>, _ words: [String], _ context: PawlContext
  ) throws -> Int32 {
    switch outcome {
    case .help(_, let text):
      try context.print(text)
      return ExitCode.success.rawValue
    case .run(let invocation):
      let names = Set(invocation.given.map(\.parameter.name))
      context.isMarkdown = names.contains(Parameter<CommonOptions>.markdownOption)
      if context.isMarkdown,
        let other = ["--json", "--csv", "--stdin", "--bytes"].first(where: names.contains)
      {
        throw UsageError(message: "--markdown and \(other) exclude each other")
      }
      if let remote = try RemoteRun(invocation, context) {
        let status = try remote.run()
        return status != .data && status != .success && isMailPipe(words)
          ? ExitCode.busy.rawValue : status.rawValue
      }
      if let plan = invocation.given.first(where: { $0.parameter.name == "--plan" }), plan.value != nil {
        context.planTask = PlanTask(.making)
      }
      return try invocation.run(context).rawValue
    }
  }

  /// Runs a body for a command line, and says what it throws.
  private static func ending(
    _ words: [String], _ context: PawlContext, _ body: () throws -> Int32
  ) -> Int32 {
    do {
      return try body()
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has seen enough; what was to be recorded is recorded.
      return (isMailPipe(words) ? ExitCode.busy : .io).rawValue
    } catch {
      let report = say(error, words, context)
      // Evidence waits until the clock is right.
      let waits = isMailPipe(words) || (report.id == "clock.jump" && words.first == "ingest")
      return (waits ? ExitCode.busy : report.exit).rawValue
    }
  }

  /// Says an error on standard error, as the words want it said.
  private static func say(_ error: any Error, _ words: [String], _ context: PawlContext) -> CommandFailure {
    let report = report(Stopped(error, context) ?? error)
    let isJSON = words.prefix { $0 != "--" }.contains("--json")
    context.note(
      report.text(
        isJSON: isJSON, styles: context.isErrorTerminal && context.environment("NO_COLOR") == nil),
      isJSON: isJSON)
    return report
  }

  /// Whether a mail server hands over a mail: it bounces what is neither 0 nor 75 (Postfix, pipe(8)), and a bounced
  /// mail is lost, so that every error but a mail too large, which is not an error here, asks it to try again.
  private static func isMailPipe(_ words: [String]) -> Bool {
    // A mistyped line counts too: options may stand between the words, and what follows may be no option of it.
    guard let ingest = words.firstIndex(of: "ingest"), words[ingest...].contains("-") else { return false }
    let sources: Set = ["mail", "lookup", "webhook", "asc", "usage"]
    let source = words[ingest...].first { sources.contains($0) }
    return source == nil || source == "mail"
  }
}

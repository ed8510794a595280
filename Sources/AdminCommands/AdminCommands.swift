package import CommandLineKit
import JSON
import Platform
import ReleaseModel

/// pawl's commands as functions: words in, output and exit status out.
package enum AdminCommands {
  package typealias Context = PawlContext

  /// The table of all commands, from which parsing, help and completions are made.
  package static var table: Command<Context> {
    Command(
      "pawl", summary: "The release ledger of a mobile-app team",
      discussion: """
        Publish versions, track their review, and see what each client is told. Every change is recorded. \
        The ledger is one SQLite file, named with --ledger PATH or PAWL_LEDGER; default: ./pawl.db. With \
        ssh://HOST/PATH the command runs on the host that holds it.
        """,
      groups: [
        ("Every day", { [.status, .publish, .mark, .check, .force, .stop, .undo, .history] }),
        ("Releases", { [.next, .amend, .unmark, .void, .importPast, .releases, .show, .wait] }),
        (
          "Rules",
          {
            [
              .remind, .allow, .lift, .rules, .redirect, .redirects, .setting, .settings, .resume, .redo,
              .due,
            ]
          }
        ),
        ("Evidence from Apple", { [.ingest, .inbox] }),
        ("What clients and other programs read", { [.export, .probe, .sync, .deliver] }),
        ("Approvals and audit", { [.plan, .verify, .checkpoint, .key, .reportPage] }),
        (
          "Setup and care",
          { [.makeLedger, .app, .trust, .doctor, .backup, .serveSSH, .completions, .version] }
        ),
      ], hints: { Synonyms.answers }, topics: HelpTopic.pawl)
  }

  package static let version = "0.1.0"

  package static let date = "2026-11-21"

  /// The word with which packagers ask for the page for `man`.
  private static let manualEntry = "--manual"

  /// The page for `man`, from the same table as the help.
  package static var manual: String { table.manPage(version: version, date: date) }

  /// The beginning of that day; a clock that is behind it cannot be right.
  static var programDate: Timestamp { (try? Timestamp(date + "T00:00:00Z")) ?? .distantPast }

  /// Runs the command of a process.
  ///
  /// - Parameter commandLine: The program's name and its words.
  /// - Returns: The exit status.
  package static func start(_ commandLine: [String], _ context: PawlContext) -> Int32 {
    // On Linux the runtime finds the words by way of /proc/self/maps; if that cannot be read, not even the
    // program's name is there. The caller may be a mail server's pipe, hence status 75.
    guard !commandLine.isEmpty else {
      let report = CommandFailure("system.no-words")
      context.note(report.text(isJSON: false, styles: false))
      return report.exit.rawValue
    }
    let words = Array(commandLine.dropFirst())
    guard areWordsText else {
      // Converted to UTF-8, they would name other files.
      return ending(words, context) { throw UsageError("usage.not-utf8") }
    }
    // A mail server bounces a mail if a signal ends its program.
    if isMailPipe(words) { ignoreClosedPipes() }
    return run(words, context)
  }

  /// Runs one command.
  ///
  /// - Parameter words: The command line without the program's name.
  /// - Returns: The exit status, catalogued in docs/errors.md.
  package static func run(_ words: [String], _ context: PawlContext) -> Int32 {
    ending(words, context) {
      if words.first == Command<Context>.completionEntry {
        let live = LiveValues(context: context)
        try context.print(table.completionAnswer(to: words.dropFirst(), live: live.candidates))
        return ExitCode.success.rawValue
      }
      if words == [manualEntry] {
        try context.print(manual)
        return ExitCode.success.rawValue
      }
      // As in other programs.
      let words = words == ["-V"] ? ["--version"] : words
      return try perform(try outcome(of: words, context), words, context)
    }
  }

  /// Runs a command that came over ssh, if the gate admits it.
  ///
  /// - Returns: The exit status; 77 if the gate refuses it, even for a mail server.
  static func serve(_ words: [String], through gate: SSHGate, _ context: PawlContext) -> Int32 {
    ending(words, context) {
      let admitted: Parsed<Context>
      do {
        admitted = try gate.admit(words, context)
      } catch let refusal as CommandFailure {
        return say(refusal, words, context).exit.rawValue
      }
      (context.gate, context.height) = (gate, nil)
      return try perform(admitted, words, context)
    }
  }

  static func outcome(of words: [String], _ context: PawlContext) throws(UsageError) -> Parsed<Context> {
    // It always means this program, even if the command would run on another host.
    if words == ["--version"] { return .help(path: [], text: "pawl \(version)\n") }
    if words.last == "--json", words.first == "help" {
      let asked = Array(words.dropLast())
      let path = table.commandPath(in: asked)
      guard path != asked else {
        return .help(path: [], text: helpJSON(below: path.dropFirst()).text() + "\n")
      }
      // Of a topic there is only the page.
      guard case .help(let path, let text) = try table.parse(asked) else { return try table.parse(words) }
      return .help(path: path, text: (["text": .string(text)] as JSON).text() + "\n")
    }
    return try table.parse(words, width: min(context.width, 100))
  }

  private static func perform(
    _ outcome: Parsed<Context>, _ words: [String], _ context: PawlContext
  ) throws -> Int32 {
    switch outcome {
    case .help(_, let text):
      try context.paged(words.last != "--json") { try context.print(text) }
      return ExitCode.success.rawValue
    case .incomplete(_, let text):
      context.note(text)
      return ExitCode.usage.rawValue
    case .run(let invocation):
      let names = Set(invocation.given.map(\.parameter.name))
      if names.contains("--no-input") { context.isInputTerminal = false }
      if names.contains("--no-color") { context.mayColor = false }
      let isMarkdown = names.contains(Parameter<CommonOptions>.markdownOption)
      let forPrograms = invocation.given.first(where: \.parameter.forPrograms)?.parameter.name
      if isMarkdown, let forPrograms {
        throw UsageError("usage.invalid/together", ["options": "--markdown and \(forPrograms)"])
      }
      if let remote = try RemoteRun(invocation, context) {
        let status = try remote.run()
        return status != .data && status != .success && isMailPipe(words)
          ? ExitCode.busy.rawValue : status.rawValue
      }
      if let plan = invocation.given.first(where: { $0.parameter.name == "--plan" }), plan.value != nil {
        context.planTask = PlanTask(making: invocation)
      }
      // A change tells its moments in the zone, too; JSON is in UTC. One that cannot be read refuses what takes a zone, and
      // nothing else: a stop waits for no variable to be mended.
      if !invocation.isReadOnly {
        let name = invocation.value(of: "--zone")
        let options = ZoneOptions(name: name)
        let takesZone = forPrograms == nil && invocation.parameters.contains { $0.name == "--zone" }
        let zone = try takesZone || name != nil ? options.zone(context) : try? options.zone(context)
        if forPrograms == nil, let zone { context.zone = zone }
      }
      let run = {
        do {
          return try invocation.run(context)
        } catch let error as SystemError where error.path == PawlContext.output && !error.isClosedPipe {
          if invocation.isReadOnly || names.contains("--dry-run") { throw error }
          throw CommandFailure("output.failed", ["reason": error.reason])
        }
      }
      if isMarkdown { return try context.fenced(run).rawValue }
      // What is read as it comes, or by programs, is not held back.
      let isPaged =
        forPrograms == nil && !names.contains("--no-pager") && invocation.reach != .repeated
        && invocation.isReadOnly
      return try context.paged(isPaged, run).rawValue
    }
  }

  /// Runs a body for a command line, and reports the error that it throws.
  private static func ending(
    _ words: [String], _ context: PawlContext, _ body: () throws -> Int32
  ) -> Int32 {
    do {
      return try body()
    } catch let error as SystemError where error.isClosedPipe {
      // The reader of the output has seen enough; what was to be recorded is recorded.
      return (isMailPipe(words) ? ExitCode.busy : .io).rawValue
    } catch {
      let report = say(error, words, context)
      var waits = isMailPipe(words)
      // Evidence can wait until the clock is right.
      if report.id == "clock.jump", case .run(let asked)? = try? outcome(of: words, context) {
        waits = waits || asked.call.path.first == "ingest"
      }
      return (waits ? ExitCode.busy : report.exit).rawValue
    }
  }

  /// Reports an error on standard error, in the form that the words ask for.
  private static func say(_ error: any Error, _ words: [String], _ context: PawlContext) -> CommandFailure {
    let report = report(Stopped(error, context) ?? error)
    let isJSON = words.prefix { $0 != "--" }.contains("--json")
    let text = report.text(
      isJSON: isJSON,
      styles: context.isErrorTerminal && context.mayColor && context.environment("NO_COLOR") == nil)
    context.note(isJSON ? text : context.inZone(text, butFor: words), isJSON: isJSON)
    return report
  }

  /// Whether a mail server is handing over a mail.
  ///
  /// It bounces a mail unless the status is 0 or 75 (Postfix, pipe(8)), and a bounced mail is lost. So every
  /// error asks it to try again; a mail that is too large is not an error here.
  private static func isMailPipe(_ words: [String]) -> Bool {
    guard words.contains("ingest"), words.contains("-") else { return false }
    // A mistyped line counts too.
    // The value of an option before the command may be a command's name, too.
    let valued = Set(table.optionsBelow.filter { $0.kind == .option }.map(\.name))
    var rest = words.prefix { $0 != "--" }
    var kept: [String] = []
    while let word = rest.popFirst() {
      if valued.contains(word) { rest = rest.dropFirst() } else { kept.append(word) }
    }
    let path = table.commandPath(in: kept)
    return path == ["ingest"] || path == ["ingest", "mail"]
  }
}

extension Command where Context == PawlContext {
  fileprivate static var version: Command {
    Command("version", reach: .remote, isReadOnly: true, summary: "Print the version of pawl") {
      .common
    } run: { context, common in
      try common.print(
        ["version": .string(AdminCommands.version), "date": .string(AdminCommands.date)], context
      ) { "pawl \(AdminCommands.version)\n" }
      return .success
    }
  }
}

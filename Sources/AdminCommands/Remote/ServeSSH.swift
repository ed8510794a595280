import CommandLineKit

private struct ServeOptions: Sendable {
  var ledger: String?
  var mayNamePaths = false
}

extension Command where Context == PawlContext {
  /// Runs the command that somebody asked for over ssh, and nothing else.
  static var serveSSH: Command {
    Command(
      "serve-ssh", summary: "Run the pawl command that came over ssh",
      discussion: """
        For a forced command in authorized_keys: reads SSH_ORIGINAL_COMMAND, refuses every other program, another \
        ledger, and whatever a shell would act on, and runs what is left. No shell reads it. Files and directories \
        of the host cannot be named without --paths; '-' and standard input can.
        """,
      examples: [
        .init("pawl serve-ssh --ledger /var/lib/pawl/pawl.db", "as the forced command of a key")
      ],
      section: "Care", options: { ServeOptions() },
      parameters: {
        [
          .option(
            "--ledger", "PATH", .path, help: "The only ledger there is (else PAWL_LEDGER, else ./pawl.db)"
          ) {
            $0.ledger = $1
          },
          .flag("--paths", help: "Let commands name files and directories of this host") {
            $0.mayNamePaths = true
          },
        ]
      }
    ) { options, _, context in
      let served = ServedLine(
        ledger: options.ledger ?? context.environment("PAWL_LEDGER") ?? "pawl.db",
        mayNamePaths: options.mayNamePaths)
      return try served.run(context)
    }
  }
}

/// A line that came over ssh, for one ledger.
private struct ServedLine {
  let ledger: String
  let mayNamePaths: Bool

  /// The variables that a line may set, as pawl itself does at the other end.
  private static let variables: Set = ["PAWL_ACTOR", "NO_COLOR"]

  func run(_ context: PawlContext) throws -> ExitCode {
    guard let line = context.environment("SSH_ORIGINAL_COMMAND") else {
      throw refused("no command was given", hint: "this key runs pawl and nothing else")
    }
    guard var words = ShellWords.split(line)?[...] else {
      throw refused(
        "it holds what a shell would act on", hint: "put words with special characters into single quotes")
    }
    var set: [String: String] = ["PAWL_LEDGER": ledger]
    // By bytes: a combining mark after the sign makes one character of both.
    while let word = words.first, let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")),
      ServedLine.variables.contains(String(word[..<sign]))
    {
      set[String(word[..<sign])] = String(word[word.utf8.index(after: sign)...])
      words = words.dropFirst()
    }
    let program = words.popFirst() ?? ""
    guard program == "pawl" || program.hasSuffix("/pawl") else {
      throw refused("it is no pawl command", hint: "this key runs pawl and nothing else")
    }
    try inspect(Array(words), context)

    let outer = context.environment
    context.environment = { name in
      guard let value = set[name] else { return outer(name) }
      return value.isEmpty ? nil : value
    }
    return ExitCode(rawValue: AdminCommands.run(Array(words), context))
  }

  /// Looks at what the words mean before they are run; words that mean nothing are left to the run to refuse.
  private func inspect(_ words: [String], _ context: PawlContext) throws {
    guard case .run(let invocation)? = try? AdminCommands.table.parse(words) else { return }
    guard invocation.call.path != ["serve-ssh"] else {
      throw refused("it would serve itself", hint: "name the command alone")
    }
    if let asked = invocation.value(of: "--ledger"), asked != ledger {
      throw refused(
        "this key has another ledger than '\(printable(asked, limit: 200))'",
        hint: "name none; with a URL, ssh://HOST without a path")
    }
    if !mayNamePaths { try PathUse.refuseAll(of: invocation) }
  }

  private func refused(_ reason: String, hint: String) -> Report {
    Report("ssh.not-served", "cannot run what came over ssh: \(reason)", hint: hint, exit: .forbidden)
  }
}

import CommandLineKit
import Platform

extension Command where Context == PawlContext {
  static var serveSSH: Command {
    Command(
      "serve-ssh", reach: .caller, summary: "Run the pawl command that came over ssh",
      discussion: """
        For a forced command in authorized_keys. Reads SSH_ORIGINAL_COMMAND without a shell, runs the pawl \
        command in it on this ledger, and refuses everything else: other programs, other ledgers, and \
        anything a shell would interpret. Commands may not name files or directories on this host unless \
        --paths is given; '-' and standard input are allowed. --allow limits the key to the commands it \
        names; a group such as 'app' stands for all its commands. Such a key cannot confirm anything: its --yes is \
        ignored, unless the list has the word 'yes'.
        """,
      examples: [
        .init("pawl serve-ssh --ledger /var/lib/pawl/pawl.db", "as the forced command of a key"),
        .init(
          "pawl serve-ssh --ledger /var/lib/pawl/pawl.db --principal ci --allow publish,mark,check,status",
          "a CI job that may publish and mark, and nothing else"),
      ]
    ) {
      (
        .option(
          "--ledger", "PATH", .anyPath,
          help: "The only ledger it may use; default: PAWL_LEDGER, else ./pawl.db"),
        .option(
          "--allow", "VERB,…", .text,
          help: "Run only these commands, such as 'publish,mark:in-review,app add'; 'yes' lets it agree"),
        .option(
          "--principal", "NAME", .line, help: "Whose key it is, for the record; default: PAWL_PRINCIPAL"),
        .flag("--paths", help: "Let commands name files and directories on this host")
      )
    } run: { context, ledger, allow, principal, mayNamePaths in
      let gate = try SSHGate(
        ledger: CommonOptions(ledger: ledger).path(context), allow: allow, mayNamePaths: mayNamePaths)
      return try gate.serve(context, as: principal)
    }
  }
}

extension SSHGate {
  private static let variables: Set = ["PAWL_ACTOR", "NO_COLOR"]

  fileprivate func serve(_ context: PawlContext, as principal: String?) throws -> ExitCode {
    guard let line = context.environment("SSH_ORIGINAL_COMMAND") else {
      throw CommandFailure("ssh.not-served/other")
    }
    guard var words = ShellWords.split(line)?[...] else {
      throw CommandFailure("ssh.not-served/shell")
    }
    var set: [String: String] = ["PAWL_LEDGER": ledger]
    if let principal { set["PAWL_PRINCIPAL"] = principal }
    // By bytes, because a combining mark after the sign would form one character with it.
    while let word = words.first, let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")),
      SSHGate.variables.contains(String(word[..<sign]))
    {
      set[String(word[..<sign])] = String(word[word.utf8.index(after: sign)...])
      words = words.dropFirst()
    }
    let program = words.popFirst() ?? ""
    guard program == "pawl" || program.hasSuffix("/pawl") else {
      throw CommandFailure("ssh.not-served/other")
    }

    let outer = context.environment
    context.environment = { name in
      guard let value = set[name] else { return outer(name) }
      return value.isEmpty ? nil : value
    }
    return ExitCode(rawValue: AdminCommands.serve(Array(words), through: self, context))
  }
}

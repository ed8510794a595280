import CommandLineKit

/// What one ssh key may do with one ledger; every use of pawl passes here: commands, help, completion, the
/// version.
///
/// Only what is listed passes, so that a new command is out of reach until somebody decides otherwise.
struct SSHGate {
  /// The only ledger that may be used.
  let ledger: String
  /// The commands that may run, each as its words: `["app", "add"]`.
  let allowed: Set<[String]>
  /// Whether the key has a list of its own commands; then it gets no help on other commands either.
  let isRestricted: Bool
  /// Whether commands may name files and directories of this host.
  let mayNamePaths: Bool

  /// The commands that a key may run if it has no list of its own.
  ///
  /// The list omits `serve-ssh`, which would give a key another ledger, and `deliver`, which runs any
  /// program.
  static let served: Set<[String]> = Set(
    [
      "init", "app add", "app list", "app retire", "app set", "app show", "app void",
      "publish", "next", "amend", "mark", "unmark", "void", "import", "releases",
      "check", "status", "due",
      "force", "remind", "allow", "lift", "rules", "redirect", "redirects", "setting", "settings",
      "stop", "resume", "revert",
      "ingest asc", "ingest lookup", "ingest mail", "ingest usage", "ingest webhook",
      "inbox", "inbox apply", "inbox dismiss", "inbox retry", "inbox show",
      "plan apply", "plan show",
      "trust approvals", "trust dkim", "trust host", "trust list", "trust mx", "trust recipient",
      "trust remove",
      "trust signer",
      "history", "show", "blame", "verify", "version", "checkpoint",
      "export", "payload", "report", "backup", "doctor", "completions",
    ].map(names))

  /// Makes the gate of a key.
  ///
  /// - Parameter allow: The names of the key's own commands, separated by commas; nil for all served
  ///   commands.
  /// - Throws: `UsageError` if a name is not a command, `CommandFailure` if a command is never served.
  init(ledger: String, allow: String?, mayNamePaths: Bool) throws {
    self.ledger = ledger
    self.mayNamePaths = mayNamePaths
    isRestricted = allow != nil
    allowed = try allow.map { try SSHGate.commands(in: $0) } ?? SSHGate.served
  }

  /// Checks what the words ask for, and admits or refuses it.
  ///
  /// The returned outcome is what runs; the words are not parsed again.
  ///
  /// - Throws: `CommandFailure` for what may not pass, `UsageError` for what cannot be parsed.
  func admit(_ words: [String], _ context: PawlContext) throws -> Outcome<PawlContext> {
    guard words.first != Command<PawlContext>.completionEntry else {
      throw SSHGate.refused("it asks for completions", hint: "complete words on a host that has the ledger")
    }
    let outcome: Outcome<PawlContext>
    do {
      outcome = try AdminCommands.outcome(of: words, context)
    } catch {
      try checkName(error.path)
      throw error
    }
    switch outcome {
    case .help(let path, _): try checkName(path)
    case .run(let invocation): try check(invocation)
    }
    return outcome
  }

  /// Refuses a command that the key may not run, another ledger, and files on the host.
  ///
  /// - Throws: `CommandFailure`.
  func check(_ invocation: Invocation<PawlContext>) throws {
    try checkCommand(of: invocation)
    // By bytes, because equal texts can name different files.
    if let asked = invocation.value(of: "--ledger"), !asked.utf8.elementsEqual(ledger.utf8) {
      throw SSHGate.refused(
        "this key is for another ledger than '\(printable(asked, limit: 200))'",
        hint: "name no ledger; in a URL, write ssh://HOST without a path")
    }
    // It would send a token to whoever listens on this host.
    if invocation.call.path == ["ingest", "asc"], invocation.value(of: "--url") != nil {
      throw SSHGate.refused("--url is not allowed over ssh", hint: "leave --url out")
    }
    if !mayNamePaths { try PathUse.refuseAll(of: invocation) }
  }

  /// Refuses a planned command that the key may not run, and directories on the host; files are in the plan.
  ///
  /// - Throws: `CommandFailure`.
  func check(planned invocation: Invocation<PawlContext>) throws {
    try checkCommand(of: invocation)
    if !mayNamePaths { try PathUse.refuseDirectories(of: invocation) }
  }

  /// Refuses a command that the key may not run, whether in a plan or not.
  ///
  /// - Throws: `CommandFailure`.
  private func checkCommand(of invocation: Invocation<PawlContext>) throws {
    guard allowed.contains(invocation.call.path) else { throw notAllowed(invocation.call.path) }
    // Permission to look at a ledger does not include changing its time.
    if isRestricted, invocation.given.contains(where: { $0.parameter.name == "--correct-clock" }) {
      throw notAllowed(invocation.call.path + ["--correct-clock"])
    }
  }

  /// Refuses help on a command that the key may not run; only a key without a list of its own gets help on
  /// groups.
  private func checkName(_ path: [String]) throws {
    if allowed.contains(path) { return }
    guard !isRestricted, AdminCommands.table.command(at: path)?.hasAction == false else {
      throw notAllowed(path)
    }
  }

  private func notAllowed(_ path: [String]) -> CommandFailure {
    let name = (["pawl"] + path).joined(separator: " ")
    guard isRestricted else {
      return SSHGate.refused("'\(name)' never runs over ssh", hint: "run it on the host that has the ledger")
    }
    let names = allowed.map { $0.joined(separator: " ") }.sorted().joined(separator: ", ")
    return SSHGate.refused("this key may not run '\(name)'", hint: "it may run: \(names)")
  }

  /// The commands that a list names; a group without an action stands for all served commands in it.
  private static func commands(in list: String) throws -> Set<[String]> {
    var commands: Set<[String]> = []
    for name in list.split(separator: ",", omittingEmptySubsequences: false) {
      let path = names(String(name))
      guard !path.isEmpty, let command = AdminCommands.table.command(at: path) else {
        throw UsageError(
          id: "usage.invalid-value",
          message: "invalid value '\(printable(list, limit: 80))' for '--allow VERB,…': there is no command "
            + "'\(printable(String(name), limit: 80))'",
          hint: "separate commands with commas, as in 'publish,mark,app add'")
      }
      let named =
        command.hasAction ? served.filter { $0 == path } : served.filter { $0.starts(with: path) }
      guard !named.isEmpty else {
        throw refused(
          "'pawl \(path.joined(separator: " "))' never runs over ssh", hint: "take it out of --allow")
      }
      commands.formUnion(named)
    }
    return commands
  }

  private static func names(_ command: String) -> [String] { command.split(separator: " ").map(String.init) }

  static func refused(_ reason: String, hint: String) -> CommandFailure {
    CommandFailure(
      "ssh.not-served", "cannot run the command that came over ssh: \(reason)", hint: hint, exit: .forbidden)
  }
}

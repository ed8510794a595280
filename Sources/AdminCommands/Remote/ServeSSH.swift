import CommandLineKit
import Platform
import ReleaseModel

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
          help: "Run only these commands, such as 'publish,mark:in-review,app add'; 'yes' lets it confirm"),
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

/// What one ssh key may do with one ledger; every use of pawl passes here: commands, help, completion, the
/// version.
///
/// Only commands that declare it are served, so a new command stays out of reach until someone decides otherwise.
struct SSHGate {
  let ledger: String
  /// The commands that may run, each as its words, such as `["app", "add"]`; `["mark", "in-review"]` marks only that
  /// state.
  let allowed: Set<[String]>
  /// Whether the key has a list of its own commands; then it gets no help on other commands either.
  let isRestricted: Bool
  /// Whether the key may agree to what needs agreement: `yes` in its list of commands.
  let mayAgree: Bool
  /// Whether commands may name files and directories of this host.
  let mayNamePaths: Bool

  /// The commands that a key may run if it has no list of its own.
  private static var served: Set<[String]> {
    Set(AdminCommands.table.leaves.filter { $0.command.reach.isServed }.map(\.path))
  }

  /// - Parameter allow: The key's own commands, separated by commas, and `yes` if it may agree; nil for all.
  init(ledger: String, allow: String?, mayNamePaths: Bool) throws {
    (self.ledger, self.mayNamePaths, isRestricted) = (ledger, mayNamePaths, allow != nil)
    let names = allow?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    mayAgree = names?.contains("yes") ?? true
    allowed = try names.map { try SSHGate.commands(in: $0.filter { $0 != "yes" }) } ?? SSHGate.served
  }

  /// Admits or refuses what the words ask for; what is returned runs, and is not parsed again.
  func admit(_ words: [String], _ context: PawlContext) throws -> Parsed<PawlContext> {
    guard words.first != Command<PawlContext>.completionEntry else {
      throw CommandFailure("ssh.not-served/completions")
    }
    let outcome: Parsed<PawlContext>
    do {
      outcome = try AdminCommands.outcome(of: words, context)
    } catch {
      try checkName(error.path)
      throw error
    }
    switch outcome {
    case .help(let path, _), .incomplete(let path, _): try checkName(path)
    case .run(let invocation): try check(invocation)
    }
    return outcome
  }

  /// Refuses a command that the key may not run, another ledger, and files on the host.
  func check(_ invocation: Invocation<PawlContext>) throws {
    try checkCommand(of: invocation)
    // By bytes, because equal texts can name different files.
    if let asked = invocation.value(of: "--ledger"), !asked.utf8.elementsEqual(ledger.utf8) {
      throw CommandFailure("ssh.not-served/ledger", ["ledger": asked])
    }
    try checkPaths(of: invocation) { _ in true }
  }

  /// Refuses a planned command that the key may not run, and directories on the host; files are in the plan.
  func check(planned invocation: Invocation<PawlContext>) throws {
    try checkCommand(of: invocation)
    try checkPaths(of: invocation) { $0 == .host }
  }

  /// Refuses the effect of a command that the key may not run.
  ///
  /// - Parameter state: The one that it marks a release as, if it does.
  func check(effect path: [String], _ state: ReleaseState?) throws {
    guard isAllowed(path, state?.rawValue) else { throw notAllowed(path) }
  }

  /// Whether the key may change anything, and so take a change back.
  private var mayChange: Bool {
    allowed.contains { path in
      AdminCommands.table.command(at: Array(path.prefix(path.first == "mark" ? 1 : 2)))?.isReadOnly == false
    }
  }

  /// Whether the key may run a command; of `mark`, in a state or in any.
  private func isAllowed(_ path: [String], _ state: String? = nil) -> Bool {
    allowed.contains(path)
      || path == ["mark"] && allowed.contains { $0.first == "mark" && (state == nil || $0.last == state) }
  }

  private func checkPaths(of invocation: Invocation<PawlContext>, _ isRefused: (PathUse) -> Bool) throws {
    let path = invocation.given.first { $0.path.map(isRefused) ?? false }
    guard !mayNamePaths, let path else { return }
    throw CommandFailure("ssh.path", ["path": path.value ?? ""])
  }

  /// Refuses a command that the key may not run, whether in a plan or not.
  private func checkCommand(of invocation: Invocation<PawlContext>) throws {
    let (path, state) = (invocation.call.path, invocation.value(of: "STATE") ?? "")
    guard invocation.reach == .relay ? mayChange : isAllowed(path, state) else { throw notAllowed(path) }
    for option in invocation.given.map(\.parameter) {
      guard option.reach.isServed else { throw SSHGate.neverServed(path + [option.name]) }
    }
  }

  /// Refuses help on a command that the key may not run; only a key without a list gets help on groups.
  private func checkName(_ path: [String]) throws {
    if isAllowed(path) { return }
    guard !isRestricted, AdminCommands.table.command(at: path)?.isRunnable == false else {
      throw notAllowed(path)
    }
  }

  private func notAllowed(_ path: [String]) -> CommandFailure {
    guard isRestricted else { return SSHGate.neverServed(path) }
    let names = allowed.map { $0.joined(separator: " ") }.sorted().joined(separator: ", ")
    return CommandFailure(
      "ssh.not-served/command", ["command": (["pawl"] + path).joined(separator: " "), "commands": names])
  }

  /// The refusal of a command or option that is only for the host itself.
  static func neverServed(_ path: [String]) -> CommandFailure {
    CommandFailure("ssh.not-served", ["command": (["pawl"] + path).joined(separator: " ")])
  }

  /// The commands that a list names; a group without an action stands for all served commands in it.
  private static func commands(in list: [String]) throws -> Set<[String]> {
    var commands: Set<[String]> = []
    for name in list {
      if let state = name.rest(after: "mark:"), name.hasPrefix("mark:") {
        let states = ReleaseState.reachable.map(\.rawValue)
        guard states.contains(String(state)) else {
          throw UsageError(
            "usage.invalid-value/allow-state",
            ["state": String(state), "allowed": states.joined(separator: ", ")])
        }
        commands.insert(["mark", String(state)])
        continue
      }
      let path = name.split(separator: " ").map(String.init)
      guard !path.isEmpty, let command = AdminCommands.table.command(at: path) else {
        throw UsageError("usage.invalid-value/allow", ["name": name])
      }
      let named =
        command.isRunnable ? served.filter { $0 == path } : served.filter { $0.starts(with: path) }
      guard !named.isEmpty else {
        throw CommandFailure("ssh.not-served/allow", ["command": "pawl \(name)"])
      }
      commands.formUnion(named)
    }
    return commands
  }
}

import CommandLineKit
import Platform
import ReleaseModel

/// A command whose ledger is on another host, run there by the same program over the system's ssh.
struct RemoteRun {
  let address: SSHAddress
  let invocation: Invocation<PawlContext>
  let context: PawlContext

  init?(_ invocation: Invocation<PawlContext>, _ context: PawlContext) throws {
    guard invocation.parameters.contains(where: { $0.name == "--ledger" }),
      let ledger = invocation.value(of: "--ledger") ?? context.environment("PAWL_LEDGER"),
      SSHAddress.isMeant(by: ledger), invocation.reach != .caller,
      !invocation.given.contains(where: { $0.parameter.reach == .caller })
    else { return nil }
    address = try SSHAddress(ledger)
    self.invocation = invocation
    self.context = context
  }

  /// Runs the command there with this process's input, output and errors, and returns its exit status.
  func run() throws -> ExitCode {
    // Such as one that runs a program: words given here must not choose that program.
    guard invocation.reach.isServed else { throw SSHGate.neverServed(invocation.call.path) }
    for given in invocation.given where !given.parameter.reach.isServed {
      throw SSHGate.neverServed(invocation.call.path + [given.parameter.name])
    }
    // Files and directories of the host that runs the command are on that host.
    for given in invocation.given {
      guard let use = given.path, use != .host else { continue }
      let form = given.parameter.kind == .argument ? "-" : "\(given.parameter.name) -"
      throw CommandFailure(
        use == .input ? "ssh.local-file/input" : "ssh.local-file",
        ["file": given.value ?? "", "host": address.host, "form": form])
    }
    let status = try invocation.reach == .repeated ? repeated() : context.runProgram(words, nil, [])
    switch status {
    // The status of a failure of ssh itself (ssh(1), EXIT STATUS); pawl never ends with it.
    case 255:
      throw CommandFailure(isSeen ? "ssh.failed/terminal" : "ssh.failed", ["host": address.host])
    // The status of a shell that cannot find or run a program (POSIX, Shell Command Language, 2.8.2).
    case 126, 127:
      throw CommandFailure("ssh.no-pawl", ["program": program, "host": address.host])
    default: return ExitCode(rawValue: status)
    }
  }

  /// Asks again until the answer is more than "not yet", prints that, and returns its exit status.
  private func repeated() throws -> Int32 {
    let waiting = Waiting(context, timeout: invocation.value(of: "--timeout").flatMap { TimeSpan($0) })
    var isReached = false
    while true {
      let end = try context.captureProgram(words, [], false)
      // Once it could be reached, a host that is away for a while is asked again.
      let isAway = end.status == 255 && isReached
      isReached = isReached || end.status != 255
      if end.status == ExitCode.busy.rawValue || isAway, try waiting.again() { continue }
      try context.writeOutput(end.output)
      return end.status
    }
  }

  private var program: String { context.environment("PAWL_REMOTE") ?? "pawl" }

  /// Whether somebody sits at a terminal that shows both output and errors.
  ///
  /// Only then is a terminal requested on the other side too: it merges output and errors and ends lines with
  /// CR LF, which must not get into files and pipes.
  private var isSeen: Bool {
    invocation.reach != .repeated && context.isInputTerminal && context.isOutputTerminal
      && context.isErrorTerminal
  }

  /// Whether the command reads standard input.
  ///
  /// If it does not, ssh must not read it either: in a `while read` loop it would swallow the rest of the
  /// list.
  private var readsInput: Bool {
    invocation.given.contains { $0.isStream && $0.parameter.path == .input }
      || invocation.parameters.contains { parameter in
        parameter.kind == .argument && parameter.path == .input && !parameter.required
          && invocation.value(of: parameter.name) == nil
      }
  }

  private var words: [String] {
    var words = ["ssh"]
    if isSeen {
      // At its default log level, ssh would end every answer with "Connection to … closed.".
      words += ["-t", "-o", "LogLevel=ERROR"]
    } else {
      words += readsInput ? ["-T"] : ["-T", "-n"]
    }
    if let port = address.port { words += ["-p", String(port)] }
    if let user = address.user { words += ["-l", user] }
    return words + ["--", address.host, line]
  }

  private var line: String {
    var words: [String] = []
    // As variables, because an option would become part of the command that a request id stands for.
    if let actor = context.environment("PAWL_ACTOR") {
      words.append("PAWL_ACTOR=" + ShellWords.quoted(actor))
    }
    if isSeen, context.environment("NO_COLOR") != nil { words.append("NO_COLOR=1") }
    words.append(ShellWords.quoted(program))
    words += invocation.call.path.map(ShellWords.quoted)
    if let path = address.path { words.append(ShellWords.quoted("--ledger=" + path)) }
    var arguments: [String] = []
    if invocation.reach == .repeated { words.append("--timeout=0") }
    for given in invocation.given where !["--ledger", "--timeout"].contains(given.parameter.name) {
      switch (given.parameter.kind, given.value) {
      case (.argument, let value): arguments.append(ShellWords.quoted(value ?? ""))
      case (_, nil): words.append(ShellWords.quoted(given.parameter.name))
      case (_, let value?): words.append(ShellWords.quoted("\(given.parameter.name)=\(value)"))
      }
    }
    if !arguments.isEmpty { words += ["--"] + arguments }
    return words.joined(separator: " ")
  }
}

import CommandLineKit

/// Refuses the files and directories that a command names where they would be on the wrong machine.
enum PathGuard {
  /// Refuses files on this machine, because the command runs on another one.
  ///
  /// Files and directories of the host that runs the command are on that host.
  static func refuseFiles(of invocation: Invocation<PawlContext>, host: String) throws {
    for given in invocation.given {
      guard let use = given.path, use != .host else { continue }
      let file = printable(given.value ?? "", limit: 200)
      let form = given.parameter.kind == .argument ? "-" : "\(given.parameter.name) -"
      throw CommandFailure(
        "ssh.local-file", "cannot pass '\(file)': the command runs on '\(printable(host))'",
        hint: use == .input
          ? "give it on standard input: '\(form)' and '< \(file)'" : "run the command on that host",
        exit: .usage)
    }
  }

  /// Refuses every path, for somebody who may use one ledger and nothing else on the host.
  static func refuseAll(of invocation: Invocation<PawlContext>) throws {
    for given in invocation.given where given.path != nil { throw refused(given) }
  }

  /// Refuses what is on the host even if files come from elsewhere: directories.
  static func refuseDirectories(of invocation: Invocation<PawlContext>) throws {
    for given in invocation.given where given.path == .host { throw refused(given) }
  }

  private static func refused(_ given: Invocation<PawlContext>.Given) -> CommandFailure {
    CommandFailure(
      "ssh.path", "cannot use '\(printable(given.value ?? "", limit: 200))': this key may not name files",
      hint: "pass a file on standard input with '-'; for anything else, ask the host's administrator",
      exit: .forbidden)
  }
}

import CommandLineKit
import Crypto

/// The files and directories that a command names, and whose machine they are on.
enum PathUse {
  /// Files that a command writes beside the ledger, and so on its host.
  private static let written: Set = ["backup FILE"]

  /// Refuses files on this machine, because the command runs on another one.
  ///
  /// Directories, and files that a command writes, are on the other host.
  ///
  /// - Throws: `CommandFailure`.
  static func refuseFiles(of invocation: Invocation<PawlContext>, host: String) throws {
    for given in named(by: invocation) where isFile(given) {
      let place = place(of: given.parameter, invocation.call.path)
      if written.contains(place) { continue }
      let file = printable(given.value ?? "", limit: 200)
      throw CommandFailure(
        "ssh.local-file", "cannot pass '\(file)': the command runs on '\(printable(host))'",
        hint: takesInput.contains(place)
          ? "give it on standard input: '\(inputForm(given.parameter))' and '< \(file)'"
          : "run the command on that host", exit: .usage)
    }
  }

  /// Refuses every path, for somebody who may use one ledger and nothing else on the host.
  ///
  /// - Throws: `CommandFailure`.
  static func refuseAll(of invocation: Invocation<PawlContext>) throws {
    for given in named(by: invocation) { throw refused(given) }
  }

  private static func refused(_ given: Invocation<PawlContext>.Given) -> CommandFailure {
    CommandFailure(
      "ssh.path", "cannot use '\(printable(given.value ?? "", limit: 200))': this key may not name files",
      hint: "pass a file on standard input with '-'; for anything else, ask the host's administrator",
      exit: .forbidden)
  }

  /// Refuses directories, which are on the host even if files come from elsewhere.
  ///
  /// - Throws: `CommandFailure`.
  static func refuseDirectories(of invocation: Invocation<PawlContext>) throws {
    for given in named(by: invocation) where !isFile(given) { throw refused(given) }
  }

  /// The given parameters that are paths, except the ledger and standard input.
  private static func named(by invocation: Invocation<PawlContext>) -> [Invocation<PawlContext>.Given] {
    invocation.given.filter { given in
      isPath(given) && given.parameter.name != "--ledger"
        && !(given.value == "-" && takesInput.contains(place(of: given.parameter, invocation.call.path)))
        && !(given.value == "-" && given.parameter.name == "--plan")
        && !(given.parameter.name == "KEY" && SSHPublicKey(given.value ?? "") != nil)
    }
  }

  private static func isPath(_ given: Invocation<PawlContext>.Given) -> Bool {
    isFile(given) || given.parameter.completion == .directory
  }

  /// A parameter's name, preceded by the name of its command.
  static func place(of parameter: ParameterDescription, _ path: [String]) -> String {
    "\(path.joined(separator: " ")) \(parameter.name)"
  }

  private static func isFile(_ given: Invocation<PawlContext>.Given) -> Bool {
    // The value is either a public key itself, or the name of a file of keys.
    if given.parameter.name == "--public-key" { return NoteVerifier(given.value ?? "") == nil }
    return given.parameter.completion == .file
  }

  /// The parameters for which `-` means standard input; for all others it is the name of a file.
  static let takesInput: Set = [
    "import FILE", "ingest asc FILE", "ingest lookup FILE", "ingest mail FILE", "ingest usage FILE",
    "ingest webhook FILE", "publish --notes", "amend --notes", "publish --profile", "amend --profile",
    "trust dkim --key", "plan apply FILE", "plan show FILE", "trust signer KEY",
  ]

  private static func inputForm(_ parameter: ParameterDescription) -> String {
    parameter.kind == .argument ? "-" : "\(parameter.name) -"
  }
}

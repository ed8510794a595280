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
      let isPlan = given.parameter.name == "--plan"
      throw CommandFailure(
        use == .input ? "ssh.local-file/input" : isPlan ? "ssh.local-file/plan" : "ssh.local-file",
        ["file": given.value ?? "", "host": address.host, "form": form])
    }
    let status = try invocation.reach == .repeated ? repeated() : context.runProgram(words, nil, [])
    switch status {
    // The status of a failure of ssh itself (ssh(1), EXIT STATUS); pawl never ends with it.
    case 255:
      let isQuestion = invocation.isReadOnly
      throw CommandFailure(
        isSeen ? "ssh.failed/terminal" : isQuestion ? "ssh.failed/question" : "ssh.failed",
        [
          "host": address.host,
          "outcome": isQuestion ? "there is no answer" : "the outcome of the command is unknown",
          "recorded": isQuestion
            ? "nothing can have been recorded"
            : "a change may have been recorded: see 'pawl history'. Retrying with the same --request-id is safe"
            ,
        ])
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

  /// Whether someone sits at a terminal that shows both output and errors.
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

/// A ledger on another host: `ssh://[USER@]HOST[:PORT][/PATH]`.
package struct SSHAddress: Sendable, Equatable {
  package let user: String?
  /// A name, an alias from ssh's configuration, or an IP address without its brackets.
  package let host: String
  package let port: Int?
  /// The ledger's file on that host, relative to the home folder if the path begins with `/~/`; nil lets the
  /// host choose.
  package let path: String?

  /// Whether the name of a ledger is such an address; schemes are case-insensitive (RFC 3986, 3.1).
  package static func isMeant(by ledger: String) -> Bool {
    String(decoding: ledger.utf8.prefix(6), as: UTF8.self).lowercased() == "ssh://"
  }

  /// Parses a URL.
  ///
  /// - Throws: `CommandFailure` for what ssh could take for something else, and for what has no meaning here.
  package init(_ url: String) throws {
    func refused(_ reason: String) -> CommandFailure {
      CommandFailure("ssh.malformed", ["url": url, "reason": reason])
    }
    guard SSHAddress.isMeant(by: url) else { throw refused("it is not an ssh URL") }
    let rest = url.utf8.dropFirst(6)
    guard rest.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"?#".utf8.contains($0) }) else {
      throw refused("blanks, control characters, '?' and '#' have no meaning there; write %20, %3F and %23")
    }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") }
    let sides = String(decoding: authority, as: UTF8.self).split(
      separator: "@", omittingEmptySubsequences: false
    ).map(String.init)
    user = sides.count > 1 ? sides[0] : nil
    guard sides.count <= 2, user.map(SSHAddress.isName) ?? true else {
      throw refused("its user name is not valid; a password has no place there")
    }
    // An address with colons of its own is in brackets.
    let place = sides[sides.count - 1]
    let isBracketed = place.hasPrefix("[")
    let end = place.firstIndex(of: isBracketed ? "]" : ":") ?? place.endIndex
    host = String(place[..<end].drop { isBracketed && $0 == "[" })
    let isHost =
      isBracketed
      ? end < place.endIndex && host.contains(":") && host.utf8.allSatisfy(SSHAddress.isAddressByte)
      : SSHAddress.isName(host)
    guard isHost else { throw refused("its host name is not valid") }
    let number = place[end...].drop { isBracketed && $0 == "]" }
    port = Int64(digits: String(number.dropFirst())).flatMap { Int(exactly: $0) }
    guard number.isEmpty || number.hasPrefix(":") && port.map((1...65_535).contains) ?? false else {
      throw refused("its port is not a number from 1 to 65535")
    }
    guard let decoded = SSHAddress.decoded(rest.dropFirst(authority.count)) else {
      throw refused("its path is not percent-encoded UTF-8 without control characters")
    }
    let isOfHome = decoded.utf8.starts(with: "/~/".utf8)
    let relative = isOfHome ? String(decoding: decoded.utf8.dropFirst(3), as: UTF8.self) : decoded
    path = relative.isEmpty || relative == "/" ? nil : relative
  }

  /// Whether a text can only be the name of a user or a host: ssh takes a leading hyphen for an option.
  private static func isName(_ text: String) -> Bool {
    !text.hasPrefix("-") && text.isWord(of: 1...Int.max, marks: "._-")
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool { "0123456789abcdefABCDEF:.".utf8.contains(byte) }

  /// Decodes the percent escapes of a path; nil if one is malformed, or yields invalid UTF-8, and for a path with a control
  /// character.
  private static func decoded(_ path: Substring.UTF8View.SubSequence) -> String? {
    percentDecoded(path).flatMap { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? $0 : nil }
  }
}

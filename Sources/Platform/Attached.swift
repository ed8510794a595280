#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Runs a program found on the path with this process's own input, output and errors, and waits for its end.
///
/// Signals that end a process are handed to the program, so that it ends first. One from a terminal reaches it twice,
/// which does no harm.
///
/// - Parameter words: The program and its arguments; no shell reads them.
/// - Returns: The status it ended with; 128 and the number of the signal that ended it, as shells have it.
/// - Throws: `SystemError` where it cannot be started.
package func runAttached(_ words: [String]) throws(SystemError) -> Int32 {
  try runChild(words, input: nil, environment: [])
}

/// Runs a program found on the path and waits for its end, handing on the signals that end a process.
///
/// - Parameters:
///   - input: What it reads as standard input; its output goes to standard error then. Nil leaves both as they are.
///   - additions: Variables in addition to this process's own.
private func runChild(
  _ words: [String], input: Int32?, environment additions: [(name: String, value: String)]
) throws(SystemError) -> Int32 {
  // Taken one by one below instead of by handlers, which could hardly know the child.
  var taken = sigset_t()
  sigemptyset(&taken)
  for number in [SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&taken, number) }
  var before = sigset_t()
  pthread_sigmask(SIG_BLOCK, &taken, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  // With a handler the end of a child is kept while it is blocked; without one some systems throw it away.
  let handler = signal(SIGCHLD) { _ in }
  defer { signal(SIGCHLD, handler) }

  let child = try spawn(
    words, input: input, output: input == nil ? nil : 2, environment: additions, mask: before)
  var status: Int32 = 0
  while true {
    var number: Int32 = 0
    guard sigwait(&taken, &number) == 0 else { continue }
    if number != SIGCHLD {
      kill(child, number)
    } else if waitpid(child, &status, WNOHANG) == child {
      return exitStatus(status)
    }
  }
}

/// What a program is given that is started for one message.
package struct ProgramFeed: Sendable {
  /// What it reads on standard input.
  package let input: [UInt8]
  /// The name that the input has in the directory until the program has it; nobody else uses it meanwhile.
  package let file: String
  /// Variables in addition to this process's own.
  package let environment: [(name: String, value: String)]

  package init(input: [UInt8], file: String, environment: [(name: String, value: String)]) {
    self.input = input
    self.file = file
    self.environment = environment
  }
}

extension Directory {
  /// Runs a program found on the path with some input, and waits for its end; what it writes goes to standard error.
  ///
  /// The input is a file without a name, since a pipe to a program that does not read would fill up, or break.
  ///
  /// - Parameter words: The program and its arguments; no shell reads them.
  /// - Returns: As `runAttached`.
  /// - Throws: `SystemError` where it cannot be started.
  package func run(_ words: [String], _ feed: ProgramFeed) throws -> Int32 {
    let name = feed.file
    // One that was killed may have left it.
    try remove(name)
    try create(name, rights: 0o600).write(feed.input)
    let input = try open(name, O_RDONLY)
    try remove(name)
    guard let input else { throw SystemError(code: ENOENT, operation: "open", path: try path(of: name)) }
    defer { close(input) }
    return try runChild(words, input: input, environment: feed.environment)
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Runs a program found on the path with this process's own input, output and errors, and waits for its end.
///
/// Signals that end a process are forwarded to the program, so that it ends first. One from a terminal
/// reaches it twice, which does no harm.
///
/// - Parameter words: The program and its arguments; no shell reads them.
/// - Returns: Its exit status, or 128 plus the number of the signal that ended it, as in shells.
/// - Throws: `SystemError` if it cannot be started.
package func runAttached(_ words: [String]) throws(SystemError) -> Int32 {
  try runChild(words, input: nil, environment: [])
}

/// Runs a program found on the path and waits for its end, forwarding the signals that end a process.
///
/// - Parameters:
///   - input: Its standard input; its output then goes to standard error. Nil leaves both as they are.
///   - additions: Variables in addition to this process's own.
private func runChild(
  _ words: [String], input: Int32?, environment additions: [(name: String, value: String)]
) throws(SystemError) -> Int32 {
  // The signals are taken one by one below instead of by handlers, which could hardly know the child.
  var taken = sigset_t()
  sigemptyset(&taken)
  for number in [SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&taken, number) }
  var before = sigset_t()
  pthread_sigmask(SIG_BLOCK, &taken, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  // With a handler, the signal of a child's end is kept while it is blocked; without one, some systems
  // discard it.
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

/// What a program that is started for one message is given.
package struct ProgramFeed: Sendable {
  package let input: [UInt8]
  /// The name of the input in the directory until the program has opened it; nobody else uses the name
  /// meanwhile.
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
  /// Runs a program found on the path with some input, and waits for its end; what it writes goes to standard
  /// error.
  ///
  /// The input is a file without a name, since a pipe to a program that does not read would fill up, or
  /// break.
  ///
  /// - Parameter words: The program and its arguments; no shell reads them.
  /// - Returns: As `runAttached`.
  /// - Throws: `SystemError` if it cannot be started.
  package func run(_ words: [String], _ feed: ProgramFeed) throws -> Int32 {
    let name = feed.file
    // A process that was killed may have left the file.
    try remove(name)
    try create(name, rights: 0o600).write(feed.input)
    let input = try open(name, O_RDONLY)
    try remove(name)
    guard let input else { throw SystemError(code: ENOENT, operation: "open", path: try path(of: name)) }
    defer { close(input) }
    return try runChild(words, input: input, environment: feed.environment)
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// How a program ended, and what it wrote.
package struct ProgramEnd: Sendable, Equatable {
  /// Or 128 plus the number of the signal that ended it, as in shells.
  package let status: Int32
  package let output: [UInt8]
  /// The start of what it wrote to its standard error, where that was asked for.
  package let errors: [UInt8]

  package init(status: Int32, output: [UInt8], errors: [UInt8] = []) {
    (self.status, self.output, self.errors) = (status, output, errors)
  }
}

/// Runs a program found on the path with some input, and returns what it writes. The input touches no disk.
///
/// Secrets belong in the input, never among the words, which everyone on the machine can read.
///
/// - Parameters:
///   - words: The program and its arguments; no shell reads them.
///   - limit: The most bytes taken; a program that writes more is ended.
///   - keepsErrors: Whether the start of what it writes to its standard error is returned, instead of going where this
///     process's errors go.
/// - Throws: `SystemError` if it cannot be started, `FileTooLarge` beyond the limit.
package func runProgram(
  _ words: [String], input: [UInt8] = [], limit: Int, keepsErrors: Bool = false
) throws -> ProgramEnd {
  let name = words.first ?? ""
  // If the program does not read its input, its status shows that, and no signal ends this process.
  let handler = signal(SIGPIPE, SIG_IGN)
  defer { signal(SIGPIPE, handler) }
  let (toChild, fromChild) = (try Pipe(name), try Pipe(name))
  let complaints = try keepsErrors ? Pipe(name) : nil
  let child = try spawn(
    words, input: toChild.end, output: fromChild.start, errors: complaints?.start)
  toChild.closeEnd()
  fromChild.closeStart()
  complaints?.closeStart()
  var errors: [UInt8] = []
  let output: Result<[UInt8], any Error> = Result {
    try exchange(
      input, through: toChild, for: fromChild, errors: complaints, &errors, limit: limit, name)
  }
  if case .failure = output { kill(child, SIGTERM) }
  toChild.closeStart()
  fromChild.closeEnd()
  complaints?.closeEnd()
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 {
    guard errno == EINTR else { throw SystemError(code: errno, operation: "wait for", path: name) }
  }
  return ProgramEnd(status: exitStatus(status), output: try output.get(), errors: errors)
}

/// How many bytes of errors are kept.
private let mostErrors = 1 << 16

/// Writes the input as far as a program reads it, and reads what the program writes, to the end of its output.
private func exchange(
  _ input: [UInt8], through toChild: Pipe, for fromChild: Pipe, errors complaints: Pipe?,
  _ errors: inout [UInt8],
  limit: Int, _ name: String
) throws -> [UInt8] {
  _ = fcntl(toChild.start, F_SETFL, O_NONBLOCK)
  var rest = input[...]
  var output: [UInt8] = []
  while true {
    if rest.isEmpty { toChild.closeStart() }
    // A closed end has a negative number, which poll ignores.
    var ends = [
      pollfd(fd: fromChild.end, events: Int16(POLLIN), revents: 0),
      pollfd(fd: toChild.start, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: complaints?.end ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&ends, nfds_t(ends.count), -1) >= 0 else {
      if errno == EINTR, StopSignals.received == nil { continue }
      throw SystemError(code: errno, operation: "wait for", path: name)
    }
    if ends[1].revents != 0 {
      let count = rest.withUnsafeBytes { write(toChild.start, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EAGAIN, errno != EINTR {
        rest = []
      }
    }
    if ends[2].revents != 0, let complaints {
      if let chunk = try readChunk(complaints.end, path: name) {
        errors += chunk.prefix(max(0, mostErrors - errors.count))
      } else {
        complaints.closeEnd()
      }
      // What was written before the output's end is all there before that is read.
      continue
    }
    if ends[0].revents != 0 {
      guard let chunk = try readChunk(fromChild.end, path: name) else { return output }
      output += chunk
      guard output.count <= limit else { throw FileTooLarge(path: "the output of \(name)", limit: limit) }
    }
  }
}

/// Starts a program found on the path; what is nil is this process's own.
func spawn(
  _ words: [String], input: Int32?, output: Int32?, errors: Int32? = nil,
  environment additions: [(name: String, value: String)] = [], mask: sigset_t? = nil
) throws(SystemError) -> pid_t {
  #if canImport(Darwin)
    var attributes: posix_spawnattr_t?
    var actions: posix_spawn_file_actions_t?
  #else
    var attributes = posix_spawnattr_t()
    var actions = posix_spawn_file_actions_t()
  #endif
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  // SIGXFSZ and SIGPIPE are ignored only for what pawl itself writes.
  var restored = sigset_t()
  sigemptyset(&restored)
  sigaddset(&restored, SIGXFSZ)
  sigaddset(&restored, SIGPIPE)
  posix_spawnattr_setsigdefault(&attributes, &restored)
  if var mask { posix_spawnattr_setsigmask(&attributes, &mask) }
  posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETSIGDEF | (mask == nil ? 0 : POSIX_SPAWN_SETSIGMASK)))

  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
  if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
  if let errors { posix_spawn_file_actions_adddup2(&actions, errors, 2) }

  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  let added: [UnsafeMutablePointer<CChar>?] = additions.map { strdup("\($0.name)=\($0.value)") }
  defer { for variable in added { free(variable) } }
  var variables = inherited(without: additions.map(\.name)) + added + [nil]
  var child: pid_t = 0
  let code = posix_spawnp(&child, words.first ?? "", &actions, &attributes, &arguments, &variables)
  guard code == 0 else { throw SystemError(code: code, operation: "run", path: words.first ?? "") }
  return child
}

/// As in shells: a signal becomes 128 plus its number.
func exitStatus(_ status: Int32) -> Int32 {
  let signal = status & 0x7F
  return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
}

/// The variables of this process, `NAME=VALUE` each, except those of some names.
private func inherited(without names: [String]) -> [UnsafeMutablePointer<CChar>?] {
  var variables: [UnsafeMutablePointer<CChar>?] = []
  var position = 0
  while let entry = environ[position] {
    position += 1
    if !names.contains(where: { strncmp(entry, "\($0)=", $0.utf8.count + 1) == 0 }) {
      variables.append(entry)
    }
  }
  return variables
}

/// Runs a program found on the path with this process's own input, output and errors, and waits for its end.
///
/// Signals that end a process are forwarded to the program, so that it ends first. One from a terminal
/// reaches it twice, which does no harm.
///
/// - Parameters:
///   - words: The program and its arguments; no shell reads them.
///   - input: What it reads instead of this process's input; its output then goes to standard error.
///   - additions: Variables in addition to this process's own.
/// - Returns: As in `ProgramEnd`.
package func runAttached(
  _ words: [String], input: [UInt8]? = nil, environment additions: [(name: String, value: String)] = []
) throws(SystemError) -> Int32 {
  guard let input else { return try runAttached(words, nil, additions) }
  let file = try unnamedFile(input)
  return try runAttached(words, file.descriptor, additions)
}

/// A file with some bytes, to be read from its start: a pipe to a program that does not read would fill up, or break.
private func unnamedFile(_ bytes: [UInt8]) throws(SystemError) -> OpenFile {
  let name = "a temporary file"
  guard let stream = tmpfile() else { throw SystemError(code: errno, operation: "create", path: name) }
  defer { fclose(stream) }
  let file = OpenFile(
    taking: try checked(fcntl(fileno(stream), F_DUPFD_CLOEXEC, 3), "create", name), path: name)
  try file.write(bytes)
  try checked(Int32(truncatingIfNeeded: lseek(file.descriptor, 0, SEEK_SET)), "read", name)
  return file
}

private func runAttached(
  _ words: [String], _ input: Int32?, _ additions: [(name: String, value: String)]
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

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// How a program ended, and what it wrote.
package struct ProgramEnd: Sendable, Equatable {
  /// Its exit status, or 128 plus the number of the signal that ended it, as in shells.
  package let status: Int32
  package let output: [UInt8]

  package init(status: Int32, output: [UInt8]) {
    self.status = status
    self.output = output
  }
}

/// Runs a program found on the path with some input, and returns what it writes. The input touches no disk.
///
/// Secrets belong in the input, never among the words, which everybody on the machine can read.
///
/// - Parameters:
///   - words: The program and its arguments; no shell reads them.
///   - input: What it reads from standard input.
///   - limit: The most bytes taken; a program that writes more is ended.
///   - silencesErrors: Whether its standard error is discarded, instead of going where this process's goes.
/// - Throws: `SystemError` if it cannot be started, `FileTooLarge` beyond the limit.
package func runProgram(
  _ words: [String], input: [UInt8] = [], limit: Int, silencesErrors: Bool = false
) throws -> ProgramEnd {
  let name = words.first ?? ""
  let (toChild, fromChild) = (try Pipe(name), try Pipe(name))
  let child = try spawn(
    words, input: toChild.end, output: fromChild.start, silencesErrors: silencesErrors)
  toChild.closeEnd()
  fromChild.closeStart()
  let output: Result<[UInt8], any Error> = Result {
    try exchange(input, through: toChild, for: fromChild, limit: limit, name)
  }
  if case .failure = output { kill(child, SIGTERM) }
  toChild.closeStart()
  fromChild.closeEnd()
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 {
    guard errno == EINTR else { throw SystemError(code: errno, operation: "wait for", path: name) }
  }
  return ProgramEnd(status: exitStatus(status), output: try output.get())
}

/// Writes the input as far as a program reads it, and reads what the program writes, to its end.
private func exchange(
  _ input: [UInt8], through toChild: Pipe, for fromChild: Pipe, limit: Int, _ name: String
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
        // If the program does not read its input, its status shows that.
        rest = []
      }
    }
    if ends[0].revents != 0 {
      guard let chunk = try readChunk(fromChild.end, path: name) else { return output }
      output += chunk
      guard output.count <= limit else { throw FileTooLarge(path: "the output of \(name)", limit: limit) }
    }
  }
}

/// Starts a program found on the path.
///
/// - Parameters:
///   - input: What it reads as standard input; nil for this process's own.
///   - output: What it writes standard output to; nil for this process's own.
///   - additions: Variables in addition to this process's own.
///   - mask: The signals that are blocked in it; nil for those blocked in this process.
/// - Returns: The number of its process.
func spawn(
  _ words: [String], input: Int32?, output: Int32?, silencesErrors: Bool = false,
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
  if silencesErrors { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }

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

/// Converts the status of `waitpid` as shells do: a signal becomes 128 plus its number.
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

/// A pipe whose ends no other program inherits.
private final class Pipe {
  /// The end to read from.
  private(set) var end: Int32
  /// The end to write to.
  private(set) var start: Int32

  init(_ name: String) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(code: errno, operation: "make a pipe for", path: name) }
    (end, start) = (ends[0], ends[1])
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  func closeEnd() {
    if end >= 0 { close(end) }
    end = -1
  }

  func closeStart() {
    if start >= 0 { close(start) }
    start = -1
  }

  deinit {
    closeEnd()
    closeStart()
  }
}

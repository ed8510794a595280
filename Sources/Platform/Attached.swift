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
func runChild(
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

  let child = try start(words, input: input, environment: additions, mask: &before)
  var status: Int32 = 0
  while true {
    var number: Int32 = 0
    guard sigwait(&taken, &number) == 0 else { continue }
    if number != SIGCHLD {
      kill(child, number)
    } else if waitpid(child, &status, WNOHANG) == child {
      let signal = status & 0x7F
      return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
  }
}

/// Starts a program that takes signals as this process did before it began to wait.
private func start(
  _ words: [String], input: Int32?, environment additions: [(name: String, value: String)],
  mask: inout sigset_t
) throws(SystemError) -> pid_t {
  // Ignoring it is for what pawl writes itself.
  var restored = sigset_t()
  sigemptyset(&restored)
  sigaddset(&restored, SIGXFSZ)
  #if canImport(Darwin)
    var attributes: posix_spawnattr_t?
    var actions: posix_spawn_file_actions_t?
  #else
    var attributes = posix_spawnattr_t()
    var actions = posix_spawn_file_actions_t()
  #endif
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setsigmask(&attributes, &mask)
  posix_spawnattr_setsigdefault(&attributes, &restored)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let input {
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, 2, 1)
  }

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

/// The variables of this process, `NAME=VALUE` each, but for some names.
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

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

  let child = try start(words, mask: &before)
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
private func start(_ words: [String], mask: inout sigset_t) throws(SystemError) -> pid_t {
  // Ignoring it is for what pawl writes itself.
  var restored = sigset_t()
  sigemptyset(&restored)
  sigaddset(&restored, SIGXFSZ)
  #if canImport(Darwin)
    var attributes: posix_spawnattr_t?
  #else
    var attributes = posix_spawnattr_t()
  #endif
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setsigmask(&attributes, &mask)
  posix_spawnattr_setsigdefault(&attributes, &restored)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var child: pid_t = 0
  let code = posix_spawnp(&child, words.first ?? "", nil, &attributes, &arguments, environ)
  guard code == 0 else { throw SystemError(code: code, operation: "run", path: words.first ?? "") }
  return child
}

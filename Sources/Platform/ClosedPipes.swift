#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Makes writing to a pipe that nobody reads fail instead of ending the process by a signal (SIGPIPE).
package func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }

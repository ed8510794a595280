#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Occupies the numbers 0, 1 and 2 if the process was started without standard input, output or errors, so
/// that no file it opens later gets one of them and has answers written into it.
///
/// The replacements cannot be used in the usual direction: reading, or writing, fails as before (EBADF). The
/// C library does the same for programs that run with another user's rights.
package func takeClosedDescriptors() {
  for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
  where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
    // The lowest free number is the one that is missing, since those below it are taken by now.
    guard open("/dev/null", mode) == descriptor else {
      // There is nobody to tell. A mail server tries again at 75 (EX_TEMPFAIL).
      exit(EX_TEMPFAIL)
    }
  }
}

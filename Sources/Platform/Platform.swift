// The one place that knows which system this is; everything else calls what is declared in this module.
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

/// A system call that failed.
package struct SystemError: Error, Sendable, Equatable {
  package let code: Int32
  /// What was tried: "open", "read", "write".
  package let operation: String
  package let path: String

  package init(code: Int32, operation: String, path: String) {
    (self.code, self.operation, self.path) = (code, operation, path)
  }

  /// The system's message, with a lower-case first letter.
  package var reason: String {
    guard let text = strerror(code) else { return "error \(code)" }
    let words = String(cString: text)
    return words.prefix(1).lowercased() + words.dropFirst()
  }

  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }
  package var isTaken: Bool { code == EEXIST }
  package var isClosedPipe: Bool { code == EPIPE }
  package var isInterrupted: Bool { code == EINTR }
  package var isFull: Bool { code == ENOSPC || code == EDQUOT }
  package var isOutOfFiles: Bool { code == EMFILE || code == ENFILE }
  package var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }

  /// Whether the system lacks something for now, or the disk fails, so that other rights would not help.
  package var isTrouble: Bool { [EIO, EMFILE, ENFILE, ENOMEM, EINTR].contains(code) }
}

/// The result of a system call, which is negative if it failed.
///
/// - Parameter harmless: The `errno` of a failure that the caller expects.
@discardableResult
func checked(
  _ result: Int32, _ operation: String, _ path: String, unless harmless: Int32? = nil
) throws(SystemError) -> Int32 {
  guard result >= 0 || errno == harmless else {
    throw SystemError(code: errno, operation: operation, path: path)
  }
  return result
}

/// In seconds since 1970.
package func secondsNow() -> Int64 { Int64(time(nil)) }

package var processID: Int32 { getpid() }

/// The value of an environment variable; nil if it is unset or empty.
package func environment(_ name: String) -> String? {
  guard let value = getenv(name) else { return nil }
  let text = String(cString: value)
  return text.isEmpty ? nil : text
}

/// Whether the arguments of this process, and the values of its variables that begin with `PAWL_`, are UTF-8.
package var areWordsText: Bool {
  func isText(_ word: UnsafePointer<CChar>) -> Bool { String(validatingCString: word) != nil }
  for index in 0..<Int(CommandLine.argc) {
    if let word = CommandLine.unsafeArgv[index], !isText(word) { return false }
  }
  var position = 0
  while let entry = environ[position] {
    position += 1
    if strncmp(entry, "PAWL_", 5) == 0, !isText(entry) { return false }
  }
  return true
}

/// The host's own name.
package func hostName() -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Whether a file descriptor is a terminal.
package func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// The width of the terminal in cells: `COLUMNS`, or else what the terminal says; nil if neither says it.
package func terminalWidth() -> Int? {
  if let columns = environment("COLUMNS").flatMap(Int.init), columns > 0 { return columns }
  var size = winsize()
  for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
  }
  return nil
}

/// The lines of the terminal that standard output goes to; nil if it goes to none.
package func terminalHeight() -> Int? {
  var size = winsize()
  return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 ? Int(size.ws_row) : nil
}

/// Makes a write beyond a size limit fail with an error instead of ending the process halfway.
package func ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN) }

/// Makes writing to a pipe that no one reads fail instead of ending the process by a signal (SIGPIPE).
package func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }

/// Keeps freed memory for what is needed next, instead of giving it back to the system each time.
///
/// This is for a process that lives for seconds: tables that grow and go away would make the system clear the
/// same pages again and again (mallopt(3)). If the system has no such setting, nothing is done.
package func keepFreedMemory() {
  #if canImport(Glibc)
    let mebibyte: Int32 = 1 << 20
    _ = mallopt(M_MMAP_THRESHOLD, 32 * mebibyte)
    _ = mallopt(M_TRIM_THRESHOLD, 1_024 * mebibyte)
  #endif
}

/// Ends the process.
package func exitProcess(_ status: Int32) -> Never { exit(status) }

/// Lets time pass, however often a signal interrupts it.
package func pause(seconds: Double) {
  let end = secondsSinceStart() + seconds
  while case let left = end - secondsSinceStart(), left > 0 {
    // poll(2) takes milliseconds.
    _ = poll(nil, 0, Int32(min(left * 1_000 + 1, 60_000)))
  }
}

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
      // There is no one to tell. A mail server tries again at 75 (EX_TEMPFAIL).
      exit(EX_TEMPFAIL)
    }
  }
}

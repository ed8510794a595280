#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// How many milliseconds to wait for a writer of a named pipe.
private let patienceForWriter: Int32 = 5_000

/// Returns the bytes of a file.
///
/// A pipe that nobody writes to is not waited for forever: opening it does not block, and its first bytes, or
/// its end, must come within five seconds.
///
/// - Throws: `SystemError`, and `FileTooLarge` beyond the limit.
package func readFile(_ path: String, limit: Int) throws -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open", path: path) }
  let status = try FileStatus(orClosing: descriptor, path: path)
  defer { close(descriptor) }
  if status.kind == .other {
    var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let found = poll(&end, 1, patienceForWriter)
    guard found > 0 else {
      throw SystemError(code: found < 0 ? errno : ETIMEDOUT, operation: "read", path: path)
    }
  }
  _ = fcntl(descriptor, F_SETFL, 0)
  return try readDescriptor(descriptor, path: path, limit: limit)
}

/// Returns the bytes of a plain file with one name whose status is trusted; nil for any other. No link is
/// followed, and nothing that could block is opened.
///
/// - Throws: `SystemError`, and `FileTooLarge` beyond the limit.
package func readPlainFile(_ path: String, limit: Int, where isTrusted: (FileStatus) -> Bool) throws
  -> [UInt8]?
{
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open", path: path) }
  let status = try FileStatus(orClosing: descriptor, path: path)
  defer { close(descriptor) }
  guard status.kind == .regular, status.links == 1, isTrusted(status) else { return nil }
  return try readDescriptor(descriptor, path: path, limit: limit)
}

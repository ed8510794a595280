#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// A file or directory held open, and closed with its owner.
package struct OpenFile: ~Copyable {
  let descriptor: Int32
  /// What messages call it.
  let path: String

  /// How a file is opened that should be a regular one: no link is followed, and nothing waits for the other end of
  /// a pipe.
  static let plain = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

  init(taking descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// - Parameters:
  ///   - rights: Those of a file that this makes, less what the umask takes away.
  ///   - directory: Where the name is looked up; the current directory unless given.
  ///   - path: What messages call it; its name unless given.
  init(
    _ name: String, _ flags: Int32, rights: UInt32 = 0, in directory: Int32 = AT_FDCWD, path: String? = nil,
    to operation: String = "open"
  ) throws(SystemError) {
    self.path = path ?? name
    let opened = openat(directory, name, flags | O_CLOEXEC, mode_t(rights))
    descriptor = try checked(opened, operation, self.path)
  }

  deinit { close(descriptor) }

  borrowing func status() throws(SystemError) -> FileStatus {
    var found = stat()
    try checked(fstat(descriptor, &found), "access", path)
    return FileStatus(found)
  }

  /// Gives the file exactly these rights, whatever the umask.
  borrowing func setRights(_ rights: UInt32) throws(SystemError) {
    try checked(fchmod(descriptor, mode_t(rights)), "set the rights of", path)
  }

  /// Gives the file the owner and group of another.
  ///
  /// Only root can give a file away. Anyone else stays its owner, and can give it to a group of their own.
  borrowing func give(like model: FileStatus) {
    if fchown(descriptor, model.owner, model.group) != 0 {
      _ = fchown(descriptor, uid_t.max, model.group)
    }
  }

  /// The rest of the file.
  ///
  /// - Throws: `SystemError`, and `FileTooLarge` beyond the limit.
  borrowing func bytes(limit: Int) throws -> [UInt8] {
    let bytes = try prefix(limit + 1)
    guard bytes.count <= limit else { throw FileTooLarge(path: path, limit: limit) }
    return bytes
  }

  /// The next bytes, up to a limit.
  borrowing func prefix(_ limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      // Most files are small, and the system has to clear every page that is touched.
      let size = min(limit - bytes.count, bytes.isEmpty ? 1 << 12 : 1 << 16)
      guard let chunk = try readChunk(descriptor, path: path, size: size) else { break }
      bytes += chunk
    }
    return bytes
  }

  /// Writes the next bytes.
  package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    try writeAll(bytes, to: descriptor, path: path)
  }

  /// Flushes the file, or the names in the directory, to the disk.
  package borrowing func flush() throws(SystemError) {
    #if canImport(Darwin)
      // Without this, Darwin flushes only to the drive's cache.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    try checked(fsync(descriptor), "flush", path)
  }
}

/// Returns the next bytes of a file descriptor, nil at its end.
package func readChunk(_ descriptor: Int32, path: String, size: Int = 1 << 16) throws(SystemError) -> [UInt8]?
{
  var failure: SystemError?
  let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    while true {
      let got = read(descriptor, buffer.baseAddress, size)
      if got >= 0 {
        count = got
        return
      }
      // After a stop signal the call gives up; otherwise it would not notice the signal.
      if errno == EINTR, StopSignals.received == nil { continue }
      failure = SystemError(code: errno, operation: "read", path: path)
      count = 0
      return
    }
  }
  if let failure { throw failure }
  return bytes.isEmpty ? nil : bytes
}

/// Writes all bytes to a file descriptor.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(SystemError) {
  var done = 0
  while done < bytes.count {
    let written = bytes.withUnsafeBytes { buffer in
      write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
    }
    if written < 0 {
      if errno == EINTR { continue }
      throw SystemError(code: errno, operation: "write", path: path)
    }
    done += written
  }
}

/// A pipe whose ends no other program inherits.
///
/// The conformance is unchecked: of a pipe that two threads have, neither closes an end.
final class Pipe: @unchecked Sendable {
  private(set) var end: Int32
  private(set) var start: Int32

  init(_ name: String) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try checked(pipe(&ends), "make a pipe for", name)
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

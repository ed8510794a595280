// Puts files in place so that a reader never sees half of one, and a loss of power loses none that was said
// to be there. By the rules of fsync(2), a file's bytes and its name are made durable separately.
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

/// Makes a directory with exactly these rights, whatever the umask.
///
/// - Returns: Whether it was made; an existing one stays as it is.
@discardableResult
package func makeDirectory(_ path: String, rights: UInt32) throws(SystemError) -> Bool {
  if mkdir(path, mode_t(rights)) == 0 {
    guard chmod(path, mode_t(rights)) == 0 else {
      throw SystemError(code: errno, operation: "set the rights of", path: path)
    }
    return true
  }
  guard errno == EEXIST else { throw SystemError(code: errno, operation: "make", path: path) }
  return false
}

/// A file that is written piece by piece.
package struct FileWriter: ~Copyable {
  private let descriptor: Int32
  private let path: String

  /// Takes over an open file to write to it, and closes it at the end.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Writes the next bytes.
  package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    try writeAll(bytes, to: descriptor, path: path)
  }

  /// Flushes what was written to the disk.
  package borrowing func flush() throws(SystemError) { try Platform.flush(descriptor, path: path) }
}

/// Flushes a file, or the names in a directory, to the disk.
package func flush(_ path: String) throws(SystemError) {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "flush", path: path) }
  defer { close(descriptor) }
  try flush(descriptor, path: path)
}

/// Flushes an open file or directory to the disk; the path is for messages.
func flush(_ descriptor: Int32, path: String) throws(SystemError) {
  #if canImport(Darwin)
    // Without this, Darwin flushes only to the drive's cache.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
  #endif
  guard fsync(descriptor) == 0 else { throw SystemError(code: errno, operation: "flush", path: path) }
}

/// The current directory.
package func currentDirectory() throws(SystemError) -> String { try resolvedPath(".") }

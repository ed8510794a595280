// Puts files in place so that a reader never sees half of one, and a loss of power loses none that was said
// to be there. By the rules of fsync(2), a file's bytes and its name are made durable separately.
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

/// Makes a file of the given bytes, complete and on the disk before it gets its name, like `createFile`.
package func publishFile(
  _ bytes: [UInt8], as path: String, rights: UInt32, replaces: Bool, like model: FileStatus? = nil
) throws(SystemError) {
  removeLeftovers(of: path)
  let temporary = temporaryName(for: path)
  try createFile(temporary, rights: rights, like: model, bytes, as: path)
  try publish(temporary, as: path, replaces: replaces)
}

/// Makes a new file with exactly these rights, whatever the umask; removes it on a failure.
///
/// - Parameters:
///   - model: The file whose owner and group it gets, as far as the system permits.
///   - name: What messages call it; its path unless given.
package func createFile(
  _ path: String, rights: UInt32, like model: FileStatus? = nil, _ bytes: [UInt8] = [], as name: String? = nil
) throws(SystemError) {
  let name = name ?? path
  let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
  let descriptor = try checked(open(path, flags, mode_t(rights)), "create", name)
  defer { close(descriptor) }
  do throws(SystemError) {
    if let model { give(descriptor, like: model) }
    try checked(fchmod(descriptor, mode_t(rights)), "set the rights of", name)
    try writeAll(bytes, to: descriptor, path: name)
  } catch {
    unlink(path)
    throw error
  }
}

/// Gives an open file the owner and group of another.
///
/// Only root can give a file away. Anybody else stays its owner, and can give it to a group of their own.
func give(_ descriptor: Int32, like model: FileStatus) {
  if fchown(descriptor, model.owner, model.group) != 0 { _ = fchown(descriptor, uid_t.max, model.group) }
}

/// Gives a finished file its name, which is on the disk when this returns; removes the file on a failure.
///
/// - Throws: `SystemError`, whose `isTaken` is true if the name is another file's and may not be replaced.
package func publish(_ temporary: String, as path: String, replaces: Bool) throws(SystemError) {
  do throws(SystemError) {
    try flush(temporary)
    if replaces {
      try checked(rename(temporary, path), "name", path)
    } else {
      // Unlike rename(2), link(2) never takes another file's place.
      try checked(link(temporary, path), "make", path)
      unlink(temporary)
    }
  } catch {
    unlink(temporary)
    throw error
  }
  try flush(folder(of: path))
}

/// A temporary name beside a file, which no other process uses.
package func temporaryName(for path: String) -> String { "\(path).\(getpid()).new" }

/// Removes the temporary files of processes that were killed before a file had its name.
///
/// A file is removed only if no process still has the number in its name. A new process with that number
/// only delays the removal.
package func removeLeftovers(of path: String) {
  let folder = folder(of: path)
  let prefix = (path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path) + "."
  for name in (try? fileNames(in: folder)) ?? [] where name.hasPrefix(prefix) {
    let rest = name.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard rest.count == 2, rest[1] == "new" || rest[1] == "new-journal", let process = Int32(rest[0]),
      String(process) == rest[0], process > 0, kill(process, 0) != 0, errno == ESRCH
    else { continue }
    unlink("\(folder)/\(name)")
  }
}

/// The folder that contains a path's last component.
package func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Makes a directory with exactly these rights, whatever the umask; false if there is one already.
@discardableResult
package func makeDirectory(_ path: String, rights: UInt32) throws(SystemError) -> Bool {
  guard try checked(mkdir(path, mode_t(rights)), "make", path, unless: EEXIST) == 0 else { return false }
  try checked(chmod(path, mode_t(rights)), "set the rights of", path)
  return true
}

/// A file that is written piece by piece.
package struct FileWriter: ~Copyable {
  private let descriptor: Int32
  private let path: String

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
  let descriptor = try checked(open(path, O_RDONLY | O_CLOEXEC), "flush", path)
  defer { close(descriptor) }
  try flush(descriptor, path: path)
}

/// Flushes an open file or directory to the disk; the path is for messages.
func flush(_ descriptor: Int32, path: String) throws(SystemError) {
  #if canImport(Darwin)
    // Without this, Darwin flushes only to the drive's cache.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
  #endif
  try checked(fsync(descriptor), "flush", path)
}

/// The current directory.
package func currentDirectory() throws(SystemError) -> String { try resolvedPath(".") }

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

/// Removes a file; does nothing if there is none.
package func removeFile(_ path: String) { unlink(path) }

/// Removes a folder if it is empty.
package func removeFolder(_ path: String) { rmdir(path) }

/// Returns a directory's path with symbolic links followed.
package func resolvedPath(_ path: String) throws(SystemError) -> String {
  guard let resolved = realpath(path, nil) else {
    throw SystemError(code: errno, operation: "find", path: path)
  }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Gives a file or folder to a group, with exactly these rights.
///
/// - Throws: `SystemError`, with EPERM also if the system silently drops a right.
package func share(_ path: String, withGroup group: UInt32, rights: UInt32) throws(SystemError) {
  let descriptor = try checked(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), "open", path)
  defer { close(descriptor) }
  let operation = "give to the group"
  try checked(fchown(descriptor, uid_t.max, group), operation, path)
  try checked(fchmod(descriptor, mode_t(rights)), operation, path)
  var status = stat()
  guard fstat(descriptor, &status) == 0, UInt32(status.st_mode) & 0o7777 == rights, status.st_gid == group
  else { throw SystemError(code: EPERM, operation: operation, path: path) }
}

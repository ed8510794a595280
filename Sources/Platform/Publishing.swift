// What it takes to put files in place so that a reader never sees half of one, and a loss of power loses none that was
// said to be there (the rules of fsync(2): a file's bytes and its name are made durable apart).
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

/// Makes a directory with exactly these rights whatever the umask says.
///
/// - Returns: Whether it was made; one that is there stays as it is.
/// - Throws: `SystemError`.
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

/// Writes a file anew with exactly these rights whatever the umask says; nothing is flushed to the disk yet.
///
/// - Throws: `SystemError`.
package func writeFile(_ bytes: [UInt8], to path: String, rights: UInt32) throws(SystemError) {
  let writer = try FileWriter(path, rights: rights)
  try writer.write(bytes)
}

/// A file being written anew, piece by piece.
package struct FileWriter: ~Copyable {
  private let descriptor: Int32
  private let path: String

  /// Makes the file, or empties it, with exactly these rights whatever the umask says.
  ///
  /// - Throws: `SystemError`.
  package init(_ path: String, rights: UInt32) throws(SystemError) {
    let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode_t(rights))
    guard opened >= 0 else { throw SystemError(code: errno, operation: "create", path: path) }
    guard fchmod(opened, mode_t(rights)) == 0 else {
      let code = errno
      close(opened)
      throw SystemError(code: code, operation: "set the rights of", path: path)
    }
    descriptor = opened
    self.path = path
  }

  deinit { close(descriptor) }

  /// Writes what comes next.
  ///
  /// - Throws: `SystemError`.
  package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    try writeAll(bytes, to: descriptor, path: path)
  }
}

/// Gives a file a time of change at least one whole second after that of another, if there is another.
///
/// Web servers and copying programs tell two states of a file apart by its length and its time in seconds (nginx's ETag
/// is made of these), so a file that takes the place of one as long must not have the same.
/// - Throws: `SystemError`.
package func makeNewer(_ path: String, than other: String) throws(SystemError) {
  var old = stat()
  var new = stat()
  guard lstat(other, &old) == 0 else { return }
  guard lstat(path, &new) == 0 else { throw SystemError(code: errno, operation: "look at", path: path) }
  #if canImport(Darwin)
    let (before, now) = (old.st_mtimespec, new.st_mtimespec)
  #else
    let (before, now) = (old.st_mtim, new.st_mtim)
  #endif
  // A time far ahead was set by somebody else, and one more second would not help.
  let (next, overflows) = before.tv_sec.addingReportingOverflow(1)
  guard now.tv_sec <= before.tv_sec, !overflows else { return }
  let times = [timespec(tv_sec: now.tv_sec, tv_nsec: now.tv_nsec), timespec(tv_sec: next, tv_nsec: 0)]
  guard utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0 else {
    throw SystemError(code: errno, operation: "set the time of", path: path)
  }
}

/// Gives a file another name, taking the place of one that has it.
///
/// - Throws: `SystemError`.
package func renameFile(_ path: String, to other: String) throws(SystemError) {
  guard rename(path, other) == 0 else {
    throw SystemError(code: errno, operation: "put in place", path: other)
  }
}

/// Removes a file that somebody should know is gone; one that is not there is fine.
///
/// - Throws: `SystemError`.
package func deleteFile(_ path: String) throws(SystemError) {
  guard unlink(path) == 0 || errno == ENOENT else {
    throw SystemError(code: errno, operation: "remove", path: path)
  }
}

/// Flushes a file, or the names in a directory, to the disk.
///
/// - Throws: `SystemError`.
package func flush(_ path: String) throws(SystemError) {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "flush", path: path) }
  defer { close(descriptor) }
  #if canImport(Darwin)
    // Without it, what Darwin flushes stops at the drive's cache.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
  #endif
  guard fsync(descriptor) == 0 else { throw SystemError(code: errno, operation: "flush", path: path) }
}

/// Flushes many files at once: all that is waiting for the disk they are on, where the system can do that.
///
/// Linux reports errors of writing back since 5.8 (syncfs(2)).
///
/// - Parameters:
///   - paths: The files, and the directories whose names changed.
///   - place: A directory on the same file system.
/// - Throws: `SystemError`.
package func flush(_ paths: [String], in place: String) throws(SystemError) {
  #if canImport(Glibc)
    // One file is flushed in about the time that all are; what else waits for the disk would wait with it.
    if paths.count > 8 {
      let descriptor = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemError(code: errno, operation: "flush", path: place) }
      defer { close(descriptor) }
      guard syncfs(descriptor) == 0 else { throw SystemError(code: errno, operation: "flush", path: place) }
      return
    }
  #endif
  for path in paths { try flush(path) }
}

/// How many entries a directory has, `.` and `..` aside; nil where there is no such directory.
package func entryCount(in path: String) -> Int? {
  guard let directory = opendir(path) else { return nil }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count - 2
}

/// The current directory.
///
/// - Throws: `SystemError`.
package func currentDirectory() throws(SystemError) -> String { try resolvedPath(".") }

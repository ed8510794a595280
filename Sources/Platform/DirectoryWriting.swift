#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

extension Directory {
  /// Makes a new file with exactly these rights, whatever the umask.
  ///
  /// - Throws: `SystemError`, whose `isTaken` is true if something has the name.
  package func create(_ name: String, rights: UInt32) throws(SystemError) -> FileWriter {
    let path = try self.path(of: name)
    let opened = openat(
      descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(rights))
    guard opened >= 0 else { throw SystemError(code: errno, operation: "create", path: path) }
    let writer = FileWriter(descriptor: opened, path: path)
    guard fchmod(opened, mode_t(rights)) == 0 else {
      throw SystemError(code: errno, operation: "set the rights of", path: path)
    }
    return writer
  }

  /// Opens a file to append to it, creating it with exactly these rights if there is none.
  ///
  /// - Throws: `Obstruction` for anything but a regular file of one name; `SystemError`.
  package func append(to name: String, rights: UInt32) throws -> FileWriter {
    FileWriter(descriptor: try openOrCreate(name, O_WRONLY | O_APPEND, rights), path: try path(of: name))
  }

  /// Opens a file for a lock, creating it with exactly these rights if there is none; nothing is locked yet.
  ///
  /// - Throws: As `append(to:rights:)`.
  package func lock(_ name: String, rights: UInt32) throws -> FileLock {
    FileLock(descriptor: try openOrCreate(name, O_RDWR, rights), path: try path(of: name))
  }

  /// Gives a file another name in a directory of the same file system, replacing any file of that name.
  package func rename(_ name: String, to other: String, in directory: Directory) throws(SystemError) {
    let target = try directory.path(of: other)
    _ = try path(of: name)
    guard renameat(descriptor, name, directory.descriptor, other) == 0 else {
      throw SystemError(code: errno, operation: "put in place", path: target)
    }
  }

  /// Removes a file, or a link itself; does nothing if there is none.
  package func remove(_ name: String) throws(SystemError) {
    let path = try self.path(of: name)
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
      throw SystemError(code: errno, operation: "remove", path: path)
    }
  }

  /// Removes a directory if it is empty.
  ///
  /// - Returns: Whether it is gone.
  package func removeEmptyDirectory(_ name: String) -> Bool {
    (try? path(of: name)) != nil && unlinkat(descriptor, name, AT_REMOVEDIR) == 0
  }

  /// Sets when a file was last changed, in seconds since 1970.
  package func setModified(_ name: String, to seconds: Int64) throws(SystemError) {
    let path = try self.path(of: name)
    let time = timespec(tv_sec: time_t(seconds), tv_nsec: 0)
    guard utimensat(descriptor, name, [time, time], AT_SYMLINK_NOFOLLOW) == 0 else {
      throw SystemError(code: errno, operation: "set the time of", path: path)
    }
  }

  /// Gives a file to a group, as far as the system permits.
  package func give(_ name: String, toGroup group: UInt32) {
    guard (try? path(of: name)) != nil else { return }
    _ = fchownat(descriptor, name, uid_t.max, group, AT_SYMLINK_NOFOLLOW)
  }

  /// Flushes the names in the directory to the disk.
  package func flush() throws(SystemError) { try Platform.flush(descriptor, path: path) }

  /// Flushes a file of the directory to the disk.
  ///
  /// - Throws: `Obstruction`, `SystemError`.
  package func flush(_ name: String) throws {
    guard let file = try open(name, O_RDONLY) else { return }
    defer { close(file) }
    try Platform.flush(file, path: try path(of: name))
  }

  /// Flushes everything that waits for the directory's file system, if the system can do that in one call.
  ///
  /// Linux has reported write-back errors since 5.8 (syncfs(2)).
  ///
  /// - Returns: Whether the system can do that.
  package func flushFileSystem() throws(SystemError) -> Bool {
    #if canImport(Glibc)
      guard syncfs(descriptor) == 0 else { throw SystemError(code: errno, operation: "flush", path: path) }
      return true
    #else
      return false
    #endif
  }
}

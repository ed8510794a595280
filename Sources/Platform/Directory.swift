// Directories that are written to while others may interfere. A path is looked up once, from the root, and
// checked on the way; from then on every name is looked up in a directory that is held open (openat(2)), so
// that nobody can put something else in the way between the check and the use.
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

/// A directory held open, in which names are looked up without following links.
///
/// Every name is a single component: what leads elsewhere, such as `..` or a name with a slash, is refused.
/// Only regular files of one name are read, and no call waits for the other end of a pipe.
package final class Directory {
  /// Where it was found; for messages.
  package let path: String
  /// Its status when it was opened.
  package let status: FileStatus
  let descriptor: Int32

  init(_ descriptor: Int32, path: String) throws(SystemError) {
    status = try FileStatus(orClosing: descriptor, path: path)
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  // MARK: Opening

  /// Opens a directory by its path, and makes sure that nobody else can put another in its place.
  ///
  /// Links among its parents are followed if they belong to this user or to root. No parent may be writable
  /// by everybody, unless it is sticky as /tmp is; the directory itself may never be.
  ///
  /// - Parameters:
  ///   - rights: The rights with which to make the directory if it is missing; nil to leave it missing.
  ///   - group: The only group that may write the directory; nil if any may.
  /// - Throws: `UnsafeDirectory`; `SystemError`, whose `isMissing` is true if there is no such directory.
  package static func open(_ path: String, makingWith rights: UInt32? = nil, group: UInt32? = nil) throws
    -> Directory
  {
    var walk = try DirectoryWalk(to: path)
    let directory = try walk.end(makingWith: rights)
    if directory.status.isWorldWritable {
      throw UnsafeDirectory(path: directory.path, reason: .worldWritable)
    }
    if let group, directory.status.rights & 0o020 != 0, directory.status.group != group {
      throw UnsafeDirectory(path: directory.path, reason: .otherGroup)
    }
    return directory
  }

  /// Makes sure that nobody else can replace one of the folders that lead to a file.
  ///
  /// None of them may be writable by everybody, unless it is sticky as /tmp is.
  ///
  /// - Throws: `UnsafeDirectory`, `SystemError`.
  package static func checkWay(to file: String) throws {
    var walk = try DirectoryWalk(to: file, dropping: 1)
    _ = try walk.end(makingWith: nil)
    try walk.check()
  }

  /// Opens a directory in this one; nil if there is none.
  ///
  /// - Throws: `Obstruction` if something else has the name; `UnsafeDirectory`, `SystemError`.
  package func directory(_ name: String) throws -> Directory? {
    let path = try self.path(of: name)
    let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else {
      let code = errno
      if code == ENOENT { return nil }
      if code == ENOTDIR || code == ELOOP, let found = try status(of: name), found.kind != .directory {
        throw Obstruction(path: path, what: found.kind.words)
      }
      throw SystemError(code: code, operation: "open", path: path)
    }
    let directory = try Directory(opened, path: path)
    if directory.status.isWorldWritable { throw UnsafeDirectory(path: path, reason: .worldWritable) }
    return directory
  }

  /// Opens a directory in this one, creating it with exactly these rights if there is none.
  ///
  /// - Returns: The directory, and whether it was made. A new name is durable once this directory is flushed.
  /// - Throws: As `directory(_:)`.
  package func makeDirectory(_ name: String, rights: UInt32) throws -> (directory: Directory, isNew: Bool) {
    if let found = try directory(name) { return (found, false) }
    let path = try self.path(of: name)
    guard mkdirat(descriptor, name, mode_t(rights)) == 0 || errno == EEXIST else {
      throw SystemError(code: errno, operation: "make", path: path)
    }
    guard let made = try directory(name) else {
      throw SystemError(code: ENOENT, operation: "make", path: path)
    }
    guard fchmod(made.descriptor, mode_t(rights)) == 0 else {
      throw SystemError(code: errno, operation: "set the rights of", path: path)
    }
    return (made, true)
  }

  // MARK: Looking

  /// The status of a file in the directory, without following a link; nil if there is none.
  package func status(of name: String) throws(SystemError) -> FileStatus? {
    let path = try self.path(of: name)
    var found = stat()
    guard fstatat(descriptor, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw SystemError(code: errno, operation: "access", path: path)
    }
    return FileStatus(found)
  }

  /// The names in the directory, in no particular order, without `.` and `..`; names that are not UTF-8 are
  /// left out.
  package func names() throws(SystemError) -> [String] {
    try entryNames(descriptor, path: path).compactMap { String(validating: $0, as: UTF8.self) }
  }

  /// Returns the bytes of a file; nil if there is none.
  ///
  /// - Throws: `Obstruction` for anything but a regular file of one name; `FileTooLarge`, `SystemError`.
  package func read(_ name: String, limit: Int) throws -> [UInt8]? {
    guard let file = try open(name, O_RDONLY) else { return nil }
    defer { close(file) }
    return try readDescriptor(file, path: try path(of: name), limit: limit)
  }

  // MARK: Names

  func path(of name: String) throws(SystemError) -> String {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")),
      !name.utf8.contains(0)
    else { throw SystemError(code: EINVAL, operation: "use", path: "\(path)/\(name)") }
    return path == "/" ? "/" + name : "\(path)/\(name)"
  }

  func openOrCreate(_ name: String, _ flags: Int32, _ rights: UInt32) throws -> Int32 {
    if let file = try open(name, flags) { return file }
    let path = try self.path(of: name)
    let made = openat(
      descriptor, name, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(rights))
    if made >= 0 {
      // If the rights cannot be set, fewer accounts may use the file, which does no harm.
      _ = fchmod(made, mode_t(rights))
      return made
    }
    let code = errno
    // Another process made it meanwhile.
    if code == EEXIST, let file = try open(name, flags) { return file }
    throw SystemError(code: code, operation: "create", path: path)
  }

  /// Opens a regular file of one name; nil if there is none.
  func open(_ name: String, _ flags: Int32) throws -> Int32? {
    let path = try self.path(of: name)
    guard let named = try status(of: name) else { return nil }
    guard named.kind == .regular else { throw Obstruction(path: path, what: named.kind.words) }
    // Without waiting, in case it has become a pipe since.
    let file = openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw SystemError(code: errno, operation: "open", path: path)
    }
    let status = try FileStatus(orClosing: file, path: path)
    guard status.kind == .regular, status.links < 2 else {
      close(file)
      throw Obstruction(path: path, what: status.words)
    }
    return file
  }
}

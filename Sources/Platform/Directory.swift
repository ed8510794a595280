// Directories that are written to while others may interfere. A path is looked up once, from the root, and
// checked on the way; from then on every name is looked up in a directory that is held open (openat(2)), so
// that no one can put something else in the way between the check and the use.
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
  package let path: String
  package let status: FileStatus
  private let file: OpenFile
  /// The file whose owner gets what root makes in it and below, so that root's help locks no one out; nil for none.
  package var heir: FileStatus?
  var descriptor: Int32 { file.descriptor }

  init(_ file: consuming OpenFile) throws(SystemError) {
    path = file.path
    status = try file.status()
    self.file = file
  }

  // MARK: Opening

  /// Opens a directory by its path, and makes sure that no one else can put another in its place.
  ///
  /// Links among its parents are followed if they belong to this user or to root. No parent may be writable
  /// by everyone, unless it is sticky as /tmp is; the directory itself may never be.
  ///
  /// - Parameters:
  ///   - rights: The rights with which to make the directory if it is missing; nil to leave it missing.
  ///   - group: The only group that may write the directory; nil if any may.
  ///   - followsLinks: Whether there may be links in the path.
  /// - Throws: `UnsafeDirectory`; `Obstruction` for a link that is not followed; `SystemError`, whose `isMissing` is true
  ///   if there is no such directory.
  package static func open(
    _ path: String, makingWith rights: UInt32? = nil, group: UInt32? = nil, followsLinks: Bool = true
  ) throws -> Directory {
    var walk = try DirectoryWalk(to: path, followsLinks: followsLinks)
    let directory = try walk.end(makingWith: rights)
    let status = directory.status
    if status.isWorldWritable { throw UnsafeDirectory(path: path, reason: .worldWritable) }
    if let group, status.rights & 0o020 != 0, status.group != group {
      throw UnsafeDirectory(path: path, reason: .otherGroup)
    }
    return directory
  }

  /// Makes sure that no one else can replace one of the folders that lead to a file: none may be writable by
  /// everyone, unless it is sticky as /tmp is.
  package static func checkWay(to file: String) throws {
    var walk = try DirectoryWalk(to: file, dropping: 1)
    _ = try walk.end(makingWith: nil)
    try walk.check()
  }

  /// Opens a directory in this one, or nil.
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
    let directory = try Directory(OpenFile(taking: opened, path: path))
    if directory.status.isWorldWritable { throw UnsafeDirectory(path: path, reason: .worldWritable) }
    directory.heir = heir
    return directory
  }

  /// Gives the directory, if it is root's, and what is made in it to the owner of a file.
  package func leave(to model: FileStatus) {
    heir = model
    if status.owner == 0 { give(file) }
  }

  private func give(_ file: borrowing OpenFile) {
    if let heir, geteuid() == 0 { file.give(like: heir) }
  }

  /// Opens a directory in this one, or makes it with exactly these rights.
  ///
  /// A new name is durable once this directory is flushed.
  package func makeDirectory(_ name: String, rights: UInt32) throws -> (directory: Directory, isNew: Bool) {
    if let found = try directory(name) { return (found, false) }
    let path = try self.path(of: name)
    try checked(mkdirat(descriptor, name, mode_t(rights)), "make", path, unless: EEXIST)
    guard let made = try directory(name) else {
      throw SystemError(code: ENOENT, operation: "make", path: path)
    }
    give(made.file)
    try made.file.setRights(rights)
    return (made, true)
  }

  // MARK: Looking

  /// Makes sure that this account may make and replace files in it (access(2)).
  package func checkWritable() throws(SystemError) {
    try checked(faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS), "write in", path)
  }

  /// Without following a link, or nil.
  package func status(of name: String) throws(SystemError) -> FileStatus? {
    let path = try self.path(of: name)
    var found = stat()
    let result = fstatat(descriptor, name, &found, AT_SYMLINK_NOFOLLOW)
    return try checked(result, "access", path, unless: ENOENT) < 0 ? nil : FileStatus(found)
  }

  /// The names in the directory, in no particular order, without `.` and `..`; names that are not UTF-8 are
  /// left out.
  package func names() throws(SystemError) -> [String] {
    try entries().compactMap { String(validating: $0, as: UTF8.self) }
  }

  /// Returns the bytes of a file, or nil.
  ///
  /// - Throws: `Obstruction` for anything but a regular file of one name; `FileTooLarge`, `SystemError`.
  package func read(_ name: String, limit: Int) throws -> [UInt8]? {
    try open(name, O_RDONLY)?.bytes(limit: limit)
  }

  // MARK: Names

  func path(of name: String) throws(SystemError) -> String {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")),
      !name.utf8.contains(0)
    else { throw SystemError(code: EINVAL, operation: "use", path: "\(path)/\(name)") }
    return path == "/" ? "/" + name : "\(path)/\(name)"
  }

  private func openOrCreate(_ name: String, _ flags: Int32, _ rights: UInt32) throws -> OpenFile {
    if let file = try open(name, flags) { return file }
    do throws(SystemError) {
      let file = try OpenFile(
        name, flags | O_CREAT | O_EXCL | O_NOFOLLOW, rights: rights, in: descriptor, path: path(of: name),
        to: "create")
      give(file)
      // If the rights cannot be set, fewer accounts may use the file, which does no harm.
      try? file.setRights(rights)
      return file
    } catch {
      // Another process made it meanwhile.
      if error.isTaken, let file = try open(name, flags) { return file }
      throw error
    }
  }

  /// Opens a regular file of one name, or nil.
  func open(_ name: String, _ flags: Int32) throws -> OpenFile? {
    let path = try self.path(of: name)
    guard let named = try status(of: name) else { return nil }
    guard named.kind == .regular else { throw Obstruction(path: path, what: named.kind.words) }
    // Without waiting, in case it has become a pipe since.
    let opened = try checked(
      openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), "open", path, unless: ENOENT)
    guard opened >= 0 else { return nil }
    let file = OpenFile(taking: opened, path: path)
    let status = try file.status()
    guard status.kind == .regular, status.links < 2 else {
      throw Obstruction(path: path, what: status.words)
    }
    return file
  }
}

/// A directory that others could use to redirect what is written.
package struct UnsafeDirectory: Error, Sendable, Equatable {
  /// Why it is not used.
  package enum Reason: Sendable, Equatable {
    /// Every account of the machine may put files there, or rename those that are there.
    case worldWritable
    /// A group other than the ledger's may write it.
    case otherGroup
    /// The path leads through a symbolic link that belongs to someone else.
    case linkOfAnother
  }

  package let path: String
  package let reason: Reason
}

/// What stands where a file or a directory of our own should be, and is neither followed nor touched.
package struct Obstruction: Error, Sendable, Hashable {
  package let path: String
  package let what: String

  package init(path: String, what: String) {
    self.path = path
    self.what = what
  }
}

extension Directory {
  /// Makes a new file with exactly these rights, whatever the umask.
  package func create(_ name: String, rights: UInt32) throws(SystemError) -> OpenFile {
    let file = try OpenFile(
      name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, rights: rights, in: descriptor, path: path(of: name),
      to: "create")
    give(file)
    try file.setRights(rights)
    return file
  }

  /// Opens a file to append to it, creating it with exactly these rights if it is missing.
  package func append(to name: String, rights: UInt32) throws -> OpenFile {
    try openOrCreate(name, O_WRONLY | O_APPEND, rights)
  }

  /// Opens a file for a lock, creating it with exactly these rights if it is missing; nothing is locked yet.
  package func lock(_ name: String, rights: UInt32) throws -> FileLock {
    FileLock(try openOrCreate(name, O_RDWR, rights))
  }

  /// Gives a file another name in a directory of the same file system, replacing any file of that name.
  package func rename(_ name: String, to other: String, in directory: Directory) throws(SystemError) {
    let target = try directory.path(of: other)
    _ = try path(of: name)
    try checked(renameat(descriptor, name, directory.descriptor, other), "put in place", target)
  }

  /// Removes a file, or a link itself; does nothing if nothing is there.
  package func remove(_ name: String) throws(SystemError) {
    let path = try self.path(of: name)
    try checked(unlinkat(descriptor, name, 0), "remove", path, unless: ENOENT)
  }

  /// Removes a directory if it is empty; returns whether it is gone.
  package func removeEmptyDirectory(_ name: String) -> Bool {
    (try? path(of: name)) != nil && unlinkat(descriptor, name, AT_REMOVEDIR) == 0
  }

  /// Sets when a file was last changed, in seconds since 1970.
  package func setModified(_ name: String, to seconds: Int64) throws(SystemError) {
    let path = try self.path(of: name)
    let time = timespec(tv_sec: time_t(seconds), tv_nsec: 0)
    try checked(utimensat(descriptor, name, [time, time], AT_SYMLINK_NOFOLLOW), "set the time of", path)
  }

  /// Gives a file to a group, as far as the system permits.
  package func give(_ name: String, toGroup group: UInt32) {
    guard (try? path(of: name)) != nil else { return }
    _ = fchownat(descriptor, name, uid_t.max, group, AT_SYMLINK_NOFOLLOW)
  }

  /// Flushes the names in the directory to the disk.
  package func flush() throws(SystemError) { try file.flush() }

  /// Flushes a file of the directory to the disk.
  package func flush(_ name: String) throws {
    try open(name, O_RDONLY)?.flush()
  }

  /// Flushes the whole file system of the directory; false if the system cannot do that in one call.
  ///
  /// Linux has reported write-back errors since 5.8 (syncfs(2)).
  package func flushFileSystem() throws(SystemError) -> Bool {
    #if canImport(Glibc)
      try checked(syncfs(descriptor), "flush", path)
      return true
    #else
      return false
    #endif
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

struct DirectoryWalk: ~Copyable {
  private let wanted: String
  private var here: OpenFile
  private var path = "/"
  private var status: FileStatus
  /// The components still to be looked up, the next one last.
  private var rest: [Substring]
  private var links = 0
  private let followsLinks: Bool

  /// As many as Linux follows (path_resolution(7)).
  private static let mostLinks = 40
  #if canImport(Darwin)
    private static let lookUp = O_RDONLY | O_DIRECTORY
  #else
    /// O_PATH (open(2)), which requires no right to read; glibc's module does not export it.
    private static let lookUp: Int32 = 0o10_000_000 | O_DIRECTORY
  #endif

  /// - Parameter count: How many of the last components are not looked up.
  init(to path: String, dropping count: Int = 0, followsLinks: Bool = true) throws {
    self.followsLinks = followsLinks
    let absolute = path.hasPrefix("/") ? path : try currentDirectory() + "/" + path
    let root = try OpenFile("/", DirectoryWalk.lookUp)
    status = try root.status()
    wanted = path
    rest = Array(DirectoryWalk.components(absolute).dropFirst(count))
    here = root
  }

  mutating func end(makingWith rights: UInt32?) throws -> Directory {
    while let name = rest.popLast() {
      try check()
      try enter(String(name), rights: rest.isEmpty ? rights : nil)
    }
    return try Directory(OpenFile(".", O_RDONLY | O_DIRECTORY, in: here.descriptor, path: wanted))
  }

  /// Refuses to go on from a directory in which everyone may rename what they like.
  func check() throws(UnsafeDirectory) {
    guard status.isWorldWritable, status.rights & 0o1000 == 0 else { return }
    throw UnsafeDirectory(path: path, reason: .worldWritable)
  }

  private mutating func enter(_ name: String, rights: UInt32?) throws {
    let next = name == ".." ? folder(of: path) : path == "/" ? "/" + name : "\(path)/\(name)"
    func open() -> Int32 { openat(here.descriptor, name, DirectoryWalk.lookUp | O_NOFOLLOW | O_CLOEXEC) }
    var opened = open()
    if opened < 0, errno == ENOENT, let rights {
      try checked(mkdirat(here.descriptor, name, mode_t(rights)), "make", wanted, unless: EEXIST)
      opened = open()
      // Its name is kept by the directory above it, which is flushed, too.
      if opened >= 0 { try complete(name, rights: rights) }
    }
    guard opened >= 0 else {
      let code = errno
      guard code == ENOTDIR || code == ELOOP, try follow(name, next) else {
        throw SystemError(code: code, operation: "open", path: wanted)
      }
      return
    }
    here = OpenFile(taking: opened, path: next)
    (path, status) = (next, try here.status())
  }

  /// Gives a directory just made its rights, whatever the umask, and makes its name durable.
  private func complete(_ name: String, rights: UInt32) throws {
    try OpenFile(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: here.descriptor, path: wanted)
      .setRights(rights)
    try OpenFile(".", O_RDONLY | O_DIRECTORY, in: here.descriptor, path: path).flush()
  }

  /// Follows a link; false if the name is not a link.
  private mutating func follow(_ name: String, _ next: String) throws -> Bool {
    var found = stat()
    guard fstatat(here.descriptor, name, &found, AT_SYMLINK_NOFOLLOW) == 0,
      FileStatus(found).kind == .symbolicLink
    else { return false }
    guard followsLinks else { throw Obstruction(path: next, what: FileStatus(found).kind.words) }
    links += 1
    guard links <= DirectoryWalk.mostLinks else {
      throw SystemError(code: ELOOP, operation: "open", path: wanted)
    }
    guard [0, geteuid()].contains(found.st_uid) else {
      throw UnsafeDirectory(path: next, reason: .linkOfAnother)
    }
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = target.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return -1 }
      return readlinkat(here.descriptor, name, start.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    guard count >= 0, count < target.count else {
      throw SystemError(code: errno, operation: "open", path: wanted)
    }
    let text = String(decoding: target.prefix(count), as: UTF8.self)
    rest += DirectoryWalk.components(text)
    guard text.hasPrefix("/") else { return true }
    here = try OpenFile("/", DirectoryWalk.lookUp)
    (path, status) = ("/", try here.status())
    return true
  }

  /// The components of a path, the first one last.
  private static func components(_ path: String) -> [Substring] {
    path.split(separator: "/").filter { $0 != "." }.reversed()
  }
}

/// Why an entry of a directory is not read.
package enum EntryFault: Error, Sendable, Equatable {
  /// A symbolic link, which might lead anywhere.
  case link
  /// A directory, FIFO, socket or device.
  case notAFile
  case gone
  case unreadable(SystemError)
}

/// What others made, read as it is: nothing in it makes a reader wait or leads it elsewhere.
extension Directory {
  /// Opens a directory by a path that the user gave; links in the path are followed.
  package static func named(_ path: String) throws(SystemError) -> Directory {
    try Directory(OpenFile(path, O_RDONLY | O_DIRECTORY))
  }

  /// - Throws: `EntryFault`; `.notAFile` if it is not a directory.
  package func entry(_ name: String) throws(EntryFault) -> Directory {
    let path = "\(self.path)/\(name)"
    let isLink = (try? status(of: name))?.kind == .symbolicLink
    let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw Directory.fault(path, isLink: isLink) }
    do { return try Directory(OpenFile(taking: opened, path: path)) } catch { throw .unreadable(error) }
  }

  /// As bytes, in no particular order, without `.` and `..`.
  package func entries() throws(SystemError) -> [[UInt8]] {
    // The stream closes its descriptor, and moves the descriptor's place in the directory.
    let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = fdopendir(own), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      let error = SystemError(code: errno, operation: "read", path: path)
      if own >= 0 { close(own) }
      throw error
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      // An entry is only as long as its name requires, so a copy of the whole type would read beyond its end.
      let start = UnsafeRawPointer(entry).advanced(by: offset)
      let count = strlen(start.assumingMemoryBound(to: CChar.self))
      let name = Array(UnsafeRawBufferPointer(start: start, count: count))
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
    return names
  }

  /// Returns the first bytes of a regular file in the directory, up to a limit.
  package func readPrefix(of name: [UInt8], limit: Int) throws(EntryFault) -> [UInt8] {
    let name = name.map { CChar(bitPattern: $0) } + [0]
    let place = "\(path)/\(String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let opened = openat(descriptor, name, OpenFile.plain | O_CLOEXEC)
    guard opened >= 0 else {
      // It is a socket, or a device that does not exist.
      if errno == ENXIO || errno == ENODEV || errno == EOPNOTSUPP { throw .notAFile }
      throw Directory.fault(place, isLink: errno == ELOOP)
    }
    let file = OpenFile(taking: opened, path: place)
    do throws(SystemError) {
      if try file.status().kind == .regular { return try file.prefix(limit) }
    } catch {
      throw .unreadable(error)
    }
    throw .notAFile
  }

  private static func fault(_ path: String, isLink: Bool) -> EntryFault {
    if isLink { return .link }
    switch errno {
    case ENOENT: return .gone
    case ENOTDIR: return .notAFile
    default: return .unreadable(SystemError(code: errno, operation: "open", path: path))
    }
  }
}

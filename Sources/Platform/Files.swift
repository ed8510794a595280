#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// The status of a file, without following a symbolic link.
package struct FileStatus: Sendable, Equatable {
  /// What kind of file it is.
  package enum Kind: Sendable, Equatable {
    case regular
    case directory
    case symbolicLink
    case other
  }

  package let kind: Kind
  /// The rights, the lower twelve bits of the mode.
  package let rights: UInt32
  package let links: UInt64
  package let size: Int64
  /// The numbers of the user and the group it belongs to.
  package let owner: UInt32
  package let group: UInt32
  /// When its content was last changed, in whole seconds since 1970.
  package let modified: Int64

  /// Whether everybody on the machine may write it.
  package var isWorldWritable: Bool { rights & 0o002 != 0 }

  /// Whether the rights let no account write it.
  package var isReadOnly: Bool { rights & 0o222 == 0 }

  /// Asks the system about a file.
  ///
  /// - Throws: `SystemError`, whose `isMissing` is true if there is none.
  package init(of path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError(code: errno, operation: "access", path: path) }
    // A file without a name was removed between being found and being looked at: treat it as missing.
    if status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0 {
      throw SystemError(code: ENOENT, operation: "access", path: path)
    }
    self.init(status)
  }

  /// Reads the status of an open file (fstat(2)); closes the file if the call fails.
  init(orClosing descriptor: Int32, path: String) throws(SystemError) {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else {
      let code = errno
      close(descriptor)
      throw SystemError(code: code, operation: "access", path: path)
    }
    self.init(found)
  }

  /// Takes over the system's structure.
  init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .directory
    case S_IFLNK: kind = .symbolicLink
    default: kind = .other
    }
    rights = UInt32(status.st_mode) & 0o7777
    links = UInt64(status.st_nlink)
    size = Int64(status.st_size)
    owner = status.st_uid
    group = status.st_gid
    #if canImport(Darwin)
      modified = Int64(status.st_mtimespec.tv_sec)
    #else
      modified = Int64(status.st_mtim.tv_sec)
    #endif
  }
}

/// A file that is larger than its reader accepts.
package struct FileTooLarge: Error, Sendable, Equatable {
  package let path: String
  package let limit: Int

  package init(path: String, limit: Int) {
    self.path = path
    self.limit = limit
  }
}

/// Returns a directory's path with symbolic links followed.
package func resolvedPath(_ path: String) throws(SystemError) -> String {
  guard let resolved = realpath(path, nil) else {
    throw SystemError(code: errno, operation: "find", path: path)
  }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Why a file that holds a secret is not read.
package enum SecretFault: Error, Sendable, Equatable {
  /// It is a link, a directory or something else that is not a plain file.
  case notPlain
  /// It belongs to another user.
  case otherOwner
  /// Accounts other than its owner have rights to it.
  case open(rights: UInt32)
}

/// Returns the bytes of a file that belongs to whoever runs this, and that nobody else has rights to; no link
/// is followed, and nothing that could block is opened.
///
/// `/dev/fd/N` is what whoever ran this opened for it: a pipe, which has no rights, or such a file.
///
/// - Throws: `SecretFault`, `SystemError`, and `FileTooLarge` beyond the limit.
package func readSecret(_ path: String, limit: Int) throws -> [UInt8] {
  let folder = "/dev/fd/"
  let given = path.hasPrefix(folder) ? Int32(path.dropFirst(folder.count)) : nil
  let descriptor = given.map(dup) ?? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
  guard descriptor >= 0 else {
    if errno == ELOOP { throw SecretFault.notPlain }
    throw SystemError(code: errno, operation: "open", path: path)
  }
  let status = try FileStatus(orClosing: descriptor, path: path)
  defer { close(descriptor) }
  if given == nil || status.kind != .other {
    guard status.kind == .regular else { throw SecretFault.notPlain }
    guard status.owner == geteuid() else { throw SecretFault.otherOwner }
    guard status.rights & 0o077 == 0 else { throw SecretFault.open(rights: status.rights) }
  }
  return try readDescriptor(descriptor, path: path, limit: limit)
}

/// Returns the bytes of an open file; the path is for messages.
func readDescriptor(_ descriptor: Int32, path: String, limit: Int) throws -> [UInt8] {
  // Most files that are read whole are small, and the system has to clear every page that is touched.
  guard var bytes = try readChunk(descriptor, path: path, size: 1 << 12) else { return [] }
  guard bytes.count <= limit else { throw FileTooLarge(path: path, limit: limit) }
  while let chunk = try readChunk(descriptor, path: path) {
    guard bytes.count + chunk.count <= limit else { throw FileTooLarge(path: path, limit: limit) }
    bytes.append(contentsOf: chunk)
  }
  return bytes
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

/// Makes a new, empty file with exactly these rights, whatever the umask.
package func createFile(_ path: String, rights: UInt32) throws(SystemError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(rights))
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "create", path: path) }
  defer { close(descriptor) }
  guard fchmod(descriptor, mode_t(rights)) == 0 else {
    let code = errno
    // It is new, and not what was asked for.
    unlink(path)
    throw SystemError(code: code, operation: "set the rights of", path: path)
  }
}

/// Removes a file; does nothing if there is none.
package func removeFile(_ path: String) { unlink(path) }

/// Returns the first bytes of a file, up to a limit.
package func readPrefix(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open", path: path) }
  defer { close(descriptor) }
  return try readPrefix(descriptor, path: path, limit: limit)
}

/// Returns the next bytes of an open file, up to a limit; the path is for messages.
func readPrefix(_ descriptor: Int32, path: String, limit: Int) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  while bytes.count < limit,
    let chunk = try readChunk(descriptor, path: path, size: min(limit - bytes.count, 1 << 16))
  {
    bytes.append(contentsOf: chunk)
  }
  return bytes
}

/// Returns the names in a directory, in no particular order, without `.` and `..`.
package func fileNames(in path: String) throws(SystemError) -> [String] {
  try OpenDirectory(path).names().map { String(decoding: $0, as: UTF8.self) }
}

/// Returns the names in an open directory as bytes, in no particular order, without `.` and `..`.
func entryNames(_ descriptor: Int32, path: String) throws(SystemError) -> [[UInt8]] {
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

/// Returns the beginning of the first record that is wanted, in a file of records of equal length.
///
/// - Parameters:
///   - offset: Where the first record begins.
///   - count: The most records to look at; the end of the file is an end, too.
///   - isWanted: Looks at the first 104 bytes of a record, or all of a shorter one.
package func readRecord(
  of path: String, from offset: Int, stride: Int, count: Int, where isWanted: (ArraySlice<UInt8>) -> Bool
) throws(SystemError) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open", path: path) }
  defer { close(descriptor) }
  var record = [UInt8](repeating: 0, count: min(104, stride))
  for index in 0..<count {
    let start = off_t(offset) + off_t(index) * off_t(stride)
    let got = record.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, start) }
    guard got >= 0 else { throw SystemError(code: errno, operation: "read", path: path) }
    guard got == record.count else { return nil }
    if isWanted(record[...]) { return record }
  }
  return nil
}

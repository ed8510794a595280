#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// What the system says of a file, a symbolic link taken as itself.
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
  /// How many names the file has.
  package let links: UInt64
  /// The length in bytes.
  package let size: Int64
  /// The numbers of the user and the group it belongs to.
  package let owner: UInt32
  package let group: UInt32
  /// When its content was changed last, in whole seconds since 1970.
  package let modified: Int64

  /// Whether everybody on the machine may write it.
  package var isWorldWritable: Bool { rights & 0o002 != 0 }

  /// Whether no account can write it.
  package var isReadOnly: Bool { rights & 0o222 == 0 }

  /// Asks the system about a file.
  ///
  /// - Throws: `SystemError`, of which `isMissing` says that there is none.
  package init(of path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError(code: errno, operation: "look at", path: path) }
    // One of no name left was removed between the finding and the looking: there is none, as a moment later.
    if status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0 {
      throw SystemError(code: ENOENT, operation: "look at", path: path)
    }
    self.init(status)
  }

  /// Takes what the system says of an open file (fstat(2)); closes the file where the call fails.
  ///
  /// - Throws: `SystemError`.
  init(orClosing descriptor: Int32, path: String) throws(SystemError) {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else {
      let code = errno
      close(descriptor)
      throw SystemError(code: code, operation: "look at", path: path)
    }
    self.init(found)
  }

  /// Takes over what the system said.
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

/// A file larger than its reader takes.
package struct FileTooLarge: Error, Sendable, Equatable {
  package let path: String
  /// The most bytes that are read.
  package let limit: Int

  package init(path: String, limit: Int) {
    self.path = path
    self.limit = limit
  }
}

/// Returns a directory's path with symbolic links followed.
///
/// - Throws: `SystemError`.
package func resolvedPath(_ path: String) throws(SystemError) -> String {
  guard let resolved = realpath(path, nil) else {
    throw SystemError(code: errno, operation: "find", path: path)
  }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Why a file that holds a secret is not read.
package enum SecretFault: Error, Sendable, Equatable {
  /// It is a link, a directory or something else that is no plain file.
  case notPlain
  /// It belongs to another user.
  case otherOwner
  /// Others than its owner have rights to it.
  case open(rights: UInt32)
}

/// Returns the bytes of a file that its owner alone may read, the owner being who runs this; no link is followed, and
/// nothing that would have to be waited for is opened.
///
/// - Throws: `SecretFault`, `SystemError`, and `FileTooLarge` beyond the limit.
package func readSecret(_ path: String, limit: Int) throws -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
  guard descriptor >= 0 else {
    if errno == ELOOP { throw SecretFault.notPlain }
    throw SystemError(code: errno, operation: "open", path: path)
  }
  let status = try FileStatus(orClosing: descriptor, path: path)
  defer { close(descriptor) }
  guard status.kind == .regular else { throw SecretFault.notPlain }
  guard status.owner == geteuid() else { throw SecretFault.otherOwner }
  guard status.rights & 0o077 == 0 else { throw SecretFault.open(rights: status.rights) }
  return try readDescriptor(descriptor, path: path, limit: limit)
}

/// Returns the bytes of an open file; the path is for messages.
func readDescriptor(_ descriptor: Int32, path: String, limit: Int) throws -> [UInt8] {
  // Most files that are read whole are small, and a page that is touched is a page the system has to clear.
  guard var bytes = try readChunk(descriptor, path: path, size: 1 << 12) else { return [] }
  guard bytes.count <= limit else { throw FileTooLarge(path: path, limit: limit) }
  while let chunk = try readChunk(descriptor, path: path) {
    guard bytes.count + chunk.count <= limit else { throw FileTooLarge(path: path, limit: limit) }
    bytes.append(contentsOf: chunk)
  }
  return bytes
}

/// Returns the next bytes of a file descriptor, nil at its end.
///
/// - Throws: `SystemError`.
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
      // With a request to stop the call gives up, which it would not learn otherwise.
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
///
/// - Throws: `SystemError`.
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

/// Makes an empty file that was not there, with exactly these rights whatever the umask says.
///
/// - Throws: `SystemError`.
package func createFile(_ path: String, rights: UInt32) throws(SystemError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(rights))
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "create", path: path) }
  defer { close(descriptor) }
  guard fchmod(descriptor, mode_t(rights)) == 0 else {
    let code = errno
    // It was not there before, and is not what was asked for.
    unlink(path)
    throw SystemError(code: code, operation: "set the rights of", path: path)
  }
}

/// Removes a file; one that is not there is fine.
package func removeFile(_ path: String) { unlink(path) }

/// Returns the first bytes of a file, up to a limit.
///
/// - Throws: `SystemError`.
package func readPrefix(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open", path: path) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  while bytes.count < limit,
    let chunk = try readChunk(descriptor, path: path, size: min(limit - bytes.count, 1 << 16))
  {
    bytes.append(contentsOf: chunk)
  }
  return bytes
}

/// Returns the names of what is in a directory, in no order, without `.` and `..`.
///
/// - Throws: `SystemError`.
package func fileNames(in path: String) throws(SystemError) -> [String] {
  guard let directory = opendir(path) else { throw SystemError(code: errno, operation: "read", path: path) }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = String(decoding: nameBytes(of: entry), as: UTF8.self)
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// The name of an entry as the bytes it is.
///
/// An entry is as long as its name and shorter than its type, so that a copy of the whole would read on beyond its end.
func nameBytes(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
  guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
  let start = UnsafeRawPointer(entry).advanced(by: offset)
  return Array(UnsafeRawBufferPointer(start: start, count: strlen(start.assumingMemoryBound(to: CChar.self))))
}

/// Returns the beginning of the first of many records of one length in a file that is the wanted one.
///
/// - Parameters:
///   - offset: Where the first record begins.
///   - count: How many records to look at; the end of the file is an end, too.
///   - isWanted: Looks at the first 104 bytes of a record, or what there is of them.
/// - Throws: `SystemError`.
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

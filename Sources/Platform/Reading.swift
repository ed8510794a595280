#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// A file that is larger than its reader accepts.
package struct FileTooLarge: Error, Sendable, Equatable {
  package let path: String
  package let limit: Int

  package init(path: String, limit: Int) {
    self.path = path
    self.limit = limit
  }
}

/// In milliseconds.
private let patienceForWriter: Int32 = 5_000

/// Returns the bytes of a file.
///
/// A pipe that nobody writes to is not waited for forever: opening it does not block, and its first bytes, or
/// its end, must come within five seconds.
///
/// - Throws: `SystemError`, and `FileTooLarge` beyond the limit.
package func readFile(_ path: String, limit: Int) throws -> [UInt8] {
  let descriptor = try checked(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), "open", path)
  let status = try FileStatus(orClosing: descriptor, path: path)
  defer { close(descriptor) }
  if status.kind == .other {
    var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let found = poll(&end, 1, patienceForWriter)
    guard found > 0 else {
      throw SystemError(code: found < 0 ? errno : ETIMEDOUT, operation: "read", path: path)
    }
  }
  _ = fcntl(descriptor, F_SETFL, 0)
  return try readDescriptor(descriptor, path: path, limit: limit)
}

/// Returns the bytes of a plain file with one name whose status is trusted; nil for any other. No link is
/// followed, and nothing that could block is opened.
package func readPlainFile(_ path: String, limit: Int, where isTrusted: (FileStatus) -> Bool) throws
  -> [UInt8]?
{
  let descriptor = try checked(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), "open", path)
  let status = try FileStatus(orClosing: descriptor, path: path)
  defer { close(descriptor) }
  guard status.kind == .regular, status.links == 1, isTrusted(status) else { return nil }
  return try readDescriptor(descriptor, path: path, limit: limit)
}

/// Why a file that holds a secret is not read.
package enum SecretFault: Error, Sendable, Equatable {
  case notPlain
  case otherOwner
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

/// Returns the first bytes of a file, up to a limit.
package func readPrefix(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
  let descriptor = try checked(open(path, O_RDONLY | O_CLOEXEC), "open", path)
  defer { close(descriptor) }
  return try readPrefix(descriptor, path: path, limit: limit)
}

/// Returns the first bytes of a plain file; nil for anything else. No link is followed, and nothing that could block is
/// opened.
///
/// - Throws: `SystemError`, whose `isMissing` is true if there is no such file.
package func readPlainPrefix(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
  guard try FileStatus(of: path).kind == .regular else { return nil }
  let descriptor = try checked(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), "open", path)
  let status = try FileStatus(orClosing: descriptor, path: path)
  defer { close(descriptor) }
  return status.kind == .regular ? try readPrefix(descriptor, path: path, limit: limit) : nil
}

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
  try Directory.named(path).entries().map { String(decoding: $0, as: UTF8.self) }
}

/// Returns up to 104 bytes of the first record that is wanted, in a file of records of equal length.
///
/// - Parameter count: The most records to look at; the end of the file is an end, too.
package func readRecord(
  of path: String, from offset: Int, stride: Int, count: Int, where isWanted: (ArraySlice<UInt8>) -> Bool
) throws(SystemError) -> [UInt8]? {
  let descriptor = try checked(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), "open", path)
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

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

/// Opens a file for reading.
///
/// A pipe that no one writes to is not waited for forever: opening it does not block, and its first bytes, or
/// its end, must come within five seconds.
private func openPatiently(_ path: String) throws(SystemError) -> OpenFile {
  let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
  if try file.status().kind == .other {
    var end = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
    let found = poll(&end, 1, patienceForWriter)
    guard found > 0 else {
      throw SystemError(code: found < 0 ? errno : ETIMEDOUT, operation: "read", path: path)
    }
  }
  _ = fcntl(file.descriptor, F_SETFL, 0)
  return file
}

/// Returns the bytes of a file.
///
/// - Throws: `SystemError`, and `FileTooLarge` beyond the limit.
package func readFile(_ path: String, limit: Int) throws -> [UInt8] {
  try openPatiently(path).bytes(limit: limit)
}

/// Returns the bytes of a plain file with one name whose status is trusted; nil for any other. No link is
/// followed, and nothing that could block is opened.
package func readPlainFile(_ path: String, limit: Int, where isTrusted: (FileStatus) -> Bool) throws
  -> [UInt8]?
{
  let file = try OpenFile(path, OpenFile.plain)
  let status = try file.status()
  guard status.kind == .regular, status.links == 1, isTrusted(status) else { return nil }
  return try file.bytes(limit: limit)
}

/// Why a file that holds a secret is not read.
package struct SecretFault: Error, Sendable {
  /// In words that follow a colon.
  package let reason: String
}

/// Returns the bytes of a file that belongs to whoever runs this, and that no one else has rights to; no link
/// is followed, and nothing that could block is opened.
///
/// `/dev/fd/N` is what whoever ran this opened for it: a pipe, which has no rights, or such a file.
///
/// - Throws: `SecretFault`, `SystemError`, and `FileTooLarge` beyond the limit.
package func readSecret(_ path: String, limit: Int) throws -> [UInt8] {
  let folder = "/dev/fd/"
  let given = path.hasPrefix(folder) ? Int32(path.dropFirst(folder.count)) : nil
  let opened = given.map(dup) ?? open(path, OpenFile.plain | O_CLOEXEC)
  let notPlain = SecretFault(reason: "it is not a regular file")
  if opened < 0, errno == ELOOP { throw notPlain }
  let file = OpenFile(taking: try checked(opened, "open", path), path: path)
  let status = try file.status()
  if given == nil || status.kind != .other {
    guard status.kind == .regular else { throw notPlain }
    guard status.owner == geteuid() else { throw SecretFault(reason: "it belongs to another user") }
    guard status.rights & 0o077 == 0 else {
      throw SecretFault(
        reason: "users other than its owner can access it (0\(String(status.rights, radix: 8)))")
    }
  }
  return try file.bytes(limit: limit)
}

/// Returns the first bytes of a file, up to a limit.
package func readPrefix(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
  try openPatiently(path).prefix(limit)
}

/// Returns the first bytes of a plain file; nil for anything else. No link is followed, and nothing that could block is
/// opened.
///
/// - Throws: `SystemError`, whose `isMissing` is true if there is no such file.
package func readPlainPrefix(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
  guard try FileStatus(of: path).kind == .regular else { return nil }
  let file = try OpenFile(path, OpenFile.plain)
  return try file.status().kind == .regular ? file.prefix(limit) : nil
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
  let file = try OpenFile(path, OpenFile.plain)
  var record = [UInt8](repeating: 0, count: min(104, stride))
  for index in 0..<count {
    let start = off_t(offset) + off_t(index) * off_t(stride)
    let got = record.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, $0.count, start) }
    try checked(Int32(truncatingIfNeeded: got), "read", path)
    guard got == record.count else { return nil }
    if isWanted(record[...]) { return record }
  }
  return nil
}

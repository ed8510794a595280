#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// The number of a group, given by name or number; nil if there is no group of that name.
package func groupNumber(_ name: String) -> UInt32? {
  if let number = systemGroupNumber(name) { return number }
  // The greatest number means "no group" to the system.
  guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(name), number != .max else {
    return nil
  }
  return number
}

#if canImport(Darwin)
  private func systemGroupNumber(_ name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }
#else
  /// Reads the number from /etc/group: glibc's own lookup loads modules, which a static program cannot do.
  private func systemGroupNumber(_ name: String) -> UInt32? {
    guard let groups = try? readFile("/etc/group", limit: 4 << 20) else { return nil }
    for line in groups.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      if fields.count > 2, fields[0].elementsEqual(name.utf8) {
        return UInt32(String(decoding: fields[2], as: UTF8.self))
      }
    }
    return nil
  }
#endif

/// Gives a file or folder to a group, with exactly these rights.
///
/// - Throws: `SystemError`, with EPERM also if the system silently drops a right.
package func share(_ path: String, withGroup group: UInt32, rights: UInt32) throws(SystemError) {
  let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open", path: path) }
  defer { close(descriptor) }
  guard fchown(descriptor, uid_t.max, group) == 0, fchmod(descriptor, mode_t(rights)) == 0 else {
    throw SystemError(code: errno, operation: "give to the group", path: path)
  }
  var status = stat()
  guard fstat(descriptor, &status) == 0, UInt32(status.st_mode) & 0o7777 == rights, status.st_gid == group
  else {
    throw SystemError(code: EPERM, operation: "give to the group", path: path)
  }
}

/// Removes a folder if it is empty.
package func removeFolder(_ path: String) { rmdir(path) }

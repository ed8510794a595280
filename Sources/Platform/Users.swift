#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// The user on whose behalf the process runs.
package struct OSUser: Sendable, Equatable {
  package let uid: UInt32
  /// The name the system has for the number, or else the number itself.
  package let name: String

  package init(uid: UInt32, name: String) {
    self.uid = uid
    self.name = name
  }

  package static var current: OSUser {
    let uid = getuid()
    return OSUser(uid: uid, name: systemUserName(uid) ?? String(uid))
  }
}

package var effectiveUserID: UInt32 { geteuid() }

/// The user number of the login that a process came from, whoever it runs as now; nil if the system keeps
/// none.
///
/// See proc_pid_loginuid(5): the greatest number means that no one logged in, as with a service.
package func loginUID() -> UInt32? {
  guard let text = try? readPrefix("/proc/self/loginuid", limit: 20),
    let number = UInt32(String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)), number != .max
  else { return nil }
  return number
}

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
  private func systemUserName(_ uid: UInt32) -> String? {
    getpwuid(uid).map { String(cString: $0.pointee.pw_name) }
  }

  private func systemGroupNumber(_ name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }
#else
  private func systemUserName(_ uid: UInt32) -> String? {
    entry(of: "/etc/passwd") { $0[2].elementsEqual(String(uid).utf8) }
      .map { String(decoding: $0[0], as: UTF8.self) }
  }

  private func systemGroupNumber(_ name: String) -> UInt32? {
    entry(of: "/etc/group") { $0[0].elementsEqual(name.utf8) }
      .flatMap { UInt32(String(decoding: $0[2], as: UTF8.self)) }
  }

  /// Of the first entry that is wanted; glibc's own lookup loads modules, which a static program cannot do.
  private func entry(
    of table: String, where isWanted: ([ArraySlice<UInt8>]) -> Bool
  ) -> [ArraySlice<UInt8>]? {
    guard let bytes = try? readFile(table, limit: 4 << 20) else { return nil }
    return bytes.split(separator: UInt8(ascii: "\n")).lazy
      .map { $0.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) }
      .first { $0.count > 2 && isWanted($0) }
  }
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

/// Which file of which host something belongs to, so that a file is told from its copies.
package struct FileIdentity: Sendable, Equatable {
  /// A name of the host that says nothing else about it.
  package let host: String
  package let path: String
  /// The inode's number and birth time; nil if the file system keeps no birth time, without which a number
  /// that was used again could not be told from the first.
  package let inode: String?

  /// - Parameters:
  ///   - path: With links resolved.
  ///   - host: The name of this host.
  package init(of path: String, host: String) throws(SystemError) {
    self.host = host
    self.path = path
    inode = try FileIdentity.inode(of: path)
  }

  /// Reads what `text` wrote; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let path = percentDecoded(parts[2].utf8) else { return nil }
    host = String(parts[0])
    inode = parts[1] == "-" ? nil : String(parts[1])
    self.path = path
  }

  /// One word of printable ASCII.
  package var text: String {
    var word = "\(host):\(inode ?? "-"):"
    for byte in path.utf8 {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
        word.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        word += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
    return word
  }

  /// Whether both are one file: on the same host, by its path, as after a restore, or by its inode, as after
  /// a move.
  package func isSame(as other: FileIdentity) -> Bool {
    host == other.host && (path == other.path || inode != nil && inode == other.inode)
  }

  private static func inode(of path: String) throws(SystemError) -> String? {
    #if canImport(Darwin)
      var found = stat()
      try checked(lstat(path, &found), "access", path)
      let birth = found.st_birthtimespec
      return "\(found.st_ino)@\(birth.tv_sec).\(birth.tv_nsec)"
    #else
      var found = statx()
      let wanted = UInt32(STATX_INO | STATX_BTIME)
      try checked(statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, wanted, &found), "access", path)
      guard found.stx_mask & wanted == wanted else { return nil }
      return "\(found.stx_ino)@\(found.stx_btime.tv_sec).\(found.stx_btime.tv_nsec)"
    #endif
  }
}

/// Returns what a text with percent escapes stands for (RFC 3986 §2.1); nil if one of them is malformed, and for what is
/// not UTF-8.
package func percentDecoded(_ text: some Collection<UInt8>) -> String? {
  var bytes: [UInt8] = []
  var rest = Array(text)[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 2 else { return nil }
    bytes.append(UInt8(digits[0] << 4 | digits[1]))
    rest = rest.dropFirst(2)
  }
  return String(validating: bytes, as: UTF8.self)
}

/// What tells this machine from every other, as the system keeps it; the host's name if it keeps nothing.
///
/// See machine-id(5), which asks programs not to show the id itself, and gethostuuid(2).
///
/// - Throws: `SystemError` if what the system keeps cannot be read now.
package func machineID() throws(SystemError) -> String {
  #if canImport(Darwin)
    var uuid = [UInt8](repeating: 0, count: 16)
    var patience = timespec(tv_sec: 1, tv_nsec: 0)
    if gethostuuid(&uuid, &patience) == 0 { return uuid.map { String($0, radix: 16) }.joined(separator: "-") }
  #else
    for file in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      do {
        let id = String(decoding: try readPrefix(file, limit: 64), as: UTF8.self).prefix { $0 != "\n" }
        if id.utf8.count == 32 { return String(id) }
      } catch {
        guard error.isMissing else { throw error }
      }
    }
  #endif
  return hostName()
}

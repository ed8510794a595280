#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

/// Which file of which host something belongs to, so that a file is told from its copies.
package struct FileIdentity: Sendable, Equatable {
  /// A name of the host that says nothing else about it; nil if the file is told from others by its inode alone.
  package let host: String?
  package let path: String
  /// The inode's number and birth time; nil if the file system keeps no birth time, without which a number
  /// that was used again could not be told from the first.
  package let inode: String?

  /// - Parameters:
  ///   - path: With links resolved.
  ///   - host: The name of this host; nil where none tells hosts apart.
  package init(of path: String, host: String?) throws(SystemError) {
    self.init(path, host: host, inode: try FileIdentity.inode(of: path))
  }

  private init(_ path: String, host: String?, inode: String?) {
    (self.path, self.host, self.inode) = (path, host, inode)
  }

  /// Reads what `text` wrote; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let path = percentDecoded(parts[2].utf8) else { return nil }
    func word(_ part: Substring) -> String? { part == "-" ? nil : String(part) }
    self.init(path, host: word(parts[0]), inode: word(parts[1]))
  }

  /// One word of printable ASCII.
  package var text: String {
    var word = "\(host ?? "-"):\(inode ?? "-"):"
    for byte in path.utf8 {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
        word.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        word += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
    return word
  }

  /// Whether anything tells the file from its copies.
  package var isKnown: Bool { host != nil || inode != nil }

  /// Whether both are one file: by its inode, as after a move; on the same host, also by its path, as after a restore.
  package func isSame(as other: FileIdentity) -> Bool {
    let isSameInode = inode != nil && inode == other.inode
    guard let host, let others = other.host else { return isSameInode }
    return host == others && (path == other.path || isSameInode)
  }

  /// The file as a mark goes on to name it: what was once named without a host stays so, since not every account of
  /// a container can tell that it is in one.
  package func succeeding(_ owner: FileIdentity?) -> FileIdentity {
    guard let owner, owner.host == nil, isSame(as: owner) else { return self }
    return FileIdentity(path, host: nil, inode: inode)
  }

  /// The file in words, as a message about another one names it.
  package func words(besides file: FileIdentity) -> String {
    let place = host == nil || file.host == nil ? ", told by its inode alone" : " on another host"
    return "'\(path.prefix(200))'" + (host != nil && host == file.host ? "" : place)
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

/// What tells this machine from every other, as the system keeps it; nil if it keeps nothing, and in a container, which
/// may have anybody's.
///
/// See machine-id(5), which asks programs not to show the id itself, and gethostuuid(2).
///
/// - Throws: `SystemError` if what the system keeps cannot be read now.
package func machineID() throws(SystemError) -> String? {
  #if canImport(Darwin)
    var uuid = [UInt8](repeating: 0, count: 16)
    var patience = timespec(tv_sec: 1, tv_nsec: 0)
    if gethostuuid(&uuid, &patience) == 0 { return uuid.map { String($0, radix: 16) }.joined(separator: "-") }
  #else
    if isContainer { return nil }
    for file in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      do {
        let id = String(decoding: try readPrefix(file, limit: 64), as: UTF8.self).prefix { $0 != "\n" }
        if id.utf8.count == 32 { return String(id) }
      } catch {
        guard error.isMissing else { throw error }
      }
    }
  #endif
  return nil
}

/// Whether this process is in a container, as podman, Docker, Kubernetes and systemd-nspawn say it.
private var isContainer: Bool {
  if environment("KUBERNETES_SERVICE_HOST") != nil { return true }
  for mark in ["/run/.containerenv", "/.dockerenv"] where access(mark, F_OK) == 0 { return true }
  // Only root and the account of process 1 may read this (proc(5)).
  let variables: [UInt8] = (try? readPrefix("/proc/1/environ", limit: 1 << 20)) ?? []
  return variables.split(separator: UInt8(0)).contains { (variable: ArraySlice<UInt8>) in
    variable.starts(with: Array("container=".utf8))
      || variable.starts(with: Array("KUBERNETES_SERVICE_HOST=".utf8))
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
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
  /// The lower twelve bits of the mode.
  package let rights: UInt32
  package let links: UInt64
  package let size: Int64
  /// The numbers of the user and the group.
  package let owner: UInt32
  package let group: UInt32
  /// When its content was, in whole seconds since 1970.
  package let modified: Int64

  package var isWorldWritable: Bool { rights & 0o002 != 0 }

  package var isReadOnly: Bool { rights & 0o222 == 0 }

  /// - Throws: `SystemError`, whose `isMissing` is true if there is no such file.
  package init(of path: String) throws(SystemError) {
    var status = stat()
    try checked(lstat(path, &status), "access", path)
    // A file without a name was removed between being found and being looked at: treat it as missing.
    if status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0 {
      throw SystemError(code: ENOENT, operation: "access", path: path)
    }
    self.init(status)
  }

  /// The status of what is at a path; nil if nothing is.
  package static func found(at path: String) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try FileStatus(of: path)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

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

extension FileStatus {
  package var words: String {
    kind == .regular && links > 1 ? "a file of several names (hard links)" : kind.words
  }
}

extension FileStatus.Kind {
  package var words: String {
    switch self {
    case .regular: "a file"
    case .directory: "a directory"
    case .symbolicLink: "a symbolic link"
    case .other: "a pipe, socket or device"
    }
  }
}

/// The kind of file system that a file is on.
package struct FileSystem: Sendable, Equatable {
  /// Such as `ext4`; its number if no name is known for it.
  package let name: String
  /// Whether it is on another machine, where locks do not work as SQLite needs them to
  /// (sqlite.org/howtocorrupt.html).
  package let isRemote: Bool
  /// Whether no further file can be made there, however much room there is.
  package let isOutOfFiles: Bool

  package init(holding path: String) throws(SystemError) {
    var status = statfs()
    try checked(statfs(path, &status), "examine the file system of", path)
    // Some file systems count no files.
    isOutOfFiles = status.f_files > 0 && status.f_ffree == 0
    #if canImport(Darwin)
      let found = withUnsafeBytes(of: status.f_fstypename) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      name = found
      isRemote = status.f_flags & UInt32(MNT_LOCAL) == 0
    #else
      // The magic numbers of statfs(2).
      let known: [UInt32: (name: String, isRemote: Bool)] = [
        0xEF53: ("ext4", false), 0x5846_5342: ("xfs", false), 0x9123_683E: ("btrfs", false),
        0x0102_1994: ("tmpfs", false), 0x794C_7630: ("overlay", false), 0x2FC1_2FC1: ("zfs", false),
        0xF2F5_2010: ("f2fs", false), 0x6969: ("nfs", true), 0xFF53_4D42: ("cifs", true),
        0xFE53_4D42: ("smb2", true), 0x517B: ("smb", true), 0x0102_1997: ("9p", true),
        0x6573_5546: ("fuse", true), 0x5346_414F: ("afs", true), 0x00C3_6400: ("ceph", true),
      ]
      let number = UInt32(truncatingIfNeeded: status.f_type)
      name = known[number]?.name ?? "type 0x" + String(number, radix: 16)
      isRemote = known[number]?.isRemote ?? false
    #endif
  }
}

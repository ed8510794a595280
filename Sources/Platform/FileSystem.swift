#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  internal import CSystem
  @preconcurrency import Glibc
#endif

/// The kind of file system that a file is on.
package struct FileSystem: Sendable, Equatable {
  /// Such as `ext4`; its number if no name is known for it.
  package let name: String
  /// Whether it is on another machine, where locks do not work as SQLite needs them to
  /// (sqlite.org/howtocorrupt.html).
  package let isRemote: Bool

  package init(holding path: String) throws(SystemError) {
    var status = statfs()
    try checked(statfs(path, &status), "examine the file system of", path)
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

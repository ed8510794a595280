#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Why an entry of a directory is not read.
package enum EntryFault: Error, Sendable, Equatable {
  /// A symbolic link, which might lead anywhere.
  case link
  /// A directory, FIFO, socket or device.
  case notAFile
  /// It is no longer there.
  case gone
  /// The system does not let it be read.
  case unreadable(SystemError)
}

/// A directory held open, whose entries are reached by name within it and never through a link.
///
/// Nothing that somebody puts into it makes a reader wait or leads it elsewhere.
package final class OpenDirectory {
  /// As it was named, for messages.
  package let path: String
  private let descriptor: Int32

  /// Opens a directory by a path that the user gave; links in the path are followed.
  package init(_ path: String) throws(SystemError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open", path: path) }
  }

  /// Opens a directory in another one.
  ///
  /// - Throws: `EntryFault`; `.notAFile` if it is not a directory.
  package init(_ name: String, in parent: OpenDirectory) throws(EntryFault) {
    path = "\(parent.path)/\(name)"
    let isLink = parent.isLink(name)
    descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw OpenDirectory.fault(path, isLink: isLink, operation: "open") }
  }

  deinit { close(descriptor) }

  /// Returns the names in the directory as bytes, in no particular order, without `.` and `..`.
  package func names() throws(SystemError) -> [[UInt8]] {
    try entryNames(descriptor, path: path)
  }

  /// Returns the first bytes of a regular file in the directory, up to a limit.
  package func readPrefix(of name: [UInt8], limit: Int) throws(EntryFault) -> [UInt8] {
    let name = name.map { CChar(bitPattern: $0) } + [0]
    let place = "\(path)/\(String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      // It is a socket, or a device that does not exist.
      if errno == ENXIO || errno == ENODEV || errno == EOPNOTSUPP { throw .notAFile }
      throw OpenDirectory.fault(place, isLink: errno == ELOOP, operation: "open")
    }
    let status: FileStatus
    do { status = try FileStatus(orClosing: file, path: place) } catch { throw .unreadable(error) }
    defer { close(file) }
    guard status.kind == .regular else { throw .notAFile }
    do { return try Platform.readPrefix(file, path: place, limit: limit) } catch { throw .unreadable(error) }
  }

  private func isLink(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  private static func fault(_ path: String, isLink: Bool, operation: String) -> EntryFault {
    if isLink { return .link }
    switch errno {
    case ENOENT: return .gone
    case ENOTDIR: return .notAFile
    default: return .unreadable(SystemError(code: errno, operation: operation, path: path))
    }
  }
}

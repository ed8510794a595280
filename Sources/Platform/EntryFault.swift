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
  case gone
  case unreadable(SystemError)
}

/// What others made, read as it is: nothing in it makes a reader wait or leads it elsewhere.
extension Directory {
  /// Opens a directory by a path that the user gave; links in the path are followed.
  package static func named(_ path: String) throws(SystemError) -> Directory {
    try Directory(OpenFile(path, O_RDONLY | O_DIRECTORY))
  }

  /// - Throws: `EntryFault`; `.notAFile` if it is not a directory.
  package func entry(_ name: String) throws(EntryFault) -> Directory {
    let path = "\(self.path)/\(name)"
    let isLink = (try? status(of: name))?.kind == .symbolicLink
    let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw Directory.fault(path, isLink: isLink) }
    do { return try Directory(OpenFile(taking: opened, path: path)) } catch { throw .unreadable(error) }
  }

  /// As bytes, in no particular order, without `.` and `..`.
  package func entries() throws(SystemError) -> [[UInt8]] {
    // The stream closes its descriptor, and moves the descriptor's place in the directory.
    let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = fdopendir(own), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      let error = SystemError(code: errno, operation: "read", path: path)
      if own >= 0 { close(own) }
      throw error
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      // An entry is only as long as its name requires, so a copy of the whole type would read beyond its end.
      let start = UnsafeRawPointer(entry).advanced(by: offset)
      let count = strlen(start.assumingMemoryBound(to: CChar.self))
      let name = Array(UnsafeRawBufferPointer(start: start, count: count))
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
    return names
  }

  /// Returns the first bytes of a regular file in the directory, up to a limit.
  package func readPrefix(of name: [UInt8], limit: Int) throws(EntryFault) -> [UInt8] {
    let name = name.map { CChar(bitPattern: $0) } + [0]
    let place = "\(path)/\(String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let opened = openat(descriptor, name, OpenFile.plain | O_CLOEXEC)
    guard opened >= 0 else {
      // It is a socket, or a device that does not exist.
      if errno == ENXIO || errno == ENODEV || errno == EOPNOTSUPP { throw .notAFile }
      throw Directory.fault(place, isLink: errno == ELOOP)
    }
    let file = OpenFile(taking: opened, path: place)
    do throws(SystemError) {
      if try file.status().kind == .regular { return try file.prefix(limit) }
    } catch {
      throw .unreadable(error)
    }
    throw .notAFile
  }

  private static func fault(_ path: String, isLink: Bool) -> EntryFault {
    if isLink { return .link }
    switch errno {
    case ENOENT: return .gone
    case ENOTDIR: return .notAFile
    default: return .unreadable(SystemError(code: errno, operation: "open", path: path))
    }
  }
}

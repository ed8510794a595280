internal import Testing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A new directory that goes away with the object; its path has no symbolic link in it.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/pawl-commands-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    // On macOS /tmp is a link.
    let real = try #require(realpath(made, nil))
    defer { free(real) }
    path = String(cString: real)
  }

  deinit {
    Self.removeAll(path)
  }

  /// Removes a file, a link, or a directory with what is in it.
  private static func removeAll(_ path: String) {
    // `remove` takes all but a directory that is not empty, and does not follow links.
    guard remove(path) != 0, let stream = opendir(path) else { return }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { removeAll("\(path)/\(name)") }
    }
    closedir(stream)
    remove(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func link(_ name: String, to target: String) throws {
    try #require(symlink(target, file(name)) == 0)
  }

  func directory(_ name: String) throws {
    try #require(mkdir(file(name), 0o700) == 0)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    let stream = try #require(fopen(file(name), "w"))
    bytes.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, stream) }
    try #require(fclose(stream) == 0)
  }

  func setRights(_ rights: UInt32, of name: String) throws {
    try #require(chmod(file(name), mode_t(rights)) == 0)
  }

  func exists(_ name: String) -> Bool { access(file(name), F_OK) == 0 }
}

#if canImport(Darwin)
  import Darwin
#else
  @preconcurrency import Glibc
#endif

package struct DirectoryFailure: Error {
  package let what: String
}

private func need(_ isDone: Bool, _ what: String) throws {
  guard isDone else { throw DirectoryFailure(what: "\(what): error \(errno)") }
}

package final class TemporaryDirectory {
  package let path: String

  private static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }
  /// The process's own, and always as long, since what is printed is wrapped with the paths in it.
  private static var prefix: String {
    let process = String(getpid(), radix: 36)
    return "pawl-" + String(repeating: "0", count: max(0, 5 - process.count)) + process
  }

  /// Has what is still held at the end of the process removed then: a closure may hold what holds it.
  private static let isSwept = atexit { removeEntries(of: Array(parent.utf8), startingWith: prefix) } == 0

  package init(in folder: String? = nil) throws {
    try need(Self.isSwept, "atexit")
    var template = Array("\(folder ?? Self.parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw DirectoryFailure(what: "mkdtemp: error \(errno)") }
    // On macOS either is behind a link, which a connection refuses to follow.
    guard let real = realpath(made, nil) else { throw DirectoryFailure(what: "realpath: error \(errno)") }
    defer { free(real) }
    path = String(cString: real)
  }

  deinit {
    Self.removeAll(Array(path.utf8))
  }

  private static func removeAll(_ path: [UInt8]) {
    let name = path.map(CChar.init(bitPattern:)) + [0]
    // `remove` takes all but a directory that is not empty, and does not follow links.
    guard remove(name) != 0 else { return }
    removeEntries(of: path)
    remove(name)
  }

  /// Goes by bytes, since a name need not be UTF-8.
  private static func removeEntries(of path: [UInt8], startingWith prefix: String = "") {
    guard let stream = opendir(path.map(CChar.init(bitPattern:)) + [0]) else { return }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8), name.starts(with: prefix.utf8) {
        removeAll(path + [UInt8(ascii: "/")] + name)
      }
    }
    closedir(stream)
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  package func link(_ name: String, to target: String) throws {
    try need(symlink(target, file(name)) == 0, "symlink")
  }

  package func hardLink(_ name: String, to target: String) throws {
    try need(systemLink(file(target), file(name)) == 0, "systemLink")
  }

  package func directory(_ name: String) throws {
    try need(mkdir(file(name), 0o700) == 0, "mkdir")
  }

  package func pipe(_ name: String) throws {
    try need(mkfifo(file(name), 0o600) == 0, "mkfifo")
  }

  package func write(_ bytes: [UInt8], to name: String) throws {
    guard let stream = fopen(file(name), "w") else { throw DirectoryFailure(what: "fopen: error \(errno)") }
    bytes.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, stream) }
    try need(fclose(stream) == 0, "fclose")
  }

  package func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  package func write(_ byte: UInt8, at offset: Int, of name: String) throws {
    guard let stream = fopen(file(name), "r+") else { throw DirectoryFailure(what: "fopen: error \(errno)") }
    fseek(stream, offset, SEEK_SET)
    fputc(Int32(byte), stream)
    try need(fclose(stream) == 0, "fclose")
  }

  package func setRights(_ rights: UInt32, of name: String) throws {
    try need(chmod(file(name), mode_t(rights)) == 0, "chmod")
  }

  package func exists(_ name: String) -> Bool { access(file(name), F_OK) == 0 }
}

// Inside the class, `link` is its own method.
private func systemLink(_ target: String, _ name: String) -> Int32 { link(target, name) }

// Puts files in place so that a reader never sees half of one, and a loss of power loses none that was said
// to be there. By the rules of fsync(2), a file's bytes and its name are made durable separately.
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Makes a file of the given bytes, complete and on the disk before it gets its name, like `createFile`.
package func publishFile(
  _ bytes: [UInt8], as path: String, rights: UInt32, replaces: Bool, like model: FileStatus? = nil
) throws(SystemError) {
  let temporary = try TemporaryName(for: path)
  try createFile(temporary.path, rights: rights, like: model, bytes, as: path)
  try publish(temporary, as: path, replaces: replaces)
}

/// Makes a new file with exactly these rights, whatever the umask; removes it on a failure.
///
/// - Parameters:
///   - model: The file whose owner and group it gets, as far as the system permits.
///   - name: What messages call it; its path unless given.
package func createFile(
  _ path: String, rights: UInt32, like model: FileStatus? = nil, _ bytes: [UInt8] = [], as name: String? = nil
) throws(SystemError) {
  let file = try OpenFile(
    path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, rights: rights, path: name, to: "create")
  do throws(SystemError) {
    if let model { file.give(like: model) }
    try file.setRights(rights)
    try file.write(bytes)
  } catch {
    unlink(path)
    throw error
  }
}

/// Gives a finished file its name, which is on the disk when this returns.
///
/// - Throws: `SystemError`, whose `isTaken` is true if the name is another file's and may not be replaced.
package func publish(_ temporary: borrowing TemporaryName, as path: String, replaces: Bool)
  throws(SystemError)
{
  try flush(temporary.path)
  if replaces {
    try checked(rename(temporary.path, path), "name", path)
  } else {
    // Unlike rename(2), link(2) never takes another file's place.
    try checked(link(temporary.path, path), "make", path)
    unlink(temporary.path)
  }
  try flush(folder(of: path))
}

/// A name beside a file for what will be that file, for as long as this lives; whatever has the name then goes.
///
/// It belongs to whoever holds the lock of another file beside it: locking the file itself would, over NFS, lock out
/// SQLite (flock(2)). The number of a process says nothing in a container, where all are 1.
package struct TemporaryName: ~Copyable {
  package let path: String
  private let lock: FileLock

  fileprivate static let held = "-held"
  /// What SQLite and a ledger's own lock add to it.
  fileprivate static let endings = ["", "-journal", "-lock", held]

  /// Removes what nobody holds any longer, and takes another name.
  package init(for file: String) throws(SystemError) {
    removeLeftovers(of: file)
    while true {
      let word = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
      let path = "\(file).\(word).new"
      let lock = try TemporaryName.lock(path, for: file)
      do throws(SystemError) {
        // Whoever removes leftovers may take the file before it is locked.
        if try lock.take(waiting: 0), try lock.hasName() {
          self.path = path
          self.lock = lock
          return
        }
      } catch {
        unlink(path + TemporaryName.held)
        throw error
      }
      unlink(path + TemporaryName.held)
    }
  }

  private static func lock(_ path: String, for file: String) throws(SystemError) -> FileLock {
    do throws(SystemError) {
      return try FileLock(path + held, rights: 0o600)
    } catch {
      throw SystemError(code: error.code, operation: "create", path: file)
    }
  }

  deinit { for ending in TemporaryName.endings { unlink(path + ending) } }
}

/// Removes the temporary files of processes that were killed before a file had its name.
package func removeLeftovers(of path: String) {
  let prefix = (path.split(separator: "/").last ?? "") + "."
  let words = ((try? fileNames(in: folder(of: path))) ?? []).filter { $0.hasPrefix(prefix) }.compactMap {
    name in
    let rest = name.dropFirst(prefix.count)
    let isOurs = UInt64(rest.prefix(16), radix: 16) != nil && rest.prefix(16) == rest.prefix(16).lowercased()
    return isOurs && TemporaryName.endings.contains { rest.dropFirst(16) == ".new" + $0 }
      ? rest.prefix(16) : nil
  }
  for word in Set(words) {
    let temporary = "\(path).\(word).new"
    guard ![temporary, temporary + TemporaryName.held].contains(where: FileLock.isHeld) else { continue }
    for ending in TemporaryName.endings { unlink(temporary + ending) }
  }
}

/// The folder that contains a path's last component.
package func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Makes a directory with exactly these rights, whatever the umask; false if there is one already.
@discardableResult
package func makeDirectory(_ path: String, rights: UInt32) throws(SystemError) -> Bool {
  guard try checked(mkdir(path, mode_t(rights)), "make", path, unless: EEXIST) == 0 else { return false }
  try checked(chmod(path, mode_t(rights)), "set the rights of", path)
  return true
}

/// Flushes a file, or the names in a directory, to the disk.
package func flush(_ path: String) throws(SystemError) {
  try OpenFile(path, O_RDONLY, to: "flush").flush()
}

/// The current directory.
package func currentDirectory() throws(SystemError) -> String { try resolvedPath(".") }

/// Removes a file; does nothing if nothing is there.
package func removeFile(_ path: String) { unlink(path) }

/// Removes a folder if it is empty.
package func removeFolder(_ path: String) { rmdir(path) }

/// Returns a directory's path with symbolic links followed.
package func resolvedPath(_ path: String) throws(SystemError) -> String {
  guard let resolved = realpath(path, nil) else {
    throw SystemError(code: errno, operation: "find", path: path)
  }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Gives a file or folder to a group, with exactly these rights.
///
/// - Throws: `SystemError`, with EPERM also if the system silently drops a right.
package func share(_ path: String, withGroup group: UInt32, rights: UInt32) throws(SystemError) {
  let file = try OpenFile(path, OpenFile.plain)
  let operation = "give to the group"
  try checked(fchown(file.descriptor, uid_t.max, group), operation, path)
  try checked(fchmod(file.descriptor, mode_t(rights)), operation, path)
  let status = try file.status()
  guard status.rights == rights, status.group == group else {
    throw SystemError(code: EPERM, operation: operation, path: path)
  }
}

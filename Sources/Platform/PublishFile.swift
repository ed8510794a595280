#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Makes a file of the given bytes, complete and on the disk before it gets its name.
///
/// - Parameters:
///   - rights: The rights of the file, whatever the umask.
///   - replaces: Whether an existing file of that name may be replaced.
///   - model: The file whose owner and group it gets, as far as the system permits.
package func publishFile(
  _ bytes: [UInt8], as path: String, rights: UInt32, replaces: Bool, like model: FileStatus? = nil
) throws(SystemError) {
  removeLeftovers(of: path)
  let temporary = temporaryName(for: path)
  let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(rights))
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "create", path: path) }
  do throws(SystemError) {
    defer { close(descriptor) }
    if let model { give(descriptor, like: model) }
    guard fchmod(descriptor, mode_t(rights)) == 0 else {
      throw SystemError(code: errno, operation: "set the rights of", path: path)
    }
    try writeAll(bytes, to: descriptor, path: path)
  } catch {
    unlink(temporary)
    throw error
  }
  try publish(temporary, as: path, replaces: replaces)
}

/// Gives an open file the owner and group of another.
///
/// Only root can give a file away. Anybody else stays its owner, and can give it to a group of their own.
func give(_ descriptor: Int32, like model: FileStatus) {
  if fchown(descriptor, model.owner, model.group) != 0 { _ = fchown(descriptor, uid_t.max, model.group) }
}

/// Gives a finished file its name, which is on the disk when this returns; removes the file on a failure.
///
/// - Parameter replaces: Whether an existing file of that name may be replaced.
/// - Throws: `SystemError`, whose `isTaken` is true if the name is another file's.
package func publish(_ temporary: String, as path: String, replaces: Bool) throws(SystemError) {
  do throws(SystemError) {
    try flush(temporary)
    if replaces {
      guard rename(temporary, path) == 0 else {
        throw SystemError(code: errno, operation: "name", path: path)
      }
    } else {
      // Unlike rename(2), link(2) never takes another file's place.
      guard link(temporary, path) == 0 else { throw SystemError(code: errno, operation: "make", path: path) }
      unlink(temporary)
    }
  } catch {
    unlink(temporary)
    throw error
  }
  try flush(folder(of: path))
}

/// A temporary name beside a file, which no other process uses.
package func temporaryName(for path: String) -> String { "\(path).\(getpid()).new" }

/// Removes the temporary files of processes that were killed before a file had its name.
///
/// A file is removed only if no process still has the number in its name. A new process with that number
/// only delays the removal.
package func removeLeftovers(of path: String) {
  let folder = folder(of: path)
  let prefix = (path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path) + "."
  for name in (try? fileNames(in: folder)) ?? [] where name.hasPrefix(prefix) {
    let rest = name.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard rest.count == 2, rest[1] == "new" || rest[1] == "new-journal", let process = Int32(rest[0]),
      String(process) == rest[0], process > 0, kill(process, 0) != 0, errno == ESRCH
    else { continue }
    unlink("\(folder)/\(name)")
  }
}

/// The folder that contains a path's last component.
package func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

extension SystemError {
  /// Whether there is a file of that name already.
  package var isTaken: Bool { code == EEXIST }
}

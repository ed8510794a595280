#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// A lock on a file that one process at a time holds; it ends with the process, however that ends (flock(2)).
///
/// The file is never removed: otherwise two processes could hold the lock at once, each on another file of
/// that name.
package struct FileLock: ~Copyable {
  private let file: OpenFile

  /// Opens the lock's file, making an empty one if it is missing; nothing is locked yet.
  ///
  /// - Parameters:
  ///   - rights: The file gets these, whatever the umask; an existing one, too, if possible.
  ///   - model: The file whose owner and group a new one gets, and whose group an existing one gets, as far as the
  ///     system permits.
  package init(_ path: String, rights: UInt32, like model: FileStatus? = nil) throws(SystemError) {
    let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC
    let made = open(path, flags | O_CREAT | O_EXCL, mode_t(rights))
    let isNew = made >= 0 || errno != EEXIST
    let opened = isNew ? made : open(path, flags | O_NONBLOCK)
    file = OpenFile(taking: try checked(opened, "lock", path), path: path)
    // Only its owner and root may do all this; if anyone else cannot, fewer accounts may wait, which does no harm.
    guard let status = try? file.status() else { return }
    if let model, isNew {
      file.give(like: model)
    } else if let model, status.group != model.group {
      _ = fchown(file.descriptor, uid_t.max, model.group)
    }
    if isNew || status.rights != rights { try? file.setRights(rights) }
  }

  init(_ file: consuming OpenFile) { self.file = file }

  /// Opens what has a name as it is; nothing is locked yet.
  package init(existing path: String) throws(SystemError) {
    file = try OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  }

  /// Whether anybody holds the lock of a file, as far as this account can tell; no if there is no such file.
  package static func isHeld(_ path: String) -> Bool {
    do {
      let lock = FileLock(try OpenFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK))
      return try !lock.take(waiting: 0)
    } catch {
      return !error.isMissing
    }
  }

  /// Whether the file still has a name.
  package borrowing func hasName() throws(SystemError) -> Bool { try file.status().links > 0 }

  /// Takes the lock, waiting for whoever holds it and for those who came before.
  ///
  /// The kernel does the waiting and serves waiters in turn; a process that polls is served by chance.
  ///
  /// - Parameter seconds: How long to wait at most; 0 tries once.
  /// - Throws: `SystemError`, whose `isInterrupted` is true if a stop signal came that is listened for.
  package borrowing func take(waiting seconds: Double) throws(SystemError) -> Bool {
    let deadline = secondsSinceStart() + seconds
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
    guard errno == EWOULDBLOCK || errno == EINTR else { throw failure(errno) }
    guard seconds > 0 else { return false }
    return try waitInTurn(until: deadline)
  }

  private borrowing func failure(_ code: Int32) -> SystemError {
    SystemError(code: code, operation: "lock", path: file.path)
  }

  /// Lets a thread wait in the kernel's queue, and looks meanwhile at the clock and for stop signals.
  ///
  /// If no one waits for the thread any longer, it goes on until it has the lock, which then ends with the last of its
  /// descriptor and this file's, since both are one open file.
  private borrowing func waitInTurn(until deadline: Double) throws(SystemError) -> Bool {
    let own = try checked(fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0), "lock", file.path)
    let outcome: Pipe
    do throws(SystemError) {
      outcome = try Pipe(file.path)
      try WorkThread {
        var code: UInt8 = 0
        while flock(own, LOCK_EX) != 0 {
          guard errno == EINTR else {
            code = UInt8(truncatingIfNeeded: errno)
            break
          }
        }
        close(own)
        write(outcome.start, &code, 1)
      }.detach()
    } catch {
      close(own)
      throw error
    }
    while true {
      let left = deadline - secondsSinceStart()
      // A stop signal may reach the other thread, so it is looked for at this interval.
      var end = pollfd(fd: outcome.end, events: Int16(POLLIN), revents: 0)
      if poll(&end, 1, Int32(min(max(left, 0), 0.1) * 1_000) + 1) > 0 {
        var code: UInt8 = 0
        guard read(outcome.end, &code, 1) == 1, code == 0 else { throw failure(Int32(code)) }
        return true
      }
      if StopSignals.received != nil { throw failure(EINTR) }
      if left <= 0 { return false }
    }
  }

  /// Gives the lock back.
  package borrowing func release() { _ = flock(file.descriptor, LOCK_UN) }

  /// Writes a text into the file, such as who holds the lock, for those who wait; a failure to write is ignored.
  package borrowing func say(_ text: String, isDurable: Bool = false) {
    let bytes = Array(text.utf8)
    // Write over what is there, so that the file is never empty, and seldom grows or shrinks.
    guard bytes.withUnsafeBytes({ pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count
    else {
      return
    }
    _ = ftruncate(file.descriptor, off_t(bytes.count))
    if isDurable { fsync(file.descriptor) }
  }

  /// What the last holder wrote into the file, up to a limit.
  package borrowing func said(limit: Int) -> String {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = bytes.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, limit, 0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

/// The seconds of a clock that only runs forward, from an arbitrary start.
package func secondsSinceStart() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

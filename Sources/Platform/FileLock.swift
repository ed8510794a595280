#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// A lock that one process at a time holds on a file, gone with the process however it ends (flock(2)).
///
/// The file stays: a name that came and went could be locked by two at once, each holding another file of that name.
package struct FileLock: ~Copyable {
  private let descriptor: Int32
  private let path: String

  /// Opens the lock's file, making an empty one where there is none; nothing is locked yet.
  ///
  /// - Parameter rights: The rights of a new file, whatever the umask says.
  /// - Throws: `SystemError`.
  package init(_ path: String, rights: UInt32) throws(SystemError) {
    var opened = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(rights))
    if opened >= 0 {
      // A right that cannot be given narrows who may wait, and harms nobody.
      _ = fchmod(opened, mode_t(rights))
    } else if errno == EEXIST {
      opened = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    }
    guard opened >= 0 else { throw SystemError(code: errno, operation: "lock", path: path) }
    descriptor = opened
    self.path = path
  }

  deinit { close(descriptor) }

  /// Takes the lock, waiting for whoever holds it.
  ///
  /// - Parameter seconds: How long to wait at the most; 0 tries once.
  /// - Returns: Whether it was got.
  /// - Throws: `SystemError`.
  package borrowing func take(waiting seconds: Double) throws(SystemError) -> Bool {
    let deadline = secondsSinceStart() + seconds
    var pause: UInt32 = 500
    while true {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw SystemError(code: errno, operation: "lock", path: path)
      }
      if secondsSinceStart() >= deadline { return false }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  /// Gives the lock back.
  package borrowing func release() { _ = flock(descriptor, LOCK_UN) }
}

/// A clock that only runs forward, in seconds.
package func secondsSinceStart() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

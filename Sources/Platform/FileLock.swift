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
  private let descriptor: Int32
  private let path: String

  /// Opens the lock's file, making an empty one if there is none; nothing is locked yet.
  ///
  /// - Parameters:
  ///   - rights: The file gets these, whatever the umask; an existing one, too, if possible.
  ///   - model: The file whose owner and group a new one gets, as far as the system permits.
  package init(_ path: String, rights: UInt32, like model: FileStatus? = nil) throws(SystemError) {
    var opened = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(rights))
    if opened >= 0 {
      if let model { give(opened, like: model) }
      // If the rights cannot be set, fewer accounts may wait, which does no harm.
      _ = fchmod(opened, mode_t(rights))
    } else if errno == EEXIST {
      opened = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      if opened >= 0 { FileLock.repair(opened, rights: rights, like: model) }
    }
    self.init(descriptor: try checked(opened, "lock", path), path: path)
  }

  /// Opens an existing file to lock it, and leaves it as it is; nothing is locked yet.
  package init(reading path: String) throws(SystemError) {
    let opened = try checked(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), "lock", path)
    self.init(descriptor: opened, path: path)
  }

  /// Gives an existing lock file the group and rights it should have, as far as the system permits. Only its
  /// owner and root may do so; if anybody else cannot, it does no harm.
  private static func repair(_ descriptor: Int32, rights: UInt32, like model: FileStatus?) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    if let model, status.st_gid != model.group { _ = fchown(descriptor, uid_t.max, model.group) }
    if UInt32(status.st_mode) & 0o7777 != rights { _ = fchmod(descriptor, mode_t(rights)) }
  }

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Takes the lock, waiting for whoever holds it and for those who came before.
  ///
  /// The kernel does the waiting and serves waiters in turn; a process that polls is served by chance.
  ///
  /// - Parameter seconds: How long to wait at most; 0 tries once.
  /// - Throws: `SystemError`, whose `isInterrupted` is true if a stop signal came that is listened for.
  package borrowing func take(waiting seconds: Double) throws(SystemError) -> Bool {
    let deadline = secondsSinceStart() + seconds
    if try attempt(LOCK_EX | LOCK_NB) { return true }
    guard seconds > 0 else { return false }
    let alarm = try Alarm(at: deadline)
    defer { alarm.cancel() }
    while try !attempt(LOCK_EX) {
      if StopSignals.received != nil { throw SystemError(code: EINTR, operation: "lock", path: path) }
      if secondsSinceStart() >= deadline { return false }
    }
    return true
  }

  /// Asks for the lock once; false if somebody holds it, or the alarm rang.
  private borrowing func attempt(_ operation: Int32) throws(SystemError) -> Bool {
    if flock(descriptor, operation) == 0 { return true }
    guard errno == EWOULDBLOCK || errno == EINTR else {
      throw SystemError(code: errno, operation: "lock", path: path)
    }
    return false
  }

  /// Gives the lock back.
  package borrowing func release() { _ = flock(descriptor, LOCK_UN) }

  /// Writes into the file who holds the lock, for those who wait; a failure to write is ignored.
  package borrowing func say(_ text: String) {
    let bytes = Array(text.utf8)
    // Write over what is there, so that the file is never empty, and seldom grows or shrinks.
    guard bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count else {
      return
    }
    _ = ftruncate(descriptor, off_t(bytes.count))
  }

  /// What the last holder wrote into the file, up to a limit.
  package borrowing func said(limit: Int) -> String {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, limit, 0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

/// The seconds of a clock that only runs forward, from an arbitrary start.
package func secondsSinceStart() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Interrupts the waiting calls of the thread that made it, from a deadline or a stop signal on.
///
/// The signal goes to that thread alone, so that other threads of the process notice nothing. It is sent
/// again and again, since one that comes just before the call begins to wait would be lost.
final class Alarm {
  private let watcher: WorkThread
  /// The end of a pipe that is written to when the alarm is no longer needed, and the end that the watcher
  /// reads.
  private let ends: (cancel: Int32, watch: Int32)

  private struct Watch: @unchecked Sendable {
    let deadline: Double
    let descriptor: Int32
    let thread: pthread_t
  }

  /// At a moment of `secondsSinceStart`.
  init(at deadline: Double) throws(SystemError) {
    Alarm.listen()
    var pipes: [Int32] = [0, 0]
    try checked(pipe(&pipes), "wait for", "a lock")
    ends = (cancel: pipes[1], watch: pipes[0])
    let watch = Watch(deadline: deadline, descriptor: pipes[0], thread: pthread_self())
    do throws(SystemError) {
      watcher = try WorkThread { Alarm.run(watch) }
    } catch {
      close(pipes[0])
      close(pipes[1])
      throw error
    }
  }

  /// To be called once, by the thread that made it.
  func cancel() {
    var byte: UInt8 = 0
    _ = write(ends.cancel, &byte, 1)
    watcher.join()
    close(ends.cancel)
    close(ends.watch)
  }

  private static func run(_ watch: Watch) {
    while true {
      let left = watch.deadline - secondsSinceStart()
      let isDue = left <= 0 || StopSignals.received != nil
      // A stop signal may reach a thread other than the one that waits, so it is looked for at this interval.
      // Once the alarm is due, its signal is repeated.
      let pause = isDue ? 10 : Int32(min(left, 0.1) * 1_000) + 1
      var wake = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&wake, 1, pause) > 0 { return }
      if isDue || secondsSinceStart() >= watch.deadline { pthread_kill(watch.thread, SIGALRM) }
    }
  }

  /// Lets the signal end a call instead of the process, and unblocks it in this thread, whatever the parent
  /// blocked.
  private static func listen() {
    _ = handled
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  private static let handled: Void = {
    var action = sigaction()
    // Without SA_RESTART, which signal(3) sets: the call has to end with EINTR.
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { _ in }
    #else
      action.__sigaction_handler.sa_handler = { _ in }
    #endif
    sigaction(SIGALRM, &action, nil)
  }()
}

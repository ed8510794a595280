#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Interrupts the waiting calls of the thread that made it, from a deadline or a stop signal on, until it is
/// cancelled.
///
/// The signal goes to that thread alone, so that other threads of the process notice nothing. It is sent
/// again and again, since one that comes just before the call begins to wait would be lost.
final class Alarm {
  private let watcher: WorkThread
  /// The end of a pipe that is written to when the alarm is no longer needed, and the end that the watcher
  /// reads.
  private let ends: (cancel: Int32, watch: Int32)

  /// What the watcher needs to know.
  private struct Watch: @unchecked Sendable {
    let deadline: Double
    let descriptor: Int32
    let thread: pthread_t
  }

  /// Sets the alarm for a moment of `secondsSinceStart`.
  ///
  /// - Throws: `SystemError` if the system gives no pipe or no thread.
  init(at deadline: Double) throws(SystemError) {
    Alarm.listen()
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else { throw SystemError(code: errno, operation: "wait for", path: "a lock") }
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

  /// Ends the alarm; to be called once, by the thread that made it.
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

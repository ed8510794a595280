import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// The signals by which someone asks a process to stop: Ctrl-C (SIGINT), SIGTERM, and SIGHUP of a terminal
/// that closes.
///
/// If no one listens, they end the process at once, as usual. A signal that the process was started to
/// ignore, as by nohup(1), stays ignored.
package enum StopSignals {
  /// What a signal that is listened for does.
  package enum Listening: Sendable {
    /// Nothing by itself: the work checks `received` from time to time.
    case whileWorking
    /// It also ends a read that waits for input.
    case whileAsking
  }

  /// 0 for none.
  private static let came = Atomic<Int32>(0)
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  /// The last signal that came while someone listened; nil if none did.
  package static var received: Int32? {
    let number = came.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Keeps the next of each of these signals for `received`; a second one ends the process.
  package static func listen(_ listening: Listening) {
    // `came` is made here, since a handler must not be the first to need it.
    _ = received
    for number in numbers where !isIgnored(number) {
      var action = sigaction()
      #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = { StopSignals.came.store($0, ordering: .relaxed) }
      #else
        action.__sigaction_handler.sa_handler = { StopSignals.came.store($0, ordering: .relaxed) }
      #endif
      // Calls that would be interrupted are restarted, so that work goes on until it checks.
      action.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND))
      if listening == .whileWorking { action.sa_flags |= SA_RESTART }
      sigaction(number, &action, nil)
    }
  }

  /// Lets each of these signals end the process again.
  package static func listenNoMore() {
    for number in numbers where !isIgnored(number) { signal(number, SIG_DFL) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

import Platform
import Synchronization

/// Work that goes on in a thread of its own until somebody asks for its outcome.
package final class BackgroundWork<Success: Sendable>: Sendable {
  private let outcome = Outcome()
  private let thread: Mutex<WorkThread?>

  private final class Outcome: Sendable {
    let result = Mutex<Result<Success, any Error>?>(nil)
  }

  /// Begins the work; if the system gives no thread, the work is done before this returns.
  package init(_ body: @escaping @Sendable () throws -> Success) {
    let work: @Sendable () -> Void = { [outcome] in
      let result = Result(catching: body)
      outcome.result.withLock { $0 = result }
    }
    let started = try? WorkThread(work)
    if started == nil { work() }
    thread = Mutex(started)
  }

  /// Waits for the end of the work.
  package func finish() throws -> Success? {
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
    return try outcome.result.withLock { try $0?.get() }
  }

  deinit {
    thread.withLock { $0?.join() }
  }
}

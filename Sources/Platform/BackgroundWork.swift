import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

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

struct WorkThread: @unchecked Sendable {
  // On Darwin this is a pointer, which the compiler does not consider Sendable.
  private let thread: pthread_t

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let argument = Unmanaged.passRetained(Work(body)).toOpaque()
    // Darwin's thread is nil before there is one; its argument is never nil, and glibc's may be.
    #if canImport(Darwin)
      var made: pthread_t?
      let code = pthread_create(&made, nil, { WorkThread.run($0) }, argument)
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, { WorkThread.run($0) }, argument)
      let made: pthread_t? = thread
    #endif
    guard code == 0, let made else {
      Unmanaged<Work>.fromOpaque(argument).release()
      throw SystemError(code: code, operation: "start", path: "a thread")
    }
    self.thread = made
  }

  /// Waits for the thread's end; to be called once, unless it is detached.
  func join() { pthread_join(thread, nil) }

  /// Lets the thread end by itself.
  func detach() { pthread_detach(thread) }

  private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }
}

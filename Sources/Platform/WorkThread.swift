#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// A thread of the system.
package struct WorkThread: @unchecked Sendable {
  // On Darwin this is a pointer, which the compiler does not consider Sendable.
  private let thread: pthread_t

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Begins the work.
  package init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
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
  package func join() { pthread_join(thread, nil) }

  /// Lets the thread end by itself.
  func detach() { pthread_detach(thread) }

  private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }
}

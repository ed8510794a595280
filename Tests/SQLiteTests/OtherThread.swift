import Testing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A thread of its own for what waits for a lock: a task would keep one of the few threads all tests share.
struct OtherThread {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) throws {
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    #if canImport(Darwin)
      var made: pthread_t?
      let code = pthread_create(
        &made, nil,
        { context in
          Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
          return nil
        }, work)
      try #require(code == 0)
      thread = try #require(made)
    #else
      var made = pthread_t()
      let code = pthread_create(
        &made, nil,
        { context in
          if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
          return nil
        }, work)
      try #require(code == 0)
      thread = made
    #endif
  }

  func join() { pthread_join(thread, nil) }

  static func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}

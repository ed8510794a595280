import Platform
import TestSupport
import Testing

@Suite struct FileLockTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { directory.file("lock") }

  // Typed throws are not seen through the macro, hence a plain function.
  private func take(_ lock: borrowing FileLock, _ seconds: Double) throws -> Bool {
    try lock.take(waiting: seconds)
  }

  @Test func `only one holder at a time has the lock`() throws {
    let first = try FileLock(path, rights: 0o600)
    let second = try FileLock(path, rights: 0o600)
    #expect(try take(first, 0))
    #expect(try !take(second, 0))
    first.release()
    #expect(try take(second, 0))
  }

  @Test func `waiting ends at its deadline, and not before`() throws {
    let first = try FileLock(path, rights: 0o600)
    let second = try FileLock(path, rights: 0o600)
    #expect(try take(first, 0))
    let start = secondsSinceStart()
    #expect(try !take(second, 0.2))
    let waited = secondsSinceStart() - start
    // The upper bound is for a machine that is very busy.
    #expect(waited >= 0.2 && waited < 10)
  }

  @Test func `many threads wait at once, and each gets it`() async throws {
    let first = try FileLock(path, rights: 0o600)
    #expect(try take(first, 0))
    let path = path
    let got = Task.detached {
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<3 {
          group.addTask {
            guard let lock = try? FileLock(path, rights: 0o600) else { return false }
            return (try? lock.take(waiting: 30)) ?? false
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }
    first.release()
    #expect(await got.value == 3)
  }

  @Test func `a lock whose holder goes away is free`() throws {
    do {
      let first = try FileLock(path, rights: 0o600)
      #expect(try take(first, 0))
    }
    let second = try FileLock(path, rights: 0o600)
    #expect(try take(second, 0))
    #expect(directory.exists("lock"))
  }

  @Test func `a symbolic link is not followed`() throws {
    try directory.write("kept", to: "other")
    try directory.link("lock", to: directory.file("other"))
    #expect(throws: SystemError.self) { _ = try FileLock(path, rights: 0o600) }
  }

  @Test func `the holder's message replaces the earlier one`() throws {
    let lock = try FileLock(path, rights: 0o600)
    lock.say("a long text\n")
    lock.say("short\n")
    #expect(lock.said(limit: 100) == "short\n")
    #expect(lock.said(limit: 3) == "sho")
  }
}

import Platform
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

@Suite struct FileStatusTests {
  @Test func `a file that goes while it is looked at is there with its name, or not at all`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("journal")
    let coming = Task.detached {
      while !Task.isCancelled {
        close(open(path, O_WRONLY | O_CREAT, 0o600))
        unlink(path)
      }
    }
    // On Linux one look of ten meets a file that has just lost its name, as long as the other thread has a core.
    var found = 0
    let end = secondsSinceStart() + 2
    while found < 20_000, secondsSinceStart() < end {
      guard let status = try? FileStatus(of: path) else { continue }
      #expect(status.links == 1)
      found += 1
    }
    coming.cancel()
    await coming.value
    #expect(found > 0)
  }
}

import Platform
import Synchronization
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

@Suite struct FileStatusTests {
  @Test func `a file that is removed while it is looked at has one name or is missing`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("journal")
    let isOver = Atomic(false)
    let coming = BackgroundWork {
      while !isOver.load(ordering: .relaxed) {
        close(open(path, O_WRONLY | O_CREAT, 0o600))
        unlink(path)
      }
    }
    // On Linux one look of ten meets a file that has just lost its name, as long as the other thread has a core.
    var found = 0
    let end = secondsSinceStart() + 60
    while found < 20_000, secondsSinceStart() < end {
      guard let status = try? FileStatus(of: path) else { continue }
      #expect(status.links == 1)
      found += 1
    }
    isOver.store(true, ordering: .relaxed)
    try coming.finish()
    #expect(found > 0)
  }
}

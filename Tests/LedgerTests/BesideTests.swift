#if canImport(Glibc)
  import Glibc
  import Platform
  import SQLite
  import TestSupport
  import Testing

  @testable import Ledger

  @Suite struct BesideTests {
    /// Whether anybody, this process included, holds a lock on the bytes that SQLite's readers lock.
    ///
    /// A lock of an open file description, fcntl(2), conflicts with those of its own process, too.
    private func isReadLocked(_ descriptor: Int32) -> Bool {
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      // sqlite.org/src/file/src/os.h: SHARED_FIRST is two bytes after PENDING_BYTE, SHARED_SIZE is 510.
      lock.l_start = 0x4000_0002
      lock.l_len = 510
      let getOpenFileLock: Int32 = 36
      return fcntl(descriptor, getOpenFileLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    @Test func `another connection of the same process takes no lock from the first`() throws {
      let directory = try TemporaryDirectory()
      let path = directory.file("pawl.db")
      let (ledger, _) = try Ledger.create(path, now: noon)
      // Closing it would give up the locks, so it stays open until the end.
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      defer { close(descriptor) }
      try ledger.connection.transaction(.deferred) {
        _ = try ledger.head()
        #expect(isReadLocked(descriptor))
        let other = try Ledger.beside(ledger.connection.path, named: path)
        #expect(try other.head() == ledger.head())
        other.close()
        #expect(isReadLocked(descriptor))
      }
      #expect(!isReadLocked(descriptor))
    }
  }
#endif

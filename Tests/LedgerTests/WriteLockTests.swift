import JSON
import Ledger
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct WriteLockTests {
  private let directory: TemporaryDirectory
  private let book: Book

  init() throws {
    directory = try TemporaryDirectory()
    let (ledger, _) = try Ledger.create(directory.file("pawl.db"), now: noon, waiting: 0)
    book = Book(ledger)
    try book.record { $0.make(ledger: "0123456789abcdef0123456789abcdef") }
    try book.add("taxi")
  }

  // Typed throws are not seen through the macro, hence a plain function.
  private func take(_ lock: borrowing FileLock) throws -> Bool { try lock.take(waiting: 0) }

  private var lockPath: String { directory.file("pawl.db-lock") }

  /// Who holds the lock, as a change that does not get its turn says; nil where it says nothing of it.
  private func holder() throws -> LockHolder? {
    do {
      try book.publish("1.0")
    } catch LedgerError.busy(_, let holder) {
      return holder
    }
    try #require(Bool(false), "it was recorded")
    return nil
  }

  @Test func `a change leaves a free lock file, only for those who may write the ledger`() throws {
    #expect(try FileStatus(of: directory.file("pawl.db")).rights == 0o640)
    #expect(try FileStatus(of: lockPath).rights == 0o600)
    let lock = try FileLock(lockPath, rights: 0o600)
    #expect(try take(lock))
  }

  @Test(arguments: [(0o660, 0o660), (0o640, 0o600), (0o600, 0o600), (0o664, 0o660), (0o644, 0o600)])
  func `an account that may only read the ledger can neither open nor hold its lock`(
    ledger: UInt32, lock: UInt32
  ) throws {
    try directory.setRights(ledger, of: "pawl.db")
    // As a build made it that gave it the ledger's rights, or as somebody changed it.
    for before: UInt32 in [0o640, 0o666, 0o600] {
      try directory.setRights(before, of: "pawl.db-lock")
      try book.set { $0.sku = "\(before)" }
      #expect(try FileStatus(of: lockPath).rights == lock)
    }
    removeFile(lockPath)
    try book.set { $0.sku = "new" }
    #expect(try FileStatus(of: lockPath).rights == lock)
  }

  @Test func `a change that does not get the lock names its holder and records nothing`() throws {
    let lock = try FileLock(lockPath, rights: 0o600)
    #expect(try take(lock))
    lock.say(
      #"{"pid":123,"user":"engineer","host":"ci.example.com","command":"pawl mark","since":"2027-01-15T12:00:00Z"}"#
    )
    let found = try #require(try holder())
    #expect(found.pid == 123 && found.user == "engineer" && found.command == "pawl mark")
    #expect(found.host == "ci.example.com" && found.since == noon)
    #expect(try book.ledger.head().seq == 2)
    lock.release()
    try book.publish("1.0")
    #expect(lock.said(limit: 1_000).contains(#""pid":\#(processID),"#))
  }

  @Test(arguments: ["", "{", "[]", #"{"pid":1}"#, String(repeating: "x", count: 5_000)])
  func `a lock file that names no holder gives none`(text: String) throws {
    let lock = try FileLock(lockPath, rights: 0o600)
    #expect(try take(lock))
    lock.say(text)
    #expect(try holder() == nil)
  }

  @Test func `the lock is free while a question is asked, and after a refusal`() throws {
    try book.set { $0.appleID = 1_524_608_462 }
    try book.importPast("1.0", at: later(-900_000))
    try book.publish("2.0")
    var wasFree: [Bool] = []
    try book.record(confirm: { _ in
      wasFree.append(try take(try FileLock(lockPath, rights: 0o600)))
    }) { try $0.mark("2.0", .live, isVisibleNow: true) }
    #expect(wasFree == [true])
    #expect(throws: Refusal.self) { try book.publish("1.5") }
    let lock = try FileLock(lockPath, rights: 0o600)
    #expect(try take(lock))
  }

  @Test func `a lock file that is a link, a folder or has two names is refused untouched`() throws {
    book.ledger.close()
    for name in ["soft", "hard", "folder"] {
      try directory.directory(name)
      try directory.write(try readFile(directory.file("pawl.db"), limit: 1 << 24), to: "\(name)/pawl.db")
      try directory.setRights(0o640, of: "\(name)/pawl.db")
    }
    try directory.write("kept", to: "other")
    try directory.link("soft/pawl.db-lock", to: directory.file("other"))
    try directory.hardLink("hard/pawl.db-lock", to: "other")
    try directory.directory("folder/pawl.db-lock")
    for name in ["soft", "hard", "folder"] {
      let other = Book(try Ledger.open(directory.file("\(name)/pawl.db"), for: .writing, now: noon))
      #expect {
        try other.publish("1.0")
      } throws: { error in
        if case LedgerError.unusable(let refusal) = error {
          refusal.values["path"]?.hasSuffix("/pawl.db-lock") == true
        } else {
          false
        }
      }
      #expect(try other.ledger.head().seq == 2)
    }
    #expect(try readFile(directory.file("other"), limit: 100) == Array("kept".utf8))
  }

  @Test func `a lock file that cannot be made is reported, and nothing is recorded`() throws {
    // Its name is too long for the system where the ledger's own just fits.
    let name = String(repeating: "x", count: 251)
    try directory.write(try readFile(directory.file("pawl.db"), limit: 1 << 24), to: name)
    try directory.setRights(0o640, of: name)
    let other = Book(try Ledger.open(directory.file(name), for: .writing, now: noon))
    #expect {
      try other.publish("1.0")
    } throws: { error in
      if case LedgerError.noLock(let path, _) = error { path.hasSuffix("x-lock") } else { false }
    }
    #expect(try other.ledger.head().seq == 2)
  }
}

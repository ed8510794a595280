import Platform
import TestSupport
import Testing

@Suite struct LeftoverTests {
  @Test func `only what nobody holds under a file's name is removed`() throws {
    let directory = try TemporaryDirectory()
    let left = ["", "-journal", "-lock", "-held"].map { "copy.db.0123456789abcdef.new\($0)" }
    let others = [
      "copy.db", "copy.db.1.new", "copy.db.0123456789abcdef.new.bak", "other.db.0123456789abcdef.new",
      "copy.db.0123456789ABCDEF.new", "copy.db.0123456789abcdef.old", "copy.db.0123456789abcdef0.new",
      "copy.db.fedcba9876543210.new", "copy.db.fedcba9876543210.new-journal",
    ]
    for name in left + others { try directory.write([1], to: name) }
    let held = try FileLock(directory.file("copy.db.fedcba9876543210.new"), rights: 0o600)
    #expect(try held.take(waiting: 0))
    do {
      let name = try TemporaryName(for: directory.file("copy.db"))
      try directory.write([1], to: String(name.path.split(separator: "/").last ?? ""))
      removeLeftovers(of: directory.file("copy.db"))
      #expect(try fileNames(in: directory.file("")).count == others.count + 2)
    }
    #expect(try fileNames(in: directory.file("")).sorted() == others.sorted())
    held.release()
    try publishFile([2], as: directory.file("copy.db"), rights: 0o644, replaces: true)
    #expect(try fileNames(in: directory.file("")).sorted() == others.dropLast(2).sorted())
  }
}

import Platform
import TestSupport
import Testing

@Suite struct LeftoverTests {
  @Test func `only what dead processes left under a file's name is removed`() throws {
    let directory = try TemporaryDirectory()
    // No process has a number beyond the system's greatest, 4194304 on Linux and 99999 on Darwin.
    let dead = ["copy.db.99999999.new", "copy.db.99999999.new-journal"]
    let others = [
      "copy.db", "copy.db.1.new", "copy.db.x.new", "copy.db.099999999.new", "copy.db.-99999999.new",
      "copy.db.99999999.new.bak", "other.db.99999999.new", "copy.db.99999999.old", "copy.db.4294967297.new",
    ]
    for name in dead + others { try directory.write([1], to: name) }
    removeLeftovers(of: directory.file("copy.db"))
    #expect(try fileNames(in: directory.file("")).sorted() == others.sorted())
  }

  @Test func `publishing a file removes its leftovers`() throws {
    let directory = try TemporaryDirectory()
    try directory.write([1], to: "note.txt.99999999.new")
    try publishFile([2], as: directory.file("note.txt"), rights: 0o644, replaces: false)
    #expect(try fileNames(in: directory.file("")) == ["note.txt"])
  }
}

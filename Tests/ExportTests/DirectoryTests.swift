import TestSupport
import Testing

@testable import Platform

@Suite struct DirectoryTests {
  @Test func `a name is looked up in the directory and nowhere else`() throws {
    let place = try TemporaryDirectory()
    try place.directory("in")
    try place.write("secret", to: "outside")
    let directory = try Directory.open(place.file("in"))
    for name in ["", ".", "..", "../outside", "a/b", "/etc/passwd", "nul\0byte"] {
      #expect(throws: SystemError.self, "\(name)") { try directory.read(name, limit: 10) }
      #expect(throws: SystemError.self, "\(name)") { try directory.remove(name) }
      #expect(throws: SystemError.self, "\(name)") { _ = try directory.directory(name) }
    }
    #expect(try directory.read("missing", limit: 10) == nil)
    #expect(try directory.directory("missing") == nil)
  }

  @Test func `a link, a pipe, a directory or a file with two names is refused as a file`() throws {
    let place = try TemporaryDirectory()
    try place.write("secret", to: "file")
    try place.link("link", to: place.file("file"))
    try place.pipe("pipe")
    try place.directory("folder")
    try place.hardLink("second", to: "file")
    let directory = try Directory.open(place.path)
    for name in ["link", "pipe", "folder", "second", "file"] {
      #expect(throws: Obstruction.self, "\(name)") { try directory.read(name, limit: 10) }
      #expect(throws: Obstruction.self, "\(name)") { _ = try directory.append(to: name, rights: 0o644) }
      #expect(throws: Obstruction.self, "\(name)") { _ = try directory.lock(name, rights: 0o644) }
      #expect(throws: SystemError.self, "\(name)") { _ = try directory.create(name, rights: 0o644) }
      if name != "folder" {
        #expect(throws: Obstruction.self, "\(name)") { _ = try directory.directory(name) }
      }
    }
  }

  @Test func `a link to a directory is not entered`() throws {
    let place = try TemporaryDirectory()
    try place.directory("real")
    try place.link("link", to: "real")
    let directory = try Directory.open(place.path)
    #expect(throws: Obstruction(path: place.file("link"), what: "a symbolic link")) {
      _ = try directory.directory("link")
    }
    #expect(throws: Obstruction.self) { _ = try directory.makeDirectory("link", rights: 0o755) }
  }

  @Test func `an open directory stays the same, whatever takes its name`() throws {
    let place = try TemporaryDirectory()
    try place.directory("in")
    try place.directory("other")
    let directory = try Directory.open(place.file("in"))
    let parent = try Directory.open(place.path)
    try parent.rename("in", to: "moved", in: parent)
    try place.link("in", to: "other")
    try directory.create("file", rights: 0o644).write([1])
    #expect(place.exists("moved/file") && !place.exists("other/file"))
  }

  @Test func `the user's own links among the parents are followed, but not loops`() throws {
    let place = try TemporaryDirectory()
    try place.directory("real")
    try place.directory("real/in")
    try place.link("absolute", to: place.file("real"))
    try place.link("relative", to: "./real/../real")
    try place.link("loop", to: "loop")
    for name in ["absolute/in", "relative/in", "real/./in", "real/in/../in", "real//in/"] {
      try Directory.open(place.file(name)).create("file", rights: 0o644).write([1])
      #expect(place.exists("real/in/file"), "\(name)")
      try Directory.open(place.file("real/in")).remove("file")
    }
    #expect(throws: SystemError.self) { try Directory.open(place.file("loop/in")) }
    #expect(throws: SystemError.self) { try Directory.open(place.file("missing/in"), makingWith: 0o755) }
    try place.write("", to: "file")
    #expect(throws: SystemError.self) { try Directory.open(place.file("file"), makingWith: 0o755) }
  }

  @Test func `a world-writable directory or parent is refused, but not a sticky parent`() throws {
    let place = try TemporaryDirectory()
    for name in ["a", "a/b", "a/b/c"] { try place.directory(name) }
    for name in ["a", "a/b"] {
      try place.setRights(0o777, of: name)
      #expect(throws: UnsafeDirectory(path: place.file(name), reason: .worldWritable)) {
        try Directory.open(place.file("a/b/c"))
      }
      #expect(throws: UnsafeDirectory.self) { try Directory.open(place.file("a/b/new"), makingWith: 0o755) }
      #expect(!place.exists("a/b/new"))
      #expect(throws: UnsafeDirectory.self) { try Directory.checkWay(to: place.file("a/b/file")) }
      try place.setRights(0o1777, of: name)
      _ = try Directory.open(place.file("a/b/c"))
      try Directory.checkWay(to: place.file("a/b/file"))
      try place.setRights(0o755, of: name)
    }
    for rights: UInt32 in [0o777, 0o1777, 0o702] {
      try place.setRights(rights, of: "a/b/c")
      #expect(throws: UnsafeDirectory(path: place.file("a/b/c"), reason: .worldWritable)) {
        try Directory.open(place.file("a/b/c"))
      }
    }
    #expect(throws: UnsafeDirectory.self) {
      _ = try Directory.open(place.file("a/b")).directory("c")
    }
  }

  @Test func `only the given group may write the directory`() throws {
    let place = try TemporaryDirectory()
    try place.directory("in")
    let group = try FileStatus(of: place.file("in")).group
    try place.setRights(0o775, of: "in")
    _ = try Directory.open(place.file("in"), group: group)
    #expect(throws: UnsafeDirectory(path: place.file("in"), reason: .otherGroup)) {
      try Directory.open(place.file("in"), group: group &+ 1)
    }
    try place.setRights(0o755, of: "in")
    _ = try Directory.open(place.file("in"), group: group &+ 1)
  }
}

import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct MaildirTests {
  private func ingest(_ room: Shell) -> Ran { room.run("ingest mail --maildir @Maildir --json") }

  @Test func `links, folders and pipes in a Maildir are passed over, and its mails are read`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    let path = try room.maildir()
    try room.directory.write(room.signed().bytes, to: "Maildir/cur/good:2,S")
    try room.directory.write(Array("From: x@example.net\n\nsecret\n".utf8), to: "outside")
    try #require(symlink("/nowhere/at/all", "\(path)/new/dangling") == 0)
    try #require(symlink("looping", "\(path)/new/looping") == 0)
    try #require(symlink(room.directory.file("outside"), "\(path)/new/linked") == 0)
    try #require(mkdir("\(path)/new/folder", 0o755) == 0)
    try #require(mkfifo("\(path)/new/fifo", 0o644) == 0)
    // A file whose name is no UTF-8 is a file all the same.
    let odd: [CChar] = "\(path)/new/odd".utf8CString.dropLast() + [CChar(bitPattern: 0xFF), 0]
    let stream = fopen(odd, "w")
    if let stream {
      fputs("From: x@example.net\n\nodd\n", stream)
      fclose(stream)
    }
    let ran = ingest(room)
    #expect(ran.status == 0, "\(ran.err)")
    let results = ran.json["results"]?.array ?? []
    #expect(results.contains { $0["outcome"] == "applied" })
    #expect(results.count == (stream == nil ? 1 : 2), "\(ran.out)")
    #expect(try room.state("7.3.0") == .live)
    let wanted = [
      "dangling": "link", "fifo": "not-a-file", "folder": "not-a-file", "linked": "link", "looping": "link",
    ]
    let passed = ran.json["passedOver"]?.array ?? []
    for (name, reason) in wanted {
      let entry = passed.first { $0["source"]?.string == "\(path)/new/\(name)" }
      #expect(entry?["reason"]?.string == "entry.\(reason)", "\(name): \(ran.out)")
      #expect(ran.err.contains("new/\(name)"), "\(name) is not named")
    }
    #expect(room.run("ingest mail --maildir @Maildir --strict").status == 1)
  }

  @Test func `a linked Maildir folder is named and passed over, and the other one is read`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    let path = try room.maildir()
    try room.directory.write(room.signed().bytes, to: "Maildir/cur/good:2,S")
    try #require(rmdir("\(path)/new") == 0)
    try room.directory.directory("elsewhere")
    try room.directory.write(room.status("Rejected").bytes, to: "elsewhere/bad")
    try #require(symlink(room.directory.file("elsewhere"), "\(path)/new") == 0)
    let ran = ingest(room)
    #expect(ran.status == 0)
    #expect(ran.json["results"]?.array?.map { $0["outcome"]?.string } == ["applied"], "\(ran.out)")
    #expect(ran.json["passedOver"]?.array?.first?["source"]?.string == "\(path)/new")
    // A Maildir that consists of the link alone is not one.
    try #require(unlink("\(path)/cur/good:2,S") == 0 && rmdir("\(path)/cur") == 0)
    let none = ingest(room)
    #expect(none.status == 65 && none.says("ingest.not-a-maildir/link"))
  }

  @Test func `a mail that is moved while others are read is passed over, and taken in by the next run`()
    throws
  {
    let room = try Mailroom.open("7.3.0", .approved)
    let path = try room.maildir()
    let lunch = Array("From: x@example.net\nDate: Fri, 20 Nov 2026 10:00:00 +0000\n\nlunch\n".utf8)
    try room.directory.write(lunch, to: "Maildir/new/lunch")
    try room.directory.write(room.signed().bytes, to: "Maildir/new/good")
    // A mail reader moves both when the second one is found: one of them was looked at, and none was read.
    room.onLook = { looks in
      guard looks == 2 else { return }
      _ = rename("\(path)/new/good", "\(path)/cur/good:2,S")
      _ = rename("\(path)/new/lunch", "\(path)/cur/lunch:2,S")
    }
    let moved = ingest(room)
    room.onLook = { _ in }
    #expect(moved.status == 0, "\(moved.err)")
    let gone = moved.json["passedOver"]?.array ?? []
    #expect(gone.count == 2 && gone.allSatisfy { $0["reason"] == "entry.gone" }, "\(moved.out)")
    let isThere = moved.json["results"]?.array?.contains { $0["outcome"] == "applied" } == true
    #expect(try room.state("7.3.0") == (isThere ? .live : .approved))
    #expect(ingest(room).status == 0)
    #expect(try room.state("7.3.0") == .live)
    #expect(try room.number("SELECT count(*) FROM evidence") == 2)
  }
}

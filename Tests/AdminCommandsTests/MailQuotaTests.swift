import JSON
import Ledger
import MailCorpus
import ReleaseModel
import Testing

/// How much that nothing proves may wait, and what becomes of the rest.
@Suite struct MailQuotaTests {
  /// A mail of nearly a million bytes that claims Apple and proves nothing.
  private func claim(_ number: Int) -> [UInt8] {
    let head = "From: no_reply@email.apple.com\r\nSubject: \(number)\r\n\r\n"
    return Array(head.utf8) + [UInt8](repeating: 0x61, count: 900_000)
  }

  @Test func `beyond the quota unproved mails wait, and proved ones pass`() throws {
    let room = try Mailroom("7.3.0", .approved)
    room.shell.environment["PAWL_EVIDENCE_QUOTA"] = "2"
    #expect(room.shell.run("ingest mail -", input: claim(1)).status == 0)
    #expect(room.shell.run("ingest mail -", input: claim(2)).status == 0)
    let head = room.shell.head()
    let waits = room.shell.run("ingest mail - --json", input: claim(3))
    #expect(waits.status == 75)
    #expect(waits.json["results"]?.array?.isEmpty == true)
    #expect(waits.json["passedOver"]?.array?.first?["reason"] == "evidence.quota")
    #expect(room.shell.head() == head)
    // From files the others are taken in, and the status says that something waits.
    let lunch = Array("From: x@example.net\n\nlunch\n".utf8)
    let files = try [room.file(claim(4)), room.file(lunch), room.file(room.signed().bytes)]
    let ran = room.shell.run(["ingest", "mail", "--json"] + files)
    #expect(ran.status == 75)
    #expect(ran.json["results"]?.array?.map { $0["outcome"]?.string } == ["ignored", "applied"])
    #expect(try room.state("7.3.0") == .live)
    // A request is all or nothing.
    let one = room.shell.run(["ingest", "mail", files[0], "--request-id", "r", "--json"])
    #expect(one.status == 75 && one.errorID == "evidence.quota")
    // What a person settles makes room.
    try room.shell.done("inbox dismiss 1")
    #expect(room.shell.run("ingest mail -", input: claim(3)).status == 0)
  }

  @Test func `a proved mail that is parked takes nothing of the quota`() throws {
    let room = try Mailroom("7.3.0", .approved)
    room.shell.environment["PAWL_EVIDENCE_QUOTA"] = "0"
    #expect(try room.feed(room.status("In Review", version: "9.9"))["reason"] == "mail.unknown-version")
    #expect(try room.reading { try $0.unprovedBytes() } == 0)
    let broken = room.shell.run("ingest mail -", input: claim(1))
    #expect(broken.status == 75)
    room.shell.environment["PAWL_EVIDENCE_QUOTA"] = "many"
    #expect(room.shell.run("ingest mail -", input: claim(1)).status == 75)
    #expect(room.shell.run(["ingest", "mail", try room.file(claim(1))]).status == 64)
  }

  @Test func `sender and subject are cut, however long one character is`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let subject = "e" + String(repeating: "\u{301}", count: 20_000)
    let mail =
      "From: x@example.net\nTo: a@example.com\nSubject: \(subject)\nDate: Fri, 20 Nov 2026 11:11:21 +0000\n"
    _ = try room.feed(Array((mail + "Message-ID: <a@example.net>\nContent-Type: text/plain\n\nx\n").utf8))
    #expect(try room.number("SELECT length(CAST(subject AS BLOB)) FROM evidence") <= 500)
    #expect(try room.number("SELECT length(sender) FROM evidence") == 13)
  }
}

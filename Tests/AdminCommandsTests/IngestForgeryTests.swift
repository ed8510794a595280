import JSON
import Ledger
import MailCorpus
import ReleaseModel
import Testing

/// Mails that must not move anything, through the command.
@Suite struct IngestForgeryTests {
  /// Whether From, wherever it stands, says Apple: told once more, and more simply.
  private static func claimsApple(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
      let text = line.lowercased()
      return text.hasPrefix("from:") && (text.contains("apple") || text.contains("app store"))
    }
  }

  private func expectNothing(_ forgery: Forgery, _ bytes: [UInt8], _ believing: Believing) throws {
    let room = try Mailroom(believing)
    try room.publish("7.2.0", .live)
    for version in ["7.3.0", "7.4.0", "9.9"] { try room.publish(version, .prepared) }
    room.shell.clock = World.now
    let before = try room.reading { try $0.line("taxi") }
    let path = try room.file(bytes)
    var ran: Ran?
    let time = ContinuousClock().measure { ran = room.shell.run(["ingest", "mail", path, "--json"]) }
    #expect(time < .seconds(20))
    let result = try #require(ran?.json["results"]?.array?.first)
    let outcome = try #require(result["outcome"]?.string)
    #expect(["parked", "ignored", "refused"].contains(outcome), "\(result.text())")
    #expect(ran?.status == (outcome == "refused" ? 65 : 0))
    #expect(result["reason"]?.string?.hasPrefix("mail.") == true, "\(result.text())")
    #expect(try room.reading { try $0.line("taxi") } == before)
    let size = try room.bodySize(1)
    if IngestForgeryTests.claimsApple(bytes), outcome != "refused" {
      #expect(size == Int64(bytes.count), "kept, since From claims Apple: \(result.text())")
    } else if outcome != "parked" {
      #expect(size == nil, "not kept: \(result.text())")
    }
    if let why = forgery.why, believing == .signatures, outcome == "parked" {
      #expect(result["reason"]?.string?.hasPrefix("mail.\(why)") == true, "\(result.text())")
    }
    try room.expectReplay()
  }

  @Test(arguments: Forgeries.all)
  func `a forgery moves nothing by its signature`(forgery: Forgery) throws {
    try expectNothing(forgery, forgery.bytes, .signatures)
  }

  @Test(arguments: Forgeries.all)
  func `a forgery moves nothing by the server's word`(forgery: Forgery) throws {
    try expectNothing(forgery, forgery.received, .server)
  }

  @Test func `a mail from others leaves hash and header only`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let bytes = Array(
      "From: x@example.net\nSubject: lunch\nDate: Fri, 20 Nov 2026 11:11:21 +0000\n\nsecret words\n".utf8)
    let result = try room.feed(bytes)
    #expect(result["outcome"] == "ignored" && result["reason"] == "mail.not-apple")
    #expect(try room.bodySize(1) == nil)
    let shown = room.shell.run("inbox show 1 --json")
    #expect(shown.json["body"] == .null && shown.json["sha256"]?.string?.utf8.count == 64)
    #expect(!shown.out.contains("secret words"))
  }
}

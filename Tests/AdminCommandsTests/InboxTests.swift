import JSON
import MailCorpus
import Platform
import ReleaseModel
import TestSupport
import Testing

/// What was parked, and settling it.
@Suite struct InboxTests {
  /// A ledger with a mail parked because nobody pinned its key; the release is on its way.
  private func parked() throws -> Mailroom {
    let room = try Mailroom("7.3.0", .approved, .nothing)
    let result = try room.feed(room.signed())
    #expect(result["outcome"] == "parked")
    return room
  }

  @Test func `a retry looks at a mail as of its receipt, and leaves the time to object from now`() throws {
    let room = try Mailroom("7.3.0", .approved, .nothing)
    _ = try room.feed(room.signed())
    // A month later the mail is still as young as when it came.
    room.shell.clock = Timestamp(seconds: World.now.seconds + 30 * 86_400)
    let key = try #require(room.world.records.first { $0.selector == "email0517" })
    let path = try room.file(Array(key.text.utf8), name: "key.txt")
    try room.shell.done("trust dkim email.apple.com email0517 --key \(path)")
    #expect(
      room.shell.run("inbox retry --json").json["results"]?.array?.first?["outcome"] == "applied")
    let release = try #require(try room.release("7.3.0"))
    #expect(release.liveAt?.text == "2026-11-20T11:11:21Z")
    #expect(release.visibleAt == Timestamp(seconds: room.shell.clock.seconds + 3_600))
    try room.shell.tell("verify → faults=[]")
  }

  @Test func `an app or a recipient named afterwards takes up its mail`() throws {
    let room = try Mailroom()
    room.shell.clock = World.now
    let unknown = try room.feed(
      room.status("In Review", appleID: "99") { $0.messageID = "<a@email.apple.com>" })
    let stranger = try room.feed(
      room.status("In Review") {
        $0.to = "store@example.com"
        $0.messageID = "<b@email.apple.com>"
      })
    #expect(unknown["reason"] == "mail.unknown-app" && stranger["reason"] == "mail.wrong-recipient")
    try room.shell.done("app add van --bundle-id com.example.van --apple-id 99")
    try room.publish("7.3.0", .prepared)
    try room.publish("7.3.0", .prepared, app: "van")
    try room.shell.done("trust recipient store@example.com")
    let results = room.shell.run("inbox retry --json").json["results"]?.array ?? []
    #expect(results.map { $0["outcome"]?.string } == ["applied", "applied"])
    #expect(try room.state("7.3.0") == .inReview)
    #expect(try room.state("7.3.0", app: "van") == .inReview)
  }

  @Test func `of two copies parked, one is applied and the other is no news`() throws {
    let room = try parked()
    _ = try room.feed(room.signed().prepending("X-Copy: 2"))
    let key = try #require(room.world.records.first { $0.selector == "email0517" })
    let path = try room.file(Array(key.text.utf8), name: "key.txt")
    try room.shell.done("trust dkim email.apple.com email0517 --key \(path)")
    let results = room.shell.run("inbox retry --json").json["results"]?.array ?? []
    #expect(results.map { $0["outcome"]?.string } == ["applied", "ignored"], "\(results.map { $0.text() })")
    #expect(results.last?["reason"] == "mail.duplicate")
    try room.expectReplay()
  }

  @Test func `show prints the letter as a person reads it, and as it came`() throws {
    let room = try Mailroom("7.3.0", .inReview, .nothing)
    let mail = room.signed {
      $0.subject = "=?utf-8?Q?There=E2=80=99s_an_issue_with_your_Taxi_(iOS)_submission.?="
      $0.body = .plain(
        "Hello,\n\nGuideline 2.1 - Performance - App Completeness\n\nIt crashed at launch — twice.\n")
    }
    _ = try room.feed(mail)
    let json = room.shell.run("inbox show 1 --json").json["letter"]
    let reason = "Guideline 2.1 - Performance - App Completeness"
    // Applied, the letter's reason stands wherever the release does; what is amended since does not hide it, and what is
    // submitted again needs it no longer on the board.
    try room.shell.tell(
      """
      inbox show 1 → "letter.rejectedFor=[\(reason)]" "subject=There’s an issue with your Taxi (iOS) submission."
      inbox apply 1 --app taxi --version 7.3.0 --state rejected --reason read
      show taxi 7.3.0 → "states.*.rejectedFor=[[],[],[\(reason)]]"
      report @report → "apps.0.releases.0.reviews.0.rejectedFor=[\(reason)]"
      amend taxi 7.3.0 --note en=Better
      status → "apps.0.releases.0.rejectedFor=[\(reason)]"
      mark taxi 7.3.0 waiting
      status → apps.0.releases.0.rejectedFor=null
      verify → faults=[]
      """)
    #expect(json?["text"]?.string?.hasPrefix("Hello,") == true)
    #expect(room.shell.run("inbox show 1 --raw").out == String(decoding: mail.bytes, as: UTF8.self))
    _ = try room.feed(Array("From: x@example.net\n\nx\n".utf8))
    try room.shell.tell("inbox show 2 --raw → 66 evidence.no-bytes")
  }

  @Test func `a letter in HTML alone, and one that drives a terminal, are shown as text`() throws {
    let room = try Mailroom("7.3.0", .inReview, .nothing)
    _ = try room.feed(
      room.signed { $0.body = .html("<p>Changes \u{1B}[31mneeded</p><p>2.1 Performance: Completeness</p>") })
    let shown = room.shell.run("inbox show 1").out
    #expect(shown.contains("Changes \\u{1B}[31mneeded") && !shown.contains("<p>"), "\(shown)")
    #expect(shown.contains("2.1 Performance: Completeness"))
  }
}

import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct InboxTests {
  private func untrusting(_ state: ReleaseState = .approved) throws -> Shell {
    let room = try Mailroom.open("7.3.0", state, .nothing)
    let key = try #require(try Mailroom.world.records.first { $0.selector == "email0517" })
    try room.directory.write(key.text, to: "key")
    return room
  }

  @Test func `a retry looks at a mail as of its receipt, and leaves the time to object from now`() throws {
    // A month later the mail is still as young as when it came.
    let room = try untrusting()
    try room.tell(
      """
      letter "Ready for Distribution" → outcome=parked
      sleep 30d
      trust dkim email.apple.com email0517 --key @key
      inbox retry → outcome=applied
      show taxi 7.3.0 → release.liveAt=2026-11-20T11:11:21Z release.visibleAt=\(
        (World.now + TimeSpan(seconds: 30 * 86_400 + 3_600)).text)
      verify
      """)
  }

  @Test(arguments: ["To", "Subject", "Date", "Message-ID", "Content-Type"])
  func `a field that is missing or there twice is named`(name: String) throws {
    let signer = try Mailroom.world.apple
    let mail = signer.sign(Letter())
    for (fields, why) in [
      (mail.fields.filter { !$0.hasPrefix("\(name):") }, "missing"),
      (mail.fields + mail.fields.filter { $0.hasPrefix("\(name):") }, "repeated"),
    ] {
      let room = try untrusting()
      let result = try room.feed(Mail(fields: fields, body: mail.body).bytes)
      #expect(result["reason"]?.string == "mail.\(why)-field.\(name.lowercased())")
      let shown = try room.done("inbox show 1").out
      #expect(shown.contains("its field \(name)"), "\(shown)")
    }
  }

  @Test func `an app or a recipient named afterwards takes up its mail`() throws {
    try Mailroom.open("7.2.0", .live).tell(
      """
      letter "In Review" appleID=99 id=a → reason=mail.unknown-app
      letter "In Review" to=store@example.com id=b → reason=mail.wrong-recipient
      app add van --bundle-id com.example.van --apple-id 99
      publish van 7.3.0 --yes
      publish taxi 7.3.0 --yes
      trust recipient store@example.com
      inbox retry → results.*.outcome=[applied,applied]
      show taxi 7.3.0 → release.state=in-review
      show van 7.3.0 → release.state=in-review
      """)
  }

  @Test func `of two copies parked, one is applied and the other is no news`() throws {
    try untrusting().tell(
      """
      letter "Ready for Distribution" → outcome=parked
      letter "Ready for Distribution" "copy=X-Copy: 2" → outcome=parked
      trust dkim email.apple.com email0517 --key @key
      inbox retry → results.*.outcome=[applied,ignored] results.1.reason=mail.duplicate
      verify
      """)
  }

  @Test func `parked evidence is applied by a plan, and without a reason`() throws {
    try untrusting().tell(
      """
      letter "Ready for Distribution" → outcome=parked
      inbox apply 1 --app taxi --version 7.3.0 --state live --plan @plan → same
      inbox apply 1 --app taxi --version 7.3.0 --state live --yes → release.state=live
      history --limit 1 → events.0.reason=null
      """)
  }

  @Test func `show prints the letter as it came, and its reason stands wherever the release does`() throws {
    let room = try untrusting(.inReview)
    let mail = try room.signed {
      $0.subject = "=?utf-8?Q?There=E2=80=99s_an_issue_with_your_Taxi_(iOS)_submission.?="
      $0.body = .plain(
        "Hello,\n\nGuideline 2.1 - Performance - App Completeness\n\nIt crashed at launch — twice.\n")
    }
    _ = try room.feed(mail)
    let reason = "Guideline 2.1 - Performance - App Completeness"
    // What is amended since does not hide it, and what is submitted again needs it no longer on the board.
    try room.tell(
      """
      inbox show 1 → "letter.rejectedFor=[\(reason)]" "subject=There’s an issue with your Taxi (iOS) submission."
      inbox apply 1 --app taxi --version 7.3.0 --state rejected --reason read
      show taxi 7.3.0 → "states.*.rejectedFor=[[],[],[\(reason)]]"
      amend taxi 7.3.0 --note en=Better
      status → "apps.0.releases.0.rejectedFor=[\(reason)]"
      mark taxi 7.3.0 waiting
      status → apps.0.releases.0.rejectedFor=missing
      verify
      ingest mail - < "From: x@example.net\\n\\nx\\n"
      inbox show 2 --raw → 66 evidence.no-bytes
      """)
    #expect(room.run("inbox show 1 --raw").out == String(decoding: mail.bytes, as: UTF8.self))
  }

  @Test func `a letter in HTML alone, and one that drives a terminal, are shown as text`() throws {
    let room = try untrusting(.inReview)
    _ = try room.feed(
      room.signed { $0.body = .html("<p>Changes \u{1B}[31mneeded</p><p>2.1 Performance: Completeness</p>") })
    let shown = Set(try room.done("inbox show 1").out.split(separator: "\n").map { $0.drop { $0 == " " } })
    #expect(shown.isSuperset(of: ["Changes \\u{1B}[31mneeded", "2.1 Performance: Completeness"]), "\(shown)")
  }
}

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

  @Test(arguments: ["To", "Subject", "Date", "Message-ID", "Content-Type"])
  func `a missing or repeated field is named in the reason`(name: String) throws {
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

  @Test func `show prints the letter as it came`() throws {
    let room = try untrusting(.inReview)
    let mail = try room.signed {
      $0.subject = "=?utf-8?Q?There=E2=80=99s_an_issue_with_your_Taxi_(iOS)_submission.?="
      $0.body = .plain(
        "Hello,\n\nGuideline 2.1 - Performance - App Completeness\n\nIt crashed at launch — twice.\n")
    }
    _ = try room.feed(mail)
    try room.tell(
      """
      inbox show 1 → "letter.text~=Guideline 2.1 - Performance" "subject=There’s an issue with your Taxi (iOS) submission."
      inbox apply 1 --app taxi --version 7.3.0 --state rejected --reason read
      verify
      ingest mail - < "From: x@example.net\\n\\nx\\n"
      inbox show 2 --raw → 66 evidence.no-bytes
      """)
    #expect(room.run("inbox show 1 --raw").out == String(decoding: mail.bytes, as: UTF8.self))
  }

  @Test func `a letter in HTML only is shown as text, with control characters escaped`() throws {
    let room = try untrusting(.inReview)
    _ = try room.feed(
      room.signed { $0.body = .html("<p>Changes \u{1B}[31mneeded</p><p>2.1 Performance: Completeness</p>") })
    let shown = Set(try room.done("inbox show 1").out.split(separator: "\n").map { $0.drop { $0 == " " } })
    #expect(shown.isSuperset(of: ["Changes \\u{1B}[31mneeded", "2.1 Performance: Completeness"]), "\(shown)")
  }

  @Test func `the subject is cut to 500 bytes, even if it is one long character`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    let subject = "e" + String(repeating: "\u{301}", count: 20_000)
    let mail =
      "From: x@example.net\nTo: a@example.com\nSubject: \(subject)\nDate: Fri, 20 Nov 2026 11:11:21 +0000\n"
    _ = try room.feed(Array((mail + "Message-ID: <a@example.net>\nContent-Type: text/plain\n\nx\n").utf8))
    #expect(try room.number("SELECT length(CAST(subject AS BLOB)) FROM evidence") <= 500)
    #expect(try room.number("SELECT length(sender) FROM evidence") == 13)
  }
}

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

  @Test func `a key nobody pinned is asked for by its command, and pinning it applies the mail`() throws {
    let room = try Mailroom("7.3.0", .approved, .signatures)
    var signer = room.world.apple
    signer.selector = "email2027"
    let result = try room.feed(signer.sign(Letter()))
    #expect(result["outcome"] == "parked" && result["reason"] == "mail.signature.unknown-selector")
    let hint = "pawl trust dkim email.apple.com email2027, then pawl inbox retry"
    let shown = room.shell.run("inbox show 1 --json").json
    #expect(shown["hint"]?.string == hint)
    #expect(shown["outcome"] == "parked" && shown["messageID"]?.string?.hasSuffix("@email.apple.com") == true)
    #expect(room.shell.run("inbox show 1").out.contains("next: \(hint)\n"))
    // Retrying before anything changed records nothing.
    let head = room.shell.head()
    #expect(room.shell.run("inbox retry --json").json["results"]?.array?.first?["outcome"] == "parked")
    #expect(room.shell.head() == head)
    let key = try #require(room.world.records.first { $0.selector == "email0517" })
    let path = try room.file(Array(key.text.utf8), name: "key.txt")
    try room.shell.done("trust dkim email.apple.com email2027 --key \(path)")
    let again = room.shell.run("inbox retry --json").json["results"]?.array?.first
    #expect(again?["outcome"] == "applied" && again?["evidence"] == 1 && again?["to"] == "live")
    #expect(try room.state("7.3.0") == .live)
    #expect(room.events(2).map { $0["kind"]?.string } == ["release.mark", "evidence.settle"])
    #expect(room.events(1)[0]["evidence"] == 1)
    #expect(room.shell.run("inbox show 1 --json").json["proof"] == "dkim email.apple.com email2027")
    #expect(room.shell.run("inbox").out == "Nothing is parked.\n")
    try room.expectReplay()
  }

  @Test func `of a mail without a signature no key is asked for`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let (fields, body) = Letter().unsigned()
    #expect(try room.feed(Mail(fields: fields, body: body))["outcome"] == "parked")
    let hint = room.shell.run("inbox show 1 --json").json["hint"]?.string ?? ""
    #expect(
      hint.contains("pawl inbox apply or pawl inbox dismiss") && !hint.contains("trust dkim"), "\(hint)")
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
  }

  @Test func `a release published afterwards takes up its mail`() throws {
    let room = try Mailroom()
    room.shell.clock = World.now
    #expect(try room.feed(room.signed())["reason"] == "mail.unknown-version")
    #expect(room.shell.run("inbox show 1 --json").json["hint"]?.string?.contains("pawl publish") == true)
    try room.shell.done("publish taxi 7.3.0")
    #expect(
      room.shell.run("inbox retry --json").json["results"]?.array?.first?["outcome"] == "applied")
    #expect(try room.state("7.3.0") == .live)
    try room.expectReplay()
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

  @Test func `the inbox lists what is parked, and nothing else`() throws {
    let room = try parked()
    _ = try room.feed(Array("From: x@example.net\nSubject: lunch\n\nhello\n".utf8))
    let list = try #require(room.shell.run("inbox --json").json["inbox"]?.array)
    #expect(list.count == 1)
    #expect(list.first?["id"] == 1 && list.first?["subject"]?.string?.contains("Taxi") == true)
    let text = room.shell.run("inbox").out
    #expect(text.contains("mail.") && text.hasSuffix("next: pawl inbox show N\n"))
    let missing = room.shell.run("inbox show 9 --json")
    #expect(missing.status != 0 && missing.errorID == "evidence.not-found")
  }

  @Test func `applying is a person's decision, whose reason is kept where one is given`() throws {
    let room = try parked()
    let words = ["inbox", "apply", "1", "--app", "taxi", "--version", "7.3.0", "--state", "live", "--json"]
    let head = try #require(room.shell.head())
    let tried = room.shell.run(words + ["--yes", "--dry-run"])
    #expect(tried.status == 0 && tried.json["changed"] == true, "no reason is asked for: \(tried.err)")
    #expect(room.shell.head() == head)
    let applied = room.shell.run(words + ["--reason", "read it myself", "--yes"])
    #expect(applied.status == 0, "\(applied.err)")
    #expect(applied.json["changed"] == true && applied.json["release"]?["state"] == "live")
    #expect(try room.state("7.3.0") == .live)
    let events = room.events(2)
    #expect(Set(events.map { $0["kind"]?.string }) == ["release.mark", "evidence.settle"])
    for event in events { #expect(event["evidence"] == 1 && event["reason"] == "read it myself") }
    let again = room.shell.run(words + ["--reason", "once more", "--yes"])
    #expect(again.status == 0 && again.json["changed"] == false)
    let other = room.shell.run(words.map { $0 == "live" ? "removed" : $0 } + ["--reason", "no", "--yes"])
    #expect(other.status == 1 && other.errorID == "evidence.settled")
    #expect(room.shell.run("inbox dismiss 1 --json").errorID == "evidence.settled")
    #expect(room.shell.head() == head + 2)
    try room.expectReplay()
  }

  @Test func `applying against a law, or to what is not known, changes nothing`() throws {
    let room = try parked()
    let head = room.shell.head()
    for (version, state) in [("7.3.0", "superseded"), ("9.9", "live")] {
      let ran = room.shell.run([
        "inbox", "apply", "1", "--app", "taxi", "--version", version, "--state", state, "--reason", "x",
        "--yes", "--json",
      ])
      #expect(ran.status != 0 && ran.errorID != nil, "\(version) \(state)")
      // A letter names its version as it is: no other is moved in its place.
      let publish = ran.error["hint"]?.string == "record it with 'pawl publish taxi \(version)'"
      #expect(publish == (version == "9.9"), "\(ran.err)")
    }
    #expect(room.shell.head() == head)
    #expect(room.shell.run("inbox --json").json["inbox"]?.array?.count == 1)
  }

  @Test func `dismissing twice changes once`() throws {
    let room = try parked()
    let first = room.shell.run("inbox dismiss 1 --json").json
    #expect(first["changed"] == true && first["evidence"] == 1)
    let head = room.shell.head()
    #expect(room.shell.run("inbox dismiss 1 --json").json["changed"] == false)
    #expect(room.shell.head() == head)
    #expect(room.shell.run("inbox show 1 --json").json["outcome"] == "dismissed")
    #expect(room.shell.run("inbox retry --json").json["results"]?.array?.isEmpty == true)
    #expect(try room.state("7.3.0") == .approved)
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
    let shown = room.shell.run("inbox show 1")
    for text in [
      "There’s an issue with your Taxi (iOS) submission.", "It crashed at launch — twice.", "Guideline 2.1",
      "rejected for", "App Store Connect", "20 Nov 2026",
    ] { #expect(shown.out.contains(text), "\(text): \(shown.out)") }
    #expect(!shown.out.contains("DKIM-Signature") && !shown.out.contains("=E2=80"))
    let json = room.shell.run("inbox show 1 --json").json["letter"]
    #expect(json?["rejectedFor"]?.array == ["Guideline 2.1 - Performance - App Completeness"])

    // Applied, the letter's reason stands wherever the release does.
    let applied = try room.shell.done(
      "inbox apply 1 --app taxi --version 7.3.0 --state rejected --reason read")
    #expect(applied.out.contains("→ rejected\n"), "it says which move it made: \(applied.out)")
    let reason = "Guideline 2.1 - Performance - App Completeness"
    func expectReason() throws {
      #expect(try room.shell.done("status taxi").out.contains(reason))
      let board = try room.shell.done("status --json").json["apps"]?.array?.first
      #expect(board?["releases"]?.array?.first?["rejectedFor"] == [.string(reason)])
    }
    try expectReason()
    let page = try room.shell.done("show taxi 7.3.0")
    #expect(page.out.contains("Rejected for:\n  \(reason)\n"))
    let states = try room.shell.done("show taxi 7.3.0 --json").json["states"]?.array
    #expect(states?.last?["rejectedFor"] == [.string(reason)] && states?.first?["rejectedFor"] == [])
    let out = room.shell.directory.file("report")
    let report = try room.shell.done("report \(out) --json").json["apps"]?.array?.first
    let review = report?["releases"]?.array?.first?["reviews"]?.array?.last
    #expect(review?["rejectedFor"] == [.string(reason)])
    let html = String(decoding: try readFile("\(out)/taxi.html", limit: 1 << 20), as: UTF8.self)
    #expect(html.contains("then rejected: \(reason)"))
    // What is amended since does not hide it; what is submitted again needs it no longer on the board.
    try room.shell.done("amend taxi 7.3.0 --note en=Better")
    try expectReason()
    try room.shell.done("mark taxi 7.3.0 waiting")
    #expect(try !room.shell.done("status taxi").out.contains(reason))
    #expect(try room.shell.done("show taxi 7.3.0").out.contains(reason))
    #expect(json?["text"]?.string?.hasPrefix("Hello,") == true)
    #expect(room.shell.run("inbox show 1 --raw").out == String(decoding: mail.bytes, as: UTF8.self))
    _ = try room.feed(Array("From: x@example.net\n\nx\n".utf8))
    let none = room.shell.run("inbox show 2 --raw --json")
    #expect(none.status == 66 && none.errorID == "evidence.no-bytes")
  }

  @Test func `a letter in HTML alone, and one that drives a terminal, are shown as text`() throws {
    let room = try Mailroom("7.3.0", .inReview, .nothing)
    _ = try room.feed(
      room.signed { $0.body = .html("<p>Changes \u{1B}[31mneeded</p><p>2.1 Performance: Completeness</p>") })
    let shown = room.shell.run("inbox show 1").out
    #expect(shown.contains("Changes \\u{1B}[31mneeded") && !shown.contains("<p>"), "\(shown)")
    #expect(shown.contains("2.1 Performance: Completeness"))
  }

  @Test func `applying warns where the letter speaks of something else`() throws {
    let room = try Mailroom("7.3.0", .approved, .nothing)
    _ = try room.feed(
      room.status("Rejected", version: "7.2.9", appleID: "99", platform: "Platform: macOS") {
        $0.date = "Fri, 20 Nov 2020 11:11:21 +0000"
      })
    let words = [
      "inbox", "apply", "1", "--app", "taxi", "--version", "7.3.0", "--state", "live", "--reason", "r",
      "--yes",
    ]
    let dry = room.shell.run(words + ["--dry-run"])
    #expect(
      dry.out.contains("warning: the mail is about Apple ID 99, but taxi has \(World.appleID)"),
      "\(dry.out)\(dry.err)")
    #expect(dry.out.contains("2020-11-20"))
    let ran = room.shell.run(words + ["--json"])
    #expect(ran.status == 0, "\(ran.err)")
    // App, platform, version, state and date.
    #expect(ran.json["warnings"]?.array?.count == 5, "\(ran.out)")
    let plain = try parked()
    let quiet = plain.shell.run(words + ["--json"])
    #expect(quiet.json["warnings"]?.array?.isEmpty == true, "\(quiet.out)")
  }
}

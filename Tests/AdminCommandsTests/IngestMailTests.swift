import JSON
import MailCorpus
import ReleaseModel
import Testing

/// Genuine mails through the command.
@Suite struct IngestMailTests {
  @Test func `a proved mail about a version that the ledger does not know is an alarm until it does`() throws
  {
    func alarms(_ room: Mailroom) -> [String] { room.shell.findings().filter { $0.hasPrefix("mail.") } }
    for believing in [Believing.signatures, .server] {
      let room = try Mailroom("7.3.0", .live, believing)
      let mail = room.status("In Review", version: "7.4.0")
      let parked = try room.feed(believing == .server ? World.receivedFromApple(mail) : mail)
      #expect(parked["reason"] == "mail.unknown-version")
      // A server's word is no proof.
      let isAlarm = believing == .signatures
      #expect(alarms(room) == (isAlarm ? ["mail.unknown-version"] : []))
      // It says nothing of what Apple takes no builds of.
      try room.shell.tell(
        """
        status → alarms.#=\(isAlarm ? 1 : 0)
        next taxi --check 7.4.0
        publish taxi 7.4.0
        status → alarms.#=0
        inbox → inbox.#=1
        """)
      #expect(alarms(room) == [])
      try room.shell.tell("inbox retry → results.0.outcome=applied")
      #expect(try room.state("7.4.0") == .inReview)
    }
  }

  /// A state from which a letter of another moves a release.
  private static func earlier(than state: ReleaseState) -> ReleaseState {
    switch state {
    case .waiting: .prepared
    case .inReview, .withdrawn: .waiting
    case .approved, .rejected: .inReview
    case .live: .approved
    case .removed: .live
    default: .rejected
    }
  }

  private func expectMove(_ letter: Letter, _ version: String, _ state: ReleaseState) throws {
    let earlier = IngestMailTests.earlier(than: state)
    let room = try Mailroom(version, earlier)
    let head = try #require(room.shell.head())
    let result = try room.feed(room.world.apple.sign(letter))
    let what: Comment = "\(letter.subject): \(result.text())"
    #expect(result["outcome"] == "applied", what)
    #expect(result["app"] == "taxi" && result["version"]?.string == version, what)
    #expect(result["from"]?.string == earlier.rawValue && result["to"]?.string == state.rawValue, what)
    #expect(result["reason"] == .null && result["evidence"] == 1, what)
    #expect(try room.state(version) == state, what)
    #expect(room.shell.head() == head + 2, what)
    let events = room.events(2)
    #expect(events.map { $0["kind"]?.string } == ["release.mark", "evidence.add"], what)
    #expect(events.map { $0["evidence"]?.integer } == [1, 1], what)
    #expect(try room.bodySize(1) ?? 0 > 500, what)
    try room.expectReplay()
  }

  @Test(arguments: Wordings.states.indices)
  func `a status letter moves a known release to its state`(index: Int) throws {
    let (name, state) = Wordings.states[index]
    for letter in Wordings.statusLetters(name) { try expectMove(letter, "7.3.0", state) }
  }

  @Test func `the word of the mail server is enough where it is trusted, and nothing where it is not`() throws
  {
    let room = try Mailroom("7.3.0", .approved, .server)
    let result = try room.feed(World.receivedFromApple(room.signed()))
    #expect(result["outcome"] == "applied")
    #expect(room.shell.run("inbox show 1 --json").json["proof"] == "mx mx.example.com")
    let other = try Mailroom("7.3.0", .approved, .nothing)
    let parked = try other.feed(World.receivedFromApple(other.signed()))
    #expect(parked["outcome"] == "parked")
    #expect(try other.state("7.3.0") == .approved)
  }

  @Test(arguments: [(1, 3_600), (90_000, 86_400), (82_800, 86_400), (82_801, 86_400), (82_799, 86_400)])
  func `going live by mail waits for the hold from its Date, and an hour from its receipt`(
    delay: Int64, hold: Int64
  ) throws {
    let date = World.now
    for (span, seconds) in [("24h", Int64(86_400)), ("0", 0)] {
      let room = try Mailroom("7.3.0", .approved)
      try room.shell.done("app set taxi --hold \(span)")
      room.shell.clock = Timestamp(seconds: date.seconds + delay)
      // Nothing is answered on a terminal, and nothing is asked.
      let result = try room.feed(
        room.signed { $0.date = "Fri, 20 Nov 2026 11:20:00 +0000" })
      #expect(result["outcome"] == "applied")
      let release = try #require(try room.release("7.3.0"))
      #expect(release.liveAt == date)
      let visible = max(date.seconds + seconds, date.seconds + delay + 3_600)
      #expect(release.visibleAt == Timestamp(seconds: visible), "\(span)")
      #expect(room.events(1)[0]["after"]?["visibleAt"]?.string == Timestamp(seconds: visible).text)
    }
  }

  @Test func `a letter with a Date ahead of the clock went live when it came`() throws {
    let room = try Mailroom("7.3.0", .approved)
    _ = try room.feed(room.signed { $0.date = "Fri, 20 Nov 2026 11:29:59 +0000" })
    #expect(try room.release("7.3.0")?.liveAt == World.now)
  }

  @Test func `going live by mail says what it changes for clients, and supersedes`() throws {
    let room = try Mailroom()
    try room.publish("7.2.0", .live)
    room.shell.clock = Timestamp(seconds: World.now.seconds - 100_000)
    try room.publish("7.3.0", .approved)
    room.shell.clock = World.now
    #expect(try room.feed(room.signed())["outcome"] == "applied")
    #expect(try room.state("7.2.0") == .superseded)
    let event = room.events(1)[0]
    #expect(event["after"]?["superseded"] == "7.2.0")
    #expect(event["impact"]?.array?.first?["at"] == "2026-11-21T11:11:21Z")
    #expect(event["impact"]?.array?.first?["versions"] == "7.2.0")
    // Until it is visible nobody is told, then everybody.
    let now = room.shell.run("check taxi 7.2.0 --json").json
    #expect(now["target"]?.string != "7.3.0")
    room.shell.clock = Timestamp(seconds: World.now.seconds + 86_400)
    try room.shell.tell("check taxi 7.2.0 → target=7.3.0")
  }

  @Test func `what a mail made live can be taken back within its hold`() throws {
    let room = try Mailroom("7.3.0", .approved)
    _ = try room.feed(room.signed())
    #expect(room.shell.run(["unmark", "taxi", "7.3.0", "--reason", "not ours"]).status == 0)
    #expect(try room.state("7.3.0") == .approved)
    try room.expectReplay()
  }

  @Test func `the mails of one approval come in any order to one end`() throws {
    let made = try Mailroom("1.2.6", .inReview)
    var review = Wordings.reviewLetter(
      "Review of your Taxi (iOS) submission is complete.",
      "Review of your submission has been completed. It is now eligible for distribution.")
    review.messageID = "<review@email.apple.com>"
    var welcome = Wordings.reviewLetter(
      "Welcome to the App Store",
      "Congratulations! We're pleased to let you know that your app, Taxi, has been approved for distribution. "
        + "Please note that it can take up to 24 hours for apps to become available on the App Store after release."
    )
    welcome.messageID = "<welcome@email.apple.com>"
    welcome.date = "Fri, 20 Nov 2026 11:11:22 +0000"
    let ready = made.status("Ready for Distribution", version: "1.2.6") {
      $0.messageID = "<ready@email.apple.com>"
      $0.date = "Fri, 20 Nov 2026 11:11:25 +0000"
    }
    let mails = [made.world.apple.sign(review), made.world.apple.sign(welcome), ready]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let room = try Mailroom("1.2.6", .inReview)
      var outcomes: [String] = []
      for index in order {
        let result = try room.feed(mails[index])
        outcomes.append(result["outcome"]?.string ?? "")
        if result["outcome"] == "ignored" { #expect(result["reason"] == "mail.overtaken") }
      }
      #expect(outcomes.allSatisfy { $0 == "applied" || $0 == "ignored" }, "\(order): \(outcomes)")
      #expect(outcomes.contains("applied"))
      let release = try #require(try room.release("1.2.6"))
      #expect(release.state == .live, "\(order)")
      #expect(release.liveAt?.text == "2026-11-20T11:11:25Z", "\(order)")
      #expect(room.shell.run("inbox --json").json["inbox"]?.array?.isEmpty == true)
      try room.expectReplay()
    }
  }

  @Test func `a letter too old or of the future is parked, at the limits it is not`() throws {
    for (date, reason) in [
      ("Fri, 06 Nov 2026 11:19:59 +0000", "mail.stale"), ("Fri, 20 Nov 2026 11:30:01 +0000", "mail.future"),
      ("Fri, 20 Nov 2026 11:30:00 +0000", nil),
    ] as [(String, String?)] {
      let room = try Mailroom("7.3.0", .approved)
      let result = try room.feed(room.signed { $0.date = date })
      #expect(result["reason"]?.string == reason, "\(date)")
      #expect(result["outcome"]?.string == (reason == nil ? "applied" : "parked"))
      #expect(try room.state("7.3.0") == (reason == nil ? .live : .approved))
    }
  }

  @Test func `an older letter never undoes what is newer`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    let old = "Mon, 16 Nov 2026 11:00:00 +0000"
    let rejected = try room.feed(room.status("Rejected") { $0.date = old })
    #expect(rejected["outcome"] == "parked" && rejected["reason"] == "mail.older")
    let waiting = try room.feed(
      room.status("Waiting For Review") {
        $0.date = old
        $0.messageID = "<b@email.apple.com>"
      })
    #expect(waiting["outcome"] == "ignored" && waiting["reason"] == "mail.overtaken")
    #expect(try room.state("7.3.0") == .inReview)
  }

  @Test func `a letter that a law refuses is parked with the law's name`() throws {
    let room = try Mailroom()
    try room.publish("7.3.0", .approved)
    try room.publish("7.4.0", .live)
    room.shell.clock = World.now
    let head = try #require(room.shell.head())
    let result = try room.feed(room.signed())
    #expect(result["outcome"] == "parked", "\(result.text())")
    #expect(result["reason"] == "mail.law.version.not-greater", "\(result.text())")
    #expect(try room.state("7.3.0") == .approved)
    #expect(room.shell.head() == head + 1)
  }

  @Test func `an app is found by Apple ID and platform, never by name`() throws {
    let room = try Mailroom("7.3.0", .approved)
    room.shell.clock = Mailroom.before
    try room.shell.done(
      "app add taxi-mac --bundle-id com.example.taxi --apple-id \(World.appleID) --platform macos")
    try room.publish("7.3.0", .approved, app: "taxi-mac")
    room.shell.clock = World.now
    let unclear = try room.feed(
      room.status("Ready for Sale", platform: "") { $0.messageID = "<a@email.apple.com>" })
    #expect(unclear["reason"] == "mail.ambiguous-app", "\(unclear.text())")
    let mac = try room.feed(
      room.status("Ready for Sale", platform: "Platform: macOS") { $0.messageID = "<b@email.apple.com>" })
    #expect(mac["app"] == "taxi-mac" && mac["outcome"] == "applied", "\(mac.text())")
    #expect(try room.state("7.3.0") == .approved)
    #expect(try room.state("7.3.0", app: "taxi-mac") == .live)
    let tv = try room.feed(
      room.status("Ready for Sale", platform: "Platform: tvOS") { $0.messageID = "<c@email.apple.com>" })
    #expect(tv["reason"] == "mail.unknown-app", "\(tv.text())")
    let other = try room.feed(
      room.status("Ready for Sale", appleID: "99") { $0.messageID = "<d@email.apple.com>" })
    #expect(other["outcome"] == "parked" && other["reason"] == "mail.unknown-app")
  }

  @Test func `the same bytes, and the same Message-ID in another proved mail, are there already`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let mail = room.signed()
    #expect(try room.feed(mail)["outcome"] == "applied")
    let head = room.shell.head()
    for again in [
      mail, mail.prepending("Received: by x; Fri, 20 Nov 2026 11:11:22 +0000"), room.status("Rejected"),
    ] {
      let result = try room.feed(again)
      #expect(result["outcome"] == "duplicate" && result["evidence"] == 1)
    }
    #expect(room.shell.head() == head)
    #expect(try room.state("7.3.0") == .live)
    #expect(try room.evidenceCount() == 1)
  }

  @Test func `a stolen Message-ID in a mail that is not proved does not shut out the genuine one`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let (fields, body) = Letter().unsigned()
    #expect(try room.feed(Mail(fields: fields, body: body))["outcome"] == "parked")
    var stranger = Letter()
    stranger.from = "x@example.net"
    #expect(try room.feed(room.world.stranger.sign(stranger))["outcome"] == "ignored")
    #expect(try room.feed(room.signed())["outcome"] == "applied")
    #expect(try room.state("7.3.0") == .live)
  }

  @Test func `a proved mail about something else is ignored`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let (plain, html) = Wordings.review(
      "It is now eligible for distribution.", heading: "In-App Events", item: "Summer Sale")
    let result = try room.feed(
      room.signed {
        $0.subject = "Review of your Taxi (iOS) submission is complete."
        $0.body = .alternative(plain: plain, html: html)
      })
    #expect(result["outcome"] == "ignored" && result["reason"] == "mail.other.in-app-event")
    #expect(try room.state("7.3.0") == .approved)
  }

  @Test func `a copy that was parked uses nothing up, neither its Message-ID nor its bytes`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let genuine = room.signed()
    // A copy with an unsigned field changed in a way that parks it, brought first.
    let copy = genuine.prepending("MIME-Version: 1.0")
    #expect(try room.feed(copy)["outcome"] == "parked")
    #expect(try room.feed(genuine)["outcome"] == "applied")
    #expect(try room.state("7.3.0") == .live)
    #expect(try room.feed(genuine.prepending("X-Seen: 1"))["outcome"] == "duplicate")
    try room.expectReplay()
  }

  @Test func `a proved copy that was parked uses nothing up`() throws {
    let room = try Mailroom()
    room.shell.clock = World.now
    let genuine = room.signed()
    #expect(try room.feed(genuine.prepending("X-Copy: 1"))["reason"] == "mail.unknown-version")
    room.shell.clock = Timestamp(seconds: World.now.seconds + 60)
    try room.shell.done("publish taxi 7.3.0")
    #expect(try room.feed(genuine)["outcome"] == "applied")
    // The parked copy says nothing new, and so does the same mail once more.
    let retried = room.shell.run("inbox retry --json").json["results"]?.array?.first
    #expect(retried?["outcome"] == "ignored" && retried?["reason"] == "mail.duplicate")
    #expect(try room.feed(genuine)["outcome"] == "duplicate")
    try room.expectReplay()
  }

  @Test func `bytes that were parked are judged again when they come again`() throws {
    let room = try Mailroom()
    room.shell.clock = World.now
    let mail = room.signed()
    #expect(try room.feed(mail)["reason"] == "mail.unknown-version")
    let head = room.shell.head()
    #expect(try room.feed(mail)["outcome"] == "duplicate")
    #expect(room.shell.head() == head)
    try room.shell.done("publish taxi 7.3.0")
    let again = try room.feed(mail)
    #expect(again["outcome"] == "applied" && again["evidence"] == 1, "\(again.text())")
    #expect(try room.state("7.3.0") == .live)
    #expect(try room.evidenceCount() == 1)
    try room.expectReplay()
  }
}

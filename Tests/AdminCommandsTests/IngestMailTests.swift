import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestMailTests {
  @Test(arguments: [true, false])
  func `a proved mail about a version that the ledger does not know is an alarm until it does`(isProved: Bool)
    throws
  {
    // A server's word is no proof; it says nothing of what Apple takes no builds of.
    let room = try Mailroom.open("7.3.0", .live, isProved ? .signatures : .server)
    let alarm = isProved ? ",mail.unknown-version" : ""
    try room.tell(
      """
      letter "In Review" version=7.4.0 by=\(isProved ? "nobody" : "server") → reason=mail.unknown-version
      doctor → 1 findings.*.id=[inbox.waiting\(alarm)]
      status → alarms.#=\(isProved ? 1 : 0)
      next taxi --check 7.4.0
      publish taxi 7.4.0 --yes
      status → alarms.#=0
      doctor → 1 findings.*.id=[inbox.waiting]
      inbox → inbox.#=1
      inbox retry → outcome=applied
      show taxi 7.4.0 → release.state=in-review
      """)
  }

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

  @Test(arguments: Wordings.states.indices)
  func `a status letter moves a known release to its state`(index: Int) throws {
    let (name, state) = Wordings.states[index]
    let earlier = IngestMailTests.earlier(than: state)
    for letter in Wordings.statusLetters(name) {
      let room = try Mailroom.open("7.3.0", earlier)
      try room.directory.write(Mailroom.world.apple.sign(letter).bytes, to: "mail")
      try room.tell(
        """
        ingest mail @mail → outcome=applied app=taxi version=7.3.0 from=\(earlier.rawValue) to=\(state.rawValue) reason=null evidence=1
        show taxi 7.3.0 → release.state=\(state.rawValue)
        history --limit 2 → events.*.kind=[release.mark,evidence.add] events.*.evidence=[1,1]
        verify
        """)
      #expect(try room.bodySize() ?? 0 > 500)
    }
  }

  @Test func `the word of the mail server is enough where it is trusted, and nothing where it is not`() throws
  {
    let letter = "letter \"Ready for Distribution\" by=server"
    try Mailroom.open("7.3.0", .approved, .server).tell(
      "app set taxi --policy none\n\(letter) → outcome=applied\ninbox show 1 → \"proof=mx mx.example.com\"")
    try Mailroom.open("7.3.0", .approved, .nothing).tell(
      "\(letter) → outcome=parked\nshow taxi 7.3.0 → release.state=approved")
  }

  @Test(arguments: [Int64(1), 90_000, 82_800, 82_801, 82_799], ["24h", "0"])
  func `going live by mail waits for the hold from its Date, and an hour from its receipt`(
    delay: Int64, hold: String
  ) throws {
    let room = try Mailroom.open("7.3.0", .approved)
    let visible = max(hold == "0" ? 0 : 86_400, delay + 3_600)
    // Nothing is answered on a terminal, and nothing is asked.
    try room.tell(
      """
      app set taxi --hold \(hold)
      sleep \(delay)s
      letter "Ready for Distribution" "date=Fri, 20 Nov 2026 11:20:00 +0000" → outcome=applied
      show taxi 7.3.0 → release.liveAt=\(World.now.text) release.visibleAt=\(
        (World.now + TimeSpan(seconds: visible)).text)
      """)
  }

  @Test func `doctor names the selector that Apple signs with now, and the command that pins it`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    let selector = "email0517"
    let key = try #require(try Mailroom.world.records.first { $0.selector == selector })
    try room.directory.write(key.text, to: "key")
    try room.tell(
      """
      trust remove dkim email.apple.com \(selector)
      trust dkim email.apple.com before --key @key
      letter "Ready for Distribution" → reason=mail.signature.unknown-selector
      letter "Ready for Distribution" id=b → reason=mail.signature.unknown-selector
      doctor → 1
      """)
    let found =
      room.run("doctor --json").json["findings"]?.array?.filter { $0["id"] == "dkim.selector" } ?? []
    #expect(found.count == 1)
    #expect(
      found.first?["hint"]?.string == "pawl trust dkim email.apple.com \(selector), then pawl inbox retry")
  }

  @Test func `going live by mail says what it changes for clients, supersedes, and can be taken back`() throws
  {
    let room = try Mailroom.open("7.2.0", .live)
    // Until it is visible nobody is told, then everybody; a Date ahead of the clock is when it came.
    try room.tell(
      """
      sleep 2d
      publish taxi 7.3.0 --yes
      letter "Ready for Distribution" "date=Sun, 22 Nov 2026 11:29:59 +0000" → outcome=applied
      show taxi 7.3.0 → release.liveAt=2026-11-22T11:20:00Z
      show taxi 7.2.0 → release.state=superseded
      history --limit 1 → events.0.after.superseded=7.2.0 events.0.impact.0.at=2026-11-23T11:20:00Z "events.0.impact.0.versions=from:7.2 below:7.3"
      check taxi 7.2.0 → target=null
      unmark taxi 7.3.0 --reason "not ours" → release.state=prepared
      letter "Ready for Distribution" id=b "date=Sun, 22 Nov 2026 11:29:59 +0000" → outcome=applied
      sleep 1d
      check taxi 7.2.0 → target=7.3.0
      verify
      """)
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `the mails of one approval come in any order to one end`(order: [Int]) throws {
    let room = try Mailroom.open("1.2.6", .inReview)
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
    let apple = try Mailroom.world.apple
    let ready = try room.status(
      "Ready for Distribution",
      ["version": "1.2.6", "id": "ready", "date": "Fri, 20 Nov 2026 11:11:25 +0000"])
    let mails = [apple.sign(review), apple.sign(welcome), ready]
    let results = try order.map { try room.feed(mails[$0]) }
    #expect(
      results.allSatisfy { $0["outcome"] == "applied" || $0["reason"] == "mail.overtaken" }, "\(results)")
    try room.tell(
      """
      show taxi 1.2.6 → release.state=live release.liveAt=2026-11-20T11:11:25Z
      inbox → inbox=[]
      verify
      """)
  }

  @Test(
    arguments: [
      ("approved", "Ready for Distribution", "Fri, 06 Nov 2026 11:19:59 +0000", "parked", "mail.stale"),
      ("approved", "Ready for Distribution", "Fri, 20 Nov 2026 11:30:01 +0000", "parked", "mail.future"),
      ("approved", "Ready for Distribution", "Fri, 20 Nov 2026 11:30:00 +0000", "applied", "null"),
      ("in-review", "Rejected", "Mon, 16 Nov 2026 11:00:00 +0000", "parked", "mail.older"),
      ("in-review", "Waiting For Review", "Mon, 16 Nov 2026 11:00:00 +0000", "ignored", "mail.overtaken"),
    ])
  func `a letter too old, of the future or older than what it would undo moves nothing`(
    state: String, status: String, date: String, outcome: String, reason: String
  ) throws {
    let room = try Mailroom.open("7.3.0", try #require(ReleaseState(rawValue: state)))
    try room.tell(
      """
      letter "\(status)" "date=\(date)" → outcome=\(outcome) reason=\(reason)
      show taxi 7.3.0 → release.state=\(outcome == "applied" ? "live" : state)
      """)
  }

  @Test func `a letter that a law refuses is parked with the law's name`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    try room.tell(
      """
      live taxi 7.4.0
      letter "Ready for Distribution" → outcome=parked reason=mail.law.version.not-greater
      show taxi 7.3.0 → release.state=approved
      """)
  }

  @Test func `an app is found by Apple ID and platform, never by name`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    try room.tell(
      """
      app add taxi-mac --bundle-id com.example.taxi --apple-id \(World.appleID) --platform macos
      publish taxi-mac 7.3.0 --yes
      letter "Ready for Sale" platform= id=a → reason=mail.ambiguous-app
      letter "Ready for Sale" "platform=Platform: macOS" id=b → app=taxi-mac outcome=applied
      show taxi 7.3.0 → release.state=approved
      show taxi-mac 7.3.0 → release.state=live
      letter "Ready for Sale" "platform=Platform: tvOS" id=c → reason=mail.unknown-app
      letter "Ready for Sale" appleID=99 id=d → outcome=parked reason=mail.unknown-app
      """)
  }

  @Test func `the same bytes, and the same Message-ID in another proved mail, are there already`() throws {
    try Mailroom.open("7.3.0", .approved).tell(
      """
      letter "Ready for Distribution" → outcome=applied
      letter "Ready for Distribution" → same outcome=duplicate evidence=1
      letter "Ready for Distribution" "copy=Received: by x; Fri, 20 Nov 2026 11:11:22 +0000" → same outcome=duplicate evidence=1
      letter Rejected → same outcome=duplicate evidence=1
      show taxi 7.3.0 → release.state=live
      """)
  }

  @Test func `a stolen Message-ID in a mail that is not proved does not shut out the genuine one`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    let (fields, body) = Letter().unsigned()
    #expect(try room.feed(Mail(fields: fields, body: body))["outcome"] == "parked")
    var stranger = Letter()
    stranger.from = "x@example.net"
    #expect(try room.feed(Mailroom.world.stranger.sign(stranger))["outcome"] == "ignored")
    try room.tell("letter \"Ready for Distribution\" → outcome=applied to=live")
  }

  @Test func `a proved mail about something else is ignored`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    let (plain, html) = Wordings.review(
      "It is now eligible for distribution.", heading: "In-App Events", item: "Summer Sale")
    let mail = try room.signed {
      $0.subject = "Review of your Taxi (iOS) submission is complete."
      $0.body = .alternative(plain: plain, html: html)
    }
    #expect(try room.feed(mail)["reason"] == "mail.other.in-app-event")
    #expect(try room.state("7.3.0") == .approved)
  }

  @Test func `a copy that was parked uses nothing up, neither its Message-ID nor its bytes`() throws {
    // A copy with an unsigned field changed in a way that parks it, brought first.
    try Mailroom.open("7.3.0", .approved).tell(
      """
      letter "Ready for Distribution" "copy=MIME-Version: 1.0" → outcome=parked
      letter "Ready for Distribution" → outcome=applied to=live
      letter "Ready for Distribution" "copy=X-Seen: 1" → outcome=duplicate
      verify
      """)
    // The parked copy says nothing new, and so does the same mail once more.
    try Mailroom.open("7.2.0", .live).tell(
      """
      letter "Ready for Distribution" "copy=X-Copy: 1" → reason=mail.unknown-version
      sleep 1m
      publish taxi 7.3.0 --yes
      letter "Ready for Distribution" → outcome=applied
      inbox retry → outcome=ignored reason=mail.duplicate
      letter "Ready for Distribution" → outcome=duplicate
      verify
      """)
  }

  @Test func `bytes that were parked are judged again when they come again`() throws {
    try Mailroom.open("7.2.0", .live).tell(
      """
      letter "Ready for Distribution" → reason=mail.unknown-version
      letter "Ready for Distribution" → same outcome=duplicate
      publish taxi 7.3.0 --yes
      letter "Ready for Distribution" → outcome=applied to=live evidence=1
      verify
      """)
  }
}

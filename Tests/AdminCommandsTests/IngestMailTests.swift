import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestMailTests {
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

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `the mails of one approval lead to the same state in any order`(order: [Int]) throws {
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
}

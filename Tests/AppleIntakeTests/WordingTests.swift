import AppleIntake
import MailCorpus
import ReleaseModel
import Testing

@Suite struct WordingTests {
  static func read(_ subject: String, plain: String? = nil, html: String? = nil) throws -> AppleNotice {
    let world = try #require(World.shared)
    var letter = Letter()
    letter.subject = subject
    letter.body =
      switch (plain, html) {
      case (let plain?, let html?): .alternative(plain: plain, html: html)
      case (let plain?, nil): .plain(plain)
      case (nil, let html?): .html(html)
      case (nil, nil): .plain("Hello,")
      }
    return try #require(examine(world.apple.sign(letter).bytes, world.bySignature)?.notice)
  }

  @Test(arguments: Wordings.states)
  func `a status letter has the state of its subject`(name: String, state: ReleaseState) throws {
    let sentence = "The status of your app has changed to \(name)."
    let texts = (Letter.rows(sentence: sentence), Letter.table(sentence: sentence))
    let silent = (Letter.rows(sentence: "There is news."), Letter.table(sentence: "There is news."))
    for subject in Wordings.subjects(of: name) {
      for (plain, html) in [texts, silent] {
        for notice in [
          try WordingTests.read(subject, plain: plain, html: html),
          try WordingTests.read(subject, plain: plain),
          try WordingTests.read(subject, html: html),
        ] {
          #expect(notice.kind == .status(state), "\(subject)")
          #expect(notice.appleID == 1_234_567_890)
          #expect(notice.version?.text == "7.3.0")
          #expect(notice.platform == .iOS)
        }
      }
    }
  }

  @Test(arguments: [
    ("iOS", ApplePlatform.iOS), ("macOS", .macOS), ("tvOS", .tvOS), ("visionOS", .visionOS),
    ("watchOS", .watchOS),
  ])
  func `every platform is read from subject, row and section`(name: String, platform: ApplePlatform) throws {
    let row = "Platform: \(name)"
    #expect(
      try WordingTests.read(
        "The status of your (\(name)) app, Taxi, is now \"In Review\"",
        plain: Letter.rows(sentence: "There is news.", platform: row)
      ).platform == platform)
    let (plain, html) = Wordings.review("It is now eligible for distribution.", item: "1.2.6 for \(name)")
    let notice = try WordingTests.read(
      "Review of your Taxi (\(name)) submission is complete.", plain: plain, html: html)
    #expect(notice.kind == .status(.approved))
    #expect(notice.platform == platform)
  }

  @Test(arguments: Wordings.approvals)
  func `the approving sentences agree with a live subject`(sentence: String, platform: String) throws {
    let notice = try WordingTests.read(
      #"The status of your (iOS) app, Taxi, is now "Ready for Sale""#,
      plain: Letter.rows(sentence: sentence, platform: platform),
      html: Letter.table(sentence: sentence, platform: platform))
    #expect(notice.kind == .status(.live))
  }

  @Test(arguments: Wordings.iTunesStates)
  func `a letter of iTunes Connect is known by its sentence`(name: String, state: ReleaseState) throws {
    for subject in ["Your app status has changed", "iTunes Connect"] {
      let notice = try WordingTests.read(
        subject,
        html: Wordings.iTunes(
          "The status for the following app has changed to <strong>\(name)</strong>."))
      #expect(notice.kind == .status(state))
      #expect(notice.version?.text == "1.1.0")
      #expect(notice.appleID == 1_234_567_890)
    }
  }

  @Test func `an approval letter of iTunes Connect means live`() throws {
    let sentence = "The following app has been approved and the app status has changed to Ready for Sale:"
    #expect(try WordingTests.read("Anything", html: Wordings.iTunes(sentence)).kind == .status(.live))
  }

  @Test func `a rejection letter of iTunes Connect is unclear, since it has no version`() throws {
    let notice = try WordingTests.read(
      "Your app has been reviewed",
      html: """
        <div id="rejectionEmail"><p>Hello Release Manager,</p><p>Your app Taxi has been reviewed, but we are unable to
        post this version.  For details visit the <a href="https://itunesconnect.apple.com/WebObjects/iTunesConnect.woa/\
        da/rejectionReasons?adamId=1234567890">Resolution Center</a>.</p><p>Regards,</p><p>App Review</p></div>
        """)
    #expect(notice.kind == .unclear("missing.version"))
    #expect(notice.says == .rejected)
    #expect(notice.appleID == 1_234_567_890)
  }

  @Test(arguments: Wordings.reviews)
  func `a letter of a review is read from subject, HTML and link`(
    subject: String, sentence: String, state: ReleaseState
  ) throws {
    let (plain, html) = Wordings.review(sentence)
    for notice in [
      try WordingTests.read(subject, plain: plain, html: html), try WordingTests.read(subject, html: html),
    ] {
      #expect(notice.kind == .status(state))
      #expect(notice.version?.text == "1.2.6")
      #expect(notice.platform == .iOS)
      #expect(notice.appleID == 1_234_567_890)
    }
    // The plain text alone names no version: nobody can say which release is meant, and of the letters of thanks, feedback
    // and welcome nobody has to.
    let isListed = ["Thank", "Welcome", "Your App Review"].contains { subject.hasPrefix($0) }
    #expect(
      try WordingTests.read(subject, plain: plain).kind
        == (isListed ? .namesNoVersion : .unclear("missing.version")))
  }

  @Test func `a review letter in plain text with a version section and a link is read`() throws {
    let notice = try WordingTests.read(
      "We noticed an issue with your submission.",
      plain: """
        Hello,

        Submission ID: \(Wordings.submission)
        App Name: Taxi

        App Version
        1.0 for iOS

        For details, visit <\(Wordings.link)>.
        """)
    #expect(notice.kind == .status(.rejected))
    #expect(notice.version?.text == "1.0")
  }

  @Test(arguments: [
    ("In-App Events", OtherMatter.inAppEvent), ("In-App Event", .inAppEvent),
    ("Custom Product Pages", .customProductPage), ("In-App Purchases", .otherItem),
  ])
  func `an approval of something that is not an app version is ignored`(heading: String, matter: OtherMatter)
    throws
  {
    let (plain, html) = Wordings.review(
      "It is now eligible for distribution.", heading: heading, item: "Summer Sale")
    let notice = try WordingTests.read(
      "Review of your Taxi (iOS) submission is complete.", plain: plain, html: html)
    #expect(notice.kind == .other(matter))
  }

  @Test func `an app version among other items counts`() throws {
    let (plain, html) = Wordings.review(
      "It is now eligible for distribution.", item: "1.2.6 for iOS</p><h3>In-App Events</h3><p>Summer Sale")
    let notice = try WordingTests.read(
      "Review of your Taxi (iOS) submission is complete.", plain: plain, html: html)
    #expect(notice.kind == .status(.approved))
  }

  @Test func `a version with a build in parentheses and the platform iPadOS are read`() throws {
    let notice = try WordingTests.read(
      "Review of your Taxi (iPadOS) submission is complete.",
      plain: Letter.rows(version: "2.2.8 (45)"))
    #expect(notice.version?.text == "2.2.8" && notice.platform == .iOS)
  }
}

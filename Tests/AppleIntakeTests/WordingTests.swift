import AppleIntake
import ReleaseModel
import Testing

/// Every wording of Apple's mails that was seen from 2013 to 2026, read from a signed mail.
@Suite struct WordingTests {
  private static let submission = "6c88cc8c-96e0-495d-9a36-f88613be69a6"
  private static let link =
    "https://appstoreconnect.apple.com/olympus/v1/session/switchTo/cbaca10a-f696-4d2b-959e-0d3fa1b23452"
    + "?targetUrl=/apps/1234567890/distribution/reviewsubmissions/details/\(submission)"

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

  /// The letters of a review, from 2022: the version stands in the HTML only.
  private static func review(
    _ sentence: String, heading: String = "App Version", item: String = "1.2.6 for iOS", link: String = link
  ) -> (plain: String, html: String) {
    (
      "Hello,\n\n\(sentence)\n\nSubmission ID: \(submission)\nApp Name: Taxi\n\nBest regards,\nApp Store Review",
      """
      <html><head><title>Review of your Other submission</title></head><body><p>Hello,</p><p>\(sentence)</p>
      <p>Submitted: Aug 26, 2026 at 12:00 AM Pacific Daylight Time<br>Submitted by: API Key<br>
      Number of items submitted: 1<br>Submission ID: \(submission)</p><p>App Name: Taxi</p>
      <h3>\(heading)</h3><p>\(item)</p><a href="\(link)">View</a><p>Best regards,<br>App Store Review</p></body></html>
      """
    )
  }

  @Test(arguments: [
    ("Prepare for Submission", ReleaseState.prepared), ("Waiting For Upload", .prepared),
    ("Ready For Review", .prepared), ("Waiting for Review", .waiting), ("Waiting For Review", .waiting),
    ("In Review", .inReview), ("Pending Developer Release", .approved), ("Pending Apple Release", .approved),
    ("Processing for App Store", .approved), ("Processing for Distribution", .approved),
    ("Accepted", .approved),
    ("Pending Contract", .approved), ("Pre-Order Ready for Sale", .approved), ("Ready for Sale", .live),
    ("READY FOR SALE", .live), ("Ready for Distribution", .live), ("Rejected", .rejected),
    ("Metadata Rejected", .rejected), ("Invalid Binary", .rejected), ("Developer Rejected", .withdrawn),
    ("Removed from Sale", .removed), ("Developer Removed From Sale", .removed),
  ])
  func `a status letter has the state of its subject`(name: String, state: ReleaseState) throws {
    let sentence = "The status of your app has changed to \(name)."
    let texts = (Letter.rows(sentence: sentence), Letter.table(sentence: sentence))
    let silent = (Letter.rows(sentence: "There is news."), Letter.table(sentence: "There is news."))
    for subject in [
      #"The status of your (iOS) app, Taxi, is now "\#(name)""#,
      #"The status of your (iOS) app, Taxi, is now "\#(name)"."#,
      #"The status of your app, Taxi, is now "\#(name)""#,
      #"The status of your app, Taxi, is now "\#(name)"."#,
      #"App Store Connect: The status of your app, Taxi, is now "\#(name)""#,
      #"iTunes Connect: The status of your (iOS) app, Taxi, is now "\#(name)""#,
      "=?UTF-8?Q?The_status_of_your_app,_Taxi,_is_now_=E2=80=9C?= =?UTF-8?Q?\(name.split(separator: " ").joined(separator: "_"))?= =?utf-8?b?4oCd?=",
    ] {
      for (plain, html) in [texts, silent] {
        for notice in [
          try WordingTests.read(subject, plain: plain, html: html),
          try WordingTests.read(subject, plain: plain),
          try WordingTests.read(subject, html: html),
        ] {
          #expect(notice.kind == .status(state), "\(subject)")
          #expect(notice.appName == "Taxi")
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
    let (plain, html) = WordingTests.review("It is now eligible for distribution.", item: "1.2.6 for \(name)")
    let notice = try WordingTests.read(
      "Review of your Taxi (\(name)) submission is complete.", plain: plain, html: html)
    #expect(notice.kind == .status(.approved))
    #expect(notice.platform == platform)
  }

  @Test(arguments: [
    ("The following app has been approved for the App Store:", "App Type: iOS"),
    ("The following app has been approved:", "App Type: iOS App"),
    ("The following app is ready for distribution:", "Platform: iOS"),
  ])
  func `the approving sentences agree with a live subject`(sentence: String, platform: String) throws {
    let notice = try WordingTests.read(
      #"The status of your (iOS) app, Taxi, is now "Ready for Sale""#,
      plain: Letter.rows(sentence: sentence, platform: platform),
      html: Letter.table(sentence: sentence, platform: platform))
    #expect(notice.kind == .status(.live))
  }

  @Test(arguments: [
    ("Waiting For Upload", ReleaseState.prepared), ("Waiting For Review", .waiting), ("In Review", .inReview),
    ("Processing for App Store", .approved), ("Pending Developer Release", .approved),
    ("Developer Rejected", .withdrawn), ("Developer Removed From Sale", .removed),
  ])
  func `a letter of iTunes Connect is known by its sentence`(name: String, state: ReleaseState) throws {
    for subject in ["Your app status has changed", "iTunes Connect"] {
      let notice = try WordingTests.read(
        subject,
        html: WordingTests.iTunes(
          "The status for the following app has changed to <strong>\(name)</strong>."))
      #expect(notice.kind == .status(state))
      #expect(notice.version?.text == "1.1.0")
      #expect(notice.appleID == 1_234_567_890)
    }
  }

  @Test func `an approval of iTunes Connect is live`() throws {
    let sentence = "The following app has been approved and the app status has changed to Ready for Sale:"
    #expect(try WordingTests.read("Anything", html: WordingTests.iTunes(sentence)).kind == .status(.live))
  }

  @Test func `a rejection of iTunes Connect has no version, so a person reads it`() throws {
    let notice = try WordingTests.read(
      "Your app has been reviewed",
      html: """
        <div id="rejectionEmail"><p>Hello Release Manager,</p><p>Your app Taxi has been reviewed, but we are unable to
        post this version.  For details visit the <a href="https://itunesconnect.apple.com/WebObjects/iTunesConnect.woa/\
        da/rejectionReasons?adamId=1234567890">Resolution Center</a>.</p><p>Regards,</p><p>App Review</p></div>
        """)
    #expect(notice.kind == .unclear(.missing(.version)))
    #expect(notice.says == .rejected)
    #expect(notice.appleID == 1_234_567_890)
  }

  private static func iTunes(_ sentence: String) -> String {
    """
    <html><head><title>iTunes Connect</title></head><body><td><br>Dear User,<p>\(sentence)</p>
    <table id='details'><tr><td>App Name: Taxi <a target="_blank" href="https://itunes.apple.com/WebObjects/\
    MZStore.woa/wa/viewSoftware?id=1234567890&mt=8"><img src="arrow.png" /></a></td></tr>
    <tr><td>App Version Number: 1.1.0</td></tr><tr><td>App Type: iOS App</td></tr><tr><td>App SKU: S-1</td></tr>
    <tr><td>App Apple ID:1234567890</td></tr></table><p>If your contracts are not in effect at this time, your app
    status will be Pending Contract.</p><p>Regards,</p><p>The iTunes Store team</p></td></body></html>
    """
  }

  @Test(arguments: [
    (
      "Review of your Taxi (iOS) submission is complete.",
      "Review of your submission has been completed. It is now eligible for distribution.",
      ReleaseState.approved
    ),
    (
      "Review of your Taxi submission is complete",
      "Review of your submission has been completed. It is now eligible for distribution.", .approved
    ),
    ("Your submission was accepted.", "Your submission was accepted.", .approved),
    (
      "Welcome to the App Store",
      "Congratulations! We're pleased to let you know that your app, Taxi, has been approved for distribution. Please note that it can take up to 24 hours for apps to become available on the App Store after release.",
      .approved
    ),
    (
      "Welcome to the App Store",
      "We’re pleased to let you know that your app, Taxi, has been approved for the App Store. Once your app has been released, it can take up to 24 hours.",
      .approved
    ),
    ("Thank You for Submitting Your App", "We've received your app for review.", .waiting),
    ("Thank You For Submitting Your App", "We’ve received your app for review.", .waiting),
    ("Your App Review Feedback", "Changes needed.", .rejected),
    ("There's an issue with your Taxi (iOS) submission.", "Your submission needs your attention.", .rejected),
    (
      "=?UTF-8?Q?There=E2=80=99s_an_issue_with_your_Taxi_=28iOS=29_submission=2E?=",
      "Your submission needs your attention.", .rejected
    ),
    (
      "We noticed an issue with your submission.",
      "Thank you for submitting your items for review. We noticed an issue with your submission that requires your attention.",
      .rejected
    ),
  ])
  func `a letter of a review is read from subject, HTML and link`(
    subject: String, sentence: String, state: ReleaseState
  ) throws {
    let (plain, html) = WordingTests.review(sentence)
    for notice in [
      try WordingTests.read(subject, plain: plain, html: html), try WordingTests.read(subject, html: html),
    ] {
      #expect(notice.kind == .status(state))
      #expect(notice.appName == "Taxi")
      #expect(notice.version?.text == "1.2.6")
      #expect(notice.platform == .iOS)
      #expect(notice.appleID == 1_234_567_890)
      #expect(notice.submissionID == WordingTests.submission)
    }
    // The plain text alone names no version: nobody can say which release is meant.
    #expect(try WordingTests.read(subject, plain: plain).kind == .unclear(.missing(.version)))
  }

  @Test func `plain text with its own section and link is enough`() throws {
    let notice = try WordingTests.read(
      "We noticed an issue with your submission.",
      plain: """
        Hello,

        Submission ID: \(WordingTests.submission)
        App Name: Taxi

        App Version
        1.0 for iOS

        For details, visit <\(WordingTests.link)>.
        """)
    #expect(notice.kind == .status(.rejected))
    #expect(notice.version?.text == "1.0")
  }

  @Test(arguments: [
    ("In-App Events", OtherMatter.inAppEvent), ("In-App Event", .inAppEvent),
    ("Custom Product Pages", .customProductPage), ("In-App Purchases", .otherItem),
  ])
  func `an approval of something that is no app version is ignored`(heading: String, matter: OtherMatter)
    throws
  {
    let (plain, html) = WordingTests.review(
      "It is now eligible for distribution.", heading: heading, item: "Summer Sale")
    let notice = try WordingTests.read(
      "Review of your Taxi (iOS) submission is complete.", plain: plain, html: html)
    #expect(notice.kind == .other(matter))
  }

  @Test func `an app version among other items counts`() throws {
    let (plain, html) = WordingTests.review(
      "It is now eligible for distribution.", item: "1.2.6 for iOS</p><h3>In-App Events</h3><p>Summer Sale")
    let notice = try WordingTests.read(
      "Review of your Taxi (iOS) submission is complete.", plain: plain, html: html)
    #expect(notice.kind == .status(.approved))
  }
}

package import ReleaseModel

package enum Wordings {
  package static let submission = "6c88cc8c-96e0-495d-9a36-f88613be69a6"
  package static let link =
    "https://appstoreconnect.apple.com/olympus/v1/session/switchTo/cbaca10a-f696-4d2b-959e-0d3fa1b23452"
    + "?targetUrl=/apps/1234567890/distribution/reviewsubmissions/details/\(submission)"

  package static let states: [(name: String, state: ReleaseState)] = [
    ("Prepare for Submission", ReleaseState.prepared), ("Waiting For Upload", .prepared),
    ("Ready For Review", .prepared), ("Waiting for Review", .waiting), ("Waiting For Review", .waiting),
    ("In Review", .inReview), ("Pending Developer Release", .approved), ("Pending Apple Release", .approved),
    ("Processing for App Store", .approved), ("Processing for Distribution", .approved),
    ("Accepted", .approved),
    ("Pending Contract", .approved), ("Pre-Order Ready for Sale", .approved), ("Ready for Sale", .live),
    ("READY FOR SALE", .live), ("Ready for Distribution", .live), ("Rejected", .rejected),
    ("Metadata Rejected", .rejected), ("Invalid Binary", .rejected), ("Developer Rejected", .withdrawn),
    ("Removed from Sale", .removed), ("Developer Removed From Sale", .removed),
  ]

  package static func subjects(of name: String) -> [String] {
    [
      #"The status of your (iOS) app, Taxi, is now "\#(name)""#,
      #"The status of your (iOS) app, Taxi, is now "\#(name)"."#,
      #"The status of your app, Taxi, is now "\#(name)""#,
      #"The status of your app, Taxi, is now "\#(name)"."#,
      #"App Store Connect: The status of your app, Taxi, is now "\#(name)""#,
      #"iTunes Connect: The status of your (iOS) app, Taxi, is now "\#(name)""#,
      "=?UTF-8?Q?The_status_of_your_app,_Taxi,_is_now_=E2=80=9C?= =?UTF-8?Q?\(name.split(separator: " ").joined(separator: "_"))?= =?utf-8?b?4oCd?=",
    ]
  }

  package static let approvals: [(sentence: String, platform: String)] = [
    ("The following app has been approved for the App Store:", "App Type: iOS"),
    ("The following app has been approved:", "App Type: iOS App"),
    ("The following app is ready for distribution:", "Platform: iOS"),
  ]

  package static let iTunesStates: [(name: String, state: ReleaseState)] = [
    ("Waiting For Upload", ReleaseState.prepared), ("Waiting For Review", .waiting), ("In Review", .inReview),
    ("Processing for App Store", .approved), ("Pending Developer Release", .approved),
    ("Developer Rejected", .withdrawn), ("Developer Removed From Sale", .removed),
  ]

  package static let reviews: [(subject: String, sentence: String, state: ReleaseState)] = [
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
  ]

  package static func review(
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

  package static func iTunes(_ sentence: String) -> String {
    """
    <html><head><title>iTunes Connect</title></head><body><td><br>Dear User,<p>\(sentence)</p>
    <table id='details'><tr><td>App Name: Taxi <a target="_blank" href="https://itunes.apple.com/WebObjects/\
    MZStore.woa/wa/viewSoftware?id=1234567890&mt=8"><img src="arrow.png" /></a></td></tr>
    <tr><td>App Version Number: 1.1.0</td></tr><tr><td>App Type: iOS App</td></tr><tr><td>App SKU: S-1</td></tr>
    <tr><td>App Apple ID:1234567890</td></tr></table><p>If your contracts are not in effect at this time, your app
    status will be Pending Contract.</p><p>Regards,</p><p>The iTunes Store team</p></td></body></html>
    """
  }

  package static func statusLetters(_ name: String) -> [Letter] {
    let sentence = "The status of your app has changed to \(name)."
    return subjects(of: name).map { subject in
      var letter = Letter()
      letter.subject = subject
      letter.body = .alternative(
        plain: Letter.rows(sentence: sentence), html: Letter.table(sentence: sentence))
      return letter
    }
  }

  package static func reviewLetter(_ subject: String, _ sentence: String) -> Letter {
    let (plain, html) = review(sentence)
    var letter = Letter()
    letter.subject = subject
    letter.body = .alternative(plain: plain, html: html)
    return letter
  }
}

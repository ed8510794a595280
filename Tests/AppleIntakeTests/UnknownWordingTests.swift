import AppleIntake
import MailCorpus
import ReleaseModel
import Testing

@Suite struct UnknownWordingTests {
  @Test(arguments: [
    ("New Message from App Store Review Regarding Taxi", OtherMatter.reviewMessage),
    ("You have a message from App Review", .reviewMessage),
    ("App Store Connect: Version 1.0.1 (1) for Taxi has completed processing.", .buildProcessing),
    (
      #"App Store Connect: Your app "Taxi" (Apple ID: 1234567890 Version: 7.3.0 Build: 1) has one or more issues"#,
      .deliveryIssues
    ),
    ("Taxi (ios) has been approved for beta testing.", .testFlight),
    ("Taxi 1.0 (129) for iOS is now available to test.", .testFlight),
    ("Apple Developer Program License Agreement Updated", .agreement),
    ("Your receipt from Apple.", .receipt),
    ("iTunes Connect Scheduled Maintenance", .maintenance),
    (#"The status of your in-app event, Summer Sale, is now "Accepted""#, .inAppEvent),
    (#"The status of your app, Taxi, is now "Replaced with New Version""#, .replaced),
  ])
  func `a letter about something else is recognised as such`(subject: String, matter: OtherMatter) throws {
    let notice = try WordingTests.read(subject, plain: Letter.rows(), html: Letter.table())
    #expect(notice.kind == .other(matter))
    #expect(notice.says == nil)
  }

  @Test(arguments: [
    "Fwd: The status of your (iOS) app, Taxi, is now \"Ready for Sale\"", "Your app is live",
    "The status of your (iOS) app, Taxi, is now Ready for Sale",
    "The status of your app Taxi is now \"Ready for Sale\"",
    "The status of your (iOS) app, , is now \"Ready for Sale",
    "The status of your (iOS) app, Taxi, is now \"Ready for Sale\" soon",
    "The status of your (beOS) app, Taxi, is now \"Ready for Sale\"",
    "Review of your submission is complete.", "",
    "Welcome to the App Store, Taxi",
  ])
  func `a mail with an unknown subject is unclear`(subject: String) throws {
    let old = subject.hasPrefix("The status of your ") ? ["for the following"] : []
    for app in ["of your"] + old {
      let rows = Letter.rows(
        sentence: "The status \(app) app has changed to Ready for Sale.", name: "Testing Agreement")
      for subject in [subject] + (app == "of your" ? ["Testing Agreement has been removed"] : []) {
        #expect(try WordingTests.read(subject, plain: rows).kind == .unclear("unknown-subject"))
      }
    }
  }

  @Test(arguments: ["Ready", "Ready for Sales", "Unresolved Issues", "Not Ready for Sale", ""])
  func `a mail with an unknown state is unclear`(name: String) throws {
    let subject = #"The status of your (iOS) app, Taxi, is now "\#(name)""#
    #expect(try WordingTests.read(subject, plain: Letter.rows()).kind == .unclear("unknown-state"))
    let body = "The status of your app has changed to \(name)."
    guard !name.isEmpty else { return }
    #expect(
      try WordingTests.read(
        #"The status of your app, Taxi, is now "In Review""#, plain: Letter.rows(sentence: body)
      ).kind
        == .unclear("unknown-state"))
  }

  @Test func `the state is read from the subject's end, whatever the app's name contains`() throws {
    let name = #"X, is now "Ready for Distribution""#
    let notice = try WordingTests.read(
      "The status of your (iOS) app, \(name), is now \"In Review\"",
      plain: Letter.rows(sentence: "The status of your app has changed to In Review.", name: name))
    #expect(notice.kind == .status(.inReview))
  }
}

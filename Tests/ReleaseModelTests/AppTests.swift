import JSON
import ReleaseModel
import Testing

@Suite struct AppTests {
  @Test func `the default hold is a day, and for an enterprise app none`() {
    #expect(App(slug: "a", bundleID: "b").hold.text == "24h")
    #expect(App(slug: "a", bundleID: "b", channel: .enterprise).hold == .zero)
    #expect(App(slug: "a", bundleID: "b").policy == .standard)
    #expect(App(slug: "a", bundleID: "b").remindEvery == .once)
  }

  @Test func `the store page is the one given, else Apple's for the Apple ID, else none`() {
    var app = App(slug: "a", bundleID: "b")
    #expect(app.effectiveStoreURL == nil)
    app.appleID = 310_633_997
    #expect(app.effectiveStoreURL == "https://apps.apple.com/app/id310633997")
    app.storeURL = "https://dl.example.com/"
    #expect(app.effectiveStoreURL == "https://dl.example.com/")
  }

  @Test func `a record that lacks a member is not read as an app`() throws {
    let whole = sampleApp().json
    for key in ["slug", "bundleID", "platform", "channel", "policy", "hold", "remindEvery", "stopped"] {
      var object = try #require(whole.object)
      object[key] = nil
      #expect(App(json: .object(object)) == nil, "\(key)")
    }
  }

  @Test(arguments: ["taxi", "a", "0", "taxi-enterprise", "9-", String(repeating: "a", count: 63)])
  func `a slug may name an app`(text: String) { #expect(App.isSlug(text)) }

  @Test(arguments: ["", "-a", "Taxi", "ta xi", "täxi", "a.b", "a_b", String(repeating: "a", count: 64)])
  func `other texts are not slugs`(text: String) { #expect(!App.isSlug(text)) }

  @Test func `bundle ids are letters, digits, hyphens and points`() {
    #expect(App.isBundleID("com.Example-1.app"))
    for text in ["", "com example", "com/example", "cöm", "a_b", String(repeating: "a", count: 156)] {
      #expect(!App.isBundleID(text))
    }
  }
}

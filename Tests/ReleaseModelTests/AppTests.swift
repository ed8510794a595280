import JSON
import ReleaseModel
import TestSupport
import Testing

@Suite struct AppTests {
  @Test func `an app waits a day after going live, an enterprise app not at all`() {
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

  @Test func `an app reads back from its JSON`() throws {
    var random = Seeded(7)
    for _ in 0..<300 {
      var app = App(
        slug: "taxi", bundleID: "com.example", platform: random.pick(ApplePlatform.allCases) ?? .iOS,
        channel: random.pick(Channel.allCases) ?? .appStore)
      app.appleID = random.oneIn(2) ? nil : 310_633_997
      app.name = random.oneIn(2) ? nil : "音—陪"
      app.sku = random.oneIn(2) ? nil : "SKU"
      app.storeURL = random.oneIn(2) ? nil : "https://apps.apple.com/app/id310633997"
      app.policy = random.pick([.standard, SegmentPolicy("remind") ?? .standard]) ?? .standard
      app.hold = TimeSpan(seconds: Int64(random.below(200_000)))
      app.remindEvery = random.pick(ReminderFrequency.allCases) ?? .once
      app.asksSince = random.oneIn(2) ? nil : try version("3.1.0")
      app.isStopped = random.oneIn(2)
      #expect(App(json: try JSON(parsing: app.json.bytes())) == app)
    }
  }

  @Test func `what is not an app is not read as one`() throws {
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

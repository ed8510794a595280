import CommandLineKit
import Ledger
import ReleaseModel

/// What may be said of an app, when adding and when changing it.
struct AppOptions: Sendable {
  var change = ChangeOptions()
  var slug = ""
  var bundleID: String?
  var appleID: Int64?
  var name: String?
  var sku: String?
  var platform: ApplePlatform?
  var channel: Channel?
  var storeURL: String?
  var policy: SegmentPolicy?
  var hold: TimeSpan?
  var remindEvery: ReminderFrequency?
  var asksSince: Version?
  var countries: [String]?
  var isLiveByLookup: Bool?

  /// The options that `app set` has too; whether the bundle id must be said differs.
  static func parameters(isNew: Bool) -> [Parameter<AppOptions>] {
    var parameters: [Parameter<AppOptions>] = [
      .argument(
        "SLUG", isNew ? .slug.offering(.none) : .slug,
        help: isNew ? "The app's name in this ledger, never changed" : "The app"
      ) {
        $0.slug = $1
      },
      .option(
        "--bundle-id", "ID", .bundleID, help: "Its bundle id, such as com.example.taxi", required: isNew
      ) {
        $0.bundleID = $1
      },
      .option("--apple-id", "N", .integer(1...Int(Int32.max) * 1_000), help: "Apple's number for the app") {
        $0.appleID = Int64($1)
      },
      .option("--name", "TEXT", .line, help: "The name users see") { $0.name = $1 },
      .option("--sku", "TEXT", .line, help: "Your own number for it at Apple") { $0.sku = $1 },
    ]
    if isNew {
      parameters += [
        .option("--platform", "P", .oneOf, help: "Where it runs; ios if not said") { $0.platform = $1 },
        .option("--channel", "C", .oneOf, help: "How it reaches users; app-store if not said") {
          $0.channel = $1
        },
      ]
    }
    parameters += [
      .option(
        "--store-url", "URL", .text, help: "Where clients get it; Apple's page for the Apple ID if not said"
      ) { $0.storeURL = $1 },
      .option(
        "--policy", "ACTIONS", .policy,
        help: "The action for a difference in each component of the version; force,remind,none if not said"
      ) { $0.policy = $1 },
      .option(
        "--hold", "SPAN", .span,
        help: "How long a release stays unmentioned after going live; 24h, enterprise 0"
      ) { $0.hold = $1 },
      .option(
        "--remind-every", "F", .oneOf, help: "How often clients should repeat a reminder; once if not said"
      ) {
        $0.remindEvery = $1
      },
      .option("--asks-since", "VERSION", .version, help: "The oldest version that asks at all") {
        $0.asksSince = $1
      },
      .option(
        "--countries", "CC,CC", .countries,
        help: "The stores that must all have shown a version before lookups end its hold; any one if not said"
      ) { $0.countries = $1 },
      .option(
        "--live-by", "SOURCE", .liveBy,
        help: "Whether a lookup may mark a known release live; mail if not said"
      ) {
        $0.isLiveByLookup = $1
      },
    ]
    return parameters + ChangeOptions.parameters.pulled(\.change)
  }

  /// Whether anything is said of the app.
  var saysSomething: Bool {
    bundleID != nil || appleID != nil || name != nil || sku != nil || storeURL != nil || policy != nil
      || hold != nil
      || remindEvery != nil || asksSince != nil || countries != nil || isLiveByLookup != nil
  }

  /// Puts what was said into an app.
  func applied(to app: App, _ draft: Draft) throws -> App {
    var app = app
    if let bundleID { app.bundleID = bundleID }
    if let appleID { app.appleID = appleID }
    if let name { app.name = name }
    if let sku { app.sku = sku }
    if let storeURL { app.storeURL = try draft.url(storeURL) }
    if let policy { app.policy = policy }
    if let hold { app.hold = hold }
    if let remindEvery { app.remindEvery = remindEvery }
    if let asksSince { app.asksSince = asksSince }
    if let countries { app.countries = countries }
    if let isLiveByLookup { app.liveBy = isLiveByLookup ? .lookup : .mail }
    return app
  }
}

extension ValueType where Value == [String] {
  /// Country codes with commas between.
  fileprivate static var countries: Self {
    ValueType { text throws(ValueError) in
      let codes = text.uppercased().split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard codes == [""] || codes.allSatisfy(App.isCountry) else {
        throw ValueError(
          "not country codes with commas between", hint: "such as US,CN,DE, or '' for any store",
          id: "app.countries-malformed")
      }
      return codes == [""] ? [] : Set(codes).sorted()
    }
  }
}

extension ValueType where Value == Bool {
  /// Who may say that a release is live.
  fileprivate static var liveBy: Self {
    ValueType(allowed: ["mail", "lookup"], completion: .values) { text throws(ValueError) in
      let words = ["mail", "lookup"]
      guard words.contains(text) else {
        throw ValueError(
          "not one of mail, lookup", hint: closest(to: text, among: words).map { "did you mean '\($0)'?" })
      }
      return text == "lookup"
    }
  }
}

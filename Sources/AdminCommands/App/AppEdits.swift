import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// The edits of an app's details when it is added or changed, in the order of the options.
typealias AppEdits = [@Sendable (inout App, ChangeSet) throws -> Void]

extension AppEdits {
  static let appleIDHelp = "The app's Apple ID, a number"
  static let bundleIDHelp = "Its bundle id, such as com.example.taxi"

  func applied(to app: App, _ draft: ChangeSet) throws -> App {
    var app = app
    for edit in self { try edit(&app, draft) }
    return app
  }
}

extension Parameter where Value == AppEdits {
  static var appBundleID: Parameter {
    .edit("--bundle-id", "ID", .bundleID, help: AppEdits.bundleIDHelp) { $0.bundleID = $1 }
  }

  static var appAppleID: Parameter {
    .edit("--apple-id", "N", .appleID, help: AppEdits.appleIDHelp) { $0.appleID = $1 }
  }

  static var appNames: Parameter {
    .edits([
      .edit("--name", "TEXT", .line, help: "The name users see") { $0.name = $1 },
      .edit("--sku", "TEXT", .line, help: "The SKU you gave it at Apple") { $0.sku = $1 },
    ])
  }

  static var appEdits: Parameter {
    .edits([
      Parameter<String?>.option(
        "--store-url", "URL", .text, help: "Where clients get it; default: Apple's page for the Apple ID"
      ).map { url in
        url.map { url in [{ app, draft in app.storeURL = try draft.url(url, for: app) }] } ?? []
      },
      .edit(
        "--policy", "ACTIONS", .policy,
        help: "The action for a difference in each segment of a version; default: force,remind,none"
      ) { $0.policy = $1 },
      .edit(
        "--hold", "SPAN", .span,
        help: "How long to hold a live release back from clients; default: 24h, enterprise: 0"
      ) { $0.hold = $1 },
      .edit(
        "--remind-every", "F", .one(of: ReminderFrequency.self),
        help: "How often clients should repeat a reminder; default: once"
      ) { $0.remindEvery = $1 },
      .edit("--asks-since", "VERSION", .version, help: "The oldest client version that checks for updates") {
        $0.asksSince = $1
      },
      .edit(
        "--countries", "CC,CC", .countries,
        help: "The stores that must all show a version before lookups end its hold; default: any one"
      ) { $0.countries = $1 },
      .edit(
        "--live-by", "SOURCE", .one(of: LiveBy.self),
        help: "What marks a known release live besides people; default: mail"
      ) { $0.liveBy = $1 },
      .edit(
        "--remind-after", "WHAT", .one(of: RemindAfter.self),
        help:
          "What reminders by the policy wait for: the release being visible, or the end of its phased release; default: visible"
      ) { $0.remindAfter = $1 },
      .edit(
        "--expect", "SOURCE,…", .sources,
        help: "Raise an alarm if these sources of evidence go silent: asc, lookup, mail, webhook; '' for none"
      ) { $0.expect = $1 },
    ])
  }

  static var appPast: Parameter {
    .edit(
      "--past", "WHAT", .one(of: RecordedPast.self),
      help: "Whether every version that was ever shipped is recorded: unknown, or whole"
    ) { $0.past = $1 }
  }

  private static func edits(_ parts: [Parameter]) -> Parameter {
    Parameter<[AppEdits]>.list(parts).map { $0.flatMap { $0 } }
  }

  private static func edit<Field>(
    _ name: String, _ valueName: String, _ type: ValueType<Field>, help: String,
    _ set: @escaping @Sendable (inout App, Field) -> Void
  ) -> Parameter where Field: Sendable {
    Parameter<Field?>.option(name, valueName, type, help: help).map { value in
      value.map { value in [{ app, _ in set(&app, value) }] } ?? []
    }
  }
}

extension ValueType where Value == [String] {
  fileprivate static var countries: Self {
    reading("app.countries-malformed") { text in
      guard !text.isEmpty else { return [] }
      let codes = text.uppercased().split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return codes.allSatisfy(App.isCountry) ? Set(codes).sorted() : nil
    }
  }

  fileprivate static var sources: Self {
    let known = EvidenceSourceName.allCases.map(\.rawValue)
    return reading("app.expect-malformed", ["known": known.joined(separator: ", ")]) { text in
      guard !text.isEmpty else { return [] }
      let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return words.allSatisfy(known.contains) ? Set(words).sorted() : nil
    }
  }
}

package import JSON

/// Apple's platforms.
package enum ApplePlatform: String, WordValue, CaseIterable {
  case iOS = "ios"
  case macOS = "macos"
  case tvOS = "tvos"
  case visionOS = "visionos"
  case watchOS = "watchos"

  /// What a system counts as that a program may be told by an older name: one that was built with an older SDK is told 16
  /// for macOS 26, and 10.16 for macOS 11.
  package func system(_ told: Version) -> Version {
    guard self == .macOS else { return told }
    let components: [Int64]? =
      switch (told.component(0), told.component(1)) {
      case (16, let minor): [26, minor, told.component(2)]
      case (10, 16): [11, told.component(2)]
      default: nil
      }
    return components.flatMap { Version(components: $0)?.shortened } ?? told
  }

  /// Where on the line of systems the older names of these, and of newer ones, begin and end.
  func olderNames(of systems: [Version]) -> [Version] {
    guard self == .macOS, !systems.isEmpty else { return [] }
    let names = systems.compactMap { system -> [Int64]? in
      let (minor, patch) = (system.component(1), system.component(2))
      return switch system.component(0) {
      case 26: [16, minor, patch]
      // The older name has no room for a third number.
      case 11: [10, 16, patch > 0 ? minor + 1 : minor]
      default: nil
      }
    }
    return (names + [[10, 16], [10, 17], [16], [17]]).compactMap { Version(components: $0)?.shortened }
  }

  /// Where the systems end that are told by names from one up to another.
  package func end(of names: Range<Version>) -> Version {
    let (first, end) = (system(names.lowerBound), system(names.upperBound))
    guard first != names.lowerBound, end == names.upperBound else { return end }
    return Version(components: [first.component(0) + 1]) ?? end
  }
}

/// How an app reaches its users.
package enum Channel: String, WordValue, CaseIterable {
  case appStore = "app-store"
  /// Signed by the company itself and installed outside the store.
  case enterprise

  /// The most components a version may have: Apple's store takes three.
  package var versionComponents: Int { self == .appStore ? 3 : 4 }

  /// How long clients are not told of a release after it goes live by default: Apple says that an app can
  /// take up to 24 hours to become available.
  package var standardHold: TimeSpan { self == .appStore ? TimeSpan(seconds: 86_400) : .zero }
}

/// How often a client should repeat a reminder; advice for clients that changes no decision.
package enum ReminderFrequency: String, WordValue, CaseIterable {
  case once
  case daily = "1d"
  case always
}

/// Which evidence marks a known release live, besides a person's command.
package enum LiveBy: String, WordValue, CaseIterable {
  case mail
  case lookup
}

/// What a policy reminder waits for.
package enum RemindAfter: String, WordValue, CaseIterable {
  case visible
  case phase
}

/// Whether every version of an app that was ever shipped is recorded.
package enum RecordedPast: String, WordValue, CaseIterable {
  case unknown
  case whole
}

/// One bundle on one platform and channel.
package struct App: Sendable, Equatable {
  package internal(set) var slug: String
  package var bundleID: String
  package var appleID: Int64?
  @Verbatim package var name: String?
  @Verbatim package var sku: String?
  package internal(set) var platform: ApplePlatform
  package internal(set) var channel: Channel
  /// The store page that was given, if any; see `effectiveStoreURL`.
  package var storeURL: String?
  package var policy = SegmentPolicy.standard
  package var hold: TimeSpan
  package var remindEvery = ReminderFrequency.once
  /// The oldest version that asks at all; older versions never receive an answer.
  package var asksSince: Version?
  package var isStopped = false
  /// Whether the app was taken out of use and accepts no change except being restored.
  package var isRetired = false
  /// The stores that must show a version before lookups end its hold; empty if any one store is enough.
  package var countries: [String] = []
  package var liveBy = LiveBy.mail
  package var remindAfter = RemindAfter.visible
  /// The sources of evidence that are expected to report, such as `asc` and `mail`.
  package var expect: [String] = []
  package var past = RecordedPast.unknown
  @Unsaid package var event: Int64 = 0

  package init(slug: String, bundleID: String, platform: ApplePlatform = .iOS, channel: Channel = .appStore) {
    (self.slug, self.bundleID, self.platform, self.channel) = (slug, bundleID, platform, channel)
    hold = channel.standardHold
  }

  /// Why the app prompts no one, in one word; nil if it may prompt.
  package var silence: String? { isRetired ? "retired" : isStopped ? "stopped" : nil }

  package var isPastWhole: Bool { past == .whole }

  package var isLiveByLookup: Bool { liveBy == .lookup }

  /// Whether a lookup says which version of the platform the store serves: of one Apple ID it answers about iPhones first,
  /// and about a platform of its own only for Macs.
  package var mayBeLiveByLookup: Bool { platform == .iOS || platform == .macOS }

  /// The store page: the given one, else Apple's page for the Apple ID, else none.
  package var effectiveStoreURL: String? {
    // tvOS opens no https page.
    let scheme = platform == .tvOS ? "com.apple.TVAppStore" : "https"
    return storeURL ?? appleID.map { "\(scheme)://apps.apple.com/app/id\($0)" }
  }

  /// Whether a text may name an app: a lower-case letter or digit, then up to 62 of these or hyphens.
  package static func isSlug(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...63).contains(bytes.count), bytes[0] != UInt8(ascii: "-") else { return false }
    return bytes.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
    }
  }

  /// Whether a text may be a bundle id (developer.apple.com, "CFBundleIdentifier").
  package static func isBundleID(_ text: String) -> Bool {
    text.isWord(of: 1...155, marks: "-.")
  }
}

extension App: Record {
  package static let table = RecordTable.app
  package static let columns = Columns(of: App.self)
  package static let blank = App(slug: "", bundleID: "")

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&slug, "slug", "slug", .fixed)
    try fields.field(&bundleID, "bundle_id", "bundleID")
    try fields.field(&appleID, "apple_id", "appleID")
    try fields.field(&name, "name", "name")
    try fields.field(&sku, "sku", "sku")
    try fields.field(&platform, "platform", "platform", .fixed)
    try fields.field(&channel, "channel", "channel", .fixed)
    try fields.field(&storeURL, "store_url", nil)
    var (page, isGiven) = (effectiveStoreURL, storeURL != nil)
    try fields.field(&page, nil, "storeURL")
    try fields.field(&isGiven, nil, "storeURLGiven")
    storeURL = isGiven ? page : nil
    try fields.field(&policy, "policy", "policy")
    try fields.field(&hold, "hold", "hold")
    try fields.field(&remindEvery, "remind_every", "remindEvery")
    try fields.field(&asksSince, "asks_since", "asksSince")
    try fields.field(&isStopped, "stopped", "stopped")
    try fields.field(&countries, "countries", "countries")
    try fields.field(&liveBy, "live_by", "liveBy")
    try fields.field(&remindAfter, "remind_after", "remindAfter")
    try fields.field(&expect, "expect", "expect")
    try fields.field(&past, "past", "past")
    try fields.field(&isRetired, "retired", "retired")
    try fields.field(&event, "event_seq", nil)
  }

  package var json: JSON { json(app: slug) }

  /// Whether a text is a country code as the store writes it: two capital letters (ISO 3166-1).
  package static func isCountry(_ text: String) -> Bool {
    text.utf8.count == 2 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }
}

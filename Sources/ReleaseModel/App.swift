package import JSON

/// Apple's platforms.
package enum ApplePlatform: String, Sendable, CaseIterable {
  case iOS = "ios"
  case macOS = "macos"
  case tvOS = "tvos"
  case visionOS = "visionos"
  case watchOS = "watchos"
}

/// How an app reaches its users.
package enum Channel: String, Sendable, CaseIterable {
  /// Through Apple's review and store.
  case appStore = "app-store"
  /// Signed by the company itself and installed past the store.
  case enterprise

  /// The most components a version may have: Apple's store takes three.
  package var versionComponents: Int { self == .appStore ? 3 : 4 }

  /// How long a release stays unmentioned after going live, unless the app says otherwise.
  ///
  /// Apple: it can take up to 24 hours for an app to become available after its release.
  package var standardHold: TimeSpan { self == .appStore ? TimeSpan(seconds: 86_400) : .zero }
}

/// How often a client should repeat a reminder; advice for clients that changes no decision.
package enum ReminderFrequency: String, Sendable, CaseIterable {
  case once
  case daily = "1d"
  case always
}

/// One bundle on one platform and channel.
package struct App: Sendable, Equatable {
  /// The name in this ledger, never changed.
  package let slug: String
  package var bundleID: String
  /// Apple's number for the app; unique on a platform.
  package var appleID: Int64?
  package var name: String?
  package var sku: String?
  package let platform: ApplePlatform
  package let channel: Channel
  /// The store page, where one was given; see `effectiveStoreURL`.
  package var storeURL: String?
  package var policy: SegmentPolicy
  package var hold: TimeSpan
  package var remindEvery: ReminderFrequency
  /// The oldest version that asks at all; older ones cannot hear an answer.
  package var asksSince: Version?
  package var isStopped: Bool
  /// The stores that must have shown a version before lookups end its hold; empty for any one.
  package var countries: [String]
  /// Whether a lookup may mark a known release live.
  package var isLiveByLookup: Bool
  /// The number of the event that last changed the app.
  package var event: Int64

  /// Makes an app with the standard policy and its channel's hold.
  package init(slug: String, bundleID: String, platform: ApplePlatform = .iOS, channel: Channel = .appStore) {
    self.slug = slug
    self.bundleID = bundleID
    self.platform = platform
    self.channel = channel
    policy = .standard
    hold = channel.standardHold
    remindEvery = .once
    isStopped = false
    countries = []
    isLiveByLookup = false
    event = 0
  }

  /// The store page: the one given, else Apple's for the Apple ID, else none.
  package var effectiveStoreURL: String? {
    storeURL ?? appleID.map { "https://apps.apple.com/app/id\($0)" }
  }

  /// Whether a text may name an app: a lower-case letter or digit, then up to 62 of these or hyphens.
  package static func isSlug(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...63).contains(bytes.count), bytes[0] != UInt8(ascii: "-") else { return false }
    return bytes.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
    }
  }

  /// Whether a text may be a bundle id: letters, digits, hyphens and points
  /// (developer.apple.com, "CFBundleIdentifier").
  package static func isBundleID(_ text: String) -> Bool {
    (1...155).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
          || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
      }
  }
}

extension App {
  /// The app as commands and events show it.
  package var json: JSON {
    [
      "slug": .string(slug), "bundleID": .string(bundleID), "appleID": .optional(appleID),
      "name": .optional(name), "sku": .optional(sku), "platform": .string(platform.rawValue),
      "channel": .string(channel.rawValue), "storeURL": .optional(effectiveStoreURL),
      "storeURLGiven": .bool(storeURL != nil), "policy": .string(policy.text), "hold": .string(hold.text),
      "remindEvery": .string(remindEvery.rawValue), "asksSince": .optional(asksSince?.text),
      "stopped": .bool(isStopped), "countries": .array(countries.map(JSON.string)),
      "liveBy": .string(isLiveByLookup ? "lookup" : "mail"),
    ]
  }

  /// Reads an app back from what `json` wrote; nil where it wrote something else.
  package init?(json: JSON) {
    guard let slug = json["slug"]?.string, let bundleID = json["bundleID"]?.string,
      let platform = json["platform"]?.string.flatMap(ApplePlatform.init(rawValue:)),
      let channel = json["channel"]?.string.flatMap(Channel.init(rawValue:)),
      let policy = json["policy"]?.string.flatMap(SegmentPolicy.init(_:)),
      let hold = json["hold"]?.string.flatMap(TimeSpan.init(_:)),
      let remindEvery = json["remindEvery"]?.string.flatMap(ReminderFrequency.init(rawValue:)),
      let isStopped = json["stopped"]?.bool
    else { return nil }
    self.init(slug: slug, bundleID: bundleID, platform: platform, channel: channel)
    appleID = json["appleID"]?.integer
    name = json["name"]?.string
    sku = json["sku"]?.string
    if json["storeURLGiven"]?.bool == true { storeURL = json["storeURL"]?.string }
    self.policy = policy
    self.hold = hold
    self.remindEvery = remindEvery
    asksSince = json["asksSince"]?.string.flatMap { try? Version($0) }
    self.isStopped = isStopped
    countries = (json["countries"]?.array ?? []).compactMap(\.string)
    isLiveByLookup = json["liveBy"] == "lookup"
  }

  /// Whether a text is a country code as the store has them: two capital letters (ISO 3166-1).
  package static func isCountry(_ text: String) -> Bool {
    text.utf8.count == 2 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }
}

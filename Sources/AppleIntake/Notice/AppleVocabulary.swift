import ReleaseModel

/// Apple's words for states and platforms (App Store Connect Help, "App and submission statuses").
enum AppleVocabulary {
  /// What one of Apple's states means here.
  enum Meaning: Equatable {
    case state(ReleaseState)
    /// A newer version took its place, as the newer version's own mail says too.
    case replaced
  }

  /// The states by their names in lower case, including those of iTunes Connect.
  static let states: [String: Meaning] = [
    "prepare for submission": .state(.prepared), "prepare for upload": .state(.prepared),
    "waiting for upload": .state(.prepared), "upload received": .state(.prepared),
    "ready for review": .state(.prepared),
    "waiting for review": .state(.waiting), "waiting for export compliance": .state(.waiting),
    "in review": .state(.inReview),
    // In all of these, review is passed and the app is not yet in the store: a pre-order is only announced
    // there.
    "accepted": .state(.approved), "pending contract": .state(.approved),
    "pending developer release": .state(.approved), "pending apple release": .state(.approved),
    "processing for app store": .state(.approved), "processing for distribution": .state(.approved),
    "pre-order ready for sale": .state(.approved), "preorder ready for sale": .state(.approved),
    "pre-order ready for distribution": .state(.approved),
    "ready for sale": .state(.live), "ready for distribution": .state(.live),
    "rejected": .state(.rejected), "metadata rejected": .state(.rejected),
    "invalid binary": .state(.rejected),
    "developer rejected": .state(.withdrawn),
    "removed from sale": .state(.removed), "developer removed from sale": .state(.removed),
    "removed from distribution": .state(.removed), "developer removed from distribution": .state(.removed),
    "replaced with new version": .replaced,
  ]

  /// Returns the meaning of one of Apple's states, by its name in any case.
  static func meaning(of name: String) -> Meaning? { states[lowercased(name)] }

  /// The platforms as subjects put them in parentheses.
  static let parenthesized: [(String, ApplePlatform)] = [
    ("iOS", .iOS), ("macOS", .macOS), ("tvOS", .tvOS), ("visionOS", .visionOS), ("watchOS", .watchOS),
  ]

  /// Returns the platform that rows such as `Platform: iOS` and `App Type: iOS App` name.
  static func platform(_ name: String) -> ApplePlatform? {
    var words = Wording(name)
    _ = words.takeSuffix(" App")
    return switch lowercased(String(words.text)) {
    case "ios", "ipados": .iOS
    case "macos", "mac os", "mac os x", "os x", "mac": .macOS
    case "tvos", "apple tvos": .tvOS
    case "visionos": .visionOS
    case "watchos": .watchOS
    default: nil
    }
  }
}

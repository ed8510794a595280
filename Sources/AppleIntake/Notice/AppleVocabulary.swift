import ReleaseModel

/// Apple's words for states and platforms (App Store Connect Help, "App and submission statuses").
enum AppleVocabulary {
  /// By their names in lower case: those of the API with blanks, and others that mails use or used.
  static let states: [String: ReleaseState] = [
    "prepare for upload": .prepared, "waiting for upload": .prepared, "upload received": .prepared,
    // Review is passed and the app is not yet in the store: a pre-order is only announced there.
    "pre-order ready for sale": .approved, "pre-order ready for distribution": .approved,
    "removed from distribution": .removed, "developer removed from distribution": .removed,
  ].merging(
    AppVersionState.allCases.map { state in
      (lowercased(state.rawValue.split(separator: "_").joined(separator: " ")), state.releaseState)
    }, uniquingKeysWith: { $1 })

  /// The state with a name, in any case; `superseded` is known from the newer version's own mail, too.
  static func state(_ name: String) -> ReleaseState? { states[lowercased(name)] }

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

import ReleaseModel

/// Returns text with curly quotes and apostrophes straightened, and its blanks collapsed.
///
/// Apple's letters have both kinds, sometimes in the same mail.
func straightened(_ text: String) -> String {
  String(String.UnicodeScalarView(collapsed(text).unicodeScalars.map(straightened)))
}

func straightened(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  switch scalar.value {
  case 0x2018, 0x2019, 0x02BC, 0xFF07: "'"
  case 0x201C, 0x201D, 0xFF02: "\""
  default: scalar
  }
}

struct Wording {
  private(set) var text: Substring

  init(_ text: String) { self.text = text[...] }

  mutating func takePrefix(_ prefix: String) -> Bool {
    guard let end = text.utf8.index(text.startIndex, offsetBy: prefix.utf8.count, limitedBy: text.endIndex),
      lowercased(text.utf8[..<end]) == lowercased(prefix)
    else { return false }
    text = text[end...]
    return true
  }

  mutating func takeSuffix(_ suffix: String) -> Bool {
    guard
      let start = text.utf8.index(text.endIndex, offsetBy: -suffix.utf8.count, limitedBy: text.startIndex),
      lowercased(text.utf8[start...]) == lowercased(suffix)
    else { return false }
    text = text[..<start]
    return true
  }

  /// Cuts the text before the last occurrence of a mark, and returns what follows the mark.
  mutating func takeAfterLast(_ mark: String) -> String? {
    let bytes = Array(text.utf8)
    guard let start = places(of: mark, in: bytes[...]).last else { return nil }
    text = text[..<text.utf8.index(text.startIndex, offsetBy: start)]
    return String(decoding: bytes.dropFirst(start + mark.utf8.count), as: UTF8.self)
  }

  mutating func takePlatformSuffix() -> ApplePlatform? {
    AppleVocabulary.parenthesized.first { takeSuffix(" (\($0.0))") }?.1
  }

  mutating func takePlatformPrefix() -> ApplePlatform? {
    AppleVocabulary.parenthesized.first { takePrefix("(\($0.0)) ") }?.1
  }
}

/// Apple's words for states and platforms (App Store Connect Help, "App and submission statuses").
enum AppleVocabulary {
  /// By their names in lower case with blanks: every `AppVersionState` of the App Store Connect API and every
  /// `AppStoreVersionState`, which it replaced, and others that mails use or used.
  static let states: [String: ReleaseState] = [
    "prepare for submission": .prepared, "prepare for upload": .prepared, "waiting for upload": .prepared,
    "upload received": .prepared,
    // This comes before submission: the version can still be changed.
    "ready for review": .prepared,
    "waiting for review": .waiting, "waiting for export compliance": .waiting, "in review": .inReview,
    "accepted": .approved, "pending contract": .approved, "pending developer release": .approved,
    "pending apple release": .approved, "processing for app store": .approved,
    "processing for distribution": .approved,
    // Review is passed and the app is not yet in the store: a pre-order is only announced there.
    "preorder ready for sale": .approved, "pre-order ready for sale": .approved,
    "pre-order ready for distribution": .approved,
    "ready for sale": .live, "ready for distribution": .live, "replaced with new version": .superseded,
    "rejected": .rejected, "metadata rejected": .rejected, "invalid binary": .rejected,
    "developer rejected": .withdrawn, "removed from sale": .removed, "developer removed from sale": .removed,
    "removed from distribution": .removed, "developer removed from distribution": .removed,
  ]

  /// The state with a name, in any case and with blanks as in mails or underscores as in the API.
  static func state(_ name: String) -> ReleaseState? {
    states[lowercased(name.utf8.map { $0 == UInt8(ascii: "_") ? 0x20 : $0 })]
  }

  /// The platforms as subjects put them in parentheses.
  static let parenthesized: [(String, ApplePlatform)] = [
    ("iOS", .iOS), ("iPadOS", .iOS), ("macOS", .macOS), ("tvOS", .tvOS), ("visionOS", .visionOS),
    ("watchOS", .watchOS),
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

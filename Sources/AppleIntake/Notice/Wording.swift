import ReleaseModel

/// Returns text with curly quotes and apostrophes straightened, and its blanks collapsed.
///
/// Apple's letters have both kinds, sometimes in the same mail.
func straightened(_ text: String) -> String {
  var out = String.UnicodeScalarView()
  for scalar in collapsed(text).unicodeScalars {
    switch scalar.value {
    case 0x2018, 0x2019, 0x02BC, 0xFF07: out.append("'")
    case 0x201C, 0x201D, 0xFF02: out.append("\"")
    default: out.append(scalar)
    }
  }
  return String(out)
}

struct Wording {
  private(set) var text: Substring

  init(_ text: String) { self.text = text[...] }

  mutating func takePrefix(_ prefix: String) -> Bool {
    guard let end = text.utf8.index(text.startIndex, offsetBy: prefix.utf8.count, limitedBy: text.endIndex),
      isEqualIgnoringCase(String(text[..<end]), prefix)
    else { return false }
    text = text[end...]
    return true
  }

  mutating func takeSuffix(_ suffix: String) -> Bool {
    guard
      let start = text.utf8.index(text.endIndex, offsetBy: -suffix.utf8.count, limitedBy: text.startIndex),
      isEqualIgnoringCase(String(text[start...]), suffix)
    else { return false }
    text = text[..<start]
    return true
  }

  /// Cuts the text before the last occurrence of a mark, and returns what follows the mark.
  mutating func takeAfterLast(_ mark: String) -> String? {
    let bytes = Array(text.utf8)
    let mark = Array(mark.utf8)
    guard bytes.count >= mark.count else { return nil }
    for start in stride(from: bytes.count - mark.count, through: 0, by: -1)
    where zip(bytes[start...], mark).allSatisfy({ lowercased($0) == lowercased($1) }) {
      let rest = String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
      text = text[..<text.utf8.index(text.startIndex, offsetBy: start)]
      return rest
    }
    return nil
  }

  mutating func takePlatformSuffix() -> ApplePlatform? {
    for (name, platform) in AppleVocabulary.parenthesized where takeSuffix(" (\(name))") { return platform }
    return nil
  }

  mutating func takePlatformPrefix() -> ApplePlatform? {
    for (name, platform) in AppleVocabulary.parenthesized where takePrefix("(\(name)) ") { return platform }
    return nil
  }
}

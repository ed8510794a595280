/// Character references in HTML (html.spec.whatwg.org, §13.5).
enum HTMLEntity {
  /// The named references that Apple's mails use, and their neighbours in Latin-1 text.
  private static let named: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "lsquo": "\u{2018}",
    "rsquo": "\u{2019}", "ldquo": "\u{201C}", "rdquo": "\u{201D}", "ndash": "\u{2013}", "mdash": "\u{2014}",
    "hellip": "\u{2026}", "copy": "\u{A9}", "reg": "\u{AE}", "trade": "\u{2122}", "bull": "\u{2022}",
    "middot": "\u{B7}",
  ]

  /// Reads a reference whose `&` has been taken; anything else stays text, starting with the `&`.
  static func read(_ bytes: [UInt8], at position: inout Int) -> [UInt8] {
    // The longest known reference has ten characters; looking no further keeps reading linear.
    let window = bytes[position..<min(bytes.count, position + 12)]
    guard let end = window.firstIndex(of: UInt8(ascii: ";")) else { return [UInt8(ascii: "&")] }
    let name = String(decoding: bytes[position..<end], as: UTF8.self)
    let text: String?
    if name.hasPrefix("#x") || name.hasPrefix("#X") {
      text = UInt32(name.dropFirst(2), radix: 16).map(character)
    } else if name.hasPrefix("#") {
      text = UInt32(name.dropFirst()).map(character)
    } else {
      text = named[name]
    }
    guard let text else { return [UInt8(ascii: "&")] }
    position = end + 1
    return Array(text.utf8)
  }

  private static func character(_ code: UInt32) -> String {
    guard code != 0, let scalar = Unicode.Scalar(code) else { return "\u{FFFD}" }
    return String(Character(scalar))
  }
}

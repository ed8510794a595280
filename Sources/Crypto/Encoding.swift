import CLibcrypto

/// Returns bytes as lower-case hexadecimal digits.
package func hexadecimalText(_ bytes: [UInt8]) -> String {
  var digits = [UInt8](repeating: 0, count: bytes.count * 2)
  hexadecimalDigits(bytes, into: &digits)
  return String(decoding: digits, as: UTF8.self)
}

/// Writes into an array of twice their count, for callers that do so a million times.
package func hexadecimalDigits(_ bytes: [UInt8], into out: inout [UInt8]) {
  let digits: StaticString = "0123456789abcdef"
  for (index, byte) in bytes.prefix(out.count / 2).enumerated() {
    out[index * 2] = digits.utf8Start[Int(byte >> 4)]
    out[index * 2 + 1] = digits.utf8Start[Int(byte & 0xF)]
  }
}

/// Returns the bytes that hexadecimal digits of either case stand for; nil for anything else or an odd count.
package func hexadecimalBytes(_ text: String) -> [UInt8]? {
  let digits = text.utf8.compactMap(hexadecimalDigit)
  guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Returns the value of one hexadecimal digit in ASCII, of either case.
package func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 0x30...0x39: byte - 0x30
  case 0x41...0x46: byte - 0x41 + 10
  case 0x61...0x66: byte - 0x61 + 10
  default: nil
  }
}

/// Base64 with the standard alphabet (RFC 4648 §4).
package enum Base64 {
  /// Returns the bytes that a text encodes, or nil if it is not strictly base64.
  ///
  /// One value has one text: padding is required, the unused bits must be zero, and nothing may stand between the
  /// characters. Callers that allow line breaks remove them first.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    let text = Array(text)
    // libcrypto takes more than this, and reads padding as bytes of zero.
    var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3)
    guard EVP_DecodeBlock(&bytes, text, Int32(clamping: text.count)) == bytes.count else { return nil }
    bytes.removeLast(text.suffix(2).count { $0 == UInt8(ascii: "=") })
    return encoded(bytes) == text ? bytes : nil
  }

  /// Returns bytes as base64 with padding, on one line.
  package static func encode(_ bytes: [UInt8]) -> String { String(decoding: encoded(bytes), as: UTF8.self) }

  private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    // A zero follows the text.
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
    return text.dropLast()
  }
}

/// Base64 with the alphabet for URLs and file names, without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  /// Returns bytes as text.
  package static func encode(_ bytes: [UInt8]) -> String {
    let text = Base64.encode(bytes).utf8.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      case UInt8(ascii: "="): nil
      default: byte
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes that a text encodes; nil if it is not strictly base64url, so that one value has one
  /// text.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    if text.contains(where: "+/=".utf8.contains) { return nil }
    var standard = text.map { byte in
      byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
    }
    while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
    return Base64.decode(standard)
  }
}

/// The textual encoding of keys (RFC 7468).
package enum PEM {
  /// Returns the bytes of the only block in a text; nil unless the text has exactly one, with this label.
  ///
  /// Text before and after the block is allowed (RFC 7468 §2).
  package static func decode(_ text: String, label: String) -> [UInt8]? {
    let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D }.map(trimmed)
    let marks = lines.indices.filter { lines[$0].starts(with: "-----".utf8) }
    guard marks.count == 2, lines[marks[0]].elementsEqual("-----BEGIN \(label)-----".utf8),
      lines[marks[1]].elementsEqual("-----END \(label)-----".utf8)
    else { return nil }
    return Base64.decode(lines[(marks[0] + 1)..<marks[1]].joined())
  }

  /// Returns bytes as a block of 64-character lines.
  package static func encode(_ bytes: [UInt8], label: String) -> String {
    var text = "-----BEGIN \(label)-----\n"
    var rest = Base64.encode(bytes)[...]
    while !rest.isEmpty {
      text += "\(rest.prefix(64))\n"
      rest = rest.dropFirst(64)
    }
    return text + "-----END \(label)-----\n"
  }

  private static func trimmed(_ line: Substring.UTF8View) -> Substring.UTF8View {
    var line = line
    while let last = line.last, last == 0x20 || last == 0x09 { line = line.dropLast() }
    return line.drop { $0 == 0x20 || $0 == 0x09 }
  }
}

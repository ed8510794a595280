/// Returns bytes as lower-case hexadecimal digits.
package func hexadecimalText(_ bytes: [UInt8]) -> String {
  let digits: StaticString = "0123456789abcdef"
  return String(unsafeUninitializedCapacity: bytes.count * 2) { out in
    var index = 0
    for byte in bytes {
      out[index] = digits.utf8Start[Int(byte >> 4)]
      out[index + 1] = digits.utf8Start[Int(byte & 0xF)]
      index += 2
    }
    return index
  }
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
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  /// Returns the bytes that a text encodes, or nil if it is not strictly base64.
  ///
  /// Padding is required, the unused bits must be zero, and nothing may stand between the characters, so that
  /// one value has one text. Callers that allow line breaks remove them first.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.underestimatedCount / 4 * 3)
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text {
      if byte == UInt8(ascii: "=") {
        padding += 1
        guard padding <= 2 else { return nil }
        continue
      }
      let value = values[Int(byte)]
      guard value != 0xFF, padding == 0 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count == 4 {
        bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
        (bits, count) = (0, 0)
      }
    }
    switch (count, padding) {
    case (0, 0): break
    case (2, 2):
      guard bits & 0xF == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case (3, 1):
      guard bits & 0x3 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
    default: return nil
    }
    return bytes
  }

  /// Returns bytes as base64 with padding, on one line.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let bits =
        UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
        | (left > 2 ? UInt32(bytes[index + 2]) : 0)
      text.append(alphabet[Int(bits >> 18 & 0x3F)])
      text.append(alphabet[Int(bits >> 12 & 0x3F)])
      text.append(left > 1 ? alphabet[Int(bits >> 6 & 0x3F)] : UInt8(ascii: "="))
      text.append(left > 2 ? alphabet[Int(bits & 0x3F)] : UInt8(ascii: "="))
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
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
    var standard: [UInt8] = []
    standard.reserveCapacity(text.count + 2)
    for byte in text {
      switch byte {
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
      case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
      default: standard.append(byte)
      }
    }
    while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
    return Base64.decode(standard)
  }
}

/// The textual encoding of keys (RFC 7468).
package enum PEM {
  /// Returns the bytes of the only block in a text; nil if there is none, more than one, or another label.
  ///
  /// Text before and after the block is allowed (RFC 7468 §2).
  package static func decode(_ text: String, label: String) -> [UInt8]? {
    var body: [UInt8]?
    var isOpen = false
    var content: [UInt8] = []
    for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = trimmed(line)
      if line.elementsEqual("-----BEGIN \(label)-----".utf8) {
        guard !isOpen, body == nil else { return nil }
        isOpen = true
      } else if line.elementsEqual("-----END \(label)-----".utf8) {
        guard isOpen else { return nil }
        isOpen = false
        body = Base64.decode(content)
        if body == nil { return nil }
      } else if line.starts(with: "-----".utf8) {
        return nil
      } else if isOpen {
        content += line
      }
    }
    return isOpen ? nil : body
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

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

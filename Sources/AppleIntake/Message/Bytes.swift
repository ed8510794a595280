import Crypto

/// Returns whether a byte is a blank or tab (WSP, RFC 5234 §B.1).
func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

/// Returns text with its ASCII letters in lower case; other letters stay, whatever the language.
func lowercased(_ bytes: some Sequence<UInt8>) -> String {
  String(decoding: bytes.map { lowercased($0) as UInt8 }, as: UTF8.self)
}

func lowercased(_ text: String) -> String { lowercased(text.utf8) }

/// Returns the bytes without the blanks, tabs and line ends at both ends.
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  var bytes = bytes
  while let first = bytes.first, isBlank(first) || first == 0x0D || first == 0x0A { bytes.removeFirst() }
  while let last = bytes.last, isBlank(last) || last == 0x0D || last == 0x0A { bytes.removeLast() }
  return bytes
}

/// The lines of a text, each with the line feed that ends it.
func lines(of text: ArraySlice<UInt8>) -> some Sequence<ArraySlice<UInt8>> {
  sequence(state: text) { rest in
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end]
  }
}

/// Returns bytes with each escape undone, a mark and two hexadecimal digits; a mark without these stays.
func unescaped(_ text: ArraySlice<UInt8>, _ mark: Unicode.Scalar) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count)
  var rest = text
  while let byte = rest.popFirst() {
    let digits = byte == UInt8(ascii: mark) ? rest.prefix(2).compactMap(hexadecimalDigit) : []
    if digits.count == 2 {
      bytes.append(digits[0] << 4 | digits[1])
      rest = rest.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return bytes
}

/// The places at which a text stands in bytes, apart from the case of ASCII letters.
func places(of text: String, in bytes: ArraySlice<UInt8>) -> some BidirectionalCollection<Int> {
  let text = Array(text.utf8)
  return bytes.indices.dropLast(max(0, text.count - 1)).lazy.filter { start in
    zip(bytes[start...], text).allSatisfy { lowercased($0) == lowercased($1) }
  }
}

/// Returns text with runs of blanks and line ends collapsed to one blank, and none at either end.
///
/// No-break and zero-width characters count as blanks, since they look like blanks.
func collapsed(_ text: String) -> String {
  var out = String.UnicodeScalarView()
  var wantsBlank = false
  for scalar in text.unicodeScalars {
    if looksBlank(scalar) {
      wantsBlank = true
    } else {
      if wantsBlank, !out.isEmpty { out.append(" ") }
      wantsBlank = false
      out.append(scalar)
    }
  }
  return String(out)
}

func looksBlank(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: true
  default: false
  }
}

func textLines(_ text: String) -> [String] {
  text.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.compactMap {
    let line = collapsed(String($0))
    return line.isEmpty ? nil : line
  }
}

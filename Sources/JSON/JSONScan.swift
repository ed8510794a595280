/// Goes through JSON text (RFC 8259) without making values of it.
struct JSONScan {
  let text: UnsafeRawBufferPointer
  var position = 0
  /// Whether a byte beyond ASCII was found, so that the encoding has to be checked.
  var hasWideBytes = false

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  /// Whether nothing but blanks is left.
  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return position == text.count
    }
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  private mutating func skipBlanks() {
    while position < text.count, text[position] <= 0x20 {
      guard [0x20, 0x0A, 0x0D, 0x09].contains(text[position]) else { return }
      position += 1
    }
  }

  /// Passes over blanks, and then over a byte if it comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    return pass(byte)
  }

  /// Passes over a byte if it comes next.
  private mutating func pass(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  /// Passes over bytes if exactly these come next.
  mutating func pass(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard text.count - position >= bytes.count else { return false }
    let next = UnsafeRawBufferPointer(rebasing: text[position..<position + bytes.count])
    guard next.isSame(as: bytes) else { return false }
    position += bytes.count
    return true
  }

  /// Reads a key and the colon after it.
  mutating func key() -> UnsafeRawBufferPointer? {
    skipBlanks()
    guard let key = string(), !key.isEscaped, take(UInt8(ascii: ":")) else { return nil }
    return key.bytes
  }

  mutating func object(
    depth: Int, _ member: (UnsafeRawBufferPointer, JSONMembers.Slice) -> Bool
  ) -> Bool {
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return true }
    while true {
      guard let key = key(), let value = value(depth: depth + 1), member(key, value) else { return false }
      if take(UInt8(ascii: "}")) { return true }
      guard take(UInt8(ascii: ",")) else { return false }
    }
  }

  mutating func array(depth: Int, _ element: (JSONMembers.Slice) -> Bool) -> Bool {
    guard take(UInt8(ascii: "[")) else { return false }
    if take(UInt8(ascii: "]")) { return true }
    while true {
      guard let value = value(depth: depth + 1), element(value) else { return false }
      if take(UInt8(ascii: "]")) { return true }
      guard take(UInt8(ascii: ",")) else { return false }
    }
  }

  mutating func value(depth: Int) -> JSONMembers.Slice? {
    skipBlanks()
    guard depth < JSON.maximumDepth, let first = current else { return nil }
    let start = position
    switch first {
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "{"): guard object(depth: depth, { _, _ in true }) else { return nil }
    case UInt8(ascii: "["): guard array(depth: depth, { _ in true }) else { return nil }
    case UInt8(ascii: "t"): guard word("true") else { return nil }
    case UInt8(ascii: "f"): guard word("false") else { return nil }
    case UInt8(ascii: "n"): guard word("null") else { return nil }
    default: guard number() else { return nil }
    }
    return JSONMembers.Slice(
      bytes: UnsafeRawBufferPointer(rebasing: text[start..<position]), first: first, isEscaped: false)
  }

  private mutating func word(_ word: StaticString) -> Bool { pass(UnsafeRawBufferPointer(word)) }

  private mutating func string() -> JSONMembers.Slice? {
    guard pass(UInt8(ascii: "\"")) else { return nil }
    let start = position
    var isEscaped = false
    while true {
      skipPlain()
      guard position < text.count else { return nil }
      let byte = text[position]
      if byte == UInt8(ascii: "\"") {
        let bytes = UnsafeRawBufferPointer(rebasing: text[start..<position])
        position += 1
        return JSONMembers.Slice(bytes: bytes, first: UInt8(ascii: "\""), isEscaped: isEscaped)
      }
      guard byte >= 0x20 else { return nil }
      if byte >= 0x80 { hasWideBytes = true }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        guard escape() else { return nil }
      } else {
        position += 1
      }
    }
  }

  /// Passes over bytes of a string that need no closer look, eight at a time.
  private mutating func skipPlain() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits = ones << 7
    while text.count - position >= 8 {
      let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      // The lowest bit that is set marks the first byte that is a quote, a backslash, a control or beyond
      // ASCII: in each term, a borrow can only falsify bits above a byte that is marked correctly.
      let (quotes, backslashes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C))
      let marks =
        ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | word &- (ones &* 0x20) | word)
        & highBits
      guard marks == 0 else {
        position += marks.trailingZeroBitCount / 8
        return
      }
      position += 8
    }
  }

  /// Passes over an escape (RFC 8259 §7); half a surrogate pair must be followed by its other half.
  private mutating func escape() -> Bool {
    position += 1
    guard let byte = current else { return false }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      guard let code = codeUnit() else { return false }
      if UTF16.isTrailSurrogate(code) { return false }
      guard UTF16.isLeadSurrogate(code) else { return true }
      guard pass(UInt8(ascii: "\\")), pass(UInt8(ascii: "u")), let low = codeUnit() else { return false }
      return UTF16.isTrailSurrogate(low)
    default: return false
    }
  }

  /// Passes over four hexadecimal digits.
  private mutating func codeUnit() -> UInt16? {
    var code: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, byte < 0x80,
        let digit = Character(Unicode.Scalar(byte)).hexDigitValue
      else { return nil }
      position += 1
      code = code << 4 | UInt16(digit)
    }
    return code
  }

  private mutating func digits() -> Bool {
    let start = position
    while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    return position > start
  }

  private mutating func number() -> Bool {
    _ = pass(UInt8(ascii: "-"))
    let start = position
    guard digits(), text[start] != 0x30 || position == start + 1 else { return false }
    if pass(UInt8(ascii: ".")) { guard digits() else { return false } }
    if pass(UInt8(ascii: "e")) || pass(UInt8(ascii: "E")) {
      if !pass(UInt8(ascii: "+")) { _ = pass(UInt8(ascii: "-")) }
      guard digits() else { return false }
    }
    return true
  }
}

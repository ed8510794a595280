/// A walk through JSON text (RFC 8259), over values as they are written or making values of them.
struct JSONScan {
  let text: UnsafeRawBufferPointer
  private(set) var position = 0
  /// Whether a byte beyond ASCII was found, so that the encoding has to be checked.
  private(set) var hasWideBytes = false
  /// What is wrong at the position, once something was refused, in words that follow "line 3: ".
  private(set) var fault = ""

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return position == text.count || refused("something follows the JSON value")
    }
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  private mutating func refused(_ fault: String) -> Bool {
    self.fault = fault
    return false
  }

  private mutating func skipBlanks() {
    while position < text.count, text[position] <= 0x20 {
      guard [0x20, 0x0A, 0x0D, 0x09].contains(text[position]) else { return }
      position += 1
    }
  }

  mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    return pass(byte)
  }

  private mutating func pass(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  mutating func pass(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard text.count - position >= bytes.count else { return false }
    let next = UnsafeRawBufferPointer(rebasing: text[position..<position + bytes.count])
    guard next.isSame(as: bytes) else { return false }
    position += bytes.count
    return true
  }

  mutating func key() -> JSONMembers.Slice? {
    skipBlanks()
    guard current == UInt8(ascii: "\"") || refused("a key in quotes is expected"), let key = string(),
      take(UInt8(ascii: ":")) || refused("a colon is expected after a key")
    else { return nil }
    return key
  }

  mutating func object(_ value: (inout JSONScan, JSONMembers.Slice) -> Bool) -> Bool {
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return true }
    while true {
      guard let key = key(), value(&self, key) else { return false }
      if take(UInt8(ascii: "}")) { return true }
      guard take(UInt8(ascii: ",")) else { return refused("a comma or '}' is expected") }
    }
  }

  mutating func array(_ element: (inout JSONScan) -> Bool) -> Bool {
    guard take(UInt8(ascii: "[")) else { return false }
    if take(UInt8(ascii: "]")) { return true }
    while true {
      guard element(&self) else { return false }
      if take(UInt8(ascii: "]")) { return true }
      guard take(UInt8(ascii: ",")) else { return refused("a comma or ']' is expected") }
    }
  }

  private mutating func first(depth: Int) -> UInt8? {
    skipBlanks()
    guard depth < JSON.maximumDepth || refused("nested more than \(JSON.maximumDepth) deep"),
      current != nil || refused("the text ends where a value is expected")
    else { return nil }
    return current
  }

  mutating func value(depth: Int) -> JSONMembers.Slice? {
    guard let first = first(depth: depth) else { return nil }
    let start = position
    let isValue =
      switch first {
      case UInt8(ascii: "{"): object { scan, _ in scan.value(depth: depth + 1) != nil }
      case UInt8(ascii: "["): array { $0.value(depth: depth + 1) != nil }
      case UInt8(ascii: "t"): word("true")
      case UInt8(ascii: "f"): word("false")
      case UInt8(ascii: "n"): word("null")
      case UInt8(ascii: "\""): false
      default: number()
      }
    guard first != UInt8(ascii: "\"") else { return string() }
    guard isValue else { return nil }
    return JSONMembers.Slice(
      bytes: UnsafeRawBufferPointer(rebasing: text[start..<position]), first: first, isEscaped: false)
  }

  /// Reads a value, strictly: no key twice, and strings in valid UTF-8.
  mutating func tree(depth: Int = 0) -> JSON? {
    switch first(depth: depth) {
    case UInt8(ascii: "{"):
      var pairs: [(String, JSON)] = []
      let isObject = object { scan, key in
        guard let name = scan.decoded(key), let value = scan.tree(depth: depth + 1) else { return false }
        pairs.append((name, value))
        return true
      }
      guard isObject else { return nil }
      let object = JSON.Object(pairs)
      // Two readers that pick different ones of two equal keys would read two different things.
      guard object.members.count == pairs.count || refused("an object has the same key twice") else {
        return nil
      }
      return .object(object)
    case UInt8(ascii: "["):
      var elements: [JSON] = []
      let isArray = array { scan in
        guard let element = scan.tree(depth: depth + 1) else { return false }
        elements.append(element)
        return true
      }
      return isArray ? .array(elements) : nil
    default:
      guard let slice = value(depth: depth) else { return nil }
      switch slice.first {
      case UInt8(ascii: "\""): return decoded(slice).map(JSON.string)
      case UInt8(ascii: "t"): return true
      case UInt8(ascii: "f"): return false
      case UInt8(ascii: "n"): return .null
      default:
        if let integer = slice.integer { return .integer(integer) }
        let number = Double(String(decoding: slice.bytes, as: UTF8.self))
        guard let number, number.isFinite || refused("a number is out of range") else { return nil }
        return .number(number)
      }
    }
  }

  private mutating func decoded(_ slice: JSONMembers.Slice) -> String? {
    let text = slice.string
    if text == nil { fault = "a string is not valid UTF-8" }
    return text
  }

  private mutating func word(_ word: StaticString) -> Bool {
    pass(UnsafeRawBufferPointer(word)) || refused("not a JSON value")
  }

  private mutating func string() -> JSONMembers.Slice? {
    guard pass(UInt8(ascii: "\"")) else { return nil }
    let start = position
    var isEscaped = false
    while true {
      skipPlain()
      guard position < text.count || refused("a string has no closing quote") else { return nil }
      let byte = text[position]
      if byte == UInt8(ascii: "\"") {
        let bytes = UnsafeRawBufferPointer(rebasing: text[start..<position])
        position += 1
        return JSONMembers.Slice(bytes: bytes, first: UInt8(ascii: "\""), isEscaped: isEscaped)
      }
      guard byte >= 0x20 || refused("a string holds an unescaped control character") else { return nil }
      if byte >= 0x80 { hasWideBytes = true }
      position += 1
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        guard escape() else { return nil }
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

  /// Passes over what follows a backslash (RFC 8259 §7); half a surrogate pair must be followed by its other
  /// half.
  private mutating func escape() -> Bool {
    guard let byte = current else { return refused("a string has no closing quote") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      guard let code = codeUnit() else { return false }
      guard UTF16.isLeadSurrogate(code) else {
        return !UTF16.isTrailSurrogate(code) || refused("half a surrogate pair")
      }
      guard pass(UInt8(ascii: "\\")), pass(UInt8(ascii: "u")) else { return refused("half a surrogate pair") }
      guard let low = codeUnit() else { return false }
      return UTF16.isTrailSurrogate(low) || refused("half a surrogate pair")
    default: return refused("an escape that JSON does not have")
    }
  }

  private mutating func codeUnit() -> UInt16? {
    var code: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        fault = "\\u is followed by four hexadecimal digits"
        return nil
      }
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
    guard digits() else { return refused("not a JSON value") }
    guard text[start] != 0x30 || position == start + 1 else { return refused("a number has leading zeros") }
    if pass(UInt8(ascii: ".")), !digits() { return refused("a number ends with its point") }
    if pass(UInt8(ascii: "e")) || pass(UInt8(ascii: "E")) {
      if !pass(UInt8(ascii: "+")) { _ = pass(UInt8(ascii: "-")) }
      guard digits() else { return refused("a number ends with its exponent") }
    }
    return true
  }
}

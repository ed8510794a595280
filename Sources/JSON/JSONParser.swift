/// Why a text is not JSON, and where.
package struct JSONError: Error, Sendable, Equatable {
  /// What is wrong, in words that follow "line 3: ".
  package let reason: String
  /// The line, counted from 1.
  package let line: Int

  package init(reason: String, line: Int) {
    self.reason = reason
    self.line = line
  }
}

extension JSON {
  /// The deepest nesting that is read; deeper text is refused rather than exhausting the stack.
  package static let maximumDepth = 64

  /// Reads one JSON text (RFC 8259), strictly: no comments, no trailing commas, no repeated keys, valid
  /// UTF-8.
  ///
  /// - Throws: `JSONError` with the line of the first fault.
  package init(parsing text: some Collection<UInt8>) throws(JSONError) {
    let bytes = Array(text)
    var parser = JSONParser(bytes: bytes)
    do {
      self = try parser.document()
    } catch {
      var line = 1
      for byte in bytes[..<min(parser.position, bytes.count)] where byte == 0x0A { line += 1 }
      throw JSONError(reason: error.reason, line: line)
    }
  }
}

/// A fault found while reading; the position is the parser's.
private struct Fault: Error { let reason: String }

private struct JSONParser {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(Fault) -> JSON {
    let value = try value(depth: 0)
    skipBlanks()
    guard position == bytes.count else { throw Fault(reason: "something follows the JSON value") }
    return value
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Fault) -> JSON {
    guard depth < JSON.maximumDepth else { throw Fault(reason: "nested more than \(JSON.maximumDepth) deep") }
    skipBlanks()
    switch current {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case .none: throw Fault(reason: "the text ends where a value is expected")
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: JSON) throws(Fault) -> JSON {
    for byte in word.utf8 {
      guard take(byte) else { throw Fault(reason: "not a JSON value") }
    }
    return value
  }

  private mutating func object(depth: Int) throws(Fault) -> JSON {
    position += 1
    var pairs: [(String, JSON)] = []
    skipBlanks()
    if take(UInt8(ascii: "}")) { return .object(JSON.Object()) }
    while true {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else { throw Fault(reason: "a key in quotes is expected") }
      let key = try string()
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { throw Fault(reason: "a colon is expected after a key") }
      pairs.append((key, try value(depth: depth + 1)))
      skipBlanks()
      if take(UInt8(ascii: "}")) { break }
      guard take(UInt8(ascii: ",")) else { throw Fault(reason: "a comma or '}' is expected") }
    }
    let object = JSON.Object(pairs)
    // Two readers that pick different ones of two equal keys would read two different things.
    guard object.members.count == pairs.count else { throw Fault(reason: "an object has the same key twice") }
    return .object(object)
  }

  private mutating func array(depth: Int) throws(Fault) -> JSON {
    position += 1
    var elements: [JSON] = []
    skipBlanks()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipBlanks()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw Fault(reason: "a comma or ']' is expected") }
    }
  }

  private mutating func string() throws(Fault) -> String {
    position += 1
    let start = position
    // Most strings have no escape: they are decoded in one piece.
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if current == UInt8(ascii: "\"") {
      let text = try decode(Array(bytes[start..<position]))
      position += 1
      return text
    }
    var unescaped = Array(bytes[start..<position])
    while true {
      guard let byte = current else { throw Fault(reason: "a string has no closing quote") }
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return try decode(unescaped)
      case UInt8(ascii: "\\"): try escape(into: &unescaped)
      case 0..<0x20: throw Fault(reason: "a string holds an unescaped control character")
      default: unescaped.append(byte)
      }
    }
  }

  private func decode(_ bytes: [UInt8]) throws(Fault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Fault(reason: "a string is not valid UTF-8")
    }
    return text
  }

  private mutating func escape(into out: inout [UInt8]) throws(Fault) {
    guard let byte = current else { throw Fault(reason: "a string has no closing quote") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0C)
    case UInt8(ascii: "n"): out.append(0x0A)
    case UInt8(ascii: "r"): out.append(0x0D)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if (0xD800..<0xDC00).contains(code) {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
          throw Fault(reason: "half a surrogate pair")
        }
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw Fault(reason: "half a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw Fault(reason: "half a surrogate pair") }
      out.append(contentsOf: Array(String(Character(scalar)).utf8))
    default: throw Fault(reason: "an escape that JSON does not have")
    }
  }

  private mutating func hexadecimal() throws(Fault) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw Fault(reason: "\\u is followed by four hexadecimal digits")
      }
      position += 1
      code = code << 4 | UInt32(digit)
    }
    return code
  }

  private mutating func digits() -> Int {
    let start = position
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  private mutating func number() throws(Fault) -> JSON {
    let start = position
    _ = take(UInt8(ascii: "-"))
    let integerStart = position
    guard digits() > 0 else { throw Fault(reason: "not a JSON value") }
    if bytes[integerStart] == UInt8(ascii: "0"), position - integerStart > 1 {
      throw Fault(reason: "a number has leading zeros")
    }
    var isInteger = true
    if take(UInt8(ascii: ".")) {
      isInteger = false
      guard digits() > 0 else { throw Fault(reason: "a number ends with its point") }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isInteger = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard digits() > 0 else { throw Fault(reason: "a number ends with its exponent") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { throw Fault(reason: "a number is out of range") }
    return .number(number)
  }
}

/// Why a text is not JSON, and where.
package struct JSONError: Error, Sendable, Equatable {
  /// What is wrong, in words that follow "line 3: ".
  package let reason: String
  /// Counted from 1.
  package let line: Int

  package init(reason: String, line: Int) {
    self.reason = reason
    self.line = line
  }
}

extension JSON {
  /// Deeper text is refused rather than exhausting the stack.
  package static let maximumDepth = 64

  /// Reads one JSON text (RFC 8259), strictly: no comments, no trailing commas, no repeated keys, valid
  /// UTF-8. A byte order mark before it is passed over, as §8.1 allows.
  ///
  /// - Throws: `JSONError` with the line of the first fault.
  package init(parsing text: some Collection<UInt8>) throws(JSONError) {
    self = try Array(text).withUnsafeBufferPointer { (bytes) throws(JSONError) in
      var parser = JSONParser(text: bytes)
      return try parser.whole()
    }
  }
}

private struct JSONParser {
  let text: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

  mutating func whole() throws(JSONError) -> JSON {
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let value = try value(depth: 0)
    guard next() == nil else { throw fault("something follows the JSON value") }
    return value
  }

  private func fault(_ reason: String) -> JSONError {
    JSONError(reason: reason, line: text.prefix(position).reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) })
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  /// The first byte after blanks.
  private mutating func next() -> UInt8? {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    return current
  }

  /// Passes over a byte, if it is there.
  private mutating func pass(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSON {
    let first = next()
    guard depth < JSON.maximumDepth else { throw fault("nested more than \(JSON.maximumDepth) deep") }
    switch first {
    case nil: throw fault("the text ends where a value is expected")
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", true)
    case UInt8(ascii: "f"): return try word("false", false)
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSON {
    var pairs: [(String, JSON)] = []
    position += 1
    guard next() != UInt8(ascii: "}") else {
      position += 1
      return .object(JSON.Object())
    }
    repeat {
      guard next() == UInt8(ascii: "\"") else { throw fault("a key in quotes is expected") }
      let key = try string()
      guard next() == UInt8(ascii: ":") else { throw fault("a colon is expected after a key") }
      position += 1
      pairs.append((key, try value(depth: depth + 1)))
      _ = next()
    } while pass(UInt8(ascii: ","))
    guard pass(UInt8(ascii: "}")) else { throw fault("a comma or '}' is expected") }
    let object = JSON.Object(pairs)
    // Two readers that pick different ones of two equal keys would read two different things.
    guard object.members.count == pairs.count else { throw fault("an object has the same key twice") }
    return .object(object)
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSON {
    var elements: [JSON] = []
    position += 1
    guard next() != UInt8(ascii: "]") else {
      position += 1
      return .array([])
    }
    repeat {
      elements.append(try value(depth: depth + 1))
      _ = next()
    } while pass(UInt8(ascii: ","))
    guard pass(UInt8(ascii: "]")) else { throw fault("a comma or ']' is expected") }
    return .array(elements)
  }

  private mutating func word(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
    guard text[position...].starts(with: word.utf8) else { throw fault("not a JSON value") }
    position += word.utf8.count
    return value
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    var start = position
    var bytes: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        let rest = UnsafeBufferPointer(rebasing: text[start..<position])
        position += 1
        let string =
          bytes.isEmpty
          ? String(validated: rest) : (bytes + rest).withUnsafeBufferPointer { String(validated: $0) }
        guard let string else { throw fault("a string is not valid UTF-8") }
        return string
      case UInt8(ascii: "\\"):
        bytes += text[start..<position]
        position += 1
        bytes += try escaped()
        start = position
      case 0..<0x20: throw fault("a string holds an unescaped control character")
      default: position += 1
      }
    }
    throw fault("a string has no closing quote")
  }

  /// What stands after a backslash (RFC 8259 §7).
  private mutating func escaped() throws(JSONError) -> [UInt8] {
    guard let kind = current else { throw fault("a string has no closing quote") }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [kind]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var units = [try codeUnit()]
      if UTF16.isLeadSurrogate(units[0]), pass(UInt8(ascii: "\\")), pass(UInt8(ascii: "u")) {
        units.append(try codeUnit())
      }
      guard let character = String(validating: units, as: UTF16.self) else {
        throw fault("half a surrogate pair")
      }
      return Array(character.utf8)
    default: throw fault("an escape that JSON does not have")
    }
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    var code: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("\\u is followed by four hexadecimal digits")
      }
      position += 1
      code = code << 4 | UInt16(digit)
    }
    return code
  }

  private mutating func number() throws(JSONError) -> JSON {
    let start = position
    _ = pass(UInt8(ascii: "-"))
    let isZero = current == 0x30
    guard let count = digits() else { throw fault("not a JSON value") }
    guard !isZero || count == 1 else { throw fault("a number has leading zeros") }
    if pass(UInt8(ascii: ".")), digits() == nil { throw fault("a number ends with its point") }
    if pass(UInt8(ascii: "e")) || pass(UInt8(ascii: "E")) {
      if !pass(UInt8(ascii: "+")) { _ = pass(UInt8(ascii: "-")) }
      guard digits() != nil else { throw fault("a number ends with its exponent") }
    }
    let written = String(decoding: text[start..<position], as: UTF8.self)
    if let integer = Int64(written) { return .integer(integer) }
    guard let number = Double(written), number.isFinite else { throw fault("a number is out of range") }
    return .number(number)
  }

  /// How many digits there were; nil for none.
  private mutating func digits() -> Int? {
    let start = position
    while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    return position > start ? position - start : nil
  }
}

extension String {
  /// The text of UTF-8; nil for other bytes.
  package init?(validated bytes: UnsafeBufferPointer<UInt8>) {
    // Most text is ASCII, and the library takes longer to look for what validates it than to read it.
    if bytes.reduce(0, |) < 0x80 {
      self.init(decoding: bytes, as: UTF8.self)
      return
    }
    self.init(validating: bytes, as: UTF8.self)
  }
}

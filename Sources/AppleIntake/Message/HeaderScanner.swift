/// Reads the value of a structured header field from the left (RFC 5322 §3.2).
struct HeaderScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = current, UInt32(byte) == character.value else { return false }
    position += 1
    return true
  }

  /// Skips blanks and comments, nested to any depth, but not a comment that is never closed: a parenthesis is
  /// part of nothing that is read here.
  mutating func skipBlanksAndComments() {
    while let byte = current {
      if isBlank(byte) {
        position += 1
      } else if byte != UInt8(ascii: "(") || !skipComment() {
        return
      }
    }
  }

  /// Skips a comment; counts the parentheses, since with recursion the sender would control the depth.
  private mutating func skipComment() -> Bool {
    let start = position
    var depth = 0
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return true }
      case UInt8(ascii: "\\"):
        if current != nil { position += 1 }
      default: break
      }
    }
    position = start
    return false
  }

  /// Takes a character that may stand behind blanks and comments.
  mutating func takeNext(_ character: Unicode.Scalar) -> Bool {
    skipBlanksAndComments()
    return take(character)
  }

  /// Whether nothing but blanks and comments is left.
  mutating func ends() -> Bool {
    skipBlanksAndComments()
    return isAtEnd
  }

  /// Returns the next characters of a kind, perhaps none, behind blanks and comments.
  mutating func word(while fits: (UInt8) -> Bool) -> [UInt8] {
    skipBlanksAndComments()
    return run(while: fits)
  }

  /// Returns the next word of characters of a kind, or the content of a quoted string, behind blanks and comments.
  mutating func value(while fits: (UInt8) -> Bool) -> [UInt8]? {
    skipBlanksAndComments()
    if current == UInt8(ascii: "\"") { return quotedString() }
    let word = run(while: fits)
    return word.isEmpty ? nil : word
  }

  mutating func run(while fits: (UInt8) -> Bool) -> [UInt8] {
    let start = position
    while let byte = current, fits(byte) { position += 1 }
    return Array(bytes[start..<position])
  }

  mutating func quotedString() -> [UInt8]? {
    let start = position
    guard take("\"") else { return nil }
    var content: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return content
      case UInt8(ascii: "\\"):
        guard let escaped = current else { break }
        position += 1
        content.append(escaped)
      default: content.append(byte)
      }
    }
    position = start
    return nil
  }

  /// RFC 5322 §3.2.3.
  static func isAtomText(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // ! # $ % & ' * + - / = ? ^ _ ` { | } ~
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2F, 0x3D, 0x3F, 0x5E...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// RFC 2045 §5.1.
  static func isTokenText(_ byte: UInt8) -> Bool {
    switch byte {
    // " ( ) , / : ; < = > ? @ [ \\ ]
    case 0x22, 0x28, 0x29, 0x2C, 0x2F, 0x3A...0x40, 0x5B...0x5D: false
    default: byte > 0x20 && byte < 0x7F
    }
  }
}

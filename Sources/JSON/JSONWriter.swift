extension JSON {
  /// Returns the value as one line of JSON with sorted keys and no blanks (RFC 8259).
  package func text() -> String { String(decoding: bytes(), as: UTF8.self) }

  /// Returns the UTF-8 bytes of `text()`.
  package func bytes() -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(256)
    write(to: &out)
    return out
  }

  /// Appends the value to a buffer, as `text()` writes it.
  package func write(to out: inout [UInt8]) {
    switch self {
    case .null: out.append(contentsOf: "null".utf8)
    case .bool(let value): out.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): out.append(contentsOf: String(value).utf8)
    case .number(let value):
      // JSON has no infinities; the parser refuses them, so none should come this far.
      out.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let value): JSON.writeString(value, to: &out)
    case .array(let elements):
      out.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        element.write(to: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .object(let object):
      out.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        JSON.writeString(member.key, to: &out)
        out.append(UInt8(ascii: ":"))
        member.value.write(to: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// Returns JSON text in which what could control a terminal, or change the direction of writing, is
  /// escaped: `\u009b`.
  ///
  /// This is for JSON that is printed, which means the same afterwards. What is stored and hashed keeps its
  /// bytes. The controls U+0080 to U+009F (ISO 6429), the line separators, and the controls of direction
  /// (Unicode UAX #9, 2) are escaped.
  package static func escapingControls(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.reduce(0, |) >= 0x80 else { return bytes }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + 16)
    var rest = bytes[...]
    // The first bytes in UTF-8 of all characters to be escaped.
    while let start = rest.firstIndex(where: { $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }) {
      out.append(contentsOf: rest[..<start])
      let length = rest[start] == 0xE2 ? 3 : 2
      let sequence = rest[start...].prefix(length)
      let lead = UInt32(sequence.first ?? 0) & (length == 3 ? 0x0F : 0x1F)
      switch sequence.dropFirst().reduce(lead, { $0 << 6 | UInt32($1 & 0x3F) }) {
      case let code where sequence.count == length && drivesTerminal(code): writeEscape(code, to: &out)
      default: out.append(contentsOf: sequence)
      }
      rest = rest.dropFirst(start - rest.startIndex + sequence.count)
    }
    return out + rest
  }

  private static func drivesTerminal(_ code: UInt32) -> Bool {
    switch code {
    case 0x80...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func writeEscape(_ code: UInt32, to out: inout [UInt8]) {
    let digits = String(code, radix: 16)
    out += Array(("\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits).utf8)
  }

  /// Appends a string with its quotes; only what RFC 8259 §7 demands, and DEL, is escaped.
  package static func writeString(_ string: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    defer { out.append(UInt8(ascii: "\"")) }
    let isPlain = string.utf8.allSatisfy {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != 0x7F
    }
    if isPlain { return out.append(contentsOf: string.utf8) }
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): out.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case UInt8(ascii: "\\"): out.append(contentsOf: [byte, byte])
      case 0x0A: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
      case 0x0D: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
      case 0x09: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
      case 0..<0x20, 0x7F:
        // DEL needs no escape, but a terminal that shows the JSON should not obey it.
        writeEscape(UInt32(byte), to: &out)
      default: out.append(byte)
      }
    }
  }
}

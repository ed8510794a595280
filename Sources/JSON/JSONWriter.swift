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
    case .null: out.append(contentsOf: Array("null".utf8))
    case .bool(let value): out.append(contentsOf: Array((value ? "true" : "false").utf8))
    case .integer(let value): out.append(contentsOf: Array(String(value).utf8))
    case .number(let value):
      // JSON has no infinities; the parser refuses them, so none should come this far.
      out.append(contentsOf: Array((value.isFinite ? "\(value)" : "null").utf8))
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

  /// Appends a string with its quotes; only what RFC 8259 §7 demands is escaped.
  package static func writeString(_ string: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): out.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case UInt8(ascii: "\\"): out.append(contentsOf: [byte, byte])
      case 0x0A: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
      case 0x0D: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
      case 0x09: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
      case 0..<0x20, 0x7F:
        // DEL needs no escape, but a terminal that shows the JSON should not obey it.
        let digits = Array("0123456789abcdef".utf8)
        out.append(contentsOf: Array("\\u00".utf8))
        out.append(digits[Int(byte >> 4)])
        out.append(digits[Int(byte & 0xF)])
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }
}

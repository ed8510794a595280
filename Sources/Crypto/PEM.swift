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

import ReleaseModel

/// An address with the name that may stand before it (RFC 5322 §3.4).
package struct Mailbox: Sendable, Equatable {
  /// The display name, with quotes and escapes undone; shown to people, never trusted.
  package let name: String
  /// The address that mail goes to, the only part that is trusted.
  package let address: MailAddress
  /// Whether there was nothing around the address.
  package let isBare: Bool

  /// Reads the value of From or To: one or more mailboxes separated by commas.
  ///
  /// - Throws: `AddressFault`. Groups, source routes and empty entries between commas are refused.
  package static func list(_ value: [UInt8]) throws(AddressFault) -> [Mailbox] {
    var scanner = HeaderScanner(value)
    var mailboxes: [Mailbox] = []
    guard scanner.skipBlanksAndComments() else { throw .malformed }
    guard !scanner.isAtEnd else { throw .empty }
    while true {
      mailboxes.append(try mailbox(&scanner))
      guard scanner.skipBlanksAndComments() else { throw .malformed }
      if scanner.isAtEnd { return mailboxes }
      if scanner.current == UInt8(ascii: ":") || scanner.current == UInt8(ascii: ";") { throw .group }
      guard scanner.take(",") else { throw .malformed }
    }
  }

  private static func mailbox(_ scanner: inout HeaderScanner) throws(AddressFault) -> Mailbox {
    let before = scanner.position
    guard scanner.skipBlanksAndComments() else { throw .malformed }
    // Only `<` or `@` shows whether this is a name or an address, so read it as a name first.
    var ahead = scanner
    var words: [String] = []
    while true {
      guard ahead.skipBlanksAndComments() else { throw .malformed }
      if ahead.current == UInt8(ascii: "\"") {
        guard let word = ahead.quotedString() else { throw .malformed }
        words.append(String(decoding: word, as: UTF8.self))
      } else {
        // RFC 6532 allows other letters in names; a dot is obsolete syntax that everybody still writes.
        let word = ahead.run { HeaderScanner.isAtomText($0) || $0 >= 0x80 || $0 == UInt8(ascii: ".") }
        guard !word.isEmpty else { break }
        words.append(String(decoding: word, as: UTF8.self))
      }
    }
    switch ahead.current {
    case UInt8(ascii: "<"):
      scanner = ahead
      _ = scanner.take("<")
      let address = try addressSpec(&scanner)
      guard scanner.take(">") else { throw scanner.current.map(faultInAddress) ?? .malformed }
      return Mailbox(name: words.joined(separator: " "), address: address, isBare: false)
    case UInt8(ascii: ":"): throw .group
    default:
      let start = scanner.position
      let address = try addressSpec(&scanner)
      return Mailbox(name: "", address: address, isBare: start == 0 && before == 0 && scanner.isAtEnd)
    }
  }

  private static func addressSpec(_ scanner: inout HeaderScanner) throws(AddressFault) -> MailAddress {
    var local: String
    if scanner.current == UInt8(ascii: "\"") {
      guard let content = scanner.quotedString() else { throw .malformed }
      guard content.allSatisfy({ $0 < 0x80 }) else { throw .notASCII }
      guard content.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { throw .malformed }
      // Rewritten rather than copied: only what needs its backslash keeps it.
      local = "\""
      for byte in content {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { local += "\\" }
        local.unicodeScalars.append(Unicode.Scalar(byte))
      }
      local += "\""
    } else {
      local = try dotAtom(&scanner)
    }
    guard !local.holds("=?") else { throw .encodedWordInAddress }
    guard scanner.take("@") else { throw scanner.current.map(faultInAddress) ?? .malformed }
    let domain = try dotAtom(&scanner)
    guard !domain.holds("=?") else { throw .encodedWordInAddress }
    return MailAddress(local: local, domain: domain)
  }

  private static func dotAtom(_ scanner: inout HeaderScanner) throws(AddressFault) -> String {
    let bytes = scanner.run { HeaderScanner.isAtomText($0) || $0 == UInt8(ascii: ".") }
    guard !bytes.isEmpty else { throw scanner.current.map(faultInAddress) ?? .malformed }
    guard
      bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
    else { throw .malformed }
    if let next = scanner.current, next >= 0x80 { throw .notASCII }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func faultInAddress(_ byte: UInt8) -> AddressFault {
    switch byte {
    case 0x80...: .notASCII
    case UInt8(ascii: "("), 0x20, 0x09: .commentInAddress
    case UInt8(ascii: "["): .domainLiteral
    default: .malformed
    }
  }
}

import ReleaseModel

/// An address with the name that may stand before it (RFC 5322 §3.4).
package struct Mailbox: Sendable, Equatable {
  /// The name that may stand before it proves nothing.
  package let address: MailAddress
  /// Whether there was nothing around the address.
  package let isBare: Bool

  /// Reads the value of From or To: one or more mailboxes separated by commas; nil for anything else.
  ///
  /// Groups, source routes and empty entries between commas are refused.
  package static func list(_ value: [UInt8]) -> [Mailbox]? {
    var scanner = HeaderScanner(value)
    var mailboxes: [Mailbox] = []
    while true {
      guard let mailbox = mailbox(&scanner), scanner.skipBlanksAndComments() else { return nil }
      mailboxes.append(mailbox)
      if scanner.isAtEnd { return mailboxes }
      guard scanner.take(",") else { return nil }
    }
  }

  private static func mailbox(_ scanner: inout HeaderScanner) -> Mailbox? {
    let before = scanner.position
    guard scanner.skipBlanksAndComments() else { return nil }
    // Only `<` or `@` shows whether this is a name or an address, so read it as a name first.
    var ahead = scanner
    while true {
      guard ahead.skipBlanksAndComments() else { return nil }
      if ahead.current == UInt8(ascii: "\"") {
        guard ahead.quotedString() != nil else { return nil }
      } else {
        // RFC 6532 allows other letters in names; a dot is obsolete syntax that everybody still writes.
        let word = ahead.run { HeaderScanner.isAtomText($0) || $0 >= 0x80 || $0 == UInt8(ascii: ".") }
        guard !word.isEmpty else { break }
      }
    }
    if ahead.take("<") {
      scanner = ahead
      guard let address = addressSpec(&scanner), scanner.take(">") else { return nil }
      return Mailbox(address: address, isBare: false)
    }
    let start = scanner.position
    guard let address = addressSpec(&scanner) else { return nil }
    return Mailbox(address: address, isBare: start == 0 && before == 0 && scanner.isAtEnd)
  }

  private static func addressSpec(_ scanner: inout HeaderScanner) -> MailAddress? {
    var local: String
    if scanner.current == UInt8(ascii: "\"") {
      guard let content = scanner.quotedString() else { return nil }
      guard content.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
      // Rewritten rather than copied: only what needs its backslash keeps it.
      local = "\""
      for byte in content {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { local += "\\" }
        local.unicodeScalars.append(Unicode.Scalar(byte))
      }
      local += "\""
    } else {
      guard let atom = dotAtom(&scanner) else { return nil }
      local = atom
    }
    // Some programs decode encoded words even here, where RFC 2047 §5 forbids them.
    guard !local.holds("=?"), scanner.take("@"), let domain = dotAtom(&scanner), !domain.holds("=?")
    else { return nil }
    return MailAddress(local: local, domain: domain)
  }

  private static func dotAtom(_ scanner: inout HeaderScanner) -> String? {
    let bytes = scanner.run { HeaderScanner.isAtomText($0) || $0 == UInt8(ascii: ".") }
    guard
      bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
    else { return nil }
    if let next = scanner.current, next >= 0x80 { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

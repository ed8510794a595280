/// An address of the form local part, at sign, domain (RFC 5322 §3.4.1).
package struct MailAddress: Sendable, Hashable {
  /// The local part as it was written, quotes included: only its owner knows which spellings mean the same.
  package let local: String
  /// The domain in lower case.
  package let domain: String

  /// The address as it is written.
  package var text: String { "\(local)@\(domain)" }

  init(local: String, domain: String) {
    self.local = local
    self.domain = lowercased(domain)
  }

  /// Reads a bare address: no name, no blanks, no comments; nil for anything else.
  package init?(_ text: String) {
    guard let mailboxes = try? Mailbox.list(Array(text.utf8)), mailboxes.count == 1,
      mailboxes[0].isBare, mailboxes[0].address.text.utf8.count == text.utf8.count
    else { return nil }
    self = mailboxes[0].address
  }
}

/// Why a list of addresses cannot be read.
package enum AddressFault: String, Error, Sendable, Equatable, CaseIterable {
  /// No address at all.
  case empty
  /// A named group, which is not an address (RFC 5322 §3.4).
  case group
  /// A comment or blank inside an address, which programs read differently.
  case commentInAddress = "comment-in-address"
  /// An encoded word inside an address (forbidden by RFC 2047 §5), which some programs decode.
  case encodedWordInAddress = "encoded-word-in-address"
  /// Bytes in an address that are not ASCII.
  case notASCII = "not-ascii"
  /// A domain in brackets, such as `[192.0.2.1]`.
  case domainLiteral = "domain-literal"
  /// Anything else that does not follow RFC 5322 §3.4, including its obsolete forms.
  case malformed
}

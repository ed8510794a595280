/// An address of the form local part, at sign, domain (RFC 5322 §3.4.1).
package struct MailAddress: Sendable, Hashable {
  /// As it was written, quotes included: only its owner knows which spellings mean the same.
  package let local: String
  /// In lower case.
  package let domain: String

  package var text: String { "\(local)@\(domain)" }

  init(local: String, domain: String) {
    self.local = local
    self.domain = lowercased(domain)
  }

  /// Reads a bare address: no name, no blanks, no comments; nil for anything else.
  package init?(_ text: String) {
    guard let mailboxes = Mailbox.list(Array(text.utf8)), mailboxes.count == 1,
      mailboxes[0].isBare, mailboxes[0].address.text.utf8.count == text.utf8.count
    else { return nil }
    self = mailboxes[0].address
  }
}

/// What a mail says to its reader: one plain text, one HTML text, or both.
package struct MailText: Sendable, Equatable {
  package let plain: String?
  package let html: String?
  /// Apple's servers mail invitations that anybody wrote.
  package let hasCalendar: Bool

  package init(_ message: RawMessage) throws(MIMEFault) {
    var plain: String?
    var html: String?
    var hasCalendar = false
    for part in try MIMEPart.parts(of: message) {
      if part.type.name == "text/calendar" { hasCalendar = true }
      guard !part.isAttachment, part.type.name == "text/plain" || part.type.name == "text/html" else {
        continue
      }
      guard let charset = Charset(name: part.type.charset) else { throw .unknownCharset }
      let text = charset.decode(part.content)
      if part.type.name == "text/html" {
        guard html == nil else { throw .severalTexts }
        html = text
      } else {
        guard plain == nil else { throw .severalTexts }
        plain = text
      }
    }
    guard plain != nil || html != nil || hasCalendar else { throw .noText }
    self.plain = plain
    self.html = html
    self.hasCalendar = hasCalendar
  }
}

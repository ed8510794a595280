import ReleaseModel

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
      guard let (text, isHTML) = part.text else { continue }
      guard Charset(name: part.type.charset) != nil else { throw .unknownCharset }
      if isHTML {
        guard html == nil else { throw .severalTexts }
        html = text
      } else {
        guard plain == nil else { throw .severalTexts }
        plain = text
      }
    }
    guard plain != nil || html != nil || hasCalendar else { throw .noText }
    (self.plain, self.html, self.hasCalendar) = (plain, html, hasCalendar)
  }
}

/// A mail as a person reads it, with nothing trusted: fields decoded, the text without its encoding.
package struct ReadableMail: Sendable, Equatable {
  package let from: String?
  package let to: String?
  /// As the mail writes it.
  package let date: String?
  package let subject: String?
  /// The plain text, else the lines of the HTML text.
  package let text: String
  /// The guidelines that a rejection names, in the words of the letter.
  package let guidelines: [String]

  private static let most = 20

  /// Reads a mail, however broken its parts are; nil for bytes without a header.
  package init?(_ bytes: [UInt8]) {
    guard let message = try? RawMessage(bytes) else { return nil }
    let header = message.header
    (from, to) = (header.text("from"), header.text("to"))
    (date, subject) = (header.text("date"), header.text("subject"))
    let text = ReadableMail.text(of: message)
    self.text = text
    guidelines = ReadableMail.guidelines(in: textLines(text))
  }

  private static func text(of message: RawMessage) -> String {
    guard let parts = try? MIMEPart.parts(of: message) else {
      return String(decoding: message.body, as: UTF8.self)
    }
    let texts = parts.compactMap(\.text)
    if let plain = texts.first(where: { !$0.isHTML })?.text, !collapsed(plain).isEmpty {
      return withoutTags(plain)
    }
    return texts.first(where: \.isHTML).map { HTMLText($0.text).lines.joined(separator: "\n") } ?? ""
  }

  /// A plain text in which lines that are really HTML are read as HTML: App Review writes its messages this
  /// way.
  private static func withoutTags(_ text: String) -> String {
    guard text.holds("<br") else { return text }
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      line.holds("<br") ? HTMLText(String(line)).lines.joined(separator: "\n") : String(line)
    }.joined(separator: "\n")
  }

  /// `Guideline 2.1 - Performance`, or, before 2020, `2.1 Performance: Completeness`.
  private static func guidelines(in lines: [String]) -> [String] {
    var found: [String] = []
    for line in lines where found.count < most {
      let line = straightened(line)
      var words = Wording(line)
      let isNamed = words.takePrefix("Guideline ")
      let number = words.text.utf8.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
      guard number.contains(UInt8(ascii: ".")), number.first.map(isDigit) == true, line.utf8.count <= 200,
        isNamed || (words.text.holds(": ") && words.text.utf8.dropFirst(number.count).first == 0x20),
        !found.contains(line)
      else { continue }
      found.append(line)
    }
    return found
  }
}

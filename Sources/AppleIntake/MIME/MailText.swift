import ReleaseModel

/// What a mail says to its reader: one plain text, one HTML text, or both.
package struct MailText: Sendable, Equatable {
  package let plain: String?
  package let html: String?
  /// Apple's servers mail invitations that anyone wrote.
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

  /// Reads a mail, however broken its parts are; nil for bytes without a header.
  package init?(_ bytes: [UInt8]) {
    guard let message = try? RawMessage(bytes) else { return nil }
    let header = message.header
    (from, to) = (header.text("from"), header.text("to"))
    (date, subject) = (header.text("date"), header.text("subject"))
    text = ReadableMail.text(of: message)
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
}

/// A character encoding that Apple's mails use.
package enum Charset: Sendable, Equatable {
  case ascii
  case utf8
  case latin1
  case windows1252
  case iso2022JP

  /// By a name of the IANA registry, in any case; nil for one that is not supported.
  package init?(name: String) {
    switch lowercased(name) {
    case "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us": self = .ascii
    case "utf-8", "utf8": self = .utf8
    case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1": self = .latin1
    case "windows-1252", "cp1252": self = .windows1252
    case "iso-2022-jp": self = .iso2022JP
    default: return nil
    }
  }

  /// Bytes that it does not define become U+FFFD. Text labelled ASCII is read as UTF-8: the two agree
  /// if the label is right, and senders that forget it write UTF-8.
  package func decode(_ bytes: some Collection<UInt8>) -> String {
    switch self {
    case .ascii, .utf8: String(decoding: bytes, as: UTF8.self)
    case .latin1: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    case .windows1252: String(String.UnicodeScalarView(bytes.map(Charset.windows1252Scalar)))
    case .iso2022JP: Charset.decodeISO2022JP(bytes)
    }
  }

  /// The characters from 0x80 to 0x9F (unicode.org, CP1252.TXT); 0 if it stands for nothing.
  private static let windows1252Upper: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
    0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0, 0x017E, 0x0178,
  ]

  private static func windows1252Scalar(_ byte: UInt8) -> Unicode.Scalar {
    guard (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
    let code = windows1252Upper[Int(byte - 0x80)]
    return code == 0 ? "\u{FFFD}" : Unicode.Scalar(code) ?? "\u{FFFD}"
  }

  /// Reads ISO-2022-JP (RFC 1468): its ASCII, and the quotes and dashes of Apple's letters; anything else
  /// becomes U+FFFD.
  ///
  /// Apple's mailer picks this charset for English text with one curly apostrophe, so a table of six thousand
  /// characters would not help to match anything.
  private static func decodeISO2022JP(_ bytes: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    var isDouble = false
    var isKnown = true
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      if byte == 0x1B {
        // Bytes 0x20 to 0x2F begin the sequence, and another ends it (ECMA-35).
        let start = rest.prefix { (0x20...0x2F).contains($0) }
        rest = rest.dropFirst(start.count)
        let end = rest.popFirst()
        isDouble = start.first == UInt8(ascii: "$")
        isKnown = isDouble || end == UInt8(ascii: "B") || end == UInt8(ascii: "J")
      } else if byte == 0x0A || byte == 0x0D {
        // RFC 1468: every line starts in ASCII again.
        (isDouble, isKnown) = (false, true)
        text.append(Unicode.Scalar(byte))
      } else if isDouble, let trail = rest.first, trail > 0x20 {
        rest = rest.dropFirst()
        text.append(byte == 0x21 ? punctuation[trail] ?? "\u{FFFD}" : "\u{FFFD}")
      } else {
        text.append(byte < 0x80 && isKnown && !isDouble ? Unicode.Scalar(byte) : "\u{FFFD}")
      }
    }
    return String(text)
  }

  /// The few characters of JIS X 0208 row 1 that occur in English text, by their second byte.
  private static let punctuation: [UInt8: Unicode.Scalar] = [
    0x21: " ", 0x3D: "\u{2014}", 0x44: "\u{2026}", 0x46: "\u{2018}", 0x47: "\u{2019}", 0x48: "\u{201C}",
    0x49: "\u{201D}",
  ]
}

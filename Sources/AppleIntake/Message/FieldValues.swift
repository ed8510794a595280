import Crypto
package import ReleaseModel

/// An address of the form local part, at sign, domain (RFC 5322 §3.4.1).
package struct MailAddress: Sendable, Hashable {
  /// As it was written: only its owner knows which spellings mean the same. None is quoted, since Apple writes none.
  package let local: String
  /// In lower case.
  package let domain: String

  package var text: String { "\(local)@\(domain)" }

  private init(local: String, domain: String) {
    self.local = local
    self.domain = lowercased(domain)
  }

  /// Reads a bare address: no name, no blanks, no comments; nil for anything else.
  package init?(_ text: String) {
    // With anything around it, the text would be longer.
    guard let list = MailAddress.list(Array(text.utf8)), list.count == 1,
      list[0].text.utf8.count == text.utf8.count
    else { return nil }
    self = list[0]
  }

  /// Reads the value of From or To, one or more addresses separated by commas; nil for anything else.
  ///
  /// A name that stands before an address proves nothing, and is left out (RFC 5322 §3.4). Groups, source routes and
  /// empty entries between commas are refused.
  package static func list(_ value: [UInt8]) -> [MailAddress]? {
    var scanner = HeaderScanner(value)
    var addresses: [MailAddress] = []
    repeat {
      guard let address = mailbox(&scanner) else { return nil }
      addresses.append(address)
    } while scanner.takeNext(",")
    return scanner.isAtEnd ? addresses : nil
  }

  private static func mailbox(_ scanner: inout HeaderScanner) -> MailAddress? {
    scanner.skipBlanksAndComments()
    // Only `<` or `@` shows whether this is a name or an address, so read it as a name first.
    var ahead = scanner
    while true {
      ahead.skipBlanksAndComments()
      if ahead.current == UInt8(ascii: "\"") {
        guard ahead.quotedString() != nil else { return nil }
      } else {
        // RFC 6532 allows other letters in names; a dot is obsolete syntax that everyone still writes.
        let word = ahead.run { HeaderScanner.isAtomText($0) || $0 >= 0x80 || $0 == UInt8(ascii: ".") }
        guard !word.isEmpty else { break }
      }
    }
    guard ahead.take("<") else { return addressSpec(&scanner) }
    scanner = ahead
    guard let address = addressSpec(&scanner), scanner.take(">") else { return nil }
    return address
  }

  private static func addressSpec(_ scanner: inout HeaderScanner) -> MailAddress? {
    // Some programs decode encoded words even here, where RFC 2047 §5 forbids them.
    guard let local = dotAtom(&scanner), !local.holds("=?"), scanner.take("@"),
      let domain = dotAtom(&scanner), !domain.holds("=?")
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

/// The Message-ID field of a mail (RFC 5322 §3.6.4).
package enum MessageID {
  /// Returns what is between the angle brackets, by which the ledger looks mails up; nil if that is not
  /// printable ASCII with one at sign and at most 998 bytes.
  package static func read(_ value: [UInt8]) -> String? {
    var scanner = HeaderScanner(value)
    guard scanner.takeNext("<") else { return nil }
    let id = scanner.run { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    guard scanner.take(">"), scanner.ends(), id.count <= 998 else { return nil }
    let sides = id.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty }) else { return nil }
    return String(decoding: id, as: UTF8.self)
  }
}

/// The Date field of a mail (RFC 5322 §3.3).
package enum MailDate {
  /// The day of the week is read but not checked. Of the names of zones, only those of UTC are known.
  package static func read(_ value: [UInt8]) -> Timestamp? {
    var scanner = HeaderScanner(value)
    scanner.skipBlanksAndComments()
    if let first = scanner.current, !isDigit(first) {
      let name = lowercased(scanner.run(while: HeaderScanner.isAtomText))
      guard weekdays.contains(name), scanner.takeNext(",") else { return nil }
    }
    guard let day = digits(&scanner, 1...2),
      let month = months.firstIndex(
        of: lowercased(scanner.word { HeaderScanner.isAtomText($0) && !isDigit($0) })),
      let year = digits(&scanner, 4...4), let hour = digits(&scanner, 2...2), scanner.takeNext(":"),
      let minute = digits(&scanner, 2...2),
      let second = scanner.takeNext(":") ? digits(&scanner, 2...2) : "00",
      let zone = zone(&scanner), scanner.ends()
    else { return nil }
    // The calendar is `Timestamp`'s, which refuses days that a month does not have.
    let (monthDigits, dayDigits) = ("0\(month + 1)".suffix(2), "0\(day)".suffix(2))
    return try? Timestamp("\(year)-\(monthDigits)-\(dayDigits)T\(hour):\(minute):\(second)\(zone)")
  }

  private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func digits(_ scanner: inout HeaderScanner, _ width: ClosedRange<Int>) -> String? {
    let digits = scanner.word(while: isDigit)
    return width.contains(digits.count) ? String(decoding: digits, as: UTF8.self) : nil
  }

  /// As RFC 3339 writes it.
  private static func zone(_ scanner: inout HeaderScanner) -> String? {
    scanner.skipBlanksAndComments()
    let isWest = scanner.current == UInt8(ascii: "-")
    if scanner.take("+") || scanner.take("-") {
      let digits = scanner.run(while: isDigit)
      guard digits.count == 4 else { return nil }
      let text = String(decoding: digits, as: UTF8.self)
      return "\(isWest ? "-" : "+")\(text.prefix(2)):\(text.suffix(2))"
    }
    return ["ut", "gmt", "utc", "z"].contains(lowercased(scanner.run(while: HeaderScanner.isAtomText)))
      ? "Z" : nil
  }
}

/// Encoded words in unstructured header fields (RFC 2047).
package enum EncodedWords {
  /// Blanks between two adjacent encoded words vanish (§6.2), and adjacent words with the same charset and
  /// encoding are decoded together, since many senders cut a character in two. Anything that is not a
  /// well-formed encoded word in a known charset stays unchanged; other bytes are read as UTF-8.
  package static func decode(_ value: [UInt8]) -> String {
    var rest = trimmed(value[...])
    var text = ""
    var pending: Word?
    var blanks: ArraySlice<UInt8> = []
    while let first = rest.first {
      let run = rest.prefix { isBlank($0) == isBlank(first) }
      rest = rest.dropFirst(run.count)
      if isBlank(first) {
        blanks = run
        continue
      }
      if let word = Word(run) {
        if let before = pending, before.charset == word.charset, before.isQ == word.isQ {
          pending?.bytes += word.bytes
        } else {
          if let pending { text += pending.text } else { text += plain(blanks) }
          pending = word
        }
      } else {
        if let pending { text += pending.text }
        pending = nil
        text += plain(blanks) + plain(run)
      }
      blanks = []
    }
    if let pending { text += pending.text }
    return text
  }

  private static func plain(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private struct Word {
    let charset: Charset
    let isQ: Bool
    var bytes: [UInt8]

    var text: String { charset.decode(bytes) }

    /// Reads `=?charset?Q?text?=` or its B form, with the language RFC 2231 §5 allows after the charset.
    init?(_ run: ArraySlice<UInt8>) {
      guard run.count > 6, run.starts(with: Array("=?".utf8)), run.suffix(2).elementsEqual(Array("?=".utf8))
      else {
        return nil
      }
      let parts = run.dropFirst(2).dropLast(2).split(
        separator: UInt8(ascii: "?"), maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      let name = parts[0].prefix { $0 != UInt8(ascii: "*") }
      guard let charset = Charset(name: String(decoding: name, as: UTF8.self)) else { return nil }
      let code = lowercased(parts[1])
      guard ["q", "b"].contains(code),
        let bytes = code == "q" ? Word.unquoted(parts[2]) : Base64.decode(parts[2])
      else { return nil }
      (self.charset, isQ, self.bytes) = (charset, code == "q", bytes)
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> [UInt8]? {
      let bytes = unescaped(text.map { $0 == UInt8(ascii: "_") ? 0x20 : $0 }[...], "=")
      // Each escape that is one has become two bytes shorter.
      return text.count - bytes.count == 2 * text.count { $0 == UInt8(ascii: "=") } ? bytes : nil
    }
  }
}

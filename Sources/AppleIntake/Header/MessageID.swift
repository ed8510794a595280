/// The Message-ID field of a mail (RFC 5322 §3.6.4).
package enum MessageID {
  /// Returns what is between the angle brackets, by which the ledger looks mails up; nil if that is not
  /// printable ASCII with one at sign and at most 998 bytes.
  package static func read(_ value: [UInt8]) -> String? {
    var scanner = HeaderScanner(value)
    guard scanner.skipBlanksAndComments(), scanner.take("<") else { return nil }
    let id = scanner.run { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    guard scanner.take(">"), scanner.skipBlanksAndComments(), scanner.isAtEnd, id.count <= 998 else {
      return nil
    }
    let sides = id.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty }) else { return nil }
    return String(decoding: id, as: UTF8.self)
  }
}

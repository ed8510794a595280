package import ReleaseModel

/// The Date field of a mail (RFC 5322 §3.3, with the obsolete years and zones of §4.3).
package enum MailDate {
  /// The day of the week is read but not checked. Named zones are those of RFC 5322 §4.3; a military letter
  /// counts as UTC, as it says there, and any other name is refused rather than guessed.
  package static func read(_ value: [UInt8]) -> Timestamp? {
    var scanner = HeaderScanner(value)
    guard scanner.skipBlanksAndComments() else { return nil }
    if let first = scanner.current, !isDigit(first) {
      let name = lowercased(scanner.run(while: HeaderScanner.isAtomText))
      guard weekdays.contains(name), scanner.skipBlanksAndComments(), scanner.take(",") else { return nil }
    }
    guard scanner.skipBlanksAndComments(), let day = number(&scanner, 1...2), scanner.skipBlanksAndComments(),
      let month = months.firstIndex(
        of: lowercased(scanner.run { HeaderScanner.isAtomText($0) && !isDigit($0) })),
      scanner.skipBlanksAndComments(), let year = year(&scanner),
      scanner.skipBlanksAndComments(), let hour = number(&scanner, 2...2),
      scanner.skipBlanksAndComments(), scanner.take(":"),
      scanner.skipBlanksAndComments(), let minute = number(&scanner, 2...2), scanner.skipBlanksAndComments()
    else { return nil }
    var second = 0
    if scanner.take(":") {
      guard scanner.skipBlanksAndComments(), let value = number(&scanner, 2...2),
        scanner.skipBlanksAndComments()
      else { return nil }
      second = value
    }
    guard let zone = zone(&scanner), scanner.skipBlanksAndComments(), scanner.isAtEnd else { return nil }
    // The calendar is `Timestamp`'s, which refuses days that a month does not have.
    let date = "\(padded(year, 4))-\(padded(month + 1, 2))-\(padded(day, 2))"
    let time = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    return try? Timestamp("\(date)T\(time)\(zone)")
  }

  private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func number(_ scanner: inout HeaderScanner, _ width: ClosedRange<Int>) -> Int? {
    let digits = scanner.run(while: isDigit)
    guard width.contains(digits.count) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func year(_ scanner: inout HeaderScanner) -> Int? {
    let start = scanner.position
    guard let year = number(&scanner, 2...4) else { return nil }
    switch scanner.position - start {
    case 2: return year < 50 ? 2000 + year : 1900 + year
    case 3: return 1900 + year
    default: return year
    }
  }

  /// As RFC 3339 writes it.
  private static func zone(_ scanner: inout HeaderScanner) -> String? {
    let isWest = scanner.current == UInt8(ascii: "-")
    if scanner.take("+") || scanner.take("-") {
      let digits = scanner.run(while: isDigit)
      guard digits.count == 4 else { return nil }
      let text = String(decoding: digits, as: UTF8.self)
      return "\(isWest ? "-" : "+")\(text.prefix(2)):\(text.suffix(2))"
    }
    let name = lowercased(scanner.run { HeaderScanner.isAtomText($0) })
    switch name {
    case "ut", "gmt", "utc", "z": return "Z"
    case "est", "cdt": return "-05:00"
    case "edt": return "-04:00"
    case "cst", "mdt": return "-06:00"
    case "mst", "pdt": return "-07:00"
    case "pst": return "-08:00"
    default: return name.utf8.count == 1 && name != "j" && ("a"..."z").contains(name) ? "Z" : nil
    }
  }
}

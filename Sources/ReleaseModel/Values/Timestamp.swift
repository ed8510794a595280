/// A moment, in whole seconds since 1970-01-01T00:00:00Z, without leap seconds.
package struct Timestamp: Sendable, Hashable, Comparable {
  package let seconds: Int64

  /// Makes a moment from Unix time, clamped to the years 1 to 9999 that RFC 3339 can write.
  package init(seconds: Int64) {
    self.seconds = min(max(seconds, Timestamp.earliest), Timestamp.latest)
  }

  /// A moment before any that anyone records: the first one that RFC 3339 can write.
  package static let distantPast = Timestamp(seconds: earliest)

  private static let earliest: Int64 = -62_135_596_800
  private static let latest: Int64 = 253_402_300_799

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }

  /// The moment a span later.
  package static func + (moment: Timestamp, span: TimeSpan) -> Timestamp {
    Timestamp(seconds: moment.seconds + span.seconds)
  }

  /// The moment a span earlier.
  package static func - (moment: Timestamp, span: TimeSpan) -> Timestamp {
    Timestamp(seconds: moment.seconds - span.seconds)
  }

  /// The span from an earlier moment to a later one; zero if they come the other way round.
  package static func - (later: Timestamp, earlier: Timestamp) -> TimeSpan {
    TimeSpan(seconds: later.seconds - earlier.seconds)
  }
}

extension TextFault {
  package static let malformed = TextFault("not a time such as 2026-12-01T09:00:00Z")
  /// A date and time without `Z` or an offset.
  package static let noZone = TextFault("it has no time zone")
  /// A day, hour, minute or second that no calendar has.
  package static let noSuchTime = TextFault("there is no such day or hour")
}

extension Timestamp {
  /// Reads RFC 3339 §5.6: date, `T`, time, and a zone, which is mandatory. Fractions of a second are dropped.
  package init(_ text: String) throws(TextFault) {
    var text = text
    let result: Result<Timestamp, TextFault> = text.withUTF8 { bytes in
      Result { () throws(TextFault) in try Timestamp(bytes: bytes) }
    }
    self = try result.get()
  }

  package init(bytes: UnsafeBufferPointer<UInt8>) throws(TextFault) {
    var scan = Scanner(bytes)
    guard let year = scan.number(4), scan.take("-"), let month = scan.number(2), scan.take("-"),
      let day = scan.number(2)
    else { throw .malformed }
    guard scan.take("T") || scan.take("t") || scan.take(" ") else {
      throw scan.isAtEnd ? .noZone : .malformed
    }
    guard let hour = scan.number(2), scan.take(":"), let minute = scan.number(2) else { throw .malformed }
    guard scan.take(":"), let second = scan.number(2) else { throw .malformed }
    if scan.take(".") { guard scan.skipDigits() else { throw .malformed } }
    if scan.isAtEnd { throw .noZone }
    var offset: Int64 = 0
    if !(scan.take("Z") || scan.take("z")) {
      let isWest = scan.take("-")
      guard isWest || scan.take("+"), let hours = scan.number(2), scan.take(":"), let minutes = scan.number(2)
      else { throw .malformed }
      guard hours < 24, minutes < 60 else { throw .noSuchTime }
      offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
    }
    guard scan.isAtEnd else { throw .malformed }
    // Second 60 is a leap second (RFC 3339 §5.7); Unix time counts it as the next one.
    let days = Timestamp.day(of: (year, month, day))
    guard year >= 1, (1...12).contains(month), Timestamp.date(of: days) == (year, month, day),
      hour < 24, minute < 60, second <= 60
    else { throw .noSuchTime }
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    // An offset may lead outside the years that can be written.
    guard seconds >= Timestamp.earliest, seconds <= Timestamp.latest else { throw .noSuchTime }
    self.init(seconds: seconds)
  }

  /// The moment as RFC 3339 in UTC: `2026-12-01T09:00:00Z`.
  package var text: String {
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let rest = seconds - days * 86_400
    let (year, month, day) = Timestamp.date(of: days)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20)
    let parts =
      [
        (year, "-"), (month, "-"), (day, "T"), (rest / 3_600, ":"), (rest / 60 % 60, ":"), (rest % 60, "Z"),
      ] as [(Int64, Unicode.Scalar)]
    for (value, mark) in parts {
      for power in (bytes.isEmpty ? [1_000, 100, 10, 1] : [10, 1]) as [Int64] {
        bytes.append(UInt8(truncatingIfNeeded: 0x30 + value / power % 10))
      }
      bytes.append(UInt8(ascii: mark))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // As in Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that a leap day is the
  // last of its year.

  /// The number of a day, counted from 1970.
  private static func day(of date: (year: Int64, month: Int64, day: Int64)) -> Int64 {
    let year = date.month < 3 ? date.year - 1 : date.year
    let dayOfYear = (153 * ((date.month + 9) % 12) + 2) / 5 + date.day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private static func date(of day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - yearOfEra * 365 - yearOfEra / 4 + yearOfEra / 100
    let month = (5 * dayOfYear + 2) / 153
    return (
      era * 400 + yearOfEra + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
      position += 1
      return true
    }

    mutating func number(_ width: Int) -> Int64? {
      guard position + width <= bytes.count else { return nil }
      var value: Int64 = 0
      for place in position..<position + width {
        let byte = bytes[place]
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      position += width
      return value
    }

    mutating func skipDigits() -> Bool {
      let start = position
      while position < bytes.count, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
      return position > start
    }
  }
}

/// A length of time in whole seconds, never negative.
package struct TimeSpan: Sendable, Hashable, Comparable {
  package let seconds: Int64

  /// Makes a span; a negative value counts as 0, and anything beyond a century as a century.
  package init(seconds: Int64) { self.seconds = min(max(0, seconds), TimeSpan.longest) }

  private static let longest: Int64 = 100 * 366 * 86_400

  package static let zero = TimeSpan(seconds: 0)

  package static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.seconds < right.seconds }

  private static let units: [(Character, Int64)] = [
    ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800),
  ]

  /// Reads `90m`, `24h`, `7d`, also seconds `s` and weeks `w`, and a bare `0`; nil for anything else.
  package init?(_ text: String) {
    if text == "0" {
      self = .zero
      return
    }
    guard let last = text.last, let unit = TimeSpan.units.first(where: { $0.0 == last })?.1 else {
      return nil
    }
    let digits = text.utf8.dropLast()
    guard (1...9).contains(digits.count), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let count = Int64(String(text.dropLast()))
    else { return nil }
    let seconds = count * unit
    guard seconds <= TimeSpan.longest else { return nil }
    self.seconds = seconds
  }

  /// The span in the largest unit that divides it: `24h`, `7d`, `90m`, `0`; one day is written `24h`.
  package var text: String {
    if seconds == 0 { return "0" }
    if seconds % 86_400 == 0, seconds > 86_400 { return "\(seconds / 86_400)d" }
    if seconds % 3_600 == 0 { return "\(seconds / 3_600)h" }
    if seconds % 60 == 0 { return "\(seconds / 60)m" }
    return "\(seconds)s"
  }

  /// The span for people, in at most two units: `2d 4h`, `17m`.
  package var roundedText: String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
    if days > 0 { return hours > 0 ? "\(days)d \(hours)h" : "\(days)d" }
    if hours > 0 { return minutes > 0 ? "\(hours)h \(minutes)m" : "\(hours)h" }
    if minutes > 0 { return "\(minutes)m" }
    return "\(seconds)s"
  }
}

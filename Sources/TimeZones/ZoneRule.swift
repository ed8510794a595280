/// Local time by a rule that repeats every year, as in POSIX's `TZ` variable and at the end of a zone file:
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// See IEEE Std 1003.1-2017, chapter 8.3; times of a change from -167 to 167 hours come from RFC 8536 §3.3.1.
package struct ZoneRule: Sendable, Equatable {
  private let standard: LocalTime
  private let daylight: Daylight?

  private struct Daylight: Equatable {
    let local: LocalTime
    let start: YearDay
    let end: YearDay
  }

  /// Reads a rule; nil for anything else.
  package init?(_ text: [UInt8]) {
    var scan = RuleScan(text)
    guard let name = scan.name(), let offset = scan.time(hours: 24) else { return nil }
    // POSIX counts west of Greenwich as positive.
    standard = LocalTime(offset: -offset, isDaylight: false, abbreviation: name)
    if scan.isAtEnd {
      daylight = nil
      return
    }
    guard let name = scan.name() else { return nil }
    var offsetOfDaylight = 3_600 - offset
    if !scan.isNext(",") {
      guard let said = scan.time(hours: 24) else { return nil }
      offsetOfDaylight = -said
    }
    guard scan.take(","), let start = YearDay(&scan), scan.take(","), let end = YearDay(&scan), scan.isAtEnd
    else { return nil }
    daylight = Daylight(
      local: LocalTime(offset: offsetOfDaylight, isDaylight: true, abbreviation: name), start: start, end: end
    )
  }

  var offsets: [Int64] { [standard.offset] + (daylight.map { [$0.local.offset] } ?? []) }

  /// In seconds since 1970-01-01T00:00:00Z.
  package func local(at moment: Int64) -> LocalTime {
    guard let daylight, (ZoneRule.earliest...ZoneRule.latest).contains(moment) else { return standard }
    let year = Calendar.year(ofDay: Calendar.floor(moment, 86_400))
    var last: (moment: Int64, isDaylight: Bool)?
    // The time of a change may lie up to a week outside its year, so the neighbouring years count too.
    for year in year - 1...year + 1 {
      // If daylight time starts again at the moment it ends, it continues: this is how permanent daylight
      // time is written.
      for (change, isDaylight) in [
        (daylight.end.seconds(in: year) - daylight.local.offset, false),
        (daylight.start.seconds(in: year) - standard.offset, true),
      ] where change <= moment {
        if let found = last, change < found.moment { continue }
        if let found = last, change == found.moment, found.isDaylight { continue }
        last = (change, isDaylight)
      }
    }
    return last?.isDaylight == true ? daylight.local : standard
  }

  // The years 1 to 9999; no changes are worked out beyond them.
  private static let earliest: Int64 = -62_135_596_800
  private static let latest: Int64 = 253_402_300_799
}

private struct YearDay: Equatable {
  private enum Day: Equatable {
    /// The day counted from 1, leaving out 29 February.
    case withoutLeapDay(Int64)
    /// The day counted from 0, including 29 February.
    case withLeapDay(Int64)
    /// A day of the week, from 0 for Sunday, in a week of a month; the fifth week is the last.
    case weekday(month: Int64, week: Int64, day: Int64)
  }

  private let day: Day
  /// Seconds after midnight.
  private let time: Int64

  init?(_ scan: inout RuleScan) {
    if scan.take("J") {
      guard let day = scan.number(1...365) else { return nil }
      self.day = .withoutLeapDay(day)
    } else if scan.take("M") {
      guard let month = scan.number(1...12), scan.take("."), let week = scan.number(1...5), scan.take("."),
        let day = scan.number(0...6)
      else { return nil }
      self.day = .weekday(month: month, week: week, day: day)
    } else {
      guard let day = scan.number(0...365) else { return nil }
      self.day = .withLeapDay(day)
    }
    guard scan.take("/") else {
      time = 7_200
      return
    }
    guard let time = scan.time(hours: 167) else { return nil }
    self.time = time
  }

  /// Seconds since 1970 in local time.
  func seconds(in year: Int64) -> Int64 {
    let first = Calendar.day(year: year, month: 1)
    switch day {
    case .withoutLeapDay(let day):
      return (first + day - 1 + (day >= 60 && Calendar.isLeap(year) ? 1 : 0)) * 86_400 + time
    case .withLeapDay(let day): return (first + day) * 86_400 + time
    case .weekday(let month, let week, let day):
      let start = Calendar.day(year: year, month: month)
      let next =
        month == 12 ? Calendar.day(year: year + 1, month: 1) : Calendar.day(year: year, month: month + 1)
      // 1970-01-01 was a Thursday.
      let weekday = Calendar.remainder(start + 4, 7)
      var found = start + Calendar.remainder(day - weekday, 7) + (week - 1) * 7
      while found >= next { found -= 7 }
      return found * 86_400 + time
    }
  }
}

/// The Gregorian calendar, as far as rules need it.
private enum Calendar {
  static func isLeap(_ year: Int64) -> Bool {
    remainder(year, 4) == 0 && (remainder(year, 100) != 0 || remainder(year, 400) == 0)
  }

  /// Days from 1970-01-01 to the first of a month.
  static func day(year: Int64, month: Int64) -> Int64 {
    let past = year - 1
    var days = past * 365 + floor(past, 4) - floor(past, 100) + floor(past, 400) - 719_162
    let lengths: [Int64] = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for length in lengths.prefix(Int(month) - 1) { days += length }
    return days
  }

  static func year(ofDay day: Int64) -> Int64 {
    // 400 years have 146,097 days; the guess is off by at most a year.
    var year = 1970 + floor(day * 400, 146_097)
    while Calendar.day(year: year, month: 1) > day { year -= 1 }
    while Calendar.day(year: year + 1, month: 1) <= day { year += 1 }
    return year
  }

  static func floor(_ value: Int64, _ by: Int64) -> Int64 { (value - remainder(value, by)) / by }

  static func remainder(_ value: Int64, _ by: Int64) -> Int64 {
    let rest = value % by
    return rest < 0 ? rest + by : rest
  }
}

private struct RuleScan {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  func isNext(_ character: Unicode.Scalar) -> Bool {
    position < bytes.count && UInt32(bytes[position]) == character.value
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard isNext(character) else { return false }
    position += 1
    return true
  }

  /// Three or more letters, or letters, digits and signs between angle brackets.
  mutating func name() -> String? {
    let isQuoted = take("<")
    let start = position
    while position < bytes.count, RuleScan.belongs(bytes[position], isQuoted: isQuoted) { position += 1 }
    let name = bytes[start..<position]
    guard name.count >= 3, !isQuoted || take(">") else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private static func belongs(_ byte: UInt8, isQuoted: Bool) -> Bool {
    if (0x61...0x7A).contains(byte | 0x20) { return true }
    return isQuoted
      && ((0x30...0x39).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"))
  }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
    var value: Int64 = 0
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]), position - start < 3 {
      value = value * 10 + Int64(bytes[position] - 0x30)
      position += 1
    }
    return position > start && range.contains(value) ? value : nil
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  mutating func time(hours: Int64) -> Int64? {
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    guard var seconds = number(0...hours) else { return nil }
    seconds *= 3_600
    if take(":") {
      guard let minutes = number(0...59) else { return nil }
      seconds += minutes * 60
      if take(":") {
        guard let rest = number(0...59) else { return nil }
        seconds += rest
      }
    }
    return isNegative ? -seconds : seconds
  }
}

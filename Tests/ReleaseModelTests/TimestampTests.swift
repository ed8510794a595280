import ReleaseModel
import TestSupport
import Testing

@Suite struct TimestampTests {
  private func fault(_ text: String) -> TextFault? {
    do { _ = try Timestamp(text) } catch { return error }
    return nil
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:01Z", 1), ("1969-12-31T23:59:59Z", -1),
      ("2000-03-01T00:00:00Z", 951_868_800), ("2026-12-01T09:00:00Z", 1_796_115_600),
      ("2026-12-01T09:00:00+00:00", 1_796_115_600), ("2026-12-01T09:00:00-00:00", 1_796_115_600),
      ("2026-12-01T10:00:00+01:00", 1_796_115_600), ("2026-12-01T14:30:00+05:30", 1_796_115_600),
      ("2026-11-30T23:00:00-10:00", 1_796_115_600), ("2026-12-02T08:59:00+23:59", 1_796_115_600),
      ("2026-12-01t09:00:00z", 1_796_115_600), ("2026-12-01 09:00:00Z", 1_796_115_600),
      ("2026-12-01T09:00:00.999Z", 1_796_115_600), ("2026-12-01T09:00:00.123456789+00:00", 1_796_115_600),
      ("2016-12-31T23:59:60Z", 1_483_228_800), ("0001-01-01T00:00:00Z", -62_135_596_800),
      ("9999-12-31T23:59:59Z", 253_402_300_799), ("2024-02-29T00:00:00Z", 1_709_164_800),
      ("2000-02-29T23:59:59Z", 951_868_799),
    ] as [(String, Int64)])
  func `RFC 3339 with a zone is read`(text: String, seconds: Int64) throws {
    #expect(try Timestamp(text).seconds == seconds)
  }

  @Test(arguments: [
    "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2024-02-30T00:00:00Z",
    "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z",
    "2026-01-32T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z",
    "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60", "0000-01-01T00:00:00Z",
  ])
  func `a moment that does not exist is refused`(text: String) {
    #expect(fault(text) == .noSuchTime)
  }

  @Test(arguments: ["9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:60Z"])
  func `a moment outside the years 1 to 9999 in UTC is refused, not adjusted`(text: String) {
    #expect(fault(text) == .noSuchTime)
  }

  @Test(arguments: ["2026-12-01", "2026-12-01T09:00:00", "2026-12-01 09:00:00", "2026-12-01T09:00:00.5"])
  func `a moment without a zone is refused`(text: String) {
    #expect(fault(text) == .noZone)
  }

  @Test(arguments: [
    "", "now", "2026", "2026-12", "26-12-01T09:00:00Z", "2026-1-1T09:00:00Z", "2026-12-01T9:00:00Z",
    "2026-12-01T09:00Z", "2026-12-01T09:00:00.Z", "2026-12-01T09:00:00 Z", "2026-12-01T09:00:00ZZ",
    "2026-12-01T09:00:00+1:00", "2026-12-01T09:00:00+0100", "2026-12-01T09:00:00+01",
    "2026-12-01T09:00:00CET",
    " 2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z\n", "2026/12/01T09:00:00Z", "+2026-12-01T09:00:00Z",
    "２０２６-12-01T09:00:00Z", "2026-12-01T-9:00:00Z", "20261201T090000Z", "1796115600", "2026-12-01x09:00:00Z",
  ])
  func `text that is not RFC 3339 is refused`(text: String) {
    #expect(fault(text) == .malformed)
  }

  @Test func `Unix time outside the years 1 to 9999 is limited to them`() {
    #expect(Timestamp(seconds: .max).text == "9999-12-31T23:59:59Z")
    #expect(Timestamp(seconds: .min).text == "0001-01-01T00:00:00Z")
    #expect(Timestamp(seconds: .max) + TimeSpan(seconds: .max) == Timestamp(seconds: .max))
    #expect(Timestamp(seconds: .min) - TimeSpan(seconds: .max) == Timestamp(seconds: .min))
  }

  @Test func `adding and then subtracting a span changes nothing`() throws {
    let moment = try Timestamp("2024-02-28T12:00:00Z")
    let day = TimeSpan(seconds: 86_400)
    #expect((moment + day).text == "2024-02-29T12:00:00Z")
    #expect((moment + day + day).text == "2024-03-01T12:00:00Z")
    #expect(moment + day - day == moment)
    #expect(moment < moment + day)
  }

  private struct NaiveCalendar {
    /// The day number, from 1970-01-01, of the first day of each month: index (year - 1) * 12 + month - 1.
    private(set) var firsts: [Int64] = []

    init() {
      firsts.reserveCapacity(9_999 * 12)
      var day: Int64 = -719_162
      for year in 1...9_999 {
        for month in 1...12 {
          firsts.append(day)
          day += Int64(NaiveCalendar.length(month, year))
        }
      }
    }

    static func length(_ month: Int, _ year: Int) -> Int {
      if month == 2 { return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) ? 29 : 28 }
      return [4, 6, 9, 11].contains(month) ? 30 : 31
    }
  }

  @Test func `every kind of date agrees with a calendar counted day by day`() throws {
    let calendar = NaiveCalendar()
    var random = Seeded(4)
    func padded(_ number: Int, _ width: Int = 2) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    for round in 0..<6_000 {
      let year = round % 3 == 0 ? 1_900 + random.below(300) : 1 + random.below(9_999)
      let month = random.oneIn(3) ? 2 : 1 + random.below(12)
      let length = NaiveCalendar.length(month, year)
      let day = random.oneIn(3) ? length : 1 + random.below(length)
      let (hour, minute, second) = (random.below(24), random.below(60), random.below(60))
      let local =
        "\(padded(year, 4))-\(padded(month))-\(padded(day))T\(padded(hour)):\(padded(minute)):\(padded(second))"
      let days = calendar.firsts[(year - 1) * 12 + month - 1] + Int64(day - 1)
      let expected = days * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
      let moment = try Timestamp(local + "Z")
      #expect(moment.seconds == expected, "\(local)")
      #expect(moment.text == local + "Z")
      #expect(Timestamp(seconds: expected).text == local + "Z")
      guard (2...9_998).contains(year) else { continue }
      let (hours, minutes) = (random.below(24), random.below(60))
      let offset = Int64(hours * 3_600 + minutes * 60)
      #expect(try Timestamp("\(local)+\(padded(hours)):\(padded(minutes))").seconds == expected - offset)
      #expect(try Timestamp("\(local)-\(padded(hours)):\(padded(minutes))").seconds == expected + offset)
    }
  }
}

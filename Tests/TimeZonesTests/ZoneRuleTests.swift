import Testing
import TimeZones

@Suite struct ZoneRuleTests {
  private func rule(_ text: String) throws -> ZoneRule { try #require(ZoneRule(Array(text.utf8)), "\(text)") }

  private func midnight(_ year: Int64, _ dayOfYear: Int64) -> Int64 {
    ((year == 2028 ? 21_184 : 20_819) + dayOfYear - 1) * 86_400
  }

  @Test func `a rule without daylight time holds always`() throws {
    let rule = try rule("<-03>3")
    #expect(rule.local(at: 0) == LocalTime(offset: -10_800, isDaylight: false, abbreviation: "-03"))
    #expect(rule.local(at: .max).offset == -10_800 && rule.local(at: .min).offset == -10_800)
  }

  @Test func `the last Sunday of a month, to the second`() throws {
    let rule = try rule("CET-1CEST,M3.5.0,M10.5.0/3")
    // 28 March and 31 October 2027, 01:00 UTC.
    let (spring, autumn) = (midnight(2027, 87) + 3_600, midnight(2027, 304) + 3_600)
    #expect(rule.local(at: spring - 1).abbreviation == "CET")
    #expect(rule.local(at: spring) == LocalTime(offset: 7_200, isDaylight: true, abbreviation: "CEST"))
    #expect(rule.local(at: autumn - 1).abbreviation == "CEST")
    #expect(rule.local(at: autumn).abbreviation == "CET")
  }

  @Test func `in the south, summer runs over the turn of the year`() throws {
    let rule = try rule("AEST-10AEDT,M10.1.0,M4.1.0/3")
    #expect(rule.local(at: midnight(2028, 1)).abbreviation == "AEDT")
    #expect(rule.local(at: midnight(2027, 180)).abbreviation == "AEST")
    // 4 April 2027 and 3 October 2027, 16:00 UTC of the day before.
    let (autumn, spring) = (midnight(2027, 93) + 57_600, midnight(2027, 275) + 57_600)
    #expect(rule.local(at: autumn - 1).offset == 39_600 && rule.local(at: autumn).offset == 36_000)
    #expect(rule.local(at: spring - 1).offset == 36_000 && rule.local(at: spring).offset == 39_600)
  }

  @Test func `winter time may be the one that is saved`() throws {
    let rule = try rule("IST-1GMT0,M10.5.0,M3.5.0/1")
    #expect(rule.local(at: midnight(2027, 10)) == LocalTime(offset: 0, isDaylight: true, abbreviation: "GMT"))
    #expect(rule.local(at: midnight(2027, 180)).abbreviation == "IST")
  }

  @Test func `days of the year count 29 February or not`() throws {
    // Day 60 without it is 1 March in every year; day 59 counted from 0 is 29 February in a leap year.
    let julian = try rule("AAA0BBB,J60/0,J365/0")
    #expect(julian.local(at: midnight(2027, 60) - 1).abbreviation == "AAA")
    #expect(julian.local(at: midnight(2027, 60)).abbreviation == "BBB")
    #expect(julian.local(at: midnight(2028, 61) - 1).abbreviation == "AAA")
    #expect(julian.local(at: midnight(2028, 61)).abbreviation == "BBB")
    let plain = try rule("AAA0BBB,59/0,364/0")
    #expect(plain.local(at: midnight(2028, 60) - 1).abbreviation == "AAA")
    #expect(plain.local(at: midnight(2028, 60)).abbreviation == "BBB")
  }

  @Test func `a change may be days before or after its day`() throws {
    // Greenland's form: 22:00 of the Saturday, which is minus two hours of the Sunday.
    let before = try rule("<-02>2<-01>,M3.5.0/-1,M10.5.0/0")
    let spring = midnight(2027, 87) - 3_600 + 7_200
    #expect(before.local(at: spring - 1).offset == -7_200 && before.local(at: spring).offset == -3_600)
    let after = try rule("AAA0BBB,M12.5.0/167,M3.1.0")
    // The last Sunday of 2027 is 26 December; 167 hours later it is 1 January 2028, 23:00.
    let change = midnight(2028, 1) + 82_800
    #expect(
      after.local(at: change - 1).abbreviation == "AAA" && after.local(at: change).abbreviation == "BBB")
  }

  @Test func `daylight time all year has no gap`() throws {
    let rule = try rule("XXX3EDT4,0/0,J365/23")
    for day in 1...366 as ClosedRange<Int64> {
      for hour in 0..<24 as Range<Int64> {
        #expect(rule.local(at: midnight(2028, day) + hour * 3_600).abbreviation == "EDT")
      }
    }
  }

  @Test(arguments: [
    "", "CE-1", "CET", "CET-", "CET25", "CET-1:60", "CET-1CEST", "CET-1CEST,M3.5.0",
    "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/168",
    "CET-1CEST,J0,J10", "CET-1CEST,366,10", "CET-1CEST,M3.5.0,M10.5.0 ", "<CET-1", "<+1>0", "CET1111",
    "CET-1CEST,,M10.5.0", ":Europe/Berlin", "\u{0}\u{0}\u{0}0",
  ])
  func `what is no rule is refused`(text: String) {
    #expect(ZoneRule(Array(text.utf8)) == nil)
  }
}

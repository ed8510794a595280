import ReleaseModel
import TestSupport
import Testing

@Suite struct TimeSpanTests {
  @Test(
    arguments: [
      ("0", 0), ("0s", 0), ("1s", 1), ("90m", 5_400), ("24h", 86_400), ("7d", 604_800), ("2w", 1_209_600),
      ("007m", 420), ("36600d", 3_162_240_000),
    ] as [(String, Int64)])
  func `a number and a unit are read`(text: String, seconds: Int64) throws {
    #expect(try #require(TimeSpan(text)).seconds == seconds)
  }

  @Test(arguments: [
    "", "h", "24", "-1h", "+1h", "1.5h", " 1h", "1h ", "1 h", "1H", "1h30m", "1y", "１h", "1ｈ", "1234567890s",
    "36601d", "999999999w", "1m\u{301}", "0x1h",
  ])
  func `text that is not a time span is refused`(text: String) {
    #expect(TimeSpan(text) == nil)
  }

  @Test(
    arguments: [
      (0, "0"), (1, "1s"), (60, "1m"), (5_400, "90m"), (3_600, "1h"), (86_400, "24h"), (90_000, "25h"),
      (172_800, "2d"), (604_800, "7d"), (86_401, "86401s"),
    ] as [(Int64, String)])
  func `a span is shown as a whole number of one unit`(seconds: Int64, text: String) {
    #expect(TimeSpan(seconds: seconds).text == text)
  }

  @Test(
    arguments: [
      (0, "0s"), (59, "59s"), (60, "1m"), (1_020, "17m"), (3_600, "1h"), (5_400, "1h 30m"), (86_400, "1d"),
      (187_200, "2d 4h"), (86_460, "1d"),
    ] as [(Int64, String)])
  func `a span for people has two units at most`(seconds: Int64, text: String) {
    #expect(TimeSpan(seconds: seconds).roundedText == text)
  }

  @Test func `a shown span reads back the same`() throws {
    var random = Seeded(5)
    for _ in 0..<2_000 {
      let unit: Int64 = random.pick([1, 60, 3_600, 86_400]) ?? 1
      let span = TimeSpan(seconds: Int64(random.below(30_000)) * unit)
      #expect(try #require(TimeSpan(span.text)) == span)
    }
  }

  @Test func `a span is never negative and never beyond a century`() {
    #expect(TimeSpan(seconds: -5) == .zero)
    #expect(TimeSpan(seconds: .max) == TimeSpan(seconds: 3_162_240_000))
    #expect(TimeSpan(seconds: 1) < TimeSpan(seconds: 2))
  }
}

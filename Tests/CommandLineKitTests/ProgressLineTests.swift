import CommandLineKit
import Testing

@Suite struct ProgressLineTests {
  @Test func `progress appears after a pause, ten times a second at most, and is erased`() {
    var line = ProgressLine(startedAt: 100)
    func said(_ done: Int, at seconds: Double) -> String? {
      line.update("importing", done, of: 2_000, at: seconds, width: 80)
    }
    #expect(said(1, at: 100) == nil)
    #expect(said(2, at: 100.29) == nil)
    #expect(line.erase() == "")
    #expect(said(413, at: 100.3) == "\r\u{1B}[Kimporting  413 of 2,000")
    #expect(said(414, at: 100.39) == nil)
    #expect(said(500, at: 100.45) == "\r\u{1B}[Kimporting  500 of 2,000")
    #expect(line.erase() == "\r\u{1B}[K")
    #expect(line.erase() == "")
    #expect(said(2_000, at: 200) == "\r\u{1B}[Kimporting  2,000 of 2,000")
  }

  @Test func `a count outside its range is limited to the range`() {
    #expect(ProgressLine.text("looking", 1_234_567, of: 0, width: 80) == "looking  1,234,567")
    #expect(ProgressLine.text("looking", 7, of: 5, width: 80) == "looking  5 of 5")
    #expect(ProgressLine.text("looking", -7, of: 5, width: 30) == "looking  0 of 5")
    #expect(ProgressLine.text("looking", Int.min, of: Int.min, width: 30) == "looking  0")
    #expect(ProgressLine.text("l", .max, of: .max, width: 1_000).hasSuffix("9,223,372,036,854,775,807"))
  }

  @Test func `a progress line leaves the terminal's last cell free, whatever its text`() {
    for width in [1, 2, 3, 10, 21, 30, 40, 45, 80] {
      var line = ProgressLine(startedAt: 0)
      let text = line.update("导入 🚕 发布记录\n", 413, of: 2_000, at: 1, width: width) ?? ""
      #expect(displayWidth(String(text.dropFirst(4))) <= max(width - 1, 1), "\(width)")
      #expect(!text.contains("\n"))
    }
  }

  @Test func `counts have a comma before every three digits`() {
    #expect(
      [0, 7, 999, 1_000, 12_345, 1_000_000, -1_000].map(grouped) == [
        "0", "7", "999", "1,000", "12,345", "1,000,000", "-1,000",
      ])
    #expect(grouped(.min) == "-9,223,372,036,854,775,808")
  }
}

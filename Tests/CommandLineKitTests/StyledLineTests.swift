import CommandLineKit
import Testing

@Suite struct StyledLineTests {
  private let parts = [Cell("taxi", .bold), Cell("  出租车", .plain), Cell("  3 releases", .dim)]

  @Test func `texts follow one another, each in its look`() {
    #expect(styledLine(parts, styles: false) == "taxi  出租车  3 releases")
    #expect(styledLine([Cell("a", .red), Cell(""), Cell("b")], styles: true) == "\u{1B}[31ma\u{1B}[0mb")
    #expect(styledLine([Cell("a\n")], styles: false) == "a\\n")
    #expect(styledLine([], styles: true) == "")
  }

  @Test(arguments: [
    (24, "taxi  出租车  3 releases"), (23, "taxi  出租车  3 releas…"), (13, "taxi  出租车…"), (11, "taxi  出租…"),
    (4, "taxi"), (3, "ta…"), (1, "…"), (0, ""), (-5, ""),
  ])
  func `a line is cut to its width, and no wide character is halved`(width: Int, line: String) {
    #expect(styledLine(parts, width: width, styles: false) == line)
    #expect(displayWidth(line) <= max(width, 0))
  }

  @Test func `the mark has the look of what it stands for`() {
    #expect(
      styledLine(parts, width: 14, styles: true)
        == "\u{1B}[1mtaxi\u{1B}[0m  出租车\u{1B}[2m…\u{1B}[0m")
  }

  @Test func `words are set into lines, each in its look`() {
    let parts = [Cell("ALARM", .red), Cell("the store shows 出租车 7.5, which nobody knows")]
    #expect(
      filled(parts, styles: true)
        == ["\u{1B}[31mALARM\u{1B}[0m the store shows 出租车 7.5, which nobody knows"])
    #expect(
      filled(parts, width: 20, indent: 2)
        == ["ALARM the store", "  shows 出租车 7.5,", "  which nobody knows"])
    #expect(
      filled([Cell("see pawl\u{A0}inbox\u{A0}show\u{A0}1")], width: 12) == ["see", "pawl inbox show 1"])
    #expect(filled([Cell("abcdef")], width: 3) == ["abcdef"])
    #expect(filled([], width: 3) == [""])
  }
}

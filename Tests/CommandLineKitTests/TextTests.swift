import CommandLineKit
import Testing

@Suite struct TextTests {
  @Test func `width counts terminal cells`() {
    #expect(displayWidth("") == 0)
    #expect(displayWidth("pawl") == 4)
    #expect(displayWidth("café") == 4)
    #expect(displayWidth("cafe\u{301}") == 4)
    #expect(displayWidth("日本語") == 6)
    #expect(displayWidth("ﾊﾝ") == 2)
    #expect(displayWidth("Ａ") == 2)
    #expect(displayWidth("한") == 2)
    #expect(displayWidth("\u{1112}\u{1161}\u{11AB}") == 2)
    #expect(displayWidth("👍") == 2)
    #expect(displayWidth("👍🏽") == 2)
    #expect(displayWidth("👩‍👩‍👧‍👦") == 2)
    #expect(displayWidth("🇨🇭") == 2)
    #expect(displayWidth("1\u{FE0F}\u{20E3}") == 2)
    #expect(displayWidth("❤\u{FE0F}") == 2)
    #expect(displayWidth("✓") == 1)
    #expect(displayWidth("\u{1B}\n\r\n\u{7F}") == 0)
    #expect(displayWidth("a\u{200B}b") == 2)
    #expect(displayWidth("\u{20000}") == 2)
    #expect(displayWidth("…") == 1)
  }

  @Test func `control characters are escaped in printable text`() {
    #expect(printable("plain, \\ and 'quoted'") == "plain, \\ and 'quoted'")
    #expect(printable("\u{1B}[31m") == "\\u{1B}[31m")
    #expect(printable("a\nb\r\nc\t") == "a\\nb\\r\\nc\\t")
    #expect(printable("\u{9B}2J\u{7F}\u{0}") == "\\u{9B}2J\\u{7F}\\u{0}")
    #expect(printable("\u{202E}txt\u{2066}\u{200F}") == "\\u{202E}txt\\u{2066}\\u{200F}")
    #expect(printable("\u{2028}\u{FEFF}\u{200B}\u{FFFD}") == "\\u{2028}\\u{FEFF}\\u{200B}\\u{FFFD}")
    #expect(printable("日本 é 👩‍👧") == "日本 é 👩‍👧")
  }

  @Test func `printable text is cut at a limit`() {
    #expect(printable("abcdef", limit: 6) == "abcdef")
    #expect(printable("abcdef", limit: 4) == "abc…")
    #expect(printable("abcdef", limit: 0) == "…")
    #expect(printable("abcdef", limit: Int.min) == "…")
  }

  @Test func `styles write codes only when enabled`() {
    #expect(Style.red.apply("x", enabled: true) == "\u{1B}[31mx\u{1B}[0m")
    #expect(Style.red.apply("x", enabled: false) == "x")
    #expect(Style.plain.apply("x", enabled: true) == "x")
    #expect(Style.bold.apply("", enabled: true) == "")
  }

  @Test func `a line is broken at its blanks, and the rest indented`() {
    #expect(fitted("short", width: 10) == "short")
    #expect(fitted("one two three four", width: 10) == "one two\n  three\n  four")
    #expect(fitted("  one  two three", width: 10) == "  one  two\n    three")
    #expect(fitted("see pawl\u{A0}void\u{A0}taxi now", width: 16) == "see\n  pawl void taxi\n  now")
    #expect(fitted("x https://example.com/long", width: 10) == "x\n  https://example.com/long")
    // What switches styles takes no cell, and a question keeps the blank before its answer.
    #expect(fitted("\u{1B}[31merror:\u{1B}[0m abcd", width: 11) == "\u{1B}[31merror:\u{1B}[0m abcd")
    #expect(fitted("Really? Continue? ", width: 10) == "Really?\n  Continue? ")
  }

  @Test func `words are filled into lines, each with its own style`() {
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

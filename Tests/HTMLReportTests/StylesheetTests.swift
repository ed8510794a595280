import Testing

@testable import HTMLReport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct StylesheetTests {
  private static func colours(_ palette: Markup) -> [String: (Double, Double, Double)] {
    var colours: [String: (Double, Double, Double)] = [:]
    for declaration in palette.html.split(separator: ";") {
      let parts = declaration.split(separator: ":").map(String.init)
      var digits = parts[1].dropFirst().map { Double(Int(String($0), radix: 16) ?? 0) }
      if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
      let channels = stride(from: 0, to: 6, by: 2).map { (digits[$0] * 16 + digits[$0 + 1]) / 255 }
      colours[parts[0]] = (channels[0], channels[1], channels[2])
    }
    return colours
  }

  /// Relative luminance as WCAG 2.2 defines it.
  private static func luminance(_ colour: (Double, Double, Double)) -> Double {
    func linear(_ value: Double) -> Double {
      value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
  }

  @Test(arguments: ["light", "dark"])
  func `every text has a contrast of four and a half to one on what it stands on`(name: String) throws {
    let colours = StylesheetTests.colours(name == "light" ? Stylesheet.light : Stylesheet.dark)
    let pairs = [
      ("--ink", "--paper"), ("--ink", "--card"), ("--soft", "--paper"), ("--soft", "--card"),
      ("--link", "--paper"), ("--link", "--card"), ("--ink", "--remindbg"), ("--soft", "--remindbg"),
      ("--link", "--remindbg"), ("--force", "--forcebg"), ("--remind", "--remindbg"), ("--none", "--nonebg"),
      ("--good", "--goodbg"),
    ]
    for (text, ground) in pairs {
      let one = StylesheetTests.luminance(try #require(colours[text], "\(text)"))
      let two = StylesheetTests.luminance(try #require(colours[ground], "\(ground)"))
      #expect((max(one, two) + 0.05) / (min(one, two) + 0.05) >= 4.5, "\(text) on \(ground), \(name)")
    }
    // What is drawn, and what can be typed into, is told from its ground at three to one (1.4.11).
    for (mark, ground) in [
      ("--bar", "--card"), ("--bar2", "--card"), ("--bar3", "--card"), ("--soft", "--card"),
    ] {
      let one = StylesheetTests.luminance(try #require(colours[mark]))
      let two = StylesheetTests.luminance(try #require(colours[ground]))
      #expect((max(one, two) + 0.05) / (min(one, two) + 0.05) >= 3, "\(mark) on \(ground), \(name)")
    }
  }

  @Test func `every variable that is used is set, in light and in dark`() {
    let text = Stylesheet.text.html
    let used = Set(text.split(separator: "var(").dropFirst().compactMap { $0.split(separator: ")").first })
    for palette in [Stylesheet.light, Stylesheet.dark] {
      #expect(Set(StylesheetTests.colours(palette).keys) == Set(used.map(String.init)))
    }
  }

  @Test func `nothing is loaded`() {
    for text in [Stylesheet.text.html, SearchScript.text.html] {
      #expect(!text.contains("url(") && !text.contains("@import") && !text.contains("//"))
    }
  }
}

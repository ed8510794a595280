import ReleaseModel
import Testing

@Suite struct TextSearchTests {
  @Test(arguments: [
    ("", "", true), ("a", "", true), ("", "a", false), ("error code 7", "error code", true),
    ("aab", "ab", true), ("ab", "abc", false), ("e\u{301}", "e", false), ("caf\u{E9}", "fe\u{301}", true),
  ])
  func `a text is found by whole characters`(text: String, part: String, isThere: Bool) {
    #expect(text.holds(part) == isThere)
    #expect(text.contains(part) == isThere)
  }

  @Test func `rest gives the text after the first occurrence`() {
    #expect("1.2..3..4".rest(after: "..") == "3..4")
    #expect("1.2..".rest(after: "..")?.isEmpty == true)
    #expect("1.2.3".rest(after: "..") == nil)
  }
}

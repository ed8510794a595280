import CommandLineKit
import Testing

@Suite struct SuggestionTests {
  @Test func `a mistyped word suggests the closest one`() {
    #expect(closest(to: "chekc", among: ["check", "clear"]) == "check")
    #expect(closest(to: "CHECK", among: ["check", "clear"]) == "check")
    #expect(closest(to: "relaese", among: ["release", "rename"]) == "release")
    #expect(closest(to: "1.2.4", among: ["1.2.3", "2.0.0"]) == "1.2.3")
  }

  @Test func `a shortened word suggests the only one that begins with it`() {
    #expect(closest(to: "ver", among: ["verify", "check"]) == "verify")
    #expect(closest(to: "v", among: ["verify", "version"]) == nil)
  }

  @Test func `two equally good words are not suggested`() {
    #expect(closest(to: "cat", among: ["bat", "rat"]) == nil)
    #expect(closest(to: "cat", among: ["bat", "bat"]) == "bat")
  }

  @Test func `words that differ too much are not suggested`() {
    #expect(closest(to: "add", among: ["app"]) == nil)
    #expect(closest(to: "x", among: ["y"]) == nil)
    #expect(closest(to: "", among: ["check"]) == nil)
    #expect(closest(to: "--", among: ["--json"]) == nil)
    #expect(closest(to: String(repeating: "a", count: 1_000_000), among: ["check"]) == nil)
    #expect(closest(to: "check", among: []) == nil)
  }

  @Test func `a word of eight letters or more is suggested despite three slips`() {
    #expect(closest(to: "abcdefxyz", among: ["abcdefgh"]) == "abcdefgh")
    #expect(closest(to: "abcxyz", among: ["abcdef"]) == nil)
  }
}

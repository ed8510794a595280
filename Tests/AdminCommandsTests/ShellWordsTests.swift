import Platform
import Testing

@Suite struct ShellWordsTests {
  @Test(arguments: [
    ("taxi", "taxi"), ("7.4.0", "7.4.0"), ("-", "-"), ("", "''"), ("two words", "'two words'"),
    ("it's", #"'it'\''s'"#), ("'", #"''\'''"#), ("$(id)", "'$(id)'"), ("a\nb", "'a\nb'"),
    (#"a\b"#, #"'a\b'"#),
    ("--ledger=/a", "'--ledger=/a'"), ("~", "'~'"), ("é", "'é'"), ("!", "'!'"),
  ])
  func `a word is quoted if a shell would interpret any of it`(word: String, quoted: String) {
    #expect(ShellWords.quoted(word) == quoted)
  }

  @Test func `quoted words are read back unchanged`() {
    let words = [
      "", "a", "it's", "''", "'", "\\", "\\'", "a b", " ", "\n", "$(id)", "`id`", "é🚕\u{200D}", "-", "--x=y",
    ]
    #expect(ShellWords.split(words.map(ShellWords.quoted).joined(separator: " ")) == words)
    for first in words {
      for second in words {
        let line = ShellWords.quoted(first) + " " + ShellWords.quoted(second)
        #expect(ShellWords.split(line) == [first, second], "\(line)")
      }
    }
  }

  @Test func `blanks between words do not count, and a word may be quoted in part`() {
    #expect(ShellWords.split("  pawl   status ") == ["pawl", "status"])
    #expect(ShellWords.split("--reason='two words'") == ["--reason=two words"])
    #expect(ShellWords.split("") == [])
  }

  @Test(arguments: [
    "a; b", "a && b", "a | b", "$(a)", "`a`", "$A", "a > b", "a < b", "a & ", "a\nb", "a\tb", "a*", "?",
    "[a]", "~", "{a,b}",
    "#a", "!a", "\"a\"", "a\\b", "a\\", "'a", "a'b", "(a)", "é",
  ])
  func `a line that a shell would interpret is not read`(line: String) {
    #expect(ShellWords.split(line) == nil)
  }
}

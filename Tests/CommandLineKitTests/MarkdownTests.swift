import CommandLineKit
import TestSupport
import Testing

@Suite struct MarkdownTests {
  @Test(arguments: [
    ("7.4.0 is live", "7.4.0 is live"), ("2026-11-21T09:00:00Z", "2026-11-21T09:00:00Z"),
    ("1.2.0–1.4.9", "1.2.0–1.4.9"), ("remind → 7.4.0", "remind → 7.4.0"), ("8.1 %", "8.1 %"),
    ("Reist nach Köln, 日本", "Reist nach Köln, 日本"), ("next: publish", "next: publish"),
    ("  indented", "indented"),
    ("two  blanks", "two  blanks"), ("", ""), ("   ", ""),
  ])
  func `plain words stay as they are`(text: String, wanted: String) {
    #expect(Markdown.inline(text, isCell: true) == wanted)
  }

  @Test(arguments: [
    ("a | b", "a \\| b"), ("<b>this</b>", "&lt;b&gt;this&lt;/b&gt;"), ("@team look", "`@`team look"),
    ("mail a@b.example", "mail a`@`b.example"), ("https://x.example", "https&#58;//x.example"),
    ("www.x.example", "www&#46;x.example"), ("WWW.x", "WWW&#46;x"), ("fixes #12", "fixes `#`12"),
    ("see GH-12", "see GH`-`12"), ("@@#", "`@@#`"), (":tada:", "&#58;tada:"),
    ("*bold* _it_", "\\*bold\\* \\_it\\_"),
    ("a `code`", "a &#96;code&#96;"), ("\\|", "\\\\\\|"), ("$x$", "\\$x\\$"), ("![a](b)", "\\!\\[a\\](b)"),
    ("&amp;", "&amp;amp;"), ("~~gone~~", "\\~\\~gone\\~\\~"), ("- item", "\\- item"),
    ("1. item", "1\\. item"),
    ("12) item", "12\\) item"), ("# title", "`#` title"), ("> quote", "&gt; quote"), ("===", "\\=\\=\\="),
  ])
  func `what could mean something is escaped`(text: String, wanted: String) {
    #expect(Markdown.inline(text, isCell: false) == wanted)
  }

  @Test func `a list begins a line of a paragraph, and nothing in a cell`() {
    #expect(Markdown.inline("- 1. x", isCell: true) == "- 1. x")
    #expect(Markdown.inline("7.4.0 is live", isCell: true) == "7.4.0 is live")
  }

  @Test func `lines of a paragraph stay lines, and those that are indented are a list`() {
    #expect(Markdown.paragraph(["one", "two   three", "", "a*b"]) == "one\\\ntwo three\\\na\\*b")
    #expect(
      Markdown.paragraph(["taxi 7.4.0 is live", "  live since    2026", "  build  5   x", "next: a"])
        == "taxi 7.4.0 is live\n\n- live since: 2026\n- build: 5 x\n\nnext: a")
    #expect(Markdown.paragraph(["  - 1. x"]) == "- \\- 1. x")
  }

  @Test func `a table has a heading and a row for each row, whatever is in its cells`() {
    let table = Table(
      columns: [.right("N"), Column("WHY")], rows: [["1", "a|b"], ["2", "two\nlines"], ["3"]])
    #expect(table.markdown() == "| N | WHY |\n|---:|---|\n| 1 | a\\|b |\n| 2 | two\\\\nlines |\n| 3 | |\n")
    #expect(
      Table(columns: [Column(""), Column("")], rows: [["a", "b"]]).markdown()
        == "| | |\n|---|---|\n| a | b |\n")
  }

  /// A reader of escapes, entities and code, which knows nothing else; nil where something else has a meaning.
  private func readBack(_ markdown: String) -> String? {
    let entities = ["&lt;": "<", "&gt;": ">", "&amp;": "&", "&#96;": "`", "&#58;": ":", "&#46;": "."]
    var read = ""
    var rest = markdown.unicodeScalars.dropFirst(0)
    while let first = rest.first {
      switch first {
      case "\\":
        guard let next = rest.dropFirst().first else { return nil }
        read.unicodeScalars.append(next)
        rest = rest.dropFirst(2)
      case "&":
        guard let entity = entities.first(where: { rest.starts(with: $0.key.unicodeScalars) }) else {
          return nil
        }
        read += entity.value
        rest = rest.dropFirst(entity.key.count)
      case "`":
        let code = rest.dropFirst().prefix { $0 != "`" }
        guard code.allSatisfy({ "@#-".unicodeScalars.contains($0) }) else { return nil }
        read.unicodeScalars.append(contentsOf: code)
        rest = rest.dropFirst(code.count + 2)
        // Two runs of backticks side by side would be one.
        if rest.first == "`" { return nil }
      default:
        if "<>*_[]@#|$~".unicodeScalars.contains(first) { return nil }
        read.unicodeScalars.append(first)
        rest = rest.dropFirst()
      }
    }
    return read
  }

  @Test func `a reader of Markdown sees the text`() {
    var random = Seeded(5)
    let alphabet = Array("ab 1.:`|\\<>*_[]()@#$~&!-+=é日 ")
    for _ in 0..<5_000 {
      let text = String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a"
        })
      let trimmed = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      let read = readBack(Markdown.inline(text, isCell: false))
      #expect(read == trimmed, "\(text)")
    }
  }
}

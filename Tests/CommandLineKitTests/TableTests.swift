import CommandLineKit
import Testing

@Suite struct TableTests {
  let columns = [Column("VERSION"), .right("BUILD"), Column("NOTE")]

  @Test func `columns are aligned without blanks at the end`() {
    let table = Table(columns: columns, rows: [["1.0", "7", "first"], ["1.10.0", "1234567", ""], ["2"]])
    #expect(
      table.render() == """
        VERSION    BUILD  NOTE
        1.0            7  first
        1.10.0   1234567
        2

        """)
  }

  @Test func `wide characters keep the columns aligned`() {
    let table = Table(columns: [Column("A"), Column("B")], rows: [["日本", "x"], ["abc", "y"]])
    #expect(table.render() == "A     B\n日本  x\nabc   y\n")
  }

  @Test func `counts are grouped`() {
    #expect([0, 999, 1_000, -1_234_567].map { grouped($0) } == ["0", "999", "1,000", "-1,234,567"])
  }

  @Test func `styles touch texts and not the blanks between them`() {
    let table = Table(columns: [Column("A"), Column("B")], rows: [[Cell("ok", .green), "x"]])
    #expect(
      table.render(styles: true)
        == "\u{1B}[1mA\u{1B}[0m   \u{1B}[1mB\u{1B}[0m\n\u{1B}[32mok\u{1B}[0m  x\n")
    #expect(table.render(styles: false) == "A   B\nok  x\n")
  }

  @Test func `line breaks and control characters in a cell are escaped`() {
    let table = Table(columns: [Column("A")], rows: [[Cell("x\n\u{1B}[2J  ")]])
    #expect(table.render() == "A\nx\\n\\u{1B}[2J\n")
  }

  @Test func `a table may be empty`() {
    #expect(Table(columns: []).render(width: 10) == "")
    #expect(Table(columns: columns).render() == "VERSION  BUILD  NOTE\n")
    #expect(Table(columns: [Column("A")], rows: [["1", "lost"], []]).render() == "A\n1\n\n")
  }

  @Test func `the widest columns are wrapped, and nothing is cut`() {
    let table = Table(
      columns: [.right("N"), Column("WHAT"), Column("WHY")],
      rows: [
        [Cell("1"), Cell("made rule 1: taxi below:7.0 to force"), Cell("a short reason")],
        [Cell("22"), Cell("x")],
      ])
    #expect(
      table.render(width: 40) == """
         N  WHAT                WHY
         1  made rule 1: taxi   a short reason
            below:7.0 to force
        22  x

        """)
    #expect(
      table.render(width: 33) == """
         N  WHAT          WHY
         1  made rule 1:  a short reason
            taxi
            below:7.0 to
            force
        22  x

        """)
    // What fits is left alone.
    #expect(table.render(width: 60) == table.render())
  }

  @Test func `a title is never wrapped, and cells without room are put below their row`() {
    let table = Table(
      columns: [Column("APP"), Column("VISIBLE FROM"), Column("PAGE"), Column("WHY")],
      rows: [
        ["taxi", "2026-12-01 09:00Z", "https://apps.apple.com/app/id1", "moved"],
        ["tram", "2026-12-02 09:00Z"],
      ])
    #expect(
      table.render(width: 45) == """
        APP   VISIBLE FROM  PAGE  WHY
        taxi  2026-12-01          moved
              09:00Z
            PAGE https://apps.apple.com/app/id1
        tram  2026-12-02
              09:00Z

        """)
    #expect(
      table.render(width: 32).hasSuffix(
        "app/id1\n      09:00Z\n    WHY moved\ntram  2026-12-02\n      09:00Z\n"))
    for (width, heading) in [(Int.min, "APP   VISIBLE FROM"), (32, "APP   VISIBLE FROM  PAGE")] {
      #expect(table.render(width: width).split(separator: "\n").first ?? "" == heading, "\(width)")
    }
  }

  @Test func `a word in the last column is left whole`() {
    func lines(_ text: String, _ after: String? = nil) -> [Substring] {
      let rows = [[Cell("x"), Cell(text)] + (after.map { [Cell($0)] } ?? [])]
      return Table(rows: rows).render(width: 15).split(separator: "\n")
    }
    #expect(
      lines("aaaa bbbb cccc dddd eeee ffff gggg hhhh") == [
        "x  aaaa bbbb", "   cccc dddd", "   eeee ffff", "   gggg hhhh",
      ])
    #expect(lines("日本日本日本日本 日本") == ["x  日本日本日本日本", "   日本"])
    #expect(lines("日本日本日本日本 日本", "y") == ["x  日本日本日本日本", "   日本", "   y"])
    // A no-break space keeps what it stands in together.
    #expect(lines("run pawl\u{A0}void\u{A0}a now") == ["x  run", "   pawl void a", "   now"])
  }

  @Test func `a column without a title and without text is left out`() {
    let table = Table(columns: [Column("A"), Column(""), Column("")], rows: [["1", "", "x"], ["2"]])
    #expect(table.withoutNamelessColumns.render() == "A\n1  x\n2\n")
  }
}

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

  @Test func `the last column is cut to the width`() {
    var table = Table(columns: [Column("A"), Column("NOTE")])
    table.add(["1", "a long note"])
    #expect(table.render(width: 10) == "A  NOTE\n1  a long…\n")
    #expect(table.render(width: 14) == "A  NOTE\n1  a long note\n")
    #expect(table.render(width: 9) == "A  NOTE\n1  a lon…\n")
    #expect(table.render(width: -3) == "A  …\n1  …\n")
    #expect(table.render(width: Int.min) == "A  …\n1  …\n")
  }

  @Test func `a wide character is not halved`() {
    let table = Table(columns: [Column("")], rows: [["日本語"]])
    #expect(table.render(width: 4) == "日…\n")
    #expect(table.render(width: 5) == "日本…\n")
  }

  @Test func `styles touch texts and not the blanks between them`() {
    let table = Table(columns: [Column("A"), Column("B")], rows: [[Cell("ok", .green), "x"]])
    #expect(
      table.render(styles: true)
        == "\u{1B}[1mA\u{1B}[0m   \u{1B}[1mB\u{1B}[0m\n\u{1B}[32mok\u{1B}[0m  x\n")
    #expect(table.render(styles: false) == "A   B\nok  x\n")
  }

  @Test func `text of others cannot leave its cell`() {
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
      table.render(width: 40, overflow: .wrapped) == """
         N  WHAT                  WHY
         1  made rule 1: taxi     a short reason
            below:7.0 to force
        22  x

        """)
    #expect(
      table.render(width: 33, overflow: .wrapped) == """
         N  WHAT           WHY
         1  made rule 1:   a short reason
            taxi
            below:7.0 to
            force
        22  x

        """)
    // What fits is left alone.
    #expect(table.render(width: 60, overflow: .wrapped) == table.render())
  }

  @Test func `columns for which there is no room stand below their row`() {
    let table = Table(
      columns: [Column("APP"), Column("VERSION"), Column("PAGE"), Column("WHY")],
      rows: [
        [Cell("taxi"), Cell("7.2"), Cell("https://apps.apple.com/app/id1"), Cell("moved")],
        [Cell("tram"), Cell("7.3")],
      ])
    #expect(
      table.render(width: 38, overflow: .wrapped) == """
        APP   VERSION  PAGE              WHY
        taxi  7.2                        moved
            https://apps.apple.com/app/id1
        tram  7.3

        """)
    #expect(
      table.render(width: 18, overflow: .wrapped) == """
        APP   VERSION
            PAGE  WHY
        taxi  7.2
            https://apps.apple.com/app/id1
             moved
        tram  7.3

        """)
    for width in [Int.min, 0, 1, 9] {
      let lines = table.render(width: width, overflow: .wrapped)
      #expect(lines.filter { !$0.isWhitespace }.contains("https://apps.apple.com/app/id1"), "\(width)")
    }
  }

  @Test func `a word is broken only where it is longer than a line`() {
    func lines(_ text: String) -> [Substring] {
      Table(columns: [Column(""), Column("")], rows: [[Cell("x"), Cell(text)]])
        .render(width: 15, overflow: .wrapped).split(separator: "\n")
    }
    #expect(
      lines("aaaa bbbb cccc dddd eeee ffff gggg hhhh") == [
        "x  aaaa bbbb", "   cccc dddd", "   eeee ffff", "   gggg hhhh",
      ])
    #expect(lines("日本日本日本 日本") == ["x  日本日本日本", "   日本"])
    // A no-break space keeps what it stands in together.
    #expect(lines("run pawl\u{A0}void\u{A0}a now") == ["x  run", "   pawl void a", "   now"])
    let one = Table(columns: [Column("")], rows: [[Cell("aaaaaaaaaaaaaaaaaaaa")]])
    #expect(one.render(width: 15, overflow: .wrapped) == "aaaaaaaaaaaaaaa\naaaaa\n")
  }

  @Test func `a column that says nothing is left out`() {
    let table = Table(columns: [Column("A"), Column(""), Column("")], rows: [["1", "", "x"], ["2"]])
    #expect(table.withoutNamelessColumns.render() == "A\n1  x\n2\n")
  }
}

import CSV
import Testing

@Suite struct CSVWriterTests {
  @Test func `fields are quoted where they must be, and lines end as the RFC says`() {
    #expect(CSVWriter.line(["7", nil, "a b", ""]) == "7,,a b,\r\n")
    #expect(
      CSVWriter.line(["a,b", "say \"no\"", "two\nlines"]) == "\"a,b\",\"say \"\"no\"\"\",\"two\nlines\"\r\n")
    #expect(CSVWriter.line([" a", "b "]) == "\" a\",\"b \"\r\n")
    // A letter that is one with the quote or line end before it hides neither.
    #expect(CSVWriter.line(["a\r\nb", "\"\u{301}x"]) == "\"a\r\nb\",\"\"\"\u{301}x\"\r\n")
  }

  @Test func `what a spreadsheet would take for a formula starts with an apostrophe`() {
    for text in ["=1+1", "+1", "-1", "@SUM(A1)", "'quoted", "＝1", "＠x"] {
      #expect(CSVWriter.line([text]) == "'\(text)\r\n")
    }
    #expect(CSVWriter.line(["\t=1"]) == "\"'\t=1\"\r\n")
    #expect(CSVWriter.line(["=1,2"]) == "\"'=1,2\"\r\n")
    #expect(CSVWriter.line(["1-2", "a=b"]) == "1-2,a=b\r\n")
  }

  @Test func `written fields read back the same`() throws {
    let fields = ["", "a", "a,b", "\"", "\"\"", "x\r\ny", "x\ny", " z ", "ü;é", "{\"a\":\"b\"}", "last"]
    let line = CSVWriter.line(fields)
    #expect(try CSVReader.records(of: Array(line.utf8)).map(\.fields) == [fields])
    let harmful = ["=a", "'b", "''", "\tc"]
    let read = try CSVReader.records(of: Array(CSVWriter.line(harmful).utf8)).map(\.fields)
    #expect(read == [harmful.map { "'" + $0 }])
  }
}

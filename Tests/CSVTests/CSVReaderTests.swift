import TestSupport
import Testing

@testable import CSV

@Suite struct CSVReaderTests {
  private static let cases: [(text: String, lines: [Int], fields: [[String]])] = [
    ("version,released_at\n1.0,2020\n", [1, 2], [["version", "released_at"], ["1.0", "2020"]]),
    // Every line end counts alike, and the last one may be missing.
    ("a,b\r\nc,d\r\n", [1, 2], [["a", "b"], ["c", "d"]]),
    ("a,b\rc,d\r", [1, 2], [["a", "b"], ["c", "d"]]),
    ("a,b\nc,d", [1, 2], [["a", "b"], ["c", "d"]]), ("a,b\r\nc,d", [1, 2], [["a", "b"], ["c", "d"]]),
    // Empty lines are passed over and still counted.
    ("", [], []), ("\n\r\n\r", [], []), ("\n\na\n\nb\n", [3, 5], [["a"], ["b"]]),
    ("\r\n\r\na\r\n\r\nb", [3, 5], [["a"], ["b"]]),
    // A byte order mark is taken off the front and nowhere else.
    ("\u{FEFF}", [], []), ("\u{FEFF}a,b", [1], [["a", "b"]]), ("\u{FEFF}\"a\",b", [1], [["a", "b"]]),
    ("a,\u{FEFF}b", [1], [["a", "\u{FEFF}b"]]),
    // Empty fields are kept, and so are blanks and what is not ASCII.
    (",\n", [1], [["", ""]]), ("a,", [1], [["a", ""]]), (",,b", [1], [["", "", "b"]]), ("\"\"", [1], [[""]]),
    ("\"\",\"\"\n", [1], [["", ""]]), (" a , b ", [1], [[" a ", " b "]]), (" ", [1], [[" "]]),
    ("修复,—,🦉\n", [1], [["修复", "—", "🦉"]]),
    // Quotes hold commas, doubled quotes and line ends, which are counted; within a plain field one is a character.
    ("\"a,b\",c", [1], [["a,b", "c"]]), ("\"say \"\"hi\"\"\"", [1], [["say \"hi\""]]),
    ("\"\"\"\"", [1], [["\""]]), ("5\" screen,b", [1], [["5\" screen", "b"]]),
    ("\"one\ntwo\nthree\",x\ny,z", [1, 4], [["one\ntwo\nthree", "x"], ["y", "z"]]),
    ("\"one\r\ntwo\"\r\ny", [1, 3], [["one\r\ntwo"], ["y"]]),
    ("\"one\rtwo\"\ry", [1, 3], [["one\rtwo"], ["y"]]),
  ]

  @Test(arguments: cases.indices)
  func `CSV text is read as records with their line numbers`(index: Int) throws {
    let (text, lines, fields) = CSVReaderTests.cases[index]
    let records = try CSVReader.records(of: Array(text.utf8))
    #expect(records.map(\.fields) == fields, "\(text.debugDescription)")
    #expect(records.map(\.line) == lines, "\(text.debugDescription)")
    #expect(try CSVReader.records(of: Array(text.utf8), limit: 1) == Array(records.prefix(1)))
  }

  @Test(arguments: [
    ("a\n\"b\nc\n", "a quote is never closed", 2), ("\"", "a quote is never closed", 1),
    ("\"a\"\"", "a quote is never closed", 1), ("\"a\"b,c", "text follows a closing quote", 1),
    ("x\n\"a\" ,c", "text follows a closing quote", 2),
  ])
  func `malformed CSV is refused with its line number`(text: String, reason: String, line: Int) {
    #expect(throws: CSVError(reason: reason, line: line)) { try CSVReader.records(of: Array(text.utf8)) }
  }

  @Test(arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x80]] as [[UInt8]])
  func `bytes that are not UTF-8 are refused, in quotes or not`(bytes: [UInt8]) {
    for (start, end, line) in [("a\n", "", 2), ("\"", "\"", 1)] {
      #expect(throws: CSVError(reason: "it is not valid UTF-8", line: line)) {
        try CSVReader.records(of: Array(start.utf8) + bytes + Array(end.utf8))
      }
    }
  }

  @Test func `fields in quotes read back the same`() throws {
    var random = Seeded(4_180)
    let pieces = ["a", ",", "\"", "\n", "\r\n", "", "é", " ", "1.2"]
    for _ in 0..<500 {
      let table = (0...Int.random(in: 0...4, using: &random)).map { _ in
        (0...Int.random(in: 0...3, using: &random)).map { _ in
          (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
        }
      }
      let text = table.map { record in
        record.map {
          "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }
        .joined(separator: ",")
      }.joined(separator: "\n")
      #expect(try CSVReader.records(of: Array(text.utf8)).map(\.fields) == table)
    }
  }
}

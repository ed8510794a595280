import Testing

@testable import CSV

@Suite struct CSVReaderTests {
  private func fields(_ text: String) throws -> [[String]] {
    try CSVReader.records(of: Array(text.utf8)).map(\.fields)
  }

  private func lines(_ text: String) throws -> [Int] {
    try CSVReader.records(of: Array(text.utf8)).map(\.line)
  }

  private func refusal(_ bytes: [UInt8]) -> CSVError? {
    do {
      _ = try CSVReader.records(of: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func `fields stand between commas and records between line ends`() throws {
    #expect(try fields("version,released_at\n1.0,2020\n") == [["version", "released_at"], ["1.0", "2020"]])
  }

  @Test func `an empty text has no records`() throws {
    #expect(try fields("").isEmpty)
    #expect(try fields("\n\r\n\r").isEmpty)
    #expect(try CSVReader.records(of: [0xEF, 0xBB, 0xBF]).isEmpty)
  }

  @Test(arguments: ["a,b\nc,d\n", "a,b\r\nc,d\r\n", "a,b\rc,d\r", "a,b\nc,d", "a,b\r\nc,d"])
  func `every line end counts alike, and the last one may be missing`(text: String) throws {
    #expect(try fields(text) == [["a", "b"], ["c", "d"]])
    #expect(try lines(text) == [1, 2])
  }

  @Test func `a byte order mark is taken off the front and nowhere else`() throws {
    #expect(try fields("\u{FEFF}a,b") == [["a", "b"]])
    #expect(try fields("\u{FEFF}\"a\",b") == [["a", "b"]])
    #expect(try fields("a,\u{FEFF}b") == [["a", "\u{FEFF}b"]])
  }

  @Test func `empty lines are passed over and still counted`() throws {
    #expect(try fields("\n\na\n\nb\n") == [["a"], ["b"]])
    #expect(try lines("\n\na\n\nb\n") == [3, 5])
    #expect(try lines("\r\n\r\na\r\n\r\nb") == [3, 5])
  }

  @Test func `empty fields are kept`() throws {
    #expect(try fields(",\n") == [["", ""]])
    #expect(try fields("a,") == [["a", ""]])
    #expect(try fields(",,b") == [["", "", "b"]])
    #expect(try fields("\"\"") == [[""]])
    #expect(try fields("\"\",\"\"\n") == [["", ""]])
  }

  @Test func `blanks belong to the field`() throws {
    #expect(try fields(" a , b ") == [[" a ", " b "]])
    #expect(try fields(" ") == [[" "]])
  }

  @Test func `quotes hold commas, doubled quotes and line ends`() throws {
    #expect(try fields("\"a,b\",c") == [["a,b", "c"]])
    #expect(try fields("\"say \"\"hi\"\"\"") == [["say \"hi\""]])
    #expect(try fields("\"\"\"\"") == [["\""]])
    #expect(try fields("\"one\ntwo\",x\ny,z") == [["one\ntwo", "x"], ["y", "z"]])
    #expect(try fields("\"one\r\ntwo\"\r\n") == [["one\r\ntwo"]])
  }

  @Test func `lines inside quotes are counted`() throws {
    #expect(try lines("\"one\ntwo\nthree\",x\ny,z") == [1, 4])
    #expect(try lines("\"one\r\ntwo\"\r\ny") == [1, 3])
    #expect(try lines("\"one\rtwo\"\ry") == [1, 3])
  }

  @Test func `a quote inside a plain field is just a character`() throws {
    #expect(try fields("5\" screen,b") == [["5\" screen", "b"]])
  }

  @Test func `an unclosed quote is refused with the line it opens on`() {
    #expect(refusal(Array("a\n\"b\nc\n".utf8)) == CSVError(reason: "a quote is never closed", line: 2))
    #expect(refusal(Array("\"".utf8)) == CSVError(reason: "a quote is never closed", line: 1))
    #expect(refusal(Array("\"a\"\"".utf8)) == CSVError(reason: "a quote is never closed", line: 1))
  }

  @Test func `text after a closing quote is refused`() {
    #expect(refusal(Array("\"a\"b,c".utf8)) == CSVError(reason: "text follows a closing quote", line: 1))
    #expect(refusal(Array("x\n\"a\" ,c".utf8))?.line == 2)
  }

  @Test(arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x80]] as [[UInt8]])
  func `bytes that are not UTF-8 are refused, in quotes or not`(bytes: [UInt8]) {
    #expect(refusal(Array("a\n".utf8) + bytes) == CSVError(reason: "it is not valid UTF-8", line: 2))
    #expect(refusal([0x22] + bytes + [0x22])?.reason == "it is not valid UTF-8")
  }

  @Test func `text outside ASCII passes through`() throws {
    #expect(try fields("修复,—,🦉\n") == [["修复", "—", "🦉"]])
  }

  @Test func `what is written with quotes reads back the same`() throws {
    var state: UInt64 = 7
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let pieces = ["a", ",", "\"", "\n", "\r\n", "", "é", " ", "1.2"]
    for _ in 0..<500 {
      let table = (0...next(4)).map { _ in
        (0...next(3)).map { _ in (0..<next(5)).map { _ in pieces[next(pieces.count)] }.joined() }
      }
      let text = table.map { record in
        record.map {
          "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }
        .joined(separator: ",")
      }.joined(separator: "\n")
      #expect(try fields(text) == table)
    }
  }
}

import JSON
import Testing

@Suite struct JSONTests {
  @Test func `keys are written in the order of their bytes`() {
    let value: JSON = ["b": 1, "a": [true, .null], "é": "x", "Z": "\u{1}\"\\\n"]
    #expect(value.text() == #"{"Z":"\u0001\"\\\n","a":[true,null],"b":1,"é":"x"}"#)
  }

  @Test func `what is written reads back as the same value`() throws {
    let value: JSON = ["deep": [["x": .integer(.min)], .integer(.max), .number(1.5)], "text": "粉猪\u{7F}\0"]
    #expect(try JSON(parsing: value.bytes()) == value)
  }

  @Test func `what drives a terminal is escaped where JSON is printed, and says the same`() throws {
    let bad = [0x80, 0x9B, 0x9F, 0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069]
    let good = [
      0x7E, 0xA0, 0xE9, 0x61B, 0x61D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A, 0x20AC, 0x1F695,
    ]
    let text = { (codes: [Int]) in String(String.UnicodeScalarView(codes.compactMap(Unicode.Scalar.init))) }
    for (codes, isEscaped) in [(bad, true), (good, false)] {
      for code in codes {
        let value: JSON = ["\(text([code]))k": .string("\\\(text([code]))\"x\(text([code]))")]
        let printed = JSON.escapingControls(value.bytes())
        #expect(try JSON(parsing: printed) == value)
        #expect((printed != value.bytes()) == isEscaped, "\(code)")
      }
    }
    let all: JSON = .string(text(bad + good + bad))
    let printed = String(decoding: JSON.escapingControls(all.bytes()), as: UTF8.self)
    #expect(try JSON(parsing: printed.utf8) == all)
    #expect(!printed.unicodeScalars.contains { scalar in bad.contains(Int(scalar.value)) })
    #expect(printed.hasPrefix(#""\u0080\u009b\u009f\u061c\u200e"#))
    // What is stored and hashed keeps its bytes.
    #expect(all.text() == "\"\(text(bad + good + bad))\"")
    // Bytes that end within a character stay what they are.
    for cut: [UInt8] in [[0xC2], [0x41, 0xE2], [0xE2, 0x80], [0xD8]] {
      #expect(JSON.escapingControls(cut) == cut)
    }
  }

  @Test(arguments: [
    "", " ", "{", "[1,]", "{\"a\":1,}", "01", "1.", "1e", "+1", "nul", "\"\u{1}\"", "\"\\x\"", "\"\\ud800\"",
    "{\"a\":1,\"a\":2}", "[1] 2", "1e999", "\u{FEFF}1", "{a:1}", "\"open",
  ])
  func `what is not JSON is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSON(parsing: text.utf8) }
  }

  @Test func `invalid UTF-8 in a string is refused`() {
    #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xFF, 0x22]) }
  }

  @Test func `nesting beyond the limit is refused, not a crash`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError(reason: "nested more than 64 deep", line: 1)) { try JSON(parsing: deep.utf8) }
  }

  @Test func `a fault names its line`() {
    #expect(throws: JSONError(reason: "a key in quotes is expected", line: 3)) {
      try JSON(parsing: "{\n\"a\": 1,\n b: 2}".utf8)
    }
  }

  @Test func `escapes and surrogate pairs are read`() throws {
    #expect(try JSON(parsing: #""\u0041\n\/\ud83d\ude00""#.utf8) == .string("A\n/😀"))
  }

  @Test func `setting a key to nil takes it out`() {
    var object = JSON.Object([("b", 2), ("a", 1), ("b", 3)])
    object["a"] = nil
    #expect(object.members.map(\.key) == ["b"])
    #expect(object["b"] == 3)
  }
}

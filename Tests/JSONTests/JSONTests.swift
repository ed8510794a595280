import JSON
import Testing

@Suite struct JSONTests {
  @Test func `keys are written in the order of their bytes`() {
    let value: JSON = ["b": 1, "a": [true, .null], "é": "x", "Z": "\u{1}\"\\\n"]
    #expect(value.text() == #"{"Z":"\u0001\"\\\n","a":[true,null],"b":1,"é":"x"}"#)
  }

  @Test func `a written value reads back the same`() throws {
    let value: JSON = ["deep": [["x": .integer(.min)], .integer(.max), .number(1.5)], "text": "粉猪\u{7F}\0"]
    #expect(try JSON(parsing: value.bytes()) == value)
  }

  @Test func `characters that could drive a terminal are escaped in printed JSON`() throws {
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
    "", " ", "{", "[1,]", #"{"a":1,}"#, "01", "-01", "1.", "1e", "1e+", "-", "+1", "nul", "tru", "\"\u{1}\"",
    "\"",
    #""\x""#, #""\"#, #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, "[1] 2", "1e999", "\u{FEFF}\u{FEFF}1",
    "{a:1}", "[1 2]",
    #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, "[1}", "\u{0B}1", #""\u""#,
    #""\u123""#,
    #""\u123g""#, #""\u 123""#, #""\u+123""#, #""\u００４１""#, #""\U0041""#, #""\uD800""#, #""\uD800x""#,
    #""\uD800\n""#, #""\uD800\u0041""#, #""\uD800\uD800""#, #""\uDC00""#, #""\uDFFF\uD800""#, #""\uDBFF\u""#,
  ])
  func `text that is not JSON is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSON(parsing: text.utf8) }
    guard text.contains(where: { $0 != " " }) else { return }
    #expect(throws: JSONError.self) { try JSON(parsing: #"{"a":[\#(text)]}"#.utf8) }
  }

  @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
  func `invalid UTF-8 in a string is refused, after an escape, too`(bytes: [UInt8]) {
    for start in ["\"", #""\n"#] {
      #expect(throws: JSONError(reason: "a string is not valid UTF-8", line: 1)) {
        try JSON(parsing: Array(start.utf8) + bytes + [0x22])
      }
    }
  }

  @Test func `nesting beyond the limit is refused without a crash`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError(reason: "nested more than 64 deep", line: 1)) { try JSON(parsing: deep.utf8) }
  }

  @Test func `a fault names its line`() {
    #expect(throws: JSONError(reason: "a key in quotes is expected", line: 3)) {
      try JSON(parsing: "{\n\"a\": 1,\n b: 2}".utf8)
    }
  }

  @Test(arguments: [
    (#"\u0041\n\/\ud83d\ude00"#, "A\n/😀"), (#"\b\f\r\t\"\\"#, "\u{8}\u{C}\r\t\"\\"), (#"a\u00e9z"#, "aéz"),
    (#"\uABCD\uabcd"#, "\u{ABCD}\u{ABCD}"), (#"\u0000\uE000"#, "\0\u{E000}"), ("é字\u{7F}", "é字\u{7F}"),
  ])
  func `escapes and surrogate pairs are read`(text: String, meaning: String) throws {
    #expect(try JSON(parsing: "\"\(text)\"".utf8) == .string(meaning))
    #expect(try JSON(parsing: "{\"\(text)\" : [ \"\(text)\" ] }".utf8) == [meaning: [.string(meaning)]])
  }

  @Test func `numbers are integers where they can be`() throws {
    #expect(
      try JSON(parsing: " [0, -0, 12 ,-9223372036854775808, 9223372036854775808, 1.50, 1E3, -0.0e-2]".utf8)
        == [
          0, 0, 12, .integer(.min), .number(9.223372036854775808e18), .number(1.5), .number(1_000),
          .number(-0.0),
        ])
  }

  @Test func `keys that differ in their bytes are two keys`() {
    let value = JSON.Object([("\u{E9}", 2), ("e\u{301}", 1)])
    #expect(value.members.count == 2 && value["e\u{301}"] == 1 && value["\u{E9}"] == 2)
  }

  @Test func `setting a key to nil takes it out`() {
    var object = JSON.Object([("b", 2), ("a", 1), ("b", 3)])
    object["a"] = nil
    #expect(object.members.map(\.key) == ["b"])
    #expect(object["b"] == 3)
  }
}

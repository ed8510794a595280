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

  @Test(arguments: [
    "", " ", "{", "[1,]", "{\"a\":1,}", "01", "1.", "1e", "+1", "nul", "\"\u{1}\"", "\"\\x\"", "\"\\ud800\"",
    "{\"a\":1,\"a\":2}", "[1] 2", "1e999", "\u{FEFF}1", "{a:1}", "\"open",
  ])
  func `what is no JSON is refused`(text: String) {
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

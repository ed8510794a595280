import JSON
import TestSupport
import Testing

@Suite struct JSONMembersTests {
  private func read(_ text: String, _ keys: [String] = ["a", "b"]) -> [String?]? {
    var members = JSONMembers(keys)
    return Array(text.utf8).withUnsafeBytes { bytes in
      guard members.read(bytes) else { return nil }
      return members.values.map { $0.map { String(decoding: $0.bytes, as: UTF8.self) } }
    }
  }

  @Test func `wanted members come as their bytes, in any order`() {
    #expect(read(#"{"a":1,"b":"x"}"#) == ["1", "x"])
    #expect(read(#" { "b" : [1, {"a":2}] , "c":null, "a" : "\"" } "#) == [#"\""#, #"[1, {"a":2}]"#])
    #expect(read("{}") == [nil, nil])
    #expect(read(#"{"a":"é"}"#) == ["é", nil])
  }

  @Test(arguments: [
    "", "[]", "1", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1}x"#, #"{"a":01}"#, #"{"a":1.}"#,
    #"{"a":tru}"#,
    #"{"a":"\x"}"#, #"{"a":"}"#, #"{"a":1,"a":2}"#, "{\"a\":\"\u{1}\"}", #"{"a":[1,]}"#, #"{"a":[1 2]}"#,
    #"{"a":-}"#,
    #"{"a":1e}"#, #"{a:1}"#,
  ])
  func `what is no object is refused, as the reader of values refuses it`(text: String) {
    #expect(read(text) == nil)
    if text != "[]", text != "1" { #expect(throws: JSONError.self) { try JSON(parsing: text.utf8) } }
  }

  @Test func `bytes that are not text, and nesting without end, are refused`() {
    var members = JSONMembers(["a"])
    let broken: [UInt8] = Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
    let isRead = broken.withUnsafeBytes { members.read($0) }
    #expect(!isRead)
    let deep =
      #"{"a":"# + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}"
    #expect(read(deep) == nil)
  }

  @Test(arguments: [
    "", "\\\"", "\\\\", "é", "字", "\u{1F}", "\"", " ", "\u{7F}", "\\u00e9", "\\q", "[", "!", "#",
  ])
  func `a string is read to its end wherever something special stands in it`(special: String) {
    for front in 0..<20 {
      for back in 0..<10 {
        let string = String(repeating: "x", count: front) + special + String(repeating: "y", count: back)
        for text in ["{\"a\":\"\(string)\",\"b\":\"\"}", "{\"\(string)\":0,\"b\":\"\"}"] {
          guard let whole = try? JSON(parsing: text.utf8) else {
            #expect(read(text) == nil, "\(text)")
            continue
          }
          // A key with an escape in it is one that no event has.
          if text.hasPrefix("{\"a"), whole["a"] != nil { #expect(read(text) == [string, ""], "\(text)") }
          if !string.contains("\\") { #expect(read(text)?[1] == "", "\(text)") }
        }
      }
    }
  }

  // MARK: - Beside the reader of values

  private func agree(_ text: [UInt8]) -> Bool {
    var members = JSONMembers(["a", "b"])
    let isRead = text.withUnsafeBytes { members.read($0) }
    do throws(JSONError) {
      guard case .object = try JSON(parsing: text) else { return !isRead }
      // A key with an escape in it is one that no event has.
      return isRead || text.contains(UInt8(ascii: "\\"))
    } catch {
      // What only values show.
      let isOfValues =
        error.reason == "an object has the same key twice" || error.reason == "a number is out of range"
      return !isRead || isOfValues
    }
  }

  @Test(arguments: [
    #"\u"#, #"\u1"#, #"\u12"#, #"\u123"#, #"\u123g"#, #"\uZZZZ"#, #"\u 123"#, #"\u+123"#, #"\uD800"#,
    #"\uD800x"#, #"\uD800\n"#, #"\uD800\u0041"#, #"\uD800\uD800"#, #"\uDC00"#, #"\uDFFF\uD800"#, #"\U0041"#,
    #"\uDBFF\u"#, #"\u００４１"#,
  ])
  func `an escape that says no character is refused by both`(escape: String) {
    let text = #"{"a":"\#(escape)"}"#
    #expect(throws: JSONError.self) { try JSON(parsing: text.utf8) }
    #expect(read(text) == nil)
    #expect(read(#"{"c":["\#(escape)"],"a":1}"#) == nil, "where nobody looks at the value, too")
  }

  @Test(arguments: [#"\u0041"#, #"\u00e9"#, #"\uABCD"#, #"\uabcd"#, #"\uD83D\uDE00"#, #"\u0000"#, #"\uE000"#])
  func `an escape that says a character is read by both`(escape: String) throws {
    let text = #"{"a":"\#(escape)"}"#
    #expect(try JSON(parsing: text.utf8)["a"]?.string != nil)
    #expect(read(text) == [#""\#(escape)""#, nil] || read(text) == [escape, nil])
  }

  /// A text of an object that is JSON, or was until some bytes were altered.
  private func randomText(_ random: inout Seeded) -> [UInt8] {
    func value(_ depth: Int) -> String {
      let pieces = ["x", "é", "字", #"\n"#, #"\u00e9"#, #"\uD83D\uDE00"#, " ", "{", "]", "0", #"\\"#]
      switch Int.random(in: 0..<(depth > 2 ? 5 : 7), using: &random) {
      case 0: return ["null", "true", "false"].randomElement(using: &random) ?? "null"
      case 1: return ["0", "-1", "12", "1.5", "1e3", "-0.0E-2"].randomElement(using: &random) ?? "0"
      case 2...4:
        let count = Int.random(in: 0..<6, using: &random)
        return "\"" + (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined() + "\""
      case 5:
        return "[" + (0..<3).map { _ in value(depth + 1) }.joined(separator: ", ") + "]"
      default: return object(depth + 1)
      }
    }
    func object(_ depth: Int) -> String {
      let keys = ["a", "b", "c", "dé"].shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
      return "{" + keys.map { "\"\($0)\" :\(value(depth))" }.joined(separator: ",") + "}"
    }
    var text = Array(object(0).utf8)
    for _ in 0..<Int.random(in: 0...2, using: &random) where !text.isEmpty {
      let place = Int.random(in: 0..<text.count, using: &random)
      let bytes = Array(#""\{}[],:0-.eu Dd8c"#.utf8) + [0x00, 0x1F, 0x80, 0xC3, 0xFF]
      switch Int.random(in: 0..<3, using: &random) {
      case 0: text.remove(at: place)
      case 1: text.insert(bytes.randomElement(using: &random) ?? 0, at: place)
      default: text[place] = bytes.randomElement(using: &random) ?? 0
      }
    }
    return text
  }

  @Test func `both readers say the same of random and of broken texts`() {
    var random = Seeded(8_259)
    var whole = 0
    for _ in 0..<20_000 {
      let text = randomText(&random)
      #expect(agree(text), "\(String(decoding: text, as: UTF8.self))")
      if (try? JSON(parsing: text)) != nil { whole += 1 }
    }
    #expect((4_000...16_000).contains(whole), "\(whole) of the texts were whole")
  }

  @Test(arguments: [
    (#"["de","en"]"#, #"{"de":"Hallo","en":"Hello"}"#, "Hallo|Hello|"),
    (#"["en","de"]"#, #"{"de":"Hallo", "en" : "Hello"}"#, "Hello|Hallo|"),
    (#"[]"#, #"{"de":"Hallo"}"#, ""),
    (#"["fr"]"#, #"{"de":"Hallo"}"#, nil),
    (#"["de"]"#, #"{"de":"Hallo","de":"Hello"}"#, nil),
    (#"["de"]"#, #"["de"]"#, nil),
    (#"{"de":1}"#, #"{"de":"Hallo"}"#, nil),
  ]) func `members are found by the elements of an array`(array: String, object: String, wanted: String?) {
    var members = JSONMembers(["array", "object"])
    let found = Array(#"{"array":\#(array),"object":\#(object)}"#.utf8).withUnsafeBytes { bytes -> String? in
      guard members.read(bytes), let array = members.values[0], let object = members.values[1] else {
        return nil
      }
      var text = ""
      let isWhole = JSONMembers.forEachElement(of: array) { element in
        guard let member = JSONMembers.member(element, of: object) else { return false }
        text += String(decoding: member.bytes, as: UTF8.self) + "|"
        return true
      }
      return isWhole ? text : nil
    }
    #expect(found == wanted)
  }
}

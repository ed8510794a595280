import JSON
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

  @Test func `bytes that are no text, and nesting without end, are refused`() {
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

  @Test func `elements are counted`() {
    var members = JSONMembers(["a"])
    let count = Array(#"{"a":[1,[2,3],"x"]}"#.utf8).withUnsafeBytes { bytes in
      members.read(bytes) ? members.values[0].flatMap { JSONMembers.count($0) } : nil
    }
    #expect(count == 3)
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

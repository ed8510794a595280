import JSON
import SQLite
import Testing

/// Texts that Unicode calls equivalent are not the same bytes, and clients get bytes.
@Suite struct VerbatimTests {
  private let composed = "Caf\u{E9}"
  private let decomposed = "Cafe\u{301}"

  @Test func `another spelling of a text is another text`() throws {
    let shell = try Shell.taxi()
    try shell.done("publish taxi 1.0 --yes")
    for words in [
      ["setting", "taxi", "key"], ["app", "set", "taxi", "--name"], ["app", "set", "taxi", "--sku"],
      ["amend", "taxi", "1.0", "--note"],
    ] {
      for text in [composed, decomposed] {
        let value = words.last == "--note" ? "en=" + text : text
        #expect(shell.run(words + [value, "--json"]).json["changed"] == true, "\(words)")
        #expect(shell.run(words + [value, "--json"]).json["changed"] == false, "\(words)")
      }
    }
    let settings = try shell.done("check taxi 1.0 --json").json["settings"]
    #expect(settings?["key"] == .string(decomposed))
    #expect(settings?["key"] != .string(composed))
    #expect(shell.run("verify").status == 0)
  }

  @Test func `versions next to one another get each its own spelling`() throws {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      live taxi 1.0 1.1
      setting taxi key \(composed) --versions 1.0
      setting taxi key \(decomposed) --versions 1.1
      """)
    for (version, text) in [("1.0", composed), ("1.1", decomposed)] {
      let told = try Connection(path: shell.ledger, mode: .readOnly).first(
        "SELECT settings FROM client_decision WHERE version = ?", .text(version)
      ) { try $0.text(0) }
      #expect(told.map { Array($0.utf8) } == Array(#"{"key":"\#(text)"}"#.utf8))
    }
  }
}

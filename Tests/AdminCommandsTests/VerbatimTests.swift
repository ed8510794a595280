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

  @Test(arguments: [
    ("UPDATE setting SET value = 'map ' || char(0x212A)", "row.differs"),
    ("UPDATE answer SET settings = replace(settings, 'K', char(0x212A))", "answer.differs"),
  ])
  func `an altered spelling is found`(statement: String, fault: String) throws {
    try Shell.taxi().tell(
      """
      publish taxi 1.0 --yes
      setting taxi key "map K"
      verify
      alter "\(statement)"
      verify → 1 faults.*.id=[\(fault)]
      """)
  }

  @Test func `a release beside the line keeps nobody from going live again`() throws {
    let shell = try Shell.taxi()
    try shell.tell(
      #"""
      live taxi 4.53
      import taxi - --past --yes < "version,released_at\n4.54.0.1,2026-02-01T00:00:00Z\n"
      mark taxi 4.53 removed
      mark taxi 4.53 live --yes
      verify
      export @out
      """#)
    let review = try shell.json("out/v1/taxi/schedule.json")["rows"]?.array?.first { $0["review"] == true }
    #expect(review?["lo"] == "000000004000000053000000000000000001")
  }
}

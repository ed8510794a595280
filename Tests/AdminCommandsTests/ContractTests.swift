import JSON
import Testing

@Suite struct ContractTests {
  @Test(arguments: [
    "publish taxi 8.1.0 --yes --build 3", "mark taxi 8.0.0 waiting", "amend taxi 7.4.0 --note fr=Vite",
    "app set taxi --name Taxi", "allow taxi 7.3.0", "setting taxi key value", "stop taxi", "init --no-export",
    "redirect taxi 7.3.0 --url https://apps.apple.com/x --yes", "trust host cdn.example.com",
    "trust recipient release@example.com", "void taxi 8.0.0 --reason typing",
    "unmark taxi 7.4.0 --reason wrong",
  ])
  func `a change gives the new head, and a repeated request gets the same answer`(line: String) throws {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      past taxi 7.3.0
      publish taxi 7.4.0 --yes --build 512 --note en=Faster --note de=Schneller
      mark taxi 7.4.0 live
      publish taxi 8.0.0 --yes
      """)
    func head() throws -> JSON? { try shell.done("history --json").json["head"] }
    let before = try head()
    #expect(try shell.done("\(line) --dry-run --json").json["head"] == before)
    let first = shell.run("\(line) --request-id r1")
    let (after, json) = (try head(), try shell.done("\(line) --request-id r1 --json").json)
    #expect(after != before && json["head"] == after && json["changed"]?.bool != nil)
    #expect(json["event"] == json["head"]?["seq"] || json["event"] == .null)
    // Whatever came in between, the same request has the same answer; what changes nothing leaves the head that was there.
    try shell.tell(
      "app set taxi --sku T1\napp set taxi --sku T1 → same changed=false event=null head.seq=LAST")
    let last = try head()
    let note = "This request was recorded earlier; its answer was:\n"
    // What was from then on is not from now on any more.
    func timeless(_ text: String) -> String {
      text.replacing(/from (?:now on|2027[0-9TZ: -]+):/, with: "from then on:")
    }
    let again = try shell.done("\(line) --request-id r1").out
    #expect(timeless(again) == timeless(note + first.out), "\(first.err)")
    #expect(try shell.done("\(line) --request-id r1 --json").json == json && head() == last)
  }

  @Test func `adjacent versions keep different Unicode forms of the same text`() throws {
    let shell = try Shell.taxi()
    let texts = ["1.0": "Caf\u{E9}", "1.1": "Cafe\u{301}"]
    try shell.tell("live taxi 1.0 1.1")
    for (version, text) in texts { try shell.tell("setting taxi key \(text) --versions \(version)") }
    try shell.tell("export @out\nverify")
    for (version, text) in texts {
      let told = try JSON(parsing: shell.text("out/v1/taxi/\(version).json").utf8)["settings"]?["key"]
      #expect(told?.string?.utf8.count == text.utf8.count)
    }
  }
}

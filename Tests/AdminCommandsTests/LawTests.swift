import AdminCommands
import JSON
import ReleaseModel
import Testing

@Suite struct LawTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
  }

  private func check(_ version: String, _ words: String = "") throws -> JSON {
    try shell.done("check taxi \(version) --json \(words)").json
  }

  @Test func `the same version spelled otherwise is refused, and found under either name`() throws {
    try shell.done("publish taxi 1.2")
    let ran = shell.run("publish taxi 1.2.0 --json")
    #expect(ran.status == 1 && ran.errorID == "version.not-greater")
    let lower = shell.run("publish taxi 1.1.9 --json")
    #expect(lower.status == 1 && lower.errorID == "version.not-greater")
    #expect(try shell.done("mark taxi 1.2.0 in-review --json").json["release"]?["version"] == "1.2")
  }

  @Test func `a typo is struck out and the line goes on below it`() throws {
    try shell.done("publish taxi 7.3")
    try shell.done("publish taxi 999.0.0")
    #expect(shell.run("publish taxi 7.4").status == 1)
    #expect(shell.run("void taxi 999.0.0").status == 64)
    try shell.done("void taxi 999.0.0 --reason typing")
    try shell.done("publish taxi 7.4")
    #expect(try shell.done("history taxi --version 999 --json").json["events"]?.array?.count == 2)
    // The number may be used again.
    try shell.done("publish taxi 999.0.0 --build 2")
    #expect(try shell.done("mark taxi 999 in-review --json").json["release"]?["build"] == "2")
  }

  @Test func `unmark works within the hold and never after`() throws {
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live --visible-now")
    try shell.done("publish taxi 1.1")
    try shell.done("mark taxi 1.1 approved")
    try shell.done("mark taxi 1.1 live")
    shell.clock = later(86_399)
    let taken = try shell.done("unmark taxi 1.1 --reason wrong --json").json
    #expect(taken["release"]?["state"] == "approved" && taken["restored"] == "1.0")
    #expect(taken["release"]?["liveAt"] == .null && taken["release"]?["visibleAt"] == .null)
    try shell.done("mark taxi 1.1 live")
    shell.clock = later(86_399 + 86_400)
    let late = shell.run("unmark taxi 1.1 --reason wrong --json")
    #expect(late.status == 1 && late.errorID == "unmark.too-late")
    #expect(try check("1.0")["target"] == "1.1")
  }

  @Test func `review sees nothing at each state before live`() throws {
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live --visible-now")
    try shell.done("publish taxi 1.1")
    for state in ["prepared", "waiting", "in-review", "rejected", "waiting", "approved", "withdrawn"] {
      if state != "prepared" { try shell.done("mark taxi 1.1 \(state)") }
      let json = try check("1.1")
      #expect(
        json["review"] == true && json["action"] == "none" && json["decidedBy"] == "unreleased", "\(state)")
      // Unknown and greater than all that was ever live; unknown and below.
      #expect(try check("1.2")["review"] == true)
      #expect(try check("0.9")["review"] == false)
    }
    try shell.done("mark taxi 1.1 live")
    #expect(try check("1.1")["review"] == false)
    try shell.done("publish taxi 9")
    try shell.done("void taxi 9 --reason typing")
    #expect(try check("9")["review"] == true)
  }

  @Test func `a release is visible the second its hold ends and not one before`() throws {
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live --visible-now")
    try shell.done("publish taxi 1.1")
    try shell.done("mark taxi 1.1 live")
    #expect(try check("1.0")["action"] == "none")
    #expect(try check("1.0", "--at \(later(86_399).text)")["decidedBy"] == "current")
    let told = try check("1.0", "--at \(later(86_400).text)")
    #expect(told["action"] == "remind" && told["target"] == "1.1")
    shell.clock = later(86_399)
    #expect(try check("1.0")["action"] == "none")
    shell.clock = later(86_400)
    #expect(try check("1.0")["action"] == "remind")
  }

  @Test func `a hold ends at once where the store was seen to serve it`() throws {
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live")
    shell.clock = later(60)
    let json = try shell.done("mark taxi 1.0 live --visible-now --json").json
    #expect(json["release"]?["visibleAt"] == .string(later(60).text))
    #expect(json["release"]?["liveAt"] == .string(noon.text))
  }

  @Test func `a change that forces needs --yes where nobody can be asked`() throws {
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live --visible-now")
    try shell.done("publish taxi 2.0")
    let head = shell.head()
    let asked = shell.run("mark taxi 2.0 live --json")
    #expect(asked.status == 1 && asked.errorID == "confirm.required")
    #expect(asked.error["details"]?["impact"]?.array?.first?["after"] == "force")
    #expect(shell.head() == head)
    try shell.done("mark taxi 2.0 live --dry-run")
    #expect(shell.head() == head)
    try shell.done("mark taxi 2.0 live --yes")
  }

  @Test func `a removal of the newest leaves clients with nothing to go to`() throws {
    for version in ["1.0", "1.1", "1.2"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live --visible-now")
    }
    try shell.done("mark taxi 1.2 removed")
    let json = try check("1.0")
    #expect(json["action"] == "none" && json["decidedBy"] == "no-target")
    try shell.done("mark taxi 1.2 live --visible-now")
    #expect(try check("1.0")["target"] == "1.2")
  }

  @Test func `the same request is answered alike, output options aside`() throws {
    let first = try shell.done("publish taxi 1.0 --request-id r-1 --json")
    try shell.done("publish taxi 2.0")
    let again = try shell.done("publish taxi 1.0 --request-id r-1 --json")
    #expect(again.out == first.out)
    #expect(shell.head() == 4)
    let other = shell.run("publish taxi 1.1 --request-id r-1 --json")
    #expect(other.status == 1 && other.errorID == "request.reused")
    #expect(try shell.done("publish taxi 1.0 --request-id r-1").status == 0)
  }

  @Test func `an expected head that has moved on is refused`() throws {
    try shell.done("publish taxi 1.0 --expect-head 2")
    let ran = shell.run("publish taxi 1.1 --expect-head 2 --json")
    #expect(ran.status == 1 && ran.errorID == "ledger.head-moved")
    #expect(ran.error["details"] == ["expected": 2, "found": 3])
  }

  @Test(
    arguments: [
      ("http://apps.apple.com/x", "url.scheme", 1), ("https://evil.example.com/x", "url.host-not-trusted", 1),
      ("https://user@apps.apple.com/x", "url.credentials", 1), ("apps.apple.com/x", "url.malformed", 64),
      ("https://apps.apple.com/%zz", "url.malformed", 64),
      ("itms-services://?action=download-manifest&url=http://apps.apple.com/m", "url.manifest", 1),
    ] as [(String, String, Int32)])
  func `a URL that must not reach a client is refused`(url: String, id: String, status: Int32) {
    let ran = shell.run(["publish", "taxi", "1.0", "--url", url, "--json"])
    #expect(ran.status == status && ran.errorID == id)
    #expect(shell.head() == 2)
  }

  @Test func `a URL in Chinese is stored encoded`() {
    let ran = shell.run(["publish", "taxi", "1.0", "--url", "https://apps.apple.com/app/粉猪/id1", "--json"])
    #expect(ran.json["release"]?["url"] == "https://apps.apple.com/app/%E7%B2%89%E7%8C%AA/id1")
  }
}

import JSON
import ReleaseModel
import TestSupport
import Testing

/// Lists of what is on record, one release in full, and answers to requests made again.
@Suite struct ReleaseListTests {
  /// `taxi` with 7.3.0 out, superseded by 7.4.0 on the word of somebody, and 8.0.0 on its way.
  private func taxi() throws -> Shell {
    let shell = try Shell.taxi()
    let past = "version,released_at\n7.3.0,2026-03-01T00:00:00Z\n"
    try #require(shell.run(["import", "taxi", "-"], input: Array(past.utf8)).status == 0)
    try shell.done("publish taxi 7.4.0 --build 512 --note en=Faster --note de=Schneller")
    try shell.done("mark taxi 7.4.0 approved --actor release-bot")
    try shell.done("mark taxi 7.4.0 live --at \(noon.text)")
    try shell.done("publish taxi 8.0.0")
    return shell
  }

  @Test func `releases are listed newest first, each as every answer has it`() throws {
    let shell = try taxi()
    let json = try shell.done("releases taxi --json").json
    #expect(json["app"] == "taxi")
    let releases = try #require(json["releases"]?.array)
    #expect(releases.map { $0["version"]?.string } == ["8.0.0", "7.4.0", "7.3.0"])
    #expect(try releases[1] == shell.done("show taxi 7.4.0 --json").json["release"])
    let text = try shell.done("releases taxi").out
    #expect(text.contains("7.4.0") && text.contains("superseded"))
    #expect(shell.run("releases texi --json").errorID == "app.not-found")
    try shell.done("app add van --bundle-id com.example.van")
    #expect(try shell.done("releases van").out.contains("next: pawl publish van"))
  }

  @Test func `a release is shown with its states, who moved it, and what its clients are told`() throws {
    let shell = try taxi()
    let json = try shell.done("show taxi 7.4.0 --json").json
    let states = try #require(json["states"]?.array)
    #expect(states.map { $0["state"]?.string } == ["prepared", "approved", "live"])
    #expect(states.last?["at"] == .string(noon.text) && states.last?["evidence"] == .null)
    #expect(states.map { $0["event"]?.integer } == [4, 5, 6])
    #expect(try json["told"] == shell.done("check taxi 7.4.0 --json").json)
    // What another release's going live did to it is said too, and that it was taken back.
    let former = try shell.done("show taxi 7.3.0 --json").json["states"]?.array
    #expect(former?.map { $0["state"]?.string } == ["live", "superseded"])
    #expect(former?.last?["event"]?.integer == 6)
    try shell.done("unmark taxi 7.4.0 --reason wrong")
    let again = try shell.done("show taxi 7.3.0 --json").json["states"]?.array
    #expect(again?.map { $0["state"]?.string } == ["live", "superseded", "live"])
    let text = try shell.done("show taxi 7.4.0").out
    #expect(text.contains("release-bot") && text.contains("de:\n  Schneller"))
    #expect(shell.run("show taxi 9.9.9 --json").errorID == "release.not-found")
    #expect(shell.run("show taxi --json").status == 64)
    #expect(try shell.done("show 4 --json").json["kind"] == "release.publish")
  }

  @Test func `a number used again after it was struck out is another release`() throws {
    let shell = try taxi()
    try shell.done("void taxi 8.0.0 --reason typing")
    try shell.done("publish taxi 8.0.0 --build 9")
    let states = try shell.done("show taxi 8.0.0 --json").json["states"]?.array
    #expect(states?.map { $0["state"]?.string } == ["prepared"])
  }

  @Test func `redirects and settings are listed, of all apps or of one`() throws {
    let shell = try taxi()
    try shell.done("app add van --bundle-id com.example.van")
    #expect(try shell.done("redirects").out == "No clients are redirected.\n")
    #expect(try shell.done("settings --json").json == ["settings": []])
    try shell.done("redirect van all --to taxi --yes")
    try shell.done("setting taxi map-key free-1 --during review")
    let redirects = try #require(try shell.done("redirects --json").json["redirects"]?.array)
    #expect(redirects.count == 1 && redirects[0]["app"] == "van" && redirects[0]["to"] == "taxi")
    #expect(try shell.done("redirects taxi --json").json == ["redirects": []])
    #expect(try shell.done("settings taxi").out.contains("free-1"))
    #expect(try shell.done("settings --json").json["settings"]?.array?.first?["during"] == "review")
  }

  @Test func `blame names releases by their versions, programs their rows too`() throws {
    let shell = try taxi()
    let text = try shell.done("blame taxi 7.3.0").out
    let row = text.split(separator: "\n").first { $0.hasPrefix("superseded by") }
    #expect(row?.contains(" 7.4.0 ") == true, "\(text)")
    let fields = try shell.done("blame taxi 7.3.0 --json").json["fields"]?.array ?? []
    #expect(fields.contains { $0["field"] == "supersededBy" && $0["value"]?.integer != nil })
  }

  @Test(arguments: ["--version", "-V", "version"])
  func `the version is said in every way it is asked for`(word: String) throws {
    let shell = try Shell(makesLedger: false)
    #expect(try shell.done(word).out.hasPrefix("pawl "))
    #expect(shell.run("version --json").json["version"]?.string != nil)
  }

  @Test func `y agrees as yes does`() throws {
    let shell = try taxi()
    #expect(shell.run("app set taxi --policy force --json").errorID == "confirm.required")
    #expect(shell.run("app set taxi --policy force -y --json").json["changed"] == true)
  }

  @Test(arguments: [
    "publish taxi 8.1.0 --build 3", "mark taxi 8.0.0 waiting", "amend taxi 7.4.0 --note fr=Vite",
    "app set taxi --name Taxi", "allow taxi 7.3.0",
    "redirect taxi 7.3.0 --url https://apps.apple.com/x --yes",
    "setting taxi key value", "stop taxi", "trust host cdn.example.com",
    "trust recipient release@example.com",
    "void taxi 8.0.0 --reason typing", "unmark taxi 7.4.0 --reason wrong", "init --no-export",
  ])
  func `a request made again reads as it did, to people and to programs`(line: String) throws {
    let shell = try taxi()
    let first = shell.run("\(line) --request-id r1")
    let head = shell.head()
    let json = try shell.done("\(line) --request-id r1 --json").json
    #expect(json["changed"]?.bool != nil && shell.head() == head)
    let again = try shell.done("\(line) --request-id r1")
    let note = "This request was recorded earlier; its answer was:\n"
    #expect(again.out == note + first.out, "\(first.err)")
    #expect(shell.head() == head)
  }

  @Test func `rules fit the terminal, and no word of theirs is broken`() throws {
    let shell = try taxi()
    _ = shell.run([
      "allow", "taxi", "7.3.0", "--from", "2030-01-01T00:00:00Z", "--until", "2030-02-01T00:00:00Z",
      "--actor", "release-bot", "--reason", "the kiosks at the stations cannot be updated before the spring",
    ])
    let whole = try shell.done("rules").out
    #expect(whole.split(separator: "\n").count == 2)
    for width in [80, 120] {
      shell.terminalWidth = width
      shell.environment["NO_COLOR"] = "1"
      let page = try shell.done("rules").out
      #expect(page.split(separator: "\n").allSatisfy { $0.count <= width }, "\(page)")
      for word in whole.split(whereSeparator: { $0 == " " || $0 == "\n" })
      where !["FROM", "UNTIL", "BY", "REASON"].contains(word) {
        #expect(page.contains(word), "\(word) in \(page)")
      }
    }
  }
}

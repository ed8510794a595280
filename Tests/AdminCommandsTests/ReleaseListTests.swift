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

import JSON
import ReleaseModel
import TestSupport
import Testing

/// One release in full, and answers to requests made again.
@Suite struct ShowTests {
  /// `taxi` with 7.3.0 out, superseded by 7.4.0 on the word of somebody, and 8.0.0 on its way.
  private func taxi() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      past taxi 7.3.0
      publish taxi 7.4.0 --build 512 --note en=Faster --note de=Schneller
      mark taxi 7.4.0 approved --actor release-bot
      mark taxi 7.4.0 live --at \(noon.text)
      publish taxi 8.0.0
      """)
    return shell
  }

  @Test func `a release is shown with its states, who moved it, and what its clients are told`() throws {
    let shell = try taxi()
    try shell.tell(
      """
      show taxi 7.4.0 → states.*.state=[prepared,approved,live] states.*.event=[4,5,6] states.2.at=\(noon.text) states.2.evidence=null
      show taxi 7.3.0 → states.*.state=[live,superseded] states.1.event=6
      """)
    #expect(
      try shell.done("show taxi 7.4.0 --json").json["told"] == shell.done("check taxi 7.4.0 --json").json)
    // What another release's going live did to it is said, and that it was taken back.
    try shell.tell(
      "unmark taxi 7.4.0 --reason wrong\nshow taxi 7.3.0 → states.*.state=[live,superseded,live]")
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
}

import JSON
import Testing

@Suite struct StatusTests {
  @Test func `the board names the target that check names, and where it leads`() throws {
    let shell = try Shell.taxi()
    /// Expects that the board sends clients of an app to a release or to another app, as `check` does.
    func expectLead(_ app: String, _ target: String?, of other: String?) throws {
      let board = try #require(try shell.done("status \(app) --json").json["apps"]?.array?.first)
      let check = try shell.done("check \(app) 0.9 --json").json
      for name in ["targetApp", "url"] { #expect(board[name] == check[name], "\(name)") }
      // Which release of another app it is depends on what prompts a client.
      if other == app { #expect(board["target"] == check["target"]) }
      #expect(board["target"]?.string == target && board["targetApp"]?.string == other)
    }
    try shell.tell(
      "live taxi 1.0\npublish taxi 1.1\nmark taxi 1.1 live\npublish taxi 1.2\nmark taxi 1.2 live")
    try expectLead("taxi", "1.0", of: "taxi")
    try shell.tell("stop taxi")
    try expectLead("taxi", nil, of: nil)
    try shell.tell(
      """
      resume taxi --yes
      app add van --bundle-id com.example.van --channel enterprise --store-url https://apps.apple.com/app/id1
      live van 9.0
      """)
    try expectLead("van", "9.0", of: "van")
    try shell.tell("redirect van all --to taxi --yes")
    try expectLead("van", nil, of: "taxi")
    try shell.tell(
      """
      stop taxi
      """)
    try expectLead("van", nil, of: nil)
  }
}

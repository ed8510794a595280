import JSON
import ReleaseModel
import Testing

/// The event behind each step of `check --explain`: the one that last set what the step follows from, whatever else of the
/// same row was changed since.
@Suite struct ExplainTests {
  /// `taxi` with 7.0 and 7.1 out and visible, and the events that recorded them.
  private func taxi() throws -> (shell: Shell, added: Int64, second: Int64) {
    let shell = try Shell.taxi()
    let added = try #require(shell.head())
    for version in ["7.0", "7.1"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live --visible-now --yes")
    }
    return (shell, added, try #require(shell.head()))
  }

  /// The event of each step, by its name.
  private func events(_ shell: Shell, _ words: String = "taxi 7.0") throws -> [String: Int64] {
    let steps = try #require(try shell.done("check \(words) --explain --json").json["steps"]?.array)
    var events: [String: Int64] = [:]
    for step in steps { events[try #require(step["step"]?.string)] = step["event"]?.integer }
    return events
  }

  @Test func `a stop is behind its step, and not the renaming after it`() throws {
    let (shell, _, second) = try taxi()
    try shell.done("stop taxi --reason bad")
    let stopped = try #require(shell.head())
    try shell.done("app set taxi --name Z")
    #expect(try events(shell) == ["released": second, "stop": stopped])
    try shell.done("resume taxi --yes")
    try shell.done("app retire taxi")
    #expect(try events(shell)["stop"] == shell.head())
  }

  @Test func `the policy is that of the event that set it`() throws {
    let (shell, added, _) = try taxi()
    try shell.done("app set taxi --name Z")
    try shell.done("stop taxi")
    try shell.done("resume taxi --yes")
    #expect(try events(shell)["policy"] == added)
    try shell.done("app set taxi --policy remind --yes")
    let set = shell.head()
    try shell.done("app set taxi --hold 1h")
    #expect(try events(shell)["policy"] == set)
  }

  @Test func `a note is behind no step`() throws {
    let (shell, _, second) = try taxi()
    try shell.done("amend taxi 7.1 --mandatory --yes")
    let mandatory = shell.head()
    for version in ["7.0", "7.1"] { try shell.done("amend taxi \(version) --note en=news") }
    let found = try events(shell)
    #expect(found["mandatory"] == mandatory && found["target"] == second)
    // What superseded it made it what it is.
    #expect(found["released"] == second)
    #expect(try events(shell, "taxi 7.1")["released"] == second)
  }

  @Test func `a page is that of who gave it`() throws {
    let (shell, added, _) = try taxi()
    #expect(try events(shell)["url"] == added)
    try shell.done("app set taxi --store-url https://apps.apple.com/de/app/id7 --yes")
    let page = shell.head()
    try shell.done("app set taxi --name Z")
    #expect(try events(shell)["url"] == page)
    try shell.done("amend taxi 7.1 --url https://apps.apple.com/fr/app/id7 --yes")
    let own = shell.head()
    try shell.done("amend taxi 7.1 --note en=news")
    #expect(try events(shell)["url"] == own)
    try shell.done("redirect taxi all --url https://apps.apple.com/app/id8 --yes")
    #expect(try events(shell)["url"] == shell.head())
    try shell.done("remind taxi 7.0 --url https://apps.apple.com/app/id9 --yes")
    let ruled = try events(shell)
    #expect(ruled["url"] == shell.head() && ruled["rule"] == shell.head())
  }

  @Test func `another app's page and releases have their own events`() throws {
    let (shell, _, _) = try taxi()
    try shell.done("app add van --bundle-id com.example.van --apple-id 77")
    let van = shell.head()
    try shell.done("publish van 1.0")
    try shell.done("mark van 1.0 live --visible-now --yes")
    let live = shell.head()
    try shell.done("redirect taxi all --to van --yes")
    let redirect = shell.head()
    try shell.done("app set van --name V")
    try shell.done("amend van 1.0 --note en=news")
    let found = try events(shell)
    #expect(found["redirect"] == redirect && found["policy"] == redirect)
    #expect(found["target"] == live && found["url"] == van)
    try shell.done("stop van")
    let stopped = shell.head()
    try shell.done("app set van --name W")
    #expect(try events(shell)["target"] == stopped)
  }

  @Test func `what came later is behind no step of the past`() throws {
    let (shell, added, second) = try taxi()
    let then = try #require(shell.head())
    try shell.done("app set taxi --policy remind --yes")
    try shell.done("amend taxi 7.1 --url https://apps.apple.com/fr/app/id7 --yes")
    let found = try events(shell, "taxi 7.0 --as-of \(then)")
    #expect(found["policy"] == added && found["url"] == added && found["target"] == second)
  }

  @Test func `a release that is live again is a target by what made it so`() throws {
    let (shell, _, second) = try taxi()
    try shell.done("publish taxi 7.2")
    try shell.done("mark taxi 7.2 live")
    #expect(try events(shell)["target"] == second)
    try shell.done("unmark taxi 7.2 --reason wrong")
    #expect(try events(shell)["target"] == shell.head())
  }
}

import JSON
import ReleaseModel
import Testing

/// Redirects and settings that count from one moment to another, and warnings about ranges and grace periods.
@Suite struct WindowTests {
  private let one = "https://apps.apple.com/app/id1"
  private let two = "https://apps.apple.com/app/id2"
  private let day: Int64 = 86_400

  /// `taxi` with 7.0 to 8.2 out and visible, and everybody reminded.
  private func taxi() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.done("app set taxi --policy none --yes")
    let past =
      "version,released_at\n7.0,2026-01-01T00:00:00Z\n7.9,2026-02-01T00:00:00Z\n8.2,2026-04-01T00:00:00Z\n"
    try #require(shell.run(["import", "taxi", "-", "--yes"], input: Array(past.utf8)).status == 0)
    try shell.done("remind taxi all --yes")
    return shell
  }

  private func url(_ shell: Shell, in days: Int64) throws -> String? {
    try shell.done("check taxi 7.0 --at \(later(days * day).text) --json").json["url"]?.string
  }

  private func count(_ shell: Shell, _ list: String) throws -> Int? {
    try shell.done("\(list) taxi --json").json[list]?.array?.count
  }

  // MARK: - Redirects

  @Test func `a redirect counts from one moment to another`() throws {
    let shell = try taxi()
    try shell.done("redirect taxi 7.0 --url \(one) --yes")
    let set = try shell.done("redirect taxi 7.0 --url \(two) --from 1d --until 3d --yes --json").json
    #expect(set["redirect"]?["from"] == .string(later(day).text))
    #expect(set["redirect"]?["until"] == .string(later(3 * day).text))
    #expect(set["impact"]?.array?.compactMap { $0["at"]?.string } == [later(day).text])
    #expect(try url(shell, in: 0) == one)
    #expect(try url(shell, in: 1) == two && url(shell, in: 2) == two)
    #expect(try url(shell, in: 3) == one)
    let list = try shell.done("redirects taxi")
    #expect(list.out.contains("FROM") && list.out.contains(later(day).text))
  }

  @Test func `a redirect replaces the one for the same range and window, and no other`() throws {
    let shell = try taxi()
    try shell.done("redirect taxi 7.0 --url \(one) --yes")
    try shell.done("redirect taxi 7.0 --url \(two) --from 1d --until 3d --yes")
    #expect(
      try shell.done("redirect taxi 7.0.0 --url \(two) --from 1d --until 3d --json").json["changed"] == false)
    #expect(try shell.done("redirect taxi 7.0 --url \(one) --json").json["changed"] == false)
    #expect(try count(shell, "redirects") == 2)
    try shell.done("redirect taxi 7.0 --url \(one) --from 1d --until 3d --yes")
    #expect(try count(shell, "redirects") == 2)
    try shell.done("redirect taxi 7.0 --url \(one) --from 1d --yes")
    #expect(try count(shell, "redirects") == 3)
  }

  @Test func `reverting looks at the range and the window`() throws {
    let shell = try taxi()
    try shell.done("redirect taxi 7.0 --url \(one) --yes")
    let plain = try #require(shell.head())
    try shell.done("redirect taxi 7.0 --url \(two) --from 1d --until 3d --yes")
    let timed = try #require(shell.head())
    // What another window says since is not in the way.
    try shell.done("revert \(plain) --yes")
    #expect(try url(shell, in: 0) == "https://apps.apple.com/app/id1524608462")
    #expect(try url(shell, in: 2) == two)
    try shell.done("redirect taxi 7.0 --url \(one) --from 1d --until 3d --yes")
    #expect(shell.run("revert \(timed) --yes --json").errorID == "revert.touched-since")
    try shell.done("revert \(shell.head() ?? 0) --yes")
    #expect(try url(shell, in: 2) == two)
    #expect(try shell.done("verify --json").json["ok"] == true)
  }

  @Test func `a force may lean on a redirect to another app only while that counts`() throws {
    let shell = try taxi()
    try shell.done("app add van --bundle-id com.example.van --apple-id 7")
    let past = Array("version,released_at\n1.0,2026-01-01T00:00:00Z\n".utf8)
    try #require(shell.run(["import", "van", "-", "--yes"], input: past).status == 0)
    try shell.done("redirect taxi 8.2 --to van --from 2d --yes")
    #expect(shell.run("force taxi 8.2 --reason x --yes --json").errorID == "force.nothing-newer")
    #expect(shell.run("force taxi 8.2 --reason x --from 1d --yes --json").errorID == "force.nothing-newer")
    try shell.done("force taxi 8.2 --reason x --from 2d --yes")
  }

  @Test func `the app that a redirect leads to must be visible when it starts`() throws {
    let shell = try taxi()
    try shell.done("app add van --bundle-id com.example.van --apple-id 7")
    try shell.done("publish van 1.0")
    try shell.done("mark van 1.0 live")
    #expect(shell.run("redirect taxi 7.0 --to van --yes --json").errorID == "target.nothing-visible")
    try shell.done("redirect taxi 7.0 --to van --from 2d --yes")
  }

  // MARK: - Settings

  @Test func `a setting counts from one moment to another, beside the one without a window`() throws {
    let shell = try taxi()
    try shell.done("setting taxi map-key paid")
    let set = try shell.done("setting taxi map-key trial --from 1d --until 3d --json").json
    #expect(set["setting"]?["from"] == .string(later(day).text) && set["changed"] == true)
    func key(_ days: Int64) throws -> JSON? {
      try shell.done("check taxi 7.0 --at \(later(days * day).text) --json").json["settings"]?["map-key"]
    }
    #expect(try key(0) == "paid" && key(1) == "trial" && key(3) == "paid")
    #expect(
      try shell.done("setting taxi map-key trial --from 1d --until 3d --json").json["changed"] == false)
    try shell.done("setting taxi map-key other --from 1d --until 3d")
    #expect(try count(shell, "settings") == 2)
    try shell.done("setting taxi map-key --clear")
    #expect(try key(0) == nil && key(1) == "other")
    let timed = try #require(shell.head())
    try shell.done("setting taxi map-key --clear --from 1d --until 3d")
    #expect(try key(1) == nil)
    try shell.done("revert \(timed + 1) --yes")
    #expect(try key(1) == "other")
  }

  // MARK: - Grace periods

  @Test func `rules that only look alike are no grace period`() throws {
    let shell = try taxi()
    try shell.done("remind taxi below:8.2 --until 14d --yes")
    try shell.done("force taxi below:7.9 --from 14d --reason crash --yes")
    #expect(try shell.done("lift taxi 2 --yes --json").json["left"] == nil)
  }
}

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

  @Test func `clearing a redirect clears the one without a window, or the one with that window`() throws {
    let shell = try taxi()
    try shell.done("redirect taxi 7.0 --url \(two) --from 1d --until 3d --yes")
    let none = try shell.done("redirect taxi 7.0 --clear --json").json
    #expect(none["changed"] == false && none["redirect"] == .null && none["cleared"] == nil)
    #expect(
      none["warnings"]?.array?.first?.string?.contains("until \(later(3 * day).text) stays") == true)
    try shell.done("redirect taxi 7.0 --url \(one) --yes")
    let first = try shell.done("redirect taxi 7.0 --clear --yes --json").json
    #expect(first["cleared"]?["from"] == .null && first["cleared"]?["url"] == .string(one))
    #expect(try url(shell, in: 2) == two)
    let timed = try shell.done("redirect taxi 7.0 --clear --from 1d --until 3d --yes --json").json
    #expect(timed["cleared"]?["url"] == .string(two) && timed["warnings"] == [])
    #expect(try count(shell, "redirects") == 0)
    try shell.done("redirect taxi 7.0 --url \(one) --until 1d --yes")
    shell.clock = later(2 * day)
    #expect(try shell.done("redirect taxi 7.0 --clear --json").json["warnings"] == [], "what is over")
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

  @Test(arguments: [
    "redirect taxi 7.0 --url https://apps.apple.com/app/id1", "setting taxi map-key paid",
  ])
  func `a period that can never count is refused`(line: String) throws {
    let shell = try taxi()
    let head = shell.head()
    for period in ["--until 2020-01-01", "--from 2d --until 1d", "--until 0"] {
      let ran = shell.run("\(line) \(period) --yes --json")
      #expect(ran.status == 64 && ran.errorID == "time.order", "\(period)")
    }
    #expect(shell.head() == head)
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

  @Test func `due and blame name the windows of redirects and settings`() throws {
    let shell = try taxi()
    try shell.done("redirect taxi 7.0 --url \(two) --from 1d --until 3d --yes")
    try shell.done("setting taxi map-key trial --from 2d")
    let due = try #require(try shell.done("due --json").json["due"]?.array)
    #expect(
      due.compactMap { $0["what"]?.string } == [
        "redirect of 7.0 starts: to \(two)", "setting map-key for all starts: trial", "redirect of 7.0 ends",
      ])
    #expect(due.compactMap { $0["count"]?.integer } == [1, 3, 1], "a setting is part of an answer")
    shell.clock = later(4 * day)
    let out = try shell.done("blame taxi 7.0 --limit 9").out
    #expect(out.contains("redirect of 7.0 started") && out.contains("redirect of 7.0 ended"))
    #expect(out.contains("setting map-key for all started"))
  }

  // MARK: - Ranges that hold nothing

  @Test func `a range without a recorded version is reported with the nearest one`() throws {
    let shell = try taxi()
    for line in [
      "force taxi 7.8 --reason x --yes", "remind taxi 7.8 --yes", "allow taxi 7.8",
      "redirect taxi 7.8 --url \(one) --yes", "setting taxi map-key x --versions 7.8",
    ] {
      let ran = try shell.done("\(line) --json")
      #expect(
        ran.json["warnings"] == ["taxi has no release 7.8; the nearest is 7.9"], "\(line)")
    }
    #expect(
      try shell.done("remind taxi 6.1..6.2 --yes").out.contains(
        "warning: taxi has no release in 6.1..6.2; the nearest is 7.0"))
    #expect(try shell.done("remind taxi below:7.9 --yes --json").json["warnings"] == [])
  }

  // MARK: - Grace periods

  @Test func `lifting one half of a grace period names the half that is left`() throws {
    let shell = try taxi()
    try shell.done("force taxi below:8.2 --grace 14d --reason crash --yes")
    let reminder = try shell.done("lift taxi 2 --yes --json").json
    #expect(reminder["rule"]?["number"] == 2 && reminder["left"]?["number"] == 3)
    #expect(reminder["left"]?["action"] == "force")
    #expect(try shell.done("lift taxi 2").out.contains("pawl lift taxi 3"))
    #expect(try shell.done("lift taxi 3 --json").json["left"] == nil)
    try shell.done("force taxi below:7.9 --grace 14d --reason crash --yes")
    let force = try shell.done("lift taxi 5")
    #expect(force.out.contains("warning: the reminder of the same grace period is left: rule 4"))
    shell.clock = later(15 * day)
    #expect(try shell.done("lift taxi 5 --json").json["left"] == nil, "the reminder is over")
  }

  @Test func `rules that only look alike are no grace period`() throws {
    let shell = try taxi()
    try shell.done("remind taxi below:8.2 --until 14d --yes")
    try shell.done("force taxi below:7.9 --from 14d --reason crash --yes")
    #expect(try shell.done("lift taxi 2 --yes --json").json["left"] == nil)
  }

  // MARK: - History

  @Test func `the history of a version has the rules, redirects and settings whose range holds it`() throws {
    let shell = try taxi()
    try shell.done("force taxi below:7.9 --reason x --yes")
    let force = try #require(shell.head())
    try shell.done("redirect taxi 7.9 --url \(one) --yes")
    try shell.done("setting taxi map-key x --versions 7.0..7.5")
    try shell.done("lift taxi 2 --yes")
    func kinds(_ version: String) throws -> [String] {
      let events = try shell.done("history taxi --version \(version) --json").json["events"]?.array ?? []
      return events.compactMap { $0["kind"]?.string }
    }
    #expect(
      try kinds("7.0.0") == ["rule.lift", "setting.set", "rule.force", "rule.remind", "release.import"])
    #expect(try kinds("7.9") == ["redirect.set", "rule.remind", "release.import"])
    #expect(try kinds("7.7") == ["rule.lift", "rule.force", "rule.remind"], "one that is not recorded, too")
    #expect(
      try shell.done("history taxi --version 7.0 --kind rule.force --json").json["events"]?.array?.first?[
        "seq"]
        == .integer(force))
  }

  @Test func `an event is found by the identity of the run that made it`() throws {
    let shell = try taxi()
    shell.environment = ["GITHUB_ACTIONS": "true", "GITHUB_ACTOR": "octo-dev"]
    try shell.done("publish taxi 9.0")
    shell.environment = [:]
    for name in ["octo-dev", "github-actions"] {
      let events = try shell.done("history --by \(name) --json").json["events"]?.array
      #expect(events?.compactMap { $0["kind"]?.string } == ["release.publish"], "\(name)")
    }
    #expect(try shell.done("history --by octo --json").json["events"] == [])
  }
}

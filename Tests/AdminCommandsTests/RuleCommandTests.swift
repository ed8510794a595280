import JSON
import ReleaseModel
import Testing

/// Rules, redirects, settings, stops and reverts, as somebody at the command line meets them.
@Suite struct RuleCommandTests {
  /// `taxi` with 7.0 to 8.2 out and visible, under a policy that says nothing by itself.
  private func taxi() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.done("app set taxi --policy none --yes")
    let past =
      "version,released_at\n7.0,2026-01-01T00:00:00Z\n7.9,2026-02-01T00:00:00Z\n8.0,2026-03-01T00:00:00Z\n8.2,2026-04-01T00:00:00Z\n"
    try #require(shell.run(["import", "taxi", "-", "--yes"], input: Array(past.utf8)).status == 0)
    return shell
  }

  private func action(_ shell: Shell, _ line: String) throws -> String? {
    try shell.done("check --json \(line)").json["action"]?.string
  }

  private func force(_ shell: Shell, _ range: String, _ more: String = "") -> Ran {
    shell.run("force taxi \(range) --reason crash --json \(more)")
  }

  // MARK: - Force and its guard

  @Test func `a force that most clients could follow is recorded with whom it touches`() throws {
    let shell = try taxi()
    let answer = force(shell, "below:8.2", "--yes").json
    #expect(answer["changed"] == true && answer["event"]?.integer == shell.head())
    #expect(answer["rule"]?["range"] == "below:8.2" && answer["rule"]?["number"] == 1)
    let impact = try #require(answer["impact"]?.array)
    #expect(impact.count == 1)
    #expect(impact[0]["versions"] == "7.0–8.0" && impact[0]["count"] == 3)
    #expect(impact[0]["before"] == "none" && impact[0]["after"] == "force")
    #expect(impact[0]["at"] == .string(noon.text))
    let event = try shell.done("show \(shell.head() ?? 0) --json").json
    #expect(event["impact"] == answer["impact"], "the preview is in the event")
    #expect(try action(shell, "taxi 8.0") == "force" && action(shell, "taxi 8.2") == "none")
  }

  @Test func `a client is forced only to what its system runs, if that is newer than its own`() throws {
    let shell = try taxi()
    try shell.done("amend taxi 8.2 --min-os 17.0")
    try shell.done("amend taxi 8.0 --min-os 15.0")
    #expect(force(shell, "below:8.2", "--yes").status == 0)
    let answer = try shell.done("check taxi 7.0 --os 16.4 --json").json
    #expect(answer["action"] == "force" && answer["target"] == "8.0" && answer["minOS"] == "15.0")
    #expect(try action(shell, "taxi 8.0 --os 16.4") == "none")
    #expect(try action(shell, "taxi 7.0 --os 14") == "force", "7.9 runs on anything")
    #expect(try shell.done("check taxi 7.9 --os 14 --json").json["decidedBy"] == "current")
  }

  // MARK: - Asking, saying it twice, lifting

  @Test func `saying a rule twice is harmless unless a newer one overlaps it`() throws {
    let shell = try taxi()
    #expect(force(shell, "below:8.0", "--yes").json["changed"] == true)
    let head = shell.head()
    let again = force(shell, "below:8.0", "--yes")
    #expect(again.status == 0 && again.json["changed"] == false && again.json["event"] == .null)
    #expect(shell.head() == head)
    try shell.done("allow taxi 7.0")
    #expect(force(shell, "below:8.0", "--yes").json["changed"] == true, "the newer rule for 7.0 overlaps it")
    try shell.done("lift taxi 1 --yes")
    #expect(try shell.done("lift taxi 1 --json").json["changed"] == false)
    #expect(shell.run("lift taxi 99 --json").errorID == "rule.not-found")
    #expect(shell.run("lift taxi 99").status == 66)
  }

  @Test func `a redirect for the same range replaces the earlier, and clearing it is on record`() throws {
    let shell = try taxi()
    let first = "https://apps.apple.com/app/id1"
    let second = "https://apps.apple.com/app/id2"
    try shell.done("remind taxi all --yes")
    try shell.done("redirect taxi 7.0 --url \(first) --yes")
    #expect(try shell.done("redirect taxi 7.0.0 --url \(first) --json").json["changed"] == false)
    try shell.done("redirect taxi 7.0.0 --url \(second) --yes")
    #expect(try shell.done("check taxi 7.0 --json").json["url"] == .string(second))
    let replaced = try #require(shell.head())
    try shell.done("redirect taxi 7.0 --clear --yes")
    #expect(try shell.done("check taxi 7.0 --json").json["url"] == "https://apps.apple.com/app/id1524608462")
    #expect(try shell.done("redirect taxi 7.0 --clear --json").json["changed"] == false)
    #expect(shell.run("revert \(replaced) --yes --json").errorID == "revert.touched-since")
    try shell.done("revert \(replaced + 1) --yes")
    #expect(try shell.done("check taxi 7.0 --json").json["url"] == .string(second))
    #expect(try shell.done("show \(replaced + 2) --json").json["kind"] == "redirect.set")
  }

  @Test func `sending prompted clients to another page needs agreement`() throws {
    let shell = try taxi()
    try shell.done("trust host dl.example.com")
    try shell.done("remind taxi all --yes")
    let ran = shell.run("redirect taxi all --url https://dl.example.com/x --json")
    #expect(ran.errorID == "confirm.required")
    #expect(
      shell.run("redirect taxi all --url https://apps.apple.com/app/id9 --json").errorID == "confirm.required"
    )
    #expect(
      shell.run("app set taxi --store-url https://apps.apple.com/app/id9 --json").errorID
        == "confirm.required")
    // Whoever sees no prompt is sent nowhere.
    try shell.done("allow taxi all --yes")
    try shell.done("redirect taxi all --url https://apps.apple.com/app/id9")
  }

  // MARK: - Settings, stops, reverts

  @Test func `a change of an app is reverted although something else of it changed since`() throws {
    let shell = try taxi()
    let policy = try shell.done("app show taxi --json").json["policy"]
    try shell.done("app set taxi --policy remind --name Cab --yes")
    let set = try #require(shell.head())
    try shell.done("stop taxi")
    try shell.done("app set taxi --sku T1")
    try shell.done("revert \(set) --yes")
    var app = try shell.done("app show taxi --json").json
    #expect(app["policy"] == policy && app["name"] == .null)
    #expect(app["stopped"] == true && app["sku"] == "T1")
    #expect(try shell.done("revert \(set) --yes --json").json["changed"] == false)
    // One of the members it altered was altered since: then nothing of it is taken back.
    try shell.done("app set taxi --name Taxi")
    let named = try #require(shell.head())
    let refused = shell.run("revert \(set) --yes --json")
    #expect(refused.errorID == "revert.touched-since" && refused.err.contains("event \(named)"))
    try shell.done("app set taxi --apple-id 1524608463 --yes")
    let paged = try #require(shell.head())
    try shell.done("app set taxi --store-url https://apps.apple.com/app/id9 --yes")
    #expect(shell.run("revert \(paged) --yes --json").errorID == "revert.touched-since")
    try shell.done("revert \(paged + 1) --yes")
    app = try shell.done("app show taxi --json").json
    #expect(app["storeURL"] == "https://apps.apple.com/app/id1524608463")
    #expect(try shell.done("verify --json").json["ok"] == true)
  }

  @Test func `a store page with Chinese in it is stored percent-encoded, and encoding twice changes nothing`()
    throws
  {
    let shell = try Shell()
    let raw = "https://apps.apple.com/cn/app/粉猪语音—陪你度过每一个深夜/id1524608462"
    let added = shell.run([
      "app", "add", "fenzhu", "--bundle-id", "com.example.f", "--store-url", raw, "--json",
    ])
    let stored = try #require(added.json["app"]?["storeURL"]?.string)
    #expect(stored.contains("%E9%9F%B3%E2%80%94%E9%99%AA") && stored.utf8.allSatisfy { $0 < 0x80 })
    #expect(shell.run(["app", "set", "fenzhu", "--store-url", stored, "--json"]).json["changed"] == false)
    #expect(shell.run(["app", "set", "fenzhu", "--store-url", raw, "--json"]).json["changed"] == false)
    let seed = "https://apps.apple.com/cn/app/%E7%B2%89%E7%8C%AA%E8%AF%AD%E9%9F%B3-%E9%99%AA/id1524608462"
    #expect(
      shell.run(["app", "set", "fenzhu", "--store-url", seed, "--json"]).json["app"]?["storeURL"]
        == .string(seed))
  }
}

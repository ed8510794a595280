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

  @Test func `a force without a reason is wrong usage`() throws {
    let ran = try taxi().run("force taxi below:8.2 --yes --json")
    #expect(ran.status == 64 && ran.errorID == "usage.missing-option")
  }

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

  @Test func `a force above the newest visible version is refused`() throws {
    let shell = try taxi()
    let head = shell.head()
    let ran = force(shell, "below:9.0", "--yes")
    #expect(ran.status == 1 && ran.errorID == "force.nothing-newer")
    #expect(ran.error["details"]?["newest"] == "8.2")
    for range in ["8.2", "all", "upto:8.2", "from:8.2", "above:9", "9.9"] {
      #expect(force(shell, range, "--yes").errorID == "force.nothing-newer", "\(range)")
    }
    #expect(shell.head() == head)
  }

  @Test func `a force for later forces nobody until something newer is visible, and then at once`() throws {
    let shell = try taxi()
    #expect(
      force(shell, "8.2", "--when-visible").status == 0, "it makes no answer harsher now, so nobody is asked")
    #expect(try action(shell, "taxi 8.2") == "none")
    try shell.done("publish taxi 8.2.1")
    try shell.done("mark taxi 8.2.1 live --yes")
    #expect(try action(shell, "taxi 8.2 --at \(later(86_399).text)") == "none")
    #expect(try action(shell, "taxi 8.2 --at \(later(86_400).text)") == "force")
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

  @Test func `with the newest removed from sale nobody is told anything, and the removal says so`() throws {
    let shell = try taxi()
    #expect(force(shell, "below:8.2", "--yes").status == 0)
    let answer = try shell.done("mark taxi 8.2 removed --json").json
    #expect(answer["impact"]?.array?.first?["after"] == "none")
    #expect(answer["warnings"]?.array?.first?.string?.contains("rule 1") == true)
    for version in ["7.0", "8.0", "8.2"] { #expect(try action(shell, "taxi \(version)") == "none") }
  }

  @Test func `a grace period reminds until its moment and forces from then on`() throws {
    let shell = try taxi()
    let answer = force(shell, "below:8.2", "--grace 14d --yes").json
    #expect(answer["rule"]?["action"] == "force" && answer["graceRule"]?["action"] == "remind")
    let moment = later(14 * 86_400)
    #expect(
      answer["rule"]?["from"] == .string(moment.text) && answer["graceRule"]?["until"] == .string(moment.text)
    )
    #expect(try action(shell, "taxi 7.0 --at \(Timestamp(seconds: moment.seconds - 1).text)") == "remind")
    #expect(try action(shell, "taxi 7.0 --at \(moment.text)") == "force")
    let due = try shell.done("due --json").json
    #expect(due["next"] == .string(moment.text))
  }

  @Test func `a period that is over before it starts is wrong usage`() throws {
    let shell = try taxi()
    #expect(force(shell, "below:8.2", "--until 2020-01-01T00:00:00Z --yes").errorID == "time.order")
    #expect(force(shell, "below:8.2", "--from 2d --until 1d --yes").status == 64)
  }

  // MARK: - Asking, saying it twice, lifting

  @Test func `a harsher change needs agreement, a milder one does not`() throws {
    let shell = try taxi()
    let head = shell.head()
    for line in ["remind taxi below:8.2", "app set taxi --policy remind"] {
      let ran = shell.run("\(line) --json")
      #expect(ran.status == 1 && ran.errorID == "confirm.required", "\(line)")
      #expect(ran.error["details"]?["impact"]?.array?.isEmpty == false)
    }
    #expect(force(shell, "below:8.2").errorID == "confirm.required")
    #expect(shell.head() == head, "what was not agreed to leaves nothing")
    try shell.done("remind taxi below:8.2 --yes")
    #expect(try action(shell, "taxi 7.0") == "remind")
    try shell.done("allow taxi 7.0")
    #expect(try action(shell, "taxi 7.0") == "none" && action(shell, "taxi 7.9") == "remind")
    try shell.done("stop taxi")
    #expect(try shell.done("check taxi 7.9 --json").json["decidedBy"] == "stopped")
    #expect(shell.run("resume taxi --json").errorID == "confirm.required")
    try shell.done("resume taxi --yes")
    #expect(shell.run("lift taxi 2 --json").errorID == "confirm.required", "7.0 would be reminded again")
  }

  @Test func `going live asks when it will force somebody a hold away, and says when`() throws {
    let shell = try Shell.taxi()
    try #require(
      shell.run(
        ["import", "taxi", "-", "--yes"],
        input: Array("version,released_at\n7.0,2026-01-01T00:00:00Z\n7.1,2026-02-01T00:00:00Z\n".utf8)
      ).status == 0)
    try shell.done("publish taxi 7.2")
    try shell.done("mark taxi 7.2 live")
    try shell.done("publish taxi 8.0")
    let ran = shell.run("mark taxi 8.0 live --json")
    #expect(ran.errorID == "confirm.required")
    let lines = ran.error["details"]?["impact"]?.array ?? []
    #expect(lines.map { $0["versions"]?.string } == ["7.0–7.1", "7.2"])
    #expect(
      lines.map { $0["before"]?.string } == ["remind", "none"], "7.2 is the newest of those seen by then")
    #expect(lines.allSatisfy { $0["after"] == "force" && $0["at"] == .string(later(86_400).text) })
  }

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

  @Test func `rules lists who is told what, by whom and until when`() throws {
    let shell = try taxi()
    try shell.done("force taxi below:8.2 --reason crash --until 7d --actor release-bot --yes")
    let rule = try #require(try shell.done("rules --json").json["rules"]?.array?.first)
    #expect(rule["app"] == "taxi" && rule["versionsNow"] == 3 && rule["phase"] == "armed")
    #expect(rule["until"] == .string(later(7 * 86_400).text) && rule["reason"] == "crash")
    #expect(rule["madeBy"]?["claimed"] == "release-bot" && rule["madeBy"]?["user"] == "engineer")
    shell.clock = later(7 * 86_400)
    #expect(try shell.done("rules taxi --json").json["rules"]?.array?.first?["phase"] == "over")
  }

  // MARK: - Redirects

  /// An enterprise app at 3.2 and a store app whose 8.1 is approved.
  private func migration() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.done("trust host dl.example.com")
    try shell.done(
      "app add taxi-ent --bundle-id com.example.ent --channel enterprise --store-url https://dl.example.com/a"
    )
    try #require(
      shell.run(
        ["import", "taxi-ent", "-", "--yes"],
        input: Array("version,released_at\n3.1,2026-01-01T00:00:00Z\n3.2,2026-02-01T00:00:00Z\n".utf8)
      ).status == 0)
    try shell.done("publish taxi 8.1")
    try shell.done("mark taxi 8.1 approved")
    return shell
  }

  @Test func `an enterprise app moves to the store, the newest version included, and back`() throws {
    let shell = try migration()
    let ran = shell.run("redirect taxi-ent all --to taxi --yes --json")
    #expect(ran.status == 1 && ran.errorID == "target.nothing-visible", "8.1 is only approved")
    try shell.done("redirect taxi-ent all --to taxi --when-visible --yes")
    try shell.done("force taxi-ent all --reason moved --when-visible --yes")
    for version in ["3.1", "3.2"] { #expect(try action(shell, "taxi-ent \(version)") == "none") }
    try shell.done("mark taxi 8.1 live --visible-now --yes")
    for version in ["3.0", "3.1", "3.2"] {
      let answer = try shell.done("check taxi-ent \(version) --json").json
      #expect(answer["action"] == "force" && answer["target"] == "8.1" && answer["targetApp"] == "taxi")
      #expect(answer["url"] == "https://apps.apple.com/app/id1524608462" && answer["rule"] == 1)
    }
    let forced = try #require(shell.head())
    shell.clock = later(3_600)
    let history = try #require(try shell.done("history taxi-ent --json").json["events"]?.array)
    let rule = try #require(history.first { $0["kind"] == "rule.force" }?["seq"]?.integer)
    let redirect = try #require(history.first { $0["kind"] == "redirect.set" }?["seq"]?.integer)
    try shell.done("revert \(rule) --yes")
    try shell.done("revert \(redirect) --yes")
    #expect(try action(shell, "taxi-ent 3.1") == "remind" && action(shell, "taxi-ent 3.2") == "none")
    let was = try shell.done("check taxi-ent 3.2 --as-of \(later(1_800).text) --json").json
    #expect(was["action"] == "force" && was["asOf"]?.integer == forced)
    #expect(try shell.done("check taxi-ent 3.2 --as-of \(forced) --json").json["action"] == "force")
    #expect(
      try shell.done("status taxi-ent --as-of \(forced) --json").json["apps"]?.array?.first?["rules"]?.array?
        .count == 1)
  }

  @Test func `without a force those sent to another app are reminded`() throws {
    let shell = try migration()
    try shell.done("mark taxi 8.1 live --visible-now")
    try shell.done("redirect taxi-ent all --to taxi --yes")
    let answer = try shell.done("check taxi-ent 3.2 --json").json
    #expect(answer["action"] == "remind" && answer["decidedBy"] == "policy" && answer["targetApp"] == "taxi")
    try shell.done("stop taxi")
    #expect(try shell.done("check taxi-ent 3.2 --json").json["decidedBy"] == "no-target")
  }

  @Test func `circles, strangers and lost ways are refused`() throws {
    let shell = try migration()
    try shell.done("mark taxi 8.1 live --visible-now")
    try shell.done("redirect taxi-ent all --to taxi --yes")
    #expect(shell.run("redirect taxi all --to taxi-ent --yes --json").errorID == "redirect.cycle")
    #expect(shell.run("redirect taxi all --to taxi --yes --json").errorID == "redirect.cycle")
    #expect(shell.run("remind taxi all --to taxi-ent --yes --json").errorID == "redirect.cycle")
    #expect(shell.run("redirect taxi all --to nobody --yes --json").errorID == "app.not-found")
    #expect(
      shell.run("redirect taxi all --url https://evil.example.com/x --yes --json").errorID
        == "url.host-not-trusted")
    #expect(shell.run("redirect taxi all --url http://apps.apple.com/x --yes --json").errorID == "url.scheme")
    #expect(
      shell.run("redirect taxi all --url https://u:p@apps.apple.com/x --yes --json").errorID
        == "url.credentials")
    #expect(shell.run("redirect taxi all").status == 64)
    try shell.done("stop taxi")
    #expect(shell.run("redirect taxi-ent 3.1 --to taxi --yes --json").errorID == "target.stopped")
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

  @Test func `a setting may differ while a version is in review`() throws {
    let shell = try taxi()
    try shell.done("setting taxi map-key paid")
    try shell.done("setting taxi map-key free --during review")
    try shell.done("setting taxi map-key old --versions below:7.5")
    try shell.done("publish taxi 9.0")
    func key(_ version: String) throws -> JSON? {
      try shell.done("check taxi \(version) --json").json["settings"]?["map-key"]
    }
    #expect(try key("9.0") == "free" && key("8.2") == "paid" && key("7.0") == "old")
    #expect(try shell.done("setting taxi map-key paid --json").json["changed"] == false)
    try shell.done("setting taxi map-key --during review --clear")
    #expect(try key("9.0") == "paid")
    #expect(shell.run("setting taxi map-key").status == 64)
    #expect(shell.run("setting taxi map*key x").status == 64)
  }

  @Test func `stop and resume work for all apps at once`() throws {
    let shell = try taxi()
    try shell.done("app add van --bundle-id com.example.van")
    let answer = try shell.done("stop --all --json").json
    #expect(answer["apps"]?.array?.allSatisfy { $0["stopped"] == true } == true)
    #expect(try shell.done("stop --all --json").json["changed"] == false)
    try shell.done("resume van")
    #expect(try shell.done("app show taxi --json").json["stopped"] == true)
    #expect(try shell.done("app show van --json").json["stopped"] == false)
    #expect(shell.run("stop").status == 64 && shell.run("stop taxi --all").status == 64)
  }

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

  @Test func `what is reverted is on record, and a version never is`() throws {
    let shell = try taxi()
    try shell.done("app set taxi --policy remind --yes")
    try shell.done("stop taxi")
    let stop = try #require(shell.head())
    try shell.done("revert \(stop) --yes")
    try shell.done("revert \(stop + 1)")
    #expect(try shell.done("app show taxi --json").json["stopped"] == true)
    let event = try shell.done("show \(stop + 1) --json").json
    #expect(event["kind"] == "app.resume" && event["reason"] == .string("reverts event \(stop)"))
    #expect(shell.run("revert 1 --json").errorID == "revert.never")
    try shell.done("publish taxi 9.0")
    #expect(shell.run("revert \(shell.head() ?? 0) --json").errorID == "revert.never")
    #expect(shell.run("revert 9999").status == 66)
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

  // MARK: - Explaining and looking after

  @Test func `explain names each step and the event behind it`() throws {
    let shell = try taxi()
    #expect(force(shell, "below:8.2", "--yes").status == 0)
    let steps = try #require(try shell.done("check taxi 7.0 --explain --json").json["steps"]?.array)
    #expect(steps.compactMap { $0["step"]?.string } == ["released", "rule", "target", "url"])
    #expect(steps[1]["event"]?.integer == shell.head())
    try shell.done("stop taxi")
    let stopped = try #require(try shell.done("check taxi 7.0 --explain --json").json["steps"]?.array)
    #expect(stopped.last?["step"] == "stop" && stopped.last?["event"]?.integer == shell.head())
  }

  @Test func `a point of the past that does not exist is refused`() throws {
    let shell = try taxi()
    #expect(shell.run("check taxi 7.0 --as-of 9999 --json").errorID == "event.not-found")
    for command in ["check taxi 7.0", "status taxi"] {
      let early = shell.run("\(command) --as-of 1 --json")
      #expect(early.errorID == "app.not-found" && early.err.contains("event 2 added it"), "\(early.err)")
    }
    #expect(!shell.run("check bus 7.0 --as-of 1").err.contains("added it"))
    #expect(shell.run("check taxi 7.0 --as-of yesterday").status == 64)
  }

  @Test func `doctor asks about forces left behind, rules that never speak, and what waits`() throws {
    let shell = try taxi()
    func found() throws -> [String] {
      (shell.run("doctor --json").json["findings"]?.array ?? []).compactMap { $0["id"]?.string }.sorted()
    }
    #expect(try found() == [])
    #expect(force(shell, "below:7.9", "--yes").status == 0)
    try shell.done("remind taxi 3.0 --yes")
    try shell.done("remind taxi below:8.2 --until 1d --yes")
    try shell.done("publish taxi 9.0")
    try shell.done("mark taxi 9.0 in-review")
    #expect(try found() == ["rule.matches-nothing"])
    shell.clock = later(4 * 86_400)
    #expect(try found() == ["release.waits", "rule.matches-nothing", "rule.over"])
    try shell.done("mark taxi 9.0 live --yes")
    #expect(try found() == ["hold.running", "rule.matches-nothing", "rule.over"])
    try shell.done("allow taxi below:8.0")
    #expect(try found().contains("rule.hidden"))
    shell.clock = later(31 * 86_400)
    #expect(try found().contains("force.long"))
  }

  @Test func `due lists what passed and what is coming up`() throws {
    let shell = try taxi()
    try shell.done("remind taxi below:8.0 --from 1h --until 3h --yes")
    shell.clock = later(2 * 3_600)
    let due = try shell.done("due --since 2h --json").json
    #expect(due["passed"]?.array?.first?["at"] == .string(later(3_600).text))
    #expect(due["due"]?.array?.first?["at"] == .string(later(3 * 3_600).text))
    #expect(due["due"]?.array?.first?["count"] == 2)
  }
}

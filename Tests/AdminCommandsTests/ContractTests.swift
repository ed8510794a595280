import AdminCommands
import JSON
import ReleaseModel
import TestSupport
import Testing

/// What §5 says of `--json`, member by member.
@Suite struct ContractTests {
  private static let releaseKeys: Set<String> = [
    "app", "version", "build", "state", "liveAt", "visibleAt", "minOS", "url", "mandatory", "notes",
  ]
  private static let appKeys: Set<String> = [
    "slug", "bundleID", "appleID", "name", "sku", "platform", "channel", "storeURL", "policy", "hold",
    "remindEvery",
    "asksSince", "stopped",
  ]
  private static let checkKeys: Set<String> = [
    "app", "version", "action", "review", "target", "targetApp", "minOS", "url", "notes", "decidedBy", "rule",
    "settings", "remindEvery", "asOf",
  ]

  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
  }

  @Test func `check says everything, null where there is no prompt`() throws {
    try shell.done("import taxi \(try csv("1.0.0,2027-01-01T00:00:00Z")) --yes")
    let ran = try shell.done("check taxi 1.0 --json")
    #expect(
      ran.json
        == [
          "app": "taxi", "version": "1.0", "action": "none", "review": false, "target": .null,
          "targetApp": .null,
          "minOS": .null, "url": .null, "notes": .null, "decidedBy": "current", "rule": .null,
          "settings": [:],
          "remindEvery": "once", "asOf": 3, "forcedFrom": .null,
        ])
    #expect(ran.err.isEmpty && ran.out.hasSuffix("}\n"))
  }

  @Test func `check names the target with its notes in the language asked`() throws {
    try shell.done("import taxi \(try csv("1.0.0,2027-01-01T00:00:00Z")) --yes")
    _ = shell.run([
      "publish", "taxi", "1.1.0", "--note", "en=Faster", "--note", "de=Schneller", "--note", "zh-Hans=更快",
      "--min-os", "17.0",
    ])
    try shell.done("mark taxi 1.1.0 live --visible-now")
    func check(_ words: String) throws -> JSON { try shell.done("check taxi 1.0.0 --json \(words)").json }
    let json = try check("--locale de-AT")
    #expect(
      json
        == [
          "app": "taxi", "version": "1.0.0", "action": "remind", "review": false, "target": "1.1.0",
          "targetApp": "taxi", "minOS": "17.0", "url": "https://apps.apple.com/app/id1524608462",
          "notes": "Schneller", "decidedBy": "policy", "rule": .null, "settings": [:], "remindEvery": "once",
          "asOf": 5, "forcedFrom": .null,
        ])
    #expect(try check("")["notes"] == "Faster")
    #expect(try check("--locale fr")["notes"] == "Faster")
    #expect(try check("--locale zh-Hans-CN")["notes"] == "更快")
    #expect(try check("--os 16.4")["action"] == "none")
    #expect(try check("--os 17.0.0")["target"] == "1.1.0")
    let steps = try check("--explain")["steps"]?.array ?? []
    #expect(!steps.isEmpty && steps.allSatisfy { keys($0) == ["step", "result", "event"] })
    #expect(Self.checkKeys.isSubset(of: keys(try check("--explain"))))
  }

  @Test func `a change says whether, which event, whom it touches, and the new object`() throws {
    let published = try shell.done("publish taxi 1.0 --build 7 --json").json
    #expect(published["changed"] == true && published["event"] == 3 && published["impact"] == [])
    #expect(Self.releaseKeys.isSubset(of: keys(published["release"])))
    for (key, value) in [
      ("app", "taxi"), ("version", "1.0"), ("build", "7"), ("state", "prepared"), ("liveAt", .null),
      ("visibleAt", .null), ("minOS", .null), ("url", .null), ("mandatory", false), ("notes", [:]),
    ] as [(String, JSON)] {
      #expect(published["release"]?[key] == value, "\(key)")
    }
    let again = try shell.done("publish taxi 1.0 --build 7 --json").json
    #expect(again["changed"] == false && again["event"] == .null)
    try shell.done("mark taxi 1.0 live --visible-now")
    try shell.done("publish taxi 2.0")
    let marked = try shell.done("mark taxi 2.0 live --yes --json").json
    #expect(
      marked["impact"]
        == [
          [
            "app": "taxi", "versions": "1.0", "count": 1, "before": "none", "after": "force",
            "at": .string(later(86_400).text), "urlBefore": .null,
            "urlAfter": "https://apps.apple.com/app/id1524608462", "hears": true, "devices": .null,
            "share": .null, "countedAt": .null,
          ]
        ])
    #expect(marked["release"]?["visibleAt"] == .string(later(86_400).text))
    #expect(marked["release"]?["liveAt"] == .string(noon.text))
  }

  @Test(arguments: [
    "publish taxi 1.0", "app set taxi --hold 7d", "stop taxi", "trust host example.com", "init",
    "setting taxi key value", "redirect taxi all --url https://apps.apple.com/app/id1 --yes",
  ])
  func `a change answers with the head it leaves`(command: String) throws {
    func head() throws -> JSON? { try shell.done("history --json").json["head"] }
    let before = try head()
    #expect(try shell.done("\(command) --dry-run --json").json["head"] == before)
    let first = try shell.done("\(command) --request-id r-1 --json").json
    let after = try head()
    #expect(after != before && first["head"] == after)
    #expect(first["event"] == first["head"]?["seq"] || first["event"] == .null)
    // Whatever came in between, the same request has the same answer.
    try shell.done("publish taxi 9.0 --json")
    #expect(try shell.done("\(command) --request-id r-1 --json").json == first)
    // What changes nothing leaves the head that was there.
    try shell.done("publish taxi 9.0")
    #expect(try shell.done("publish taxi 9.0 --json").json["head"] == head())
  }

  @Test func `evidence that comes in answers with the head it leaves`() throws {
    let empty = Array(#"{"resultCount":0,"results":[]}"#.utf8)
    let answer = shell.run("ingest lookup taxi - --json", input: empty).json
    #expect(try answer["head"] == shell.done("history --json").json["head"] && answer["head"] != nil)
  }

  @Test func `app show says everything of an app, and so does a change`() throws {
    let shown = try shell.done("app show taxi --json").json
    #expect(Self.appKeys.isSubset(of: keys(shown)))
    for (key, value) in [
      ("slug", "taxi"), ("bundleID", "com.example.taxi"), ("appleID", 1_524_608_462), ("name", .null),
      ("sku", .null), ("platform", "ios"), ("channel", "app-store"),
      ("storeURL", "https://apps.apple.com/app/id1524608462"), ("policy", "force,remind,none"),
      ("hold", "24h"),
      ("remindEvery", "once"), ("asksSince", .null), ("stopped", false),
    ] as [(String, JSON)] {
      #expect(shown[key] == value, "\(key)")
    }
    let set = try shell.done("app set taxi --hold 7d --name Taxi --json").json
    #expect(Self.appKeys.isSubset(of: keys(set["app"])))
    #expect(set["app"]?["hold"] == "7d" && set["changed"] == true && set["event"] == 3)
    // The words say what the JSON says, the countries and who may mark a release live included.
    let text = try shell.done("app set taxi --countries us,de --live-by lookup").out
    #expect(text.contains("countries     DE,US\n") && text.contains("live by       lookup\n"))
    let page = try shell.done("app show taxi").out
    #expect(page.contains("countries     DE,US\n") && page.contains("live by       lookup\n"))
    #expect(try shell.done("app add bus --bundle-id b").out.contains("live by       mail\n"))
  }

  @Test func `an enterprise app has no hold`() throws {
    let json = try shell.done("app add van --bundle-id com.example.van --channel enterprise --json").json
    #expect(json["app"]?["hold"] == "0" && json["app"]?["storeURL"] == .null)
    try shell.done("publish van 1.0.0.1")
    let live = try shell.done("mark van 1.0.0.1 live --json").json
    #expect(live["release"]?["visibleAt"] == .string(noon.text))
  }

  @Test func `import counts and names what it refuses`() throws {
    let file = try csv("1.0,2027-01-01T00:00:00Z\n1.1,2027-01-02T00:00:00Z")
    let first = try shell.done("import taxi \(file) --yes --json").json
    #expect(
      first["imported"] == 2 && first["skipped"] == 0 && first["refused"] == [] && first["changed"] == true)
    let again = try shell.done("import taxi \(file) --yes --json").json
    #expect(again["imported"] == 0 && again["skipped"] == 2 && again["changed"] == false)
    let bad = shell.run(
      "import taxi \(try csv("1.2,2027-01-03T00:00:00Z\n1.1.5,2027-01-04T00:00:00Z", "b")) --json")
    #expect(bad.status == 65 && bad.errorID == "import.refused")
    let refused = bad.json["refused"]?.array ?? []
    #expect(refused.count == 1 && bad.json["imported"] == 0)
    #expect(keys(refused.first) == ["line", "version", "id", "message"])
    #expect(refused.first?["line"] == 3 && refused.first?["version"] == "1.1.5")
    #expect(refused.first?["id"] == "version.not-greater")
  }

  @Test func `history and show say all that an event says`() throws {
    try shell.done("publish taxi 1.0 --reason spring --actor bot --request-id r-1")
    let history = try shell.done("history taxi --json").json
    let eventKeys: Set<String> = [
      "seq", "at", "kind", "app", "version", "before", "after", "actor", "reason", "requestId", "evidence",
      "hash",
    ]
    let events = history["events"]?.array ?? []
    #expect(events.map { $0["seq"]?.integer } == [3, 2])
    #expect(events.allSatisfy { eventKeys.isSubset(of: keys($0)) })
    let event = try #require(events.first)
    #expect(
      event["actor"]
        == [
          "user": "engineer", "uid": 1_000, "host": "ci.example.com", "claimed": "bot", "loginUid": .null,
          "terminal": false, "principal": .null, "ssh": .null, "ci": .null,
        ])
    #expect(event["reason"] == "spring" && event["requestId"] == "r-1" && event["evidence"] == .null)
    #expect(
      event["kind"] == "release.publish" && event["version"] == "1.0" && event["at"] == .string(noon.text))
    #expect(event["before"] == .null && event["after"]?["state"] == "prepared")
    #expect(history["head"] == ["seq": 3, "hash": event["hash"] ?? .null])
    let shown = try shell.done("show 3 --json").json
    #expect(event.object?.members.allSatisfy { shown[$0.key] == $0.value } == true)
    // The head is the whole ledger's, whatever is asked for.
    #expect(try shell.done("history taxi --limit 1 --kind app --json").json["head"] == history["head"])
  }

  @Test func `history is narrowed by each of its options`() throws {
    try shell.done("publish taxi 1.0 --actor bot")
    shell.clock = later(3_600)
    try shell.done("mark taxi 1.0 in-review")
    try shell.done("app add van --bundle-id com.example.van")
    func seqs(_ words: String) throws -> [Int64] {
      (try shell.done("history --json \(words)").json["events"]?.array ?? []).compactMap {
        $0["seq"]?.integer
      }
    }
    #expect(try seqs("") == [5, 4, 3, 2, 1])
    #expect(try seqs("taxi") == [4, 3, 2])
    #expect(try seqs("--version 1.0.0") == [4, 3])
    #expect(try seqs("--by bot") == [3])
    #expect(try seqs("--by engineer --limit 2") == [5, 4])
    #expect(try seqs("--kind release") == [4, 3])
    #expect(try seqs("--kind release.mark") == [4])
    #expect(shell.run("history --kind rel").status == 64)
    #expect(try seqs("--since 30m") == [5, 4])
    #expect(try seqs("--until \(later(1).text)") == [3, 2, 1])
  }

  @Test func `status shows the holds and where clients are sent`() throws {
    try shell.done("import taxi \(try csv("1.0,2027-01-01T00:00:00Z")) --yes")
    try shell.done("publish taxi 1.1")
    try shell.done("mark taxi 1.1 live")
    shell.clock = later(3_600)
    let json = try shell.done("status --json").json
    let board = try #require(json["apps"]?.array?.first)
    #expect(board["target"] == "1.0" && board["app"]?["slug"] == "taxi")
    #expect(
      board["holds"]
        == [["version": "1.1", "visibleAt": .string(later(86_400).text), "secondsLeft": .integer(82_800)]])
    #expect((board["releases"]?.array ?? []).map { $0["version"]?.string } == ["1.1", "1.0"])
    #expect(json["head"]?["seq"] == 5)
    #expect(try shell.done("status taxi --json").json == json)
  }

  private func csv(_ lines: String, _ name: String = "past") throws -> String {
    try shell.directory.write(Array("version,released_at\n\(lines)\n".utf8), to: "\(name).csv")
    return shell.directory.file("\(name).csv")
  }
}

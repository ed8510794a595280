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
  private static let checkKeys: Set<String> = [
    "app", "version", "action", "review", "target", "targetApp", "minOS", "url", "notes", "decidedBy", "rule",
    "settings", "remindEvery", "asOf",
  ]

  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
  }

  @Test func `check names the target with its notes in the language asked`() throws {
    try shell.tell("past taxi 1.0.0")
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
    try shell.tell(
      """
      check taxi 1.0.0 → notes=Faster
      check taxi 1.0.0 --locale fr → notes=Faster
      check taxi 1.0.0 --locale zh-Hans-CN → notes=更快
      check taxi 1.0.0 --os 16.4 → action=none minOS=null url=null targetApp=null
      check taxi 1.0.0 --os 17.0.0 → target=1.1.0
      check taxi 1.0.0 --explain → steps.0.step=released steps.0.event=5
      """)
    #expect(Self.checkKeys.isSubset(of: keys(try check("--explain"))))
  }

  @Test func `a change says whether, which event, whom it touches, and the new object`() throws {
    let published = try shell.done("publish taxi 1.0 --build 7 --json").json
    #expect(published["changed"] == true && published["event"] == 3 && published["impact"] == [])
    #expect(Self.releaseKeys.isSubset(of: keys(published["release"])))
    try shell.tell(
      """
      publish taxi 1.0 --build 7 → same changed=false event=null release.build=7 release.liveAt=null release.notes={}
      mark taxi 1.0 live --visible-now
      publish taxi 2.0
      """)
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
}

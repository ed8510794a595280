import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

/// Apps that come into use and go out of it.
@Suite struct AppTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.done("app add van --bundle-id com.example.van --apple-id 7")
    for app in ["taxi", "van"] {
      try shell.done("publish \(app) 1.0")
      try shell.done("mark \(app) 1.0 live --visible-now --yes")
      try shell.done("publish \(app) 1.1")
      try shell.done("mark \(app) 1.1 live --visible-now --yes")
    }
  }

  private func slugs(_ line: String) -> [String] {
    (shell.run(line + " --json").json["apps"]?.array ?? []).compactMap {
      ($0["app"]?["slug"] ?? $0["slug"])?.string
    }
  }

  @Test func `a retired app leaves board and completions, and its clients are told nothing`() throws {
    #expect(shell.run("check van 1.0 --json").json["action"] == "remind")
    let out = shell.directory.file("out")
    try shell.done("export \(out)")
    let retired = try shell.done("app retire van --json").json
    #expect(retired["changed"] == true && retired["app"]?["retired"] == true)
    #expect(slugs("status") == ["taxi"] && slugs("app list") == ["taxi", "van"])
    #expect(slugs("stop --all") == ["taxi"])
    #expect(shell.run(["--complete", "1", "--", "check", ""]).out == "words\ntaxi\tcom.example.taxi\n")
    #expect(slugs("status --as-of \(retired["event"]?.integer ?? 0)") == ["taxi"])
    #expect(slugs("status van") == ["van"])
    let told = shell.run("check van 1.0 --json").json
    #expect(told["action"] == "none" && told["decidedBy"] == "stopped" && told["review"] == false)
    #expect(shell.run("check van 1.0 --explain").out.contains("van is retired: no prompts at all"))
    try shell.done("export \(out)")
    for name in ["1.0", "default"] {
      let document = try JSON(parsing: readFile("\(out)/v1/van/\(name).json", limit: 1 << 20))
      #expect(document["action"] == "none")
    }
    let schedule = try JSON(parsing: readFile("\(out)/v1/van/schedule.json", limit: 1 << 20))
    #expect(schedule["rows"]?.array?.allSatisfy { $0["action"] == "none" } == true)
    #expect(shell.run("history --kind app.retire").out.contains("retired van"))
    try shell.done("app retire taxi")
    #expect(shell.run("status").out == "Every app is retired.\nnext: pawl app list\n")
    try shell.done("verify")
  }

  @Test(arguments: [
    "publish van 2.0", "amend van 1.1 --min-os 17", "mark van 1.1 removed",
    "void van 1.1 --never-shipped --reason x --yes",
    "app set van --name Van", "stop van", "remind van all --yes", "redirect van all --to taxi --yes",
    "setting van key value", "revert 12", "redirect taxi all --to van --yes",
    "force taxi all --to van --reason moved --when-visible --yes",
  ])
  func `a retired app takes no change but the way back, and nobody is sent to it`(line: String) throws {
    try shell.done("setting van key old")
    let event = try #require(shell.run("app retire van --json").json["event"]?.integer)
    #expect(shell.run("history --limit 2 --json").json["events"]?.array?.last?["seq"] == 12)
    let refused = shell.run(line + " --json")
    #expect(refused.status == 1 && refused.errorID == "app.retired", "\(refused.err)")
    #expect(refused.error["details"]?["event"] == .integer(event))
    let again = shell.run("app retire van --json").json
    #expect(again["changed"] == false)
    // What makes answers harsher asks.
    #expect(shell.run("revert \(event) --json").errorID == "confirm.required")
    try shell.done("revert \(event) --yes")
    #expect(shell.run("history --limit 1").out.contains("restored van"))
    #expect(shell.run("revert \(event + 1) --json").errorID == "revert.never")
    #expect(slugs("status") == ["taxi", "van"])
    try shell.done("verify")
  }

  @Test func `an app is not retired while clients are sent to it`() throws {
    func refusal() -> Ran { shell.run("app retire van --json") }
    try shell.done("redirect taxi 1.0 --to van --yes --until 1h")
    #expect(refusal().errorID == "app.led-to" && refusal().error["details"]?["apps"] == ["taxi"])
    try shell.done("remind taxi 1.0 --to van --yes")
    shell.clock = later(7_200)
    #expect(refusal().errorID == "app.led-to", "the rule is left")
    try shell.done("lift taxi 1 --yes")
    let lifted = try #require(shell.run("history --limit 1 --json").json["head"]?["seq"]?.integer)
    try shell.done("app retire van")
    #expect(shell.run("revert \(lifted) --yes --json").errorID == "app.retired")
    #expect(shell.run("app add van --bundle-id com.example.van --apple-id 7 --json").errorID == "app.exists")
    try shell.done("verify")
  }

  @Test func `a mail about a retired app waits`() throws {
    let room = try Mailroom("7.3.0", .waiting)
    try room.shell.done("app retire taxi")
    let result = try room.feed(room.status("In Review"))
    #expect(result["outcome"] == "parked" && result["reason"] == "mail.unknown-app")
    let event = try #require(
      room.shell.run("history --kind app.retire --json").json["events"]?.array?.first?["seq"]?.integer)
    try room.shell.done("revert \(event) --yes")
    try room.shell.done("inbox retry")
    #expect(try room.state("7.3.0") == .inReview)
  }

  @Test func `an app added by mistake is struck out, and its slug may be used again`() throws {
    let out = shell.directory.file("out")
    try shell.done("init --export \(out)")
    for _ in 0..<2 {
      try shell.done("app add typo --bundle-id com.example.typo --apple-id 9")
      #expect(try fileNames(in: out + "/v1").contains("typo"))
      let struckOut = try shell.done("app void typo --reason typo --json").json
      #expect(struckOut["changed"] == true && struckOut["app"]?["slug"] == "typo")
      #expect(try !fileNames(in: out + "/v1").contains("typo"))
      #expect(slugs("app list") == ["taxi", "van"])
      #expect(try shell.done("app void typo --reason again --json").json["changed"] == false)
    }
    #expect(shell.run("history typo --limit 1").out.contains("struck out app typo"))
    try shell.done("app add typo --bundle-id com.example.other")
    try shell.done("publish typo 1.0")
    try shell.done("verify")
  }

  @Test(arguments: [
    ("void typo 1.0 --reason x", "releases"), ("lift typo 1", "rules"),
    ("redirect typo all --clear", "redirects"),
    ("setting typo key --clear", "settings"), ("redirect taxi all --clear --yes", "redirects"),
  ])
  func `an app under which something was recorded is not struck out`(last: String, table: String) throws {
    try shell.done("app add typo --bundle-id com.example.typo --apple-id 9")
    let to = last.contains("taxi") ? "taxi all --to typo --when-visible" : "typo all --to van"
    let first = [
      "releases": "publish typo 1.0", "rules": "allow typo all", "settings": "setting typo key value",
      "redirects": "redirect \(to) --yes",
    ]
    try shell.done(try #require(first[table]))
    try shell.done(last)
    let refused = shell.run("app void typo --reason x --json")
    #expect(refused.status == 1 && refused.errorID == "app.in-use")
    #expect(refused.error["details"]?["holds"] == [.string(table)])
    try shell.done("verify")
  }
}

import JSON
import Testing

@Suite struct UndoTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("past taxi 7.0 7.1")
  }

  private static let page = "https://apps.apple.com/app/id1524608462"

  /// Every kind of change that an undo takes back, by commands of one and of several events.
  @Test(arguments: [
    "force taxi below:7.1 --reason crash --yes", "force taxi below:7.1 --reason crash --grace 7d --yes",
    "remind taxi 7.0 --yes", "allow taxi 7.0", "lift taxi 1", "redirect taxi 7.0 --url \(page)?a=1 --yes",
    "redirect taxi 7.1 --url \(page)?a=1 --yes", "redirect taxi 7.1 --clear --yes",
    "setting taxi map-key paid",
    "setting taxi key other", "setting taxi key --clear", "app set taxi --hold 1h --name Cab --yes",
    "stop taxi",
    "stop --all", "resume bus --yes", "app add van --bundle-id com.example.van", "app retire bus",
    "publish taxi 7.3 --yes --build 5", "amend taxi 7.2 --build 9 --note en=x", "mark taxi 7.2 live",
    "mark taxi 7.2 live --at 2027-01-15T07:00:00Z",
  ])
  func `a command is undone whole, once, and redone whole, once`(command: String) throws {
    try shell.tell(
      """
      app add bus --bundle-id com.example.bus
      stop bus
      publish taxi 7.2 --yes --note en=a
      remind taxi 7.1 --yes
      redirect taxi 7.1 --url \(UndoTests.page)?b=2 --yes
      setting taxi key value
      """)
    func tables() -> [String] {
      [
        "rules", "redirects", "settings", "app list", "app show taxi", "app show bus", "check taxi",
        "check taxi 7.2",
        "releases",
      ].map { shell.run($0).out }
    }
    let before = tables()
    try shell.done(command)
    let after = tables()
    #expect(before != after)
    let events = try #require(shell.head())
    let dry = shell.run("undo --dry-run --json")
    #expect(dry.json["changed"] == true && dry.json["event"] == .null && dry.json["events"] == [])
    #expect(shell.head() == events)
    try shell.tell(
      """
      undo → confirm.required
      undo --yes → undone.last=\(events) changed=true
      undo --yes → same changed=false undone.last=\(events)
      undo \(events) --yes → same changed=false undone.last=\(events)
      """)
    // A release that is struck out, and an app's state of before, stay in the lists.
    if !command.hasPrefix("publish") { #expect(tables() == before) }
    try shell.tell("redo --yes\nredo --yes → same changed=false")
    if !command.hasPrefix("publish"), !command.contains("live") { #expect(tables() == after) }
    try shell.tell("undo --yes\nverify")
    if !command.hasPrefix("publish") { #expect(tables() == before) }
  }

  @Test func `the answer names the command, and a question its events, author and age`() throws {
    shell.environment["PAWL_ACTOR"] = "ada"
    try shell.tell("app add bus --bundle-id com.example.bus\nstop --all --reason fire\nsleep 5m")
    let head = try #require(shell.head())
    let undone =
      "\"undone.command=stop --all\" undone.first=\(head - 1) undone.last=\(head) undone.actor.claimed=ada"
    try shell.tell(
      """
      undo --dry-run → \(undone) undone.at=2027-01-15T12:00:00Z event=null
      undo → confirm.required
      undo --yes → \(undone) events=[\(head + 1),\(head + 2)] event=\(head + 2)
      app list → apps.*.stopped=[false,false]
      """)
    let text = shell.run("redo --dry-run").out
    #expect(
      text.contains("'undo \(head)' (events \(head + 1) to \(head + 2), by engineer@ci.example.com as ada"))
    #expect(shell.run("undo \(head - 1) --yes").out.contains(", 5m ago) is already taken back"))
  }

  @Test func `on a terminal undo goes further back each time, and redo returns, each asking`() throws {
    try shell.tell("remind taxi 7.0 --yes\nstop taxi\napp set taxi --name Cab")
    let last = try #require(shell.head())
    shell.terminalWidth = 200
    for (event, words) in [(last, "app set taxi"), (last - 1, "stop taxi"), (last - 2, "remind taxi 7.0")] {
      let refused = shell.run("undo", input: Array("n\n".utf8))
      #expect(refused.status == 1 && refused.err.contains("'\(words)"), "\(refused.err)")
      let ran = shell.run("undo", input: Array("y\n".utf8))
      #expect(ran.status == 0 && ran.out.contains("(event \(event),"), "\(ran.out)\(ran.err)")
    }
    for words in ["undo \(last - 2)", "undo \(last - 1)", "undo \(last)"] {
      let ran = shell.run("redo", input: Array("y\n".utf8))
      #expect(ran.status == 0 && ran.out.contains("'\(words)'"), "\(ran.out)\(ran.err)")
    }
    shell.terminalWidth = nil
    try shell.tell(
      """
      app show taxi → name=Cab stopped=true
      rules taxi → rules.#=1
      redo --dry-run → redo.nothing
      verify
      """)
  }

  @Test func `what a later command touched is not undone, unless that was undone, too`() throws {
    let url = "https://apps.apple.com/app/id"
    try shell.tell("force taxi below:7.1 --reason crash --yes")
    let rule = try #require(shell.head())
    try shell.tell(
      """
      lift taxi 1
      undo LAST --yes
      undo \(rule) --yes
      undo \(rule) --yes → same changed=false
      undo LAST --yes
      lift taxi 1
      undo \(rule + 1) --yes → 1 undo.touched details.later=LAST
      stop taxi
      app set taxi --name Cab
      undo HEAD-1 --yes → 1 undo.touched details.later=LAST
      undo --yes
      undo HEAD-2 --yes
      app show taxi → stopped=false name=null
      app set taxi --apple-id 7 --yes
      redirect taxi 7.0 --url \(url)1 --yes
      redirect taxi 7.0 --url \(url)2 --from 1d --until 3d --yes
      undo HEAD-1 --yes
      redirect taxi 7.0 --url \(url)1 --from 1d --until 3d --yes
      undo HEAD-2 --yes → undo.touched
      undo LAST --yes
      redirects taxi → redirects.*.url=[\(url)2]
      publish taxi 7.2 --yes
      mark taxi 7.2 waiting
      undo HEAD-1 --yes → undo.touched
      undo --yes → undo.never
      verify
      """)
  }

  @Test func `a command that is undone in part by others is not undone at all`() throws {
    try shell.tell(
      """
      app add bus --bundle-id com.example.bus
      app add van --bundle-id com.example.van
      stop --all
      resume bus --yes
      undo HEAD-1 --yes → 1 undo.touched details.later=LAST
      undo LAST --yes
      undo HEAD-2 --yes
      app list → apps.*.stopped=[false,false,false]
      verify
      """)
  }

  @Test func `an import is refused whole, and names what can be done`() throws {
    let rows = (0..<100).map {
      "8.\($0),2026-0\($0 / 28 + 3)-\($0 % 28 < 9 ? "0" : "")\($0 % 28 + 1)T00:00:00Z\\n"
    }
    try shell.tell("import taxi - --yes < \"version,released_at\\n\(rows.joined())\"")
    let ran = shell.run("undo --yes --json")
    #expect(ran.errorID == "undo.never" && ran.error["hint"]?.string?.contains("--never-shipped") == true)
    try shell.tell("undo 3 --yes → undo.never\nreleases taxi → releases.#=102")
  }

  @Test func `with --yes only the caller's own newest change is taken back`() throws {
    try shell.tell("publish taxi 7.2 --yes")
    shell.environment["PAWL_PRINCIPAL"] = "ci"
    try shell.tell(
      """
      publish taxi 7.0.1 --yes → 1
      undo --yes → 1 undo.not-yours details.event=LAST
      undo --dry-run → undone.last=LAST
      undo LAST --yes
      """)
    shell.environment["PAWL_PRINCIPAL"] = nil
    try shell.tell("redo --yes → undo.not-yours\nverify")
  }

  @Test func `evidence, trust, init and take-overs are passed over`() throws {
    try shell.tell("stop taxi")
    let stop = try #require(shell.head())
    try shell.tell(
      """
      trust host dl.example.com
      init --export @www
      file usage.csv version,devices\\n7.1,9
      ingest usage taxi @usage.csv
      undo --dry-run → undone.last=\(stop)
      undo \(stop + 1) --yes → undo.never
      undo LAST --yes → undo.never
      undo 1 --yes → undo.never
      undo 99 --yes → 66 event.not-found
      undo --yes → undone.last=\(stop)
      verify
      """)
  }

  @Test func `a request, a plan and two approvals hold for an undo as for any change`() throws {
    try shell.tell(
      """
      stop taxi
      undo --yes --request-id u-1 → changed=true
      stop taxi
      undo --yes --request-id u-1 → same changed=true event=HEAD-1
      undo --plan @plan
      plan show @plan → holds=true
      plan apply @plan --yes
      app show taxi → stopped=false
      plan apply @plan --yes → plan.used
      verify
      """)
  }

  @Test(arguments: [("resume", 0), ("resume,stop", 0), ("undo", 77), ("stop,status", 77)])
  func `a key may undo what it may do`(allow: String, status: Int32) throws {
    try shell.tell("stop taxi")
    shell.environment["SSH_ORIGINAL_COMMAND"] = "pawl undo --dry-run"
    #expect(shell.run(["serve-ssh", "--allow", allow]).status == status)
  }
}

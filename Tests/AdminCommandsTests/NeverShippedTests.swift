import AdminCommands
import JSON
import Ledger
import ReleaseModel
import TestSupport
import Testing

/// Mending a slip: what Apple never had is struck out, and what was before is back.
@Suite struct NeverShippedTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.done("publish taxi 7.3.0")
    try shell.done("mark taxi 7.3.0 live --visible-now")
  }

  private func golive(_ version: String) throws {
    try shell.done("publish taxi \(version)")
    try shell.done("mark taxi \(version) live --visible-now --yes")
  }

  @Test func `a release that was live by mistake is struck out, and the one before is live again`() throws {
    let before = try shell.release("7.3.0")
    shell.clock = later(3_600)
    try golive("70.4.0")
    #expect(try shell.done("check taxi 7.2.0 --json").json["target"] == "70.4.0")
    #expect(shell.run("void taxi 70.4.0 --reason typing --json").errorID == "void.was-live")
    let head = shell.head()
    let asked = shell.run("void taxi 70.4.0 --never-shipped --reason typing --json")
    #expect(asked.status == 1 && asked.errorID == "confirm.required" && shell.head() == head)
    #expect(asked.error["details"]?["impact"]?.array?.isEmpty == false)
    let ran = try shell.done("void taxi 70.4.0 --never-shipped --reason typing --yes --json").json
    #expect(ran["release"]?["state"] == "void" && ran["from"] == "live" && ran["restored"] == "7.3.0")
    #expect(ran["release"]?["liveAt"] == .null && ran["release"]?["visibleAt"] == .null)
    let after = try shell.release("7.3.0")
    #expect(after?["state"] == "live" && after?["visibleAt"] == before?["visibleAt"])
    #expect(after?["liveAt"] == before?["liveAt"])
    #expect(try shell.done("check taxi 7.2.0 --json").json["target"] == "7.3.0")
    #expect(shell.run("verify").status == 0)
    // The line goes on below it, and its number is free.
    try golive("7.4.0")
    #expect(try shell.done("check taxi 7.2.0 --json").json["target"] == "7.4.0")
    try shell.done("publish taxi 70.4.0")
  }

  @Test func `it asks even if nothing alters, and shows that nothing does`() throws {
    try shell.done("publish taxi 7.9.0")
    try shell.done("mark taxi 7.9.0 approved")
    let asked = shell.run("void taxi 7.9.0 --never-shipped --reason typing")
    #expect(asked.status == 1 && asked.err.contains("What clients are told does not change."))
    #expect(try shell.release("7.9.0")?["state"] == "approved")
    shell.terminalWidth = 80
    #expect(
      shell.run(["void", "taxi", "7.9.0", "--never-shipped", "--reason", "x"], input: Array("n\n".utf8))
        .status == 1)
    #expect(
      shell.run(["void", "taxi", "7.9.0", "--never-shipped", "--reason", "x"], input: Array("y\n".utf8))
        .status == 0)
    shell.terminalWidth = nil
    #expect(try shell.release("7.9.0")?["state"] == "void")
    // Also where it would be struck out without the word.
    try shell.done("publish taxi 8.0.0")
    #expect(shell.run("void taxi 8.0.0 --never-shipped --reason x --json").errorID == "confirm.required")
    #expect(shell.run("void taxi 8.0.0 --never-shipped --json --yes").status == 64)
    try shell.done("void taxi 8.0.0 --reason x")
  }

  @Test func `what went live above it stays live, and can still be taken back`() throws {
    try golive("7.4.0")
    try shell.done("publish taxi 7.5.0")
    try shell.done("mark taxi 7.5.0 live")
    let ran = try shell.done("void taxi 7.4.0 --never-shipped --reason typing --yes --json").json
    #expect(ran["restored"] == nil || ran["restored"] == .null)
    #expect(try shell.release("7.5.0")?["state"] == "live")
    let taken = try shell.done("unmark taxi 7.5.0 --reason wrong --json").json
    #expect(taken["restored"] == "7.3.0" && taken["release"]?["state"] == "prepared")
    #expect(shell.run("verify").status == 0)
  }

  @Test func `a past release is struck out, and its number may be used again`() throws {
    try shell.directory.write(
      Array("version,released_at\n7.1.0,2026-01-01T00:00:00Z\n7.2.0.4,2026-01-02T00:00:00Z\n".utf8),
      to: "past.csv")
    let path = shell.directory.file("past.csv")
    #expect(shell.run(["import", "taxi", path, "--past", "--yes", "--json"]).json["past"] == 2)
    #expect(shell.run("void taxi 7.1.0 --reason typing --json").status == 1)
    for version in ["7.1.0", "7.2.0.4"] {
      let ran = try shell.done("void taxi \(version) --never-shipped --reason typing --yes --json").json
      #expect(ran["release"]?["state"] == "void")
    }
    #expect(try shell.release("7.3.0")?["state"] == "live")
    #expect(shell.run(["import", "taxi", path, "--past", "--yes", "--json"]).json["past"] == 2)
    #expect(shell.run("verify").status == 0)
  }

  @Test(
    arguments: [
      ("dkim apple.com selector", Evidence.Outcome.applied, "7.4", true),
      ("webhook taxi", .applied, "7.4.0", true),
      ("mx mx.example.com", .applied, "7.4.0", false), (nil, .applied, "7.4.0", false),
      ("dkim apple.com selector", .parked, "7.4.0", false),
      ("dkim apple.com selector", .applied, "7.4.1", false),
    ] as [(String?, Evidence.Outcome, String, Bool)])
  func `proof that Apple has it speaks against it`(
    proof: String?, outcome: Evidence.Outcome, shown: String, refuses: Bool
  ) throws {
    try golive("7.4.0")
    let ledger = try Ledger.open(shell.ledger, for: .writing, now: shell.clock)
    let version = try Version(shown)
    _ = try ledger.record(
      Recording(actor: ["user": "engineer"], clock: shell.clock), confirm: { _ in },
      body: { draft in
        var evidence = Evidence(
          id: draft.nextEvidenceID, kind: .mail, sha256: String(repeating: "0", count: 64), size: 1,
          receivedAt: draft.now, outcome: outcome)
        (evidence.app, evidence.version, evidence.proof, evidence.state) = ("taxi", version, proof, .live)
        draft.add(evidence, body: nil)
      }, answer: { _ in [] })
    ledger.close()
    let head = shell.head()
    let ran = shell.run("void taxi 7.4.0 --never-shipped --reason typing --yes --json")
    #expect(ran.status == (refuses ? 1 : 0), "\(ran.err)")
    guard refuses else { return }
    #expect(ran.errorID == "evidence.contradicts" && ran.error["details"]?["evidence"] == 1)
    #expect(ran.error["message"]?.string?.contains("evidence 1") == true && shell.head() == head)
    // The release of another number is not spoken against.
    try shell.done("void taxi 7.3.0 --never-shipped --reason typing --yes")
  }

  // MARK: What else a slip meets

  @Test func `a moment before the newest went live is refused`() throws {
    shell.clock = later(100_000)
    try golive("7.4.0")
    try shell.done("publish taxi 7.4.1")
    let head = shell.head()
    let ran = shell.run("mark taxi 7.4.1 live --at \(later(99_999).text) --json")
    #expect(ran.status == 1 && ran.errorID == "mark.before-newest" && shell.head() == head)
    #expect(ran.error["details"]?["newest"] == "7.4.0")
    // The moment itself is none before it, and other states have moments of their own.
    try shell.done("mark taxi 7.4.1 approved --at \(later(99_999).text)")
    try shell.done("mark taxi 7.4.1 live --at \(later(100_000).text)")
  }

  @Test func `publishing again says what differs`() throws {
    try shell.done("publish taxi 7.4.0 --build 512")
    let ran = shell.run("publish taxi 7.4.0 --build 513 --min-os 17 --mandatory --json")
    #expect(ran.errorID == "version.not-greater")
    #expect(
      ran.error["message"]
        == "cannot publish 7.4.0 for taxi: 7.4.0 is already recorded, with build 512, not 513; no minimum OS, not 17; mandatory no, not yes"
    )
  }

  @Test func `a reason for what changes nothing is not lost without a word`() throws {
    try shell.done("stop taxi --reason first")
    let ran = try shell.done("stop taxi --reason second")
    #expect(ran.err == "note: nothing changed, so the reason is not recorded\n")
    #expect(try shell.done("stop taxi").err.isEmpty)
    #expect(try shell.done("resume taxi --reason third --yes").err.isEmpty)
  }

  @Test func `an enterprise app without a page is told to set one`() throws {
    let ran = try shell.done("app add van --bundle-id com.example.van --channel enterprise")
    #expect(ran.out.contains("pawl app set van --store-url URL") && !ran.out.contains("--apple-id"))
  }

  @Test func `a host in Chinese is to be written in punycode`() throws {
    let ran = shell.run(["publish", "taxi", "9.0", "--url", "https://例え.example.com/app", "--json"])
    #expect(ran.status == 64 && ran.errorID == "url.malformed")
    #expect(ran.error["hint"]?.string?.contains("punycode") == true)
    #expect(ran.error["message"]?.string?.contains("absolute") == false)
  }

  @Test func `publishing says in advance that marking it live will ask`() throws {
    let quiet = try shell.done("publish taxi 7.4.0 --json").json
    #expect(quiet["ifLiveAsks"] == false)
    try shell.done("void taxi 7.4.0 --reason x")
    #expect(try shell.done("publish taxi 7.4.0 --mandatory --dry-run --json").json["ifLiveAsks"] == true)
    let said = try shell.done("publish taxi 7.4.0 --mandatory").out
    #expect(said.contains("Marking it live will ask for your agreement"))
    #expect(shell.run("mark taxi 7.4.0 live --json").errorID == "confirm.required")
  }

  @Test func `a refusal for want of agreement shows whom it touches`() throws {
    try shell.done("publish taxi 7.4.0 --mandatory")
    let asked = shell.run("mark taxi 7.4.0 live")
    #expect(asked.status == 1 && asked.err.contains("VERSIONS") && asked.err.contains("force"))
    let json = shell.run("mark taxi 7.4.0 live --json")
    #expect(!json.err.contains("VERSIONS") && json.error["details"]?["impact"]?.array?.count == 1)
  }
}

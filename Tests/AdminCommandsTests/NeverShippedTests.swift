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
}

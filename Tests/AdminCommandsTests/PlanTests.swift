import Crypto
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct PlanTests {
  private let shell: Shell
  private let signed = """
    force taxi below:7.3 --reason crash --plan @plan
    sign plan ada ben

    """

  init() throws { shell = try Shell.guarded() }

  @Test func `a plan records nothing, and says all that is done when it is applied`() throws {
    let (file, week) = (shell.directory.file("plan"), later(7 * 86_400).text)
    let head = shell.head() ?? 0
    try shell.tell(
      """
      force taxi <7.3 --grace 7d --reason "crash at start" --plan @plan → same event=null plan.file=\(file) approvals.needed=2
      json @plan → signatures=[] "plan.command=[force,taxi,below:7.3,--grace=\(week),--reason=crash at start]" plan.made=\(noon.text) plan.expires=\(week) "plan.reason=crash at start" plan.head.seq=\(head) plan.rows.#=2 plan.ledger=0123456789abcdef0123456789abcdef
      sign plan ada ben
      sleep 90s
      plan apply @plan → changed=true rule.from=\(week)
      history --limit 3 → events.*.kind=[rule.force,rule.remind,plan.apply] "events.0.reason=crash at start"
      verify
      show HEAD-2 → agreed.signers=[ada,ben] agreed.plan=HEAD-2
      show LAST → agreed.signers=[ada,ben] agreed.plan=HEAD-2
      publish taxi 7.5.0 --yes
      show LAST → agreed=missing
      """)
  }

  @Test func `a plan is applied once, and a request id gives the first answer`() throws {
    // Also where its effect is gone since.
    try shell.tell(
      """
      \(signed)
      plan apply @plan --request-id r1 → rule.number=1
      plan apply @plan --request-id r1 → same rule.number=1
      plan apply @plan → 1 plan.used details.event=HEAD-1
      lift taxi 1
      plan apply @plan → plan.used
      force taxi below:7.2 --reason crash --plan @other
      sign other ada ben
      plan apply @other --request-id r1 → request.reused
      """)
  }

  @Test func `too few, the same twice, strangers and the expired do not count`() throws {
    try shell.tell("force taxi below:7.3 --reason crash --plan @plan\nplan apply @plan → approvals.required")
    try shell.sign("plan", [try Signer("ada", seed: 9)])
    // A signer who is trusted no more by then does not count.
    try shell.tell(
      """
      sign plan ada
      sign plan ada
      json @plan → signatures.#=2
      plan apply @plan → 1 approvals.required details.agreed=[ada] details.needed=2 details.impact.#=1
      sign plan ben
      sleep 1m
      trust remove signer ben --plan @away
      sign away ada cyd
      plan apply @away
      plan apply @plan → details.agreed=[ada] approvals.required
      sign plan cyd
      plan apply @plan
      """)
  }

  @Test func `a signer counts until --until, and what was agreed then stays agreed`() throws {
    let dee = try Signer("dee", seed: 4)
    try shell.tell(
      """
      trust signer dee "\(dee.line)" --until 1d --plan @dee
      sign dee ada ben
      plan apply @dee
      force taxi below:7.3 --reason crash --plan @plan
      sign plan ada
      """)
    try shell.sign("plan", [dee])
    try shell.tell(
      """
      sleep 1d
      plan apply @plan → approvals.required details.agreed=[ada]
      sleep -1s
      plan apply @plan
      sleep 1h
      verify
      """)
  }

  @Test(arguments: [
    ("below:7.3", "below:7.4"), ("crash", "crush"), (#""expires":"2027-01-22"#, #""expires":"2027-01-23"#),
  ])
  func `what is altered after it was signed is refused`(old: String, new: String) throws {
    try shell.tell(signed)
    try shell.directory.write(shell.text("plan").replacing(old, with: new, maxReplacements: 1), to: "altered")
    try expectUnusable("altered")
    try shell.tell("plan apply @plan")
  }

  private func expectUnusable(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let head = shell.head()
    let ran = shell.run("plan apply @\(name) --json")
    #expect(
      ["plan.altered", "plan.malformed"].contains(ran.errorID), "\(ran)", sourceLocation: sourceLocation)
    #expect(shell.run("plan show @\(name) --json").json["holds"] != true, sourceLocation: sourceLocation)
    #expect(shell.head() == head, sourceLocation: sourceLocation)
  }

  @Test func `a plan of another ledger, and one whose time is over`() throws {
    try shell.tell(signed)
    let other = try Shell(makesLedger: false)
    let plan = shell.directory.file("plan")
    try other.tell("init\napp add taxi --bundle-id com.example.taxi\nplan apply \(plan) → plan.ledger")
    try shell.tell("sleep 7d\nplan apply @plan → plan.expired\nsleep -1s\nplan apply @plan")
  }

  @Test func `events about something else do a plan no harm`() throws {
    try shell.tell(
      #"""
      \#(signed)
      sleep 1m
      ingest mail - < "From: somebody@example.com\n\nhello\n"
      app add bus --bundle-id com.example.bus
      allow bus 1.0
      publish taxi 7.5.0 --yes
      mark taxi 7.5.0 in-review
      setting taxi new-key 1
      plan show @plan → holds=true why=null signers.*.name=[ada,ben] needed=2
      plan show @plan --ledger @none.db → 1 holds=false why=ledger.not-found
      plan apply @plan → rule.number=2
      """#)
    let bytes = shell.run("plan show @plan --bytes").out
    #expect(try bytes == JSON(parsing: shell.text("plan").utf8)["plan"]?.text())
  }

  @Test func `a plan of what is so already is none`() throws {
    try shell.tell("resume taxi --plan @none → same changed=false plan=null")
    #expect(!shell.directory.exists("none"))
  }

  @Test func `a hold counts from when the plan is applied`() throws {
    try shell.tell(
      """
      publish taxi 8.0.0 --plan @published
      sign published ada ben
      plan apply @published
      mark taxi 8.0.0 approved
      mark taxi 8.0.0 live --plan @plan
      sign plan ada ben
      sleep 1h
      plan apply @plan → release.visibleAt=\(later(3_600 + 86_400).text)
      """)
  }

  @Test func `files travel in the plan, and secrets do not`() throws {
    try shell.directory.write(#"{"en":"Faster start","de":"Schneller"}"#, to: "notes.json")
    try shell.directory.write("{}" + String(repeating: " ", count: 1 << 20), to: "big.json")
    try shell.tell(
      #"""
      file secret "hush-hush\n"
      file past.csv "version,released_at\n1.0,2020-01-01T00:00:00Z\n"
      app add bus --bundle-id com.example.bus
      publish taxi 7.5.0 --notes @notes.json --plan @plan
      trust webhook taxi --secret-file @secret --plan @hook
      import bus @past.csv --plan @import
      publish taxi 7.6.0 --notes @big.json --plan @none → 65
      """#)
    for name in ["notes.json", "secret", "past.csv"] { removeFile(shell.directory.file(name)) }
    #expect(try shell.text("hook").ranges(of: "hush-hush").isEmpty)
    try shell.tell(
      """
      plan apply @plan → release.notes.de=Schneller
      sign hook ada ben
      plan apply @hook → trust.key=\(SHA256.hexadecimal(of: Array("hush-hush".utf8)))
      plan apply @import → imported=1
      """)
  }

  @Test func `a plan takes no file's place but a plan's, and follows no link`() throws {
    try shell.tell("file plan mine\nstop taxi --plan @plan → plan.file-taken")
    #expect(try shell.text("plan") == "mine")
    removeFile(shell.directory.file("plan"))
    try shell.tell(
      "stop taxi --plan @plan\nstop taxi --plan @plan\nstop taxi --plan - → plan.command=[stop,taxi]")
  }

  @Test(arguments: [
    #"["verify"]"#, #"["stop","taxi","--yes"]"#, #"["stop","taxi","--ledger=/tmp/other"]"#,
    #"["plan","apply","x"]"#, #"["stop","taxi","--dry-run"]"#, #"["stop","--","taxi"]"#,
    #"["stop","taxi","--plan=x"]"#, #"[]"#, #"["ingest","lookup","taxi","x"]"#, #"["serve-ssh"]"#,
    #"["backup","x"]"#,
  ])
  func `what a plan cannot hold is refused`(command: String) throws {
    try shell.tell("stop taxi --plan @plan")
    try shell.directory.write(shell.text("plan").replacing(#"["stop","taxi"]"#, with: command), to: "altered")
    try expectUnusable("altered")
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"plan":{},"signatures":[]}"#, #"{"plan":1,"signatures":[]}"#, "nonsense",
  ])
  func `what is no plan is refused`(text: String) throws {
    try shell.directory.write(text, to: "plan")
    try shell.tell("plan apply @plan → plan.malformed\nplan apply @nothing → 66")
  }
}

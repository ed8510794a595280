import AdminCommands
import Crypto
import JSON
import Ledger
import Platform
import ReleaseModel
import TestSupport
import Testing

/// A change as a file: made, shown, signed, applied once.
@Suite struct PlanTests {
  private let signers: [Signer]
  private let shell: Shell

  init() throws {
    signers = try Signer.three()
    shell = try Shell.guarded(signers)
  }

  private var file: String { shell.directory.file("plan") }

  private func planJSON(_ name: String = "plan") throws -> JSON {
    try JSON(parsing: readFile(shell.directory.file(name), limit: 1 << 23))
  }

  @Test func `a plan records nothing, and says all that is done when it is applied`() throws {
    let head = shell.head()
    let made = shell.run([
      "force", "taxi", "<7.3", "--grace", "7d", "--reason", "crash at start", "--plan", file, "--json",
    ])
    #expect(made.status == 0 && shell.head() == head, "\(made.err)")
    #expect(made.json["event"] == .null && made.json["plan"]?["file"]?.string == file)
    #expect(made.json["approvals"]?["needed"] == 2)
    let json = try planJSON()
    #expect(json["signatures"] == [])
    let plan = try #require(json["plan"])
    #expect(plan["ledger"] == "0123456789abcdef0123456789abcdef")
    #expect(
      plan["command"]?.array?.compactMap(\.string) == [
        "force", "taxi", "below:7.3", "--grace=\(later(7 * 86_400).text)", "--reason=crash at start",
      ])
    #expect(plan["made"]?.string == noon.text && plan["expires"]?.string == later(7 * 86_400).text)
    #expect(plan["reason"] == "crash at start" && plan["head"]?["seq"]?.integer == head)
    #expect(plan["rows"]?.array?.count == 2 && plan["effect"]?.array?.isEmpty == false)
    try shell.sign("plan", Array(signers.prefix(2)))
    shell.clock = later(90)
    let applied = shell.apply()
    #expect(applied.status == 0, "\(applied.err)")
    #expect(
      applied.json["changed"] == true && applied.json["rule"]?["from"]?.string == later(7 * 86_400).text)
    #expect(applied.json["plan"]?.string?.utf8.count == 64)
    try shell.tell(
      """
      history --limit 3 → events.*.kind=[rule.force,rule.remind,plan.apply] "events.0.reason=crash at start"
      verify
      show HEAD-2 → agreed.signers=[ada,ben] agreed.plan=HEAD-2
      show LAST → agreed.signers=[ada,ben] agreed.plan=HEAD-2
      publish taxi 7.5.0
      show LAST → agreed=null
      """)
  }

  @Test func `a plan is applied once, and a request id gives the first answer`() throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    try shell.sign("plan", Array(signers.prefix(2)))
    let first = shell.apply("plan", "--request-id", "r1")
    #expect(first.status == 0)
    let head = shell.head()
    #expect(shell.apply("plan", "--request-id", "r1").out == first.out)
    let again = shell.apply()
    #expect(again.errorID == "plan.used" && again.status == 1)
    #expect(again.error["details"]?["event"]?.integer == (head ?? 0) - 1)
    #expect(shell.head() == head)
    // Also where its effect is gone since.
    try shell.done("lift taxi 1")
    #expect(shell.apply().errorID == "plan.used")
    try shell.plan("force taxi below:7.2 --reason crash", "other")
    try shell.sign("other", Array(signers.prefix(2)))
    #expect(shell.apply("other", "--request-id", "r1").errorID == "request.reused")
  }

  @Test func `too few, the same twice, strangers, another namespace and the expired do not count`() throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    #expect(shell.apply().errorID == "approvals.required")
    try shell.sign("plan", [signers[0], signers[0], try Signer("ada", seed: 9)])
    #expect(try planJSON()["signatures"]?.array?.count == 2)
    let refused = shell.apply()
    #expect(refused.errorID == "approvals.required" && refused.status == 1)
    #expect(refused.error["details"]?["agreed"] == ["ada"] && refused.error["details"]?["needed"] == 2)
    #expect(refused.error["details"]?["impact"]?.array?.isEmpty == false)
    try shell.sign("plan", [signers[1]])
    // A signer who is trusted no more by then does not count.
    shell.clock = later(60)
    try shell.agreed("trust remove signer ben", by: [signers[0], signers[2]])
    #expect(shell.apply().error["details"]?["agreed"] == ["ada"])
    try shell.sign("plan", [signers[2]])
    #expect(shell.apply().status == 0)
  }

  @Test func `a signer counts until --until`() throws {
    let dee = try Signer("dee", seed: 4)
    let added = [signers[0], signers[1]]
    let ran = shell.run(["trust", "signer", "dee", dee.line, "--until", "1d", "--plan", file])
    #expect(ran.status == 0)
    try shell.sign("plan", added)
    #expect(shell.apply().status == 0)
    try shell.plan("force taxi below:7.3 --reason crash")
    try shell.sign("plan", [signers[0], dee])
    shell.clock = later(86_400)
    #expect(shell.apply().error["details"]?["agreed"] == ["ada"])
    shell.clock = later(86_399)
    #expect(shell.apply().status == 0)
    shell.clock = later(90_000)
    // What was agreed then stays agreed.
    #expect(shell.run("verify").status == 0)
  }

  @Test func `what is altered after it was signed is refused`() throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    try shell.sign("plan", Array(signers.prefix(2)))
    let text = String(decoding: try readFile(file, limit: 1 << 20), as: UTF8.self)
    for (old, new) in [
      ("below:7.3", "below:7.4"), ("crash", "crush"),
      ("\"expires\":\"2027-01-22", "\"expires\":\"2027-01-23"),
    ] {
      let altered = replacing(text, old, new)
      #expect(altered != text, "\(old)")
      try shell.directory.write(Array(altered.utf8), to: "altered")
      let ran = shell.apply("altered")
      #expect(["plan.altered", "plan.malformed"].contains(ran.errorID), "\(old): \(ran.err)")
      #expect(shell.run(["plan", "show", shell.directory.file("altered"), "--json"]).json["holds"] != true)
    }
    #expect(shell.apply().status == 0)
  }

  @Test func `a plan of another ledger, and one whose time is over`() throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    try shell.sign("plan", Array(signers.prefix(2)))
    let other = try Shell(makesLedger: false)
    try other.done("init")
    try other.done("app add taxi --bundle-id com.example.taxi")
    #expect(other.run(["plan", "apply", file, "--json"]).errorID == "plan.ledger")
    shell.clock = later(7 * 86_400)
    #expect(shell.apply().errorID == "plan.expired")
    shell.clock = later(7 * 86_400 - 1)
    #expect(shell.apply().status == 0)
  }

  @Test func `events about something else do a plan no harm`() throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    try shell.sign("plan", Array(signers.prefix(2)))
    shell.clock = later(60)
    try shell.tell(
      #"""
      ingest mail - < "From: somebody@example.com\n\nhello\n"
      app add bus --bundle-id com.example.bus
      allow bus 1.0
      publish taxi 7.5.0
      mark taxi 7.5.0 in-review
      setting taxi new-key 1
      plan show @plan → holds=true why=null signers.*.name=[ada,ben] needed=2
      plan apply @plan → rule.number=2
      """#)
    let bytes = shell.run(["plan", "show", file, "--bytes"]).out
    #expect(try bytes == planJSON()["plan"]?.text())
    // Nobody need have the ledger.
    try shell.tell("plan show @plan --ledger @none.db → 1 holds=false why=ledger.not-found")
  }

  @Test(arguments: [
    "allow taxi 7.2.0 --reason kiosks", "mark taxi 7.4.0 removed --reason gone", "stop taxi",
  ])
  func `a plan whose effect is another goes stale`(_ line: String) throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    try shell.sign("plan", Array(signers.prefix(2)))
    try shell.tell(
      "\(line)\nplan show @plan → 1 holds=false why=plan.stale\nplan apply @plan → 1 plan.stale")
  }

  @Test func `a row that was touched since makes a plan stale`() throws {
    try shell.tell(
      """
      publish taxi 7.5.0
      amend taxi 7.5.0 --build 5 --plan @plan
      mark taxi 7.5.0 waiting
      plan apply @plan → plan.stale
      publish taxi 7.6.0 --plan @other
      publish taxi 7.7.0
      plan apply @other → plan.stale
      resume taxi --plan @none → same changed=false plan=null
      """)
    #expect(!shell.directory.exists("none"))
  }

  @Test func `a hold counts from when the plan is applied`() throws {
    try shell.done("publish taxi 8.0.0")
    try shell.done("mark taxi 8.0.0 approved")
    try shell.plan("mark taxi 8.0.0 live")
    try shell.sign("plan", Array(signers.prefix(2)))
    shell.clock = later(3_600)
    let ran = shell.apply()
    #expect(ran.status == 0, "\(ran.err)")
    #expect(ran.json["release"]?["visibleAt"]?.string == later(3_600 + 86_400).text)
  }

  @Test func `files travel in the plan, and secrets do not`() throws {
    try shell.directory.write(Array(#"{"en":"Faster start","de":"Schneller"}"#.utf8), to: "notes.json")
    try shell.plan("publish taxi 7.5.0 --notes \(shell.directory.file("notes.json"))")
    removeFile(shell.directory.file("notes.json"))
    let ran = shell.apply()
    #expect(ran.status == 0 && ran.json["release"]?["notes"]?["de"] == "Schneller", "\(ran.err)")

    try shell.directory.write(Array("hush-hush\n".utf8), to: "secret")
    try shell.plan("trust webhook taxi --secret-file \(shell.directory.file("secret"))", "hook")
    removeFile(shell.directory.file("secret"))
    let bytes = String(decoding: try readFile(shell.directory.file("hook"), limit: 1 << 20), as: UTF8.self)
    #expect(!bytes.contains("hush-hush"))
    try shell.sign("hook", Array(signers.prefix(2)))
    let hooked = shell.apply("hook")
    #expect(
      hooked.status == 0
        && hooked.json["trust"]?["key"]?.string == SHA256.hexadecimal(of: Array("hush-hush".utf8)))

    let csv = "version,released_at\n" + (1...6_000).map { "1.0.\($0),2020-01-01T00:00:00Z\n" }.joined()
    let big = csv + String(repeating: "#", count: 1 << 20) + "\n"
    try shell.directory.write(Array("version,released_at\n1.0,2020-01-01T00:00:00Z\n".utf8), to: "past.csv")
    try shell.done("app add bus --bundle-id com.example.bus")
    try shell.plan("import bus \(shell.directory.file("past.csv"))", "import")
    removeFile(shell.directory.file("past.csv"))
    #expect(shell.apply("import").json["imported"] == 1)
    try shell.directory.write(Array(big.utf8), to: "big.json")
    let tooLarge = shell.run([
      "publish", "taxi", "7.6.0", "--notes", shell.directory.file("big.json"), "--plan", file, "--json",
    ])
    #expect(tooLarge.status == 65, "\(tooLarge.err)")
  }

  @Test func `a plan takes no file's place but a plan's, and follows no link`() throws {
    try shell.directory.write(Array("mine".utf8), to: "plan")
    let words = ["stop", "taxi", "--plan", file, "--json"]
    #expect(shell.run(words).errorID == "plan.file-taken")
    #expect(try readFile(file, limit: 99) == Array("mine".utf8))
    removeFile(file)
    #expect(shell.run(words).status == 0 && shell.run(words).status == 0)
    #expect(shell.run(["stop", "taxi", "--plan", "-"]).json["plan"]?["command"] == ["stop", "taxi"])
  }

  @Test func `what a plan cannot hold is refused`() throws {
    try shell.plan("stop taxi")
    let text = String(decoding: try readFile(file, limit: 1 << 20), as: UTF8.self)
    for command in [
      #"["verify"]"#, #"["stop","taxi","--yes"]"#, #"["stop","taxi","--ledger=/tmp/other"]"#,
      #"["plan","apply","x"]"#,
      #"["stop","taxi","--dry-run"]"#, #"["stop","--","taxi"]"#, #"["stop","taxi","--plan=x"]"#, #"[]"#,
      #"["ingest","lookup","taxi","x"]"#, #"["serve-ssh"]"#, #"["backup","x"]"#,
    ] {
      let altered = replacing(text, #"["stop","taxi"]"#, command)
      #expect(altered != text)
      try shell.directory.write(Array(altered.utf8), to: "altered")
      let ran = shell.apply("altered")
      #expect(
        ran.status != 0 && ["plan.altered", "plan.malformed"].contains(ran.errorID), "\(command): \(ran.err)")
    }
    for text in ["", "{}", "[]", #"{"plan":{},"signatures":[]}"#, #"{"plan":1,"signatures":[]}"#, "nonsense"]
    {
      try shell.directory.write(Array(text.utf8), to: "altered")
      #expect(shell.apply("altered").errorID == "plan.malformed", "\(text)")
    }
    #expect(shell.run("ingest lookup taxi - --plan x").status == 64)
    #expect(shell.apply("not-there").status == 66)
  }
}

/// A text with one of its parts, the first time it stands there, replaced.
func replacing(_ text: String, _ part: String, _ other: String) -> String {
  let (bytes, old) = (Array(text.utf8), Array(part.utf8))
  guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: old) }) else { return text }
  return String(decoding: bytes[..<place] + Array(other.utf8) + bytes[(place + old.count)...], as: UTF8.self)
}

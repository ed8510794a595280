import JSON
import MailCorpus
import Platform
import ReleaseModel
import Testing

/// Evidence where two people have to agree to what asks: what is proved needs nobody, what is not waits for them.
@Suite struct ApprovalEvidenceTests {
  private let signers: [Signer]

  init() throws { signers = try Signer.three() }

  /// A ledger whose next release, 7.3.0, forces clients of `older` or reminds them, and approvals of two.
  private func room(_ older: String, _ believing: Believing) throws -> Mailroom {
    let room = try Mailroom(believing)
    try room.shell.tell("live taxi \(older)")
    try room.publish("7.3.0", .approved)
    try room.shell.demand(signers)
    room.shell.clock = World.now
    return room
  }

  @Test func `a mail that its signature proves forces without anybody's agreement`() throws {
    let room = try room("6.0.0", .signatures)
    #expect(try room.feed(room.status("Ready for Distribution"))["outcome"] == "applied")
    #expect(try room.state("7.3.0") == .live)
    #expect(room.shell.run("verify").status == 0)
  }

  @Test func `a mail that a server vouches for waits where it would force, and passes where it reminds`()
    throws
  {
    let room = try room("6.0.0", .server)
    let result = try room.feed(World.receivedFromApple(room.status("Ready for Distribution")))
    #expect(result["outcome"] == "parked" && result["reason"] == "mail.unagreed")
    #expect(try room.state("7.3.0") == .approved)
    #expect(room.shell.run("inbox retry --json").json["results"]?.array?.first?["outcome"] == "parked")
    // Who says what it means says it alone, too.
    let words = "inbox apply 1 --app taxi --version 7.3.0 --state live --reason read"
    #expect(room.shell.run(words + " --yes --json").errorID == "approvals.required")
    try room.shell.agreed(words, by: Array(signers.prefix(2)))
    #expect(try room.state("7.3.0") == .live)
    #expect(room.shell.run("verify").status == 0)

    let mild = try self.room("7.2.0", .server)
    let other = try mild.feed(World.receivedFromApple(mild.status("Ready for Distribution")))
    #expect(other["outcome"] == "applied", "\(other)")
    #expect(mild.shell.run("verify").status == 0)
  }

  /// A ledger of 7.2.0 to 7.4.0, the last one approved; reminders wait for phases, and two have to agree.
  private func phased() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.done("app set taxi --remind-after phase --hold 0")
    try shell.tell("live taxi 7.2.0 7.3.0\npublish taxi 7.4.0\nmark taxi 7.4.0 approved")
    try shell.demand(signers)
    return shell
  }

  /// What comes of a file that says a version is out, and how far its phases are.
  private func say(_ shell: Shell, _ version: String, _ phase: String?, paused: Int = 0, id: String? = nil)
    -> JSON?
  {
    var shown = Shown(version: version, state: "READY_FOR_DISTRIBUTION", id: id)
    shown.phased = phase.map { ($0, noon.text, paused) }
    shown.hasNoPhases = phase == nil
    let ran = shell.run(["ingest", "asc", "taxi", "-", "--json"], input: Shown.answer([shown]))
    return ran.json["results"]?.array?.first
  }

  @Test func `a phase is completed, called off or shortened by a file only where two agree`() throws {
    let shell = try phased()
    #expect(say(shell, "7.4.0", "ACTIVE")?["outcome"] == "applied")
    shell.clock = later(86_400)
    // Longer is milder.
    #expect(say(shell, "7.4.0", "PAUSED", paused: 1)?["outcome"] == "applied")
    #expect(try shell.release("7.4.0")?["remindAt"]?.string == later(37 * 86_400).text)
    for phase in ["COMPLETE", "ACTIVE", nil] {
      shell.clock = shell.clock + TimeSpan(seconds: 60)
      let result = say(shell, "7.4.0", phase, paused: 1)
      #expect(result?["reason"] == "asc.unagreed" || result?["outcome"] == "duplicate", "\(phase ?? "-")")
      #expect(try shell.release("7.4.0")?["remindAt"]?.string == later(37 * 86_400).text, "\(phase ?? "-")")
    }
    #expect(try shell.done("check taxi 7.3.0 --json").json["decidedBy"] == "phased")
    #expect(shell.run("inbox retry --json").json["results"]?.array?.first?["outcome"] == "parked")
    #expect(shell.run("verify").status == 0)
  }

  @Test func `a page is one that two agreed to where only a phase's end will show it`() throws {
    let shell = try phased()
    try shell.done("publish taxi 7.5.0")
    var shown = Shown(version: "7.5.0", state: "IN_REVIEW")
    shown.phased = ("INACTIVE", nil, 0)
    let ran = shell.run(["ingest", "asc", "taxi", "-", "--json"], input: Shown.answer([shown]))
    #expect(ran.json["results"]?.array?.first?["outcome"] == "applied", "\(ran.out)\(ran.err)")
    let amend = "amend taxi 7.5.0 --url https://apps.apple.com/app/id1 --json"
    #expect(shell.run(amend).errorID == "approvals.required")
  }

  @Test func `a file teaches no id by which a webhook would prove something else`() throws {
    let shell = try phased()
    try shell.done("publish taxi 8.0.0")
    _ = shell.run(
      ["ingest", "asc", "taxi", "-", "--json"],
      input: Shown.answer([Shown(version: "8.0.0", state: "IN_REVIEW", id: "v-IOS-7-4-0")]))
    #expect(try shell.release("8.0.0")?["state"] == "in-review")
    #expect(try shell.release("8.0.0")?["ascID"]?.string == nil)
    #expect(shell.run("verify").status == 0)
  }

  @Test func `a lookup from a file ends the hold of what reminds, and not of what forces`() throws {
    let answer = try readFile("\(repository)/Tests/Fixtures/lookup/968615456.json", limit: 1 << 20)
    for (older, outcome) in [("0.9", "parked"), ("1.2", "applied")] {
      let shell = try Shell()
      try shell.tell(
        """
        app add campus --bundle-id CampusOfGLUT --apple-id 968615456
        live campus \(older)
        publish campus 1.3
        mark campus 1.3 live --yes
        """)
      try shell.demand(signers)
      let ran = shell.run(["ingest", "lookup", "campus", "-", "--json"], input: answer)
      let result = ran.json["results"]?.array?.first
      #expect(result?["outcome"]?.string == outcome, "\(older): \(ran.out)\(ran.err)")
      #expect(result?["reason"]?.string == (outcome == "parked" ? "lookup.unagreed" : nil))
      #expect(shell.run("verify").status == 0)
    }
  }
}

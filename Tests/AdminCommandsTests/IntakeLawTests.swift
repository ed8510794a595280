import JSON
import MailCorpus
import Platform
import ReleaseModel
import TestSupport
import Testing

/// What `ingest`, `inbox`, `import` and `due` owe to the contract: options, zones, heads, dry runs.
@Suite struct IntakeLawTests {
  // MARK: - Options

  @Test(arguments: [
    "ingest usage taxi -", "ingest asc taxi -", "ingest lookup taxi -", "ingest mail x.eml",
    "ingest webhook taxi - --signature s --secret-file f", "inbox retry",
  ])
  func `what takes in evidence knows no plan`(command: String) throws {
    let shell = try Shell.taxi()
    let file = shell.directory.file("plan.json")
    let ran = shell.run(
      "\(command) --json --plan \(file)", input: Array("version,devices\n1.0,1\n".utf8))
    #expect(ran.status == 64 && ran.errorID == "usage.unknown-option", "\(ran.err)")
    #expect(!shell.directory.exists("plan.json"))
    #expect(shell.head() == 2)
  }

  @Test func `parked evidence is applied by a plan, and without a reason`() throws {
    let room = try Mailroom("7.3.0", .approved, .nothing)
    _ = try room.feed(room.signed())
    let words = "inbox apply 1 --app taxi --version 7.3.0 --state live"
    let plan = room.shell.directory.file("plan.json")
    #expect(room.shell.run("\(words) --plan \(plan)").status == 0)
    #expect(try room.state("7.3.0") == .approved)
    try room.shell.done("\(words) --yes")
    #expect(try room.state("7.3.0") == .live)
    #expect(room.events(1).first?["reason"] == JSON.null)
  }

  // MARK: - What is struck out

  /// An app of one platform whose 7.3.1 was named by App Store Connect and struck out, with 8.0.0 under way.
  private func struckOut() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.trustWebhook("--single-platform")
    try shell.done("publish taxi 7.3.1")
    try ingest(shell, [Shown(version: "7.3.1", state: "WAITING_FOR_REVIEW")])
    try shell.done("void taxi 7.3.1 --reason typo")
    return shell
  }

  @discardableResult
  private func ingest(_ shell: Shell, _ versions: [Shown], _ more: [String] = []) throws -> Ran {
    let ran = shell.run(["ingest", "asc", "taxi", "-"] + more, input: Shown.answer(versions))
    try #require(ran.status == 0, "\(ran.err)")
    return ran
  }

  @Test func `a webhook about a release that was struck out moves no other`() throws {
    let shell = try struckOut()
    try shell.done("publish taxi 8.0.0")
    try shell.done("mark taxi 8.0.0 waiting")
    let result = try shell.webhook("n-1", of: "v-IOS-7-3-1", to: "IN_REVIEW")
    #expect(result["outcome"] == "parked" && result["reason"] == "webhook.law.release.void")
    #expect(result["app"] == "taxi" && result["version"] == "7.3.1", "\(result.text())")
    #expect(try shell.release("8.0.0")?["state"] == "waiting")
    // Nor do App Store Connect, a lookup and a retry make another of it.
    try ingest(shell, [Shown(version: "7.3.1", state: "IN_REVIEW")])
    let lookup = """
      {"resultCount":1,"results":[{"kind":"software","trackId":1524608462,"bundleId":"com.example.taxi",\
      "version":"7.3.1"}]}
      """
    #expect(shell.run("ingest lookup taxi -", input: Array(lookup.utf8)).status == 0)
    try shell.done("inbox retry")
    #expect(try shell.release("8.0.0")?["state"] == "waiting")
    // An id that nobody knows goes to the only release that can be meant, as before.
    #expect(try shell.webhook("n-2", of: "v-IOS-8-0-0", to: "IN_REVIEW")["version"] == "8.0.0")
    #expect(try shell.release("8.0.0")?["state"] == "in-review")
    #expect(try shell.done("verify --json").json["ok"] == true)
  }

  @Test func `a number that is used again takes the webhook once App Store Connect has named it`() throws {
    let shell = try struckOut()
    try shell.done("publish taxi 7.3.1")
    let parked = try shell.webhook("n-1", of: "v-IOS-7-3-1", to: "IN_REVIEW")
    #expect(parked["reason"] == "webhook.law.release.void")
    try ingest(shell, [Shown(version: "7.3.1", state: "WAITING_FOR_REVIEW")])
    #expect(try shell.release("7.3.1")?["state"] == "in-review")
    #expect(try shell.done("inbox --json").json["inbox"] == [])
    #expect(try shell.done("verify --json").json["ok"] == true)
  }

  // MARK: - Dry runs

  @Test func `a dry run of ingest says first that nothing was recorded`() throws {
    let room = try Mailroom(.nothing)
    try room.publish("7.2.0", .live)
    try room.publish("7.3.0", .approved)
    let shell = room.shell
    shell.clock = World.now
    let mail = try room.file(room.signed().bytes)
    let lookup = try room.file(
      Array(
        """
        {"resultCount":1,"results":[{"kind":"software","trackId":\(World.appleID),"bundleId":"com.example.taxi",\
        "version":"9.0"}]}
        """.utf8), name: "lookup.json")
    let said = try room.file(
      Shown.answer([Shown(version: "9.0", state: "IN_REVIEW")]), name: "asc.json")
    let usage = try room.file(Array("version,devices\n7.3.0,5\n6.0,2\n".utf8), name: "usage.csv")
    for words in ["mail \(mail)", "lookup taxi \(lookup)", "asc taxi \(said)", "usage taxi \(usage)"] {
      let outcome = words.hasPrefix("usage") ? "applied" : "parked"
      try shell.tell("ingest \(words) --dry-run → same results.0.outcome=\(outcome)")
      let out = try shell.done("ingest \(words) --dry-run").out
      #expect(out.hasPrefix("Dry run: nothing was recorded.\n") && !out.contains("next:"), "\(out)")
    }
  }

  @Test func `a dry run of somebody's word shows whom it would force, and that it would ask`() throws {
    let shell = try Shell.taxi()
    try shell.done("app set taxi --hold 0")
    try shell.tell("live taxi 7.3.0\npublish taxi 8.0.0")
    let said = [Shown(version: "8.0.0", state: "READY_FOR_DISTRIBUTION")]
    let asked = "It would need your agreement, or --yes: clients would be forced to update.\n"
    #expect(try ingest(shell, said, ["--dry-run"]).out.hasSuffix(asked))
    #expect(try !ingest(shell, said, ["--dry-run", "--yes"]).out.hasSuffix(asked))
    let refused = shell.run("ingest asc taxi - --json", input: Shown.answer(said))
    #expect(refused.status == 1 && refused.errorID == "confirm.required")
    #expect(try ingest(shell, said, ["--yes", "--json"]).json["results"]?.array?.first?["to"] == "live")
  }

  // MARK: - Import

  @Test func `times of a file without a zone are those of PAWL_ZONE, else UTC, and the answer says so`()
    throws
  {
    let past = Array(
      "version,released_at\n1.0,2026-03-01\n1.1,2026-03-02T09:00\n1.2,2026-03-03T00:00:00Z\n".utf8)
    let shell = try Shell.taxi()
    let ran = shell.run("import taxi - --yes --json", input: past)
    #expect(ran.json["imported"] == 3, "\(ran.err)")
    #expect(ran.json["warnings"] == ["2 times have no zone and were read as UTC; --zone sets another"])
    #expect(try shell.release("1.0")?["liveAt"] == "2026-03-01T00:00:00Z")
    #expect(try shell.release("1.1")?["liveAt"] == "2026-03-02T09:00:00Z")
    let named = try Shell.taxi()
    #expect(named.run("import taxi - --yes --json --zone UTC", input: past).json["warnings"] == [])
  }

  @Test func `a line of App Store Connect's answer is counted among all entries of the file`() throws {
    let shell = try Shell.taxi()
    let said = [
      Shown(version: "7.1.0", state: "READY_FOR_DISTRIBUTION", platform: "MAC_OS"),
      Shown(version: "7.1.0", state: "REPLACED_WITH_NEW_VERSION", created: "2026-07-01T00:00:00Z"),
      Shown(version: "7.2.0", state: "SOMETHING_NEW"),
    ]
    let pages = JSON.array(
      try [said.prefix(1), said.dropFirst()].map { try JSON(parsing: Shown.answer(Array($0))) })
    for file in [Shown.answer(said), pages.bytes()] {
      let ran = shell.run("import taxi - --source asc --yes --json", input: file)
      #expect(ran.status == 65, "\(ran.err)")
      #expect(ran.json["refused"]?.array?.map { $0["line"] } == [3], "\(ran.out)")
    }
  }

  // MARK: - Due

  @Test func `due shows what passed since the last export, or else since the last event`() throws {
    let shell = try Shell.taxi()
    func time(_ hours: Int64) -> String { later(hours * 3_600).text }
    // Where changes write documents, those are what counts; of a directory that holds nothing yet, the last event.
    try shell.tell(
      """
      live taxi 1.0 1.1 2.0
      remind taxi 1.0 --until 1h --yes
      remind taxi 1.1 --from 2h --yes
      due → passed=[]
      sleep 3h
      due → passed.*.at=[\(time(1)),\(time(2))]
      due --since 90m → passed.*.at=[\(time(2))]
      init --export @out
      due → passed=[]
      remind taxi 1.2 --until 1h --yes
      sleep 2h
      due → export.overdue=true passed.*.at=[\(time(4))] since=null
      """)
    shell.environment["PAWL_EXPORT"] = shell.directory.file("elsewhere")
    try shell.tell("due → passed.*.at=[\(time(4))]")
    shell.environment["PAWL_EXPORT"] = nil
    try shell.tell("export @out\ndue → passed=[]")
  }
}

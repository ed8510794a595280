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
    let head = shell.head()
    for words in ["mail \(mail)", "lookup taxi \(lookup)", "asc taxi \(said)", "usage taxi \(usage)"] {
      let ran = try shell.done("ingest \(words) --dry-run")
      #expect(ran.out.hasPrefix("Dry run: nothing was recorded.\n"), "\(words): \(ran.out)")
      #expect(!ran.out.contains("next:"), "\(words): \(ran.out)")
      #expect(ran.out.contains(words.hasPrefix("usage") ? "applied" : "parked"), "\(words): \(ran.out)")
    }
    #expect(shell.head() == head)
    #expect(try shell.done("ingest usage taxi \(usage)").out.contains("next: printf"))
    #expect(try shell.done("ingest mail \(mail)").out.contains("next: pawl inbox"))
  }

  @Test func `a dry run of somebody's word shows whom it would force, and that it would ask`() throws {
    let shell = try Shell.taxi()
    try shell.done("app set taxi --hold 0")
    try shell.done("publish taxi 7.3.0")
    try shell.done("mark taxi 7.3.0 live")
    try shell.done("publish taxi 8.0.0")
    let said = [Shown(version: "8.0.0", state: "READY_FOR_DISTRIBUTION")]
    let asked = "It would need your agreement, or --yes: clients would be forced to update.\n"
    let out = try ingest(shell, said, ["--dry-run"]).out
    #expect(out.contains("What clients are told:") && out.hasSuffix(asked), "\(out)")
    #expect(try !ingest(shell, said, ["--dry-run", "--yes"]).out.contains(asked))
    #expect(try !ingest(shell, said, ["--yes"]).out.contains("What clients are told:"))
  }

  // MARK: - Import

  @Test func `an import that is refused as a whole says the head`() throws {
    let shell = try Shell.taxi()
    let past = Array("version,released_at\n1.0,nonsense\n".utf8)
    let ran = shell.run("import taxi - --yes --json", input: past)
    #expect(ran.status == 65 && ran.errorID == "import.refused")
    #expect(ran.json["head"] == shell.run("history --limit 1 --json").json["head"])
    #expect(ran.json["head"]?["seq"] == 2)
  }

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
    func passed(_ more: String = "") throws -> [String?] {
      (try shell.done("due --json\(more)").json["passed"]?.array ?? []).map { $0["at"]?.string }
    }
    for version in ["1.0", "1.1", "2.0"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live --visible-now --yes")
    }
    try shell.done("remind taxi 1.0 --until 1h --yes")
    try shell.done("remind taxi 1.1 --from 2h --yes")
    #expect(try passed() == [])
    shell.clock = later(3 * 3_600)
    #expect(try passed() == [later(3_600).text, later(7_200).text])
    #expect(try passed(" --since 90m") == [later(7_200).text])
    #expect(try shell.done("due").out.contains("passed"))
    // Where changes write documents, those are what counts.
    let out = shell.directory.file("out")
    try shell.done("init --export \(out)")
    #expect(try passed() == [])
    try shell.done("remind taxi 1.2 --until 1h --yes")
    shell.clock = later(5 * 3_600)
    let due = try shell.done("due --json").json
    #expect(due["export"]?["overdue"] == true)
    #expect(due["passed"]?.array?.map { $0["at"]?.string } == [later(4 * 3_600).text])
    #expect(due["since"] == JSON.null)
    // Of a directory that holds nothing yet, the last event counts.
    shell.environment["PAWL_EXPORT"] = shell.directory.file("elsewhere")
    #expect(try passed() == [later(4 * 3_600).text])
    shell.environment["PAWL_EXPORT"] = nil
    try shell.done("export \(out)")
    #expect(try passed() == [])
  }
}

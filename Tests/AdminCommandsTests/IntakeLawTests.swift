import JSON
import ReleaseModel
import TestSupport
import Testing

@Suite struct IntakeLawTests {
  @Test(arguments: [
    "ingest usage taxi -", "ingest asc taxi -", "ingest lookup taxi -", "ingest mail x.eml",
    "ingest webhook taxi - --signature s --secret-file f", "inbox retry",
  ])
  func `what takes in evidence knows no plan`(command: String) throws {
    let shell = try Shell.taxi()
    try shell.tell("\(command) --plan @plan < \"version,devices\\n1.0,1\\n\" → 64 usage.unknown-option")
    #expect(!shell.directory.exists("plan"))
  }

  @Test func `a webhook about a release that was struck out moves no other`() throws {
    // Nor do App Store Connect, a lookup and a retry.
    try Shell.taxi().tell(
      """
      pin
      publish taxi 7.3.1 --yes
      asc taxi 7.3.1=WAITING_FOR_REVIEW
      void taxi 7.3.1 --reason typo
      publish taxi 8.0.0 --yes
      mark taxi 8.0.0 waiting
      hook IN_REVIEW of=v-IOS-7-3-1 from=WAITING_FOR_REVIEW → outcome=parked reason=webhook.law.release.void app=taxi version=7.3.1
      show taxi 8.0.0 → release.state=waiting
      asc taxi 7.3.1=IN_REVIEW
      lookup taxi 7.3.1
      inbox retry
      show taxi 8.0.0 → release.state=waiting
      verify
      """)
  }

  @Test func `a number that is used again takes the webhook once App Store Connect has named it`() throws {
    try Shell.taxi().tell(
      """
      pin
      publish taxi 7.3.1 --yes
      asc taxi 7.3.1=WAITING_FOR_REVIEW
      void taxi 7.3.1 --reason typo
      publish taxi 7.3.1 --yes
      hook IN_REVIEW of=v-IOS-7-3-1 from=WAITING_FOR_REVIEW → reason=webhook.law.release.void
      asc taxi 7.3.1=WAITING_FOR_REVIEW
      show taxi 7.3.1 → release.state=in-review
      inbox → inbox=[]
      verify
      """)
  }

  @Test(arguments: [
    "letter Rejected", "lookup taxi 9.0", "asc taxi 9.0=IN_REVIEW", "ingest usage taxi @usage",
  ])
  func `a dry run of ingest says first that nothing was recorded`(line: String) throws {
    let room = try Mailroom.open("7.3.0", .approved, .nothing)
    let outcome = line.hasPrefix("ingest") ? "applied" : "parked"
    try room.tell(
      "file usage \"version,devices\\n7.3.0,5\\n6.0,2\\n\"\n\(line) --dry-run → same outcome=\(outcome)")
    let words = room.words(line)
    let lines = try room.run((room.evidence(words) ?? words) + ["--dry-run"]).out.split(separator: "\n")
    #expect(lines.first == "Dry run: nothing was recorded." && !lines.contains { $0.hasPrefix("next:") })
  }

  @Test func `a dry run of somebody's word shows whom it would force, and that it would ask`() throws {
    let shell = try Shell.taxi()
    let said = "asc taxi 8.0.0=READY_FOR_DISTRIBUTION"
    try shell.tell(
      """
      app set taxi --hold 0
      live taxi 7.3.0
      publish taxi 8.0.0 --yes
      \(said) → 1 confirm.required
      """)
    let asked = "It would need your agreement, or --yes: clients would be forced to update.\n"
    #expect(try shell.done("ingest asc taxi @evidence --dry-run").out.hasSuffix(asked))
    #expect(try !shell.done("ingest asc taxi @evidence --dry-run --yes").out.hasSuffix(asked))
    try shell.tell("\(said) --yes → to=live")
  }

  @Test func `times of a file without a zone are those of PAWL_ZONE, else UTC, and the answer says so`()
    throws
  {
    let past =
      #"file past "version,released_at\n1.0,2026-03-01\n1.1,2026-03-02T09:00\n1.2,2026-03-03T00:00:00Z\n""#
    try Shell.taxi().tell(
      """
      \(past)
      import taxi @past --yes → imported=3 "warnings=[2 times have no zone and were read as UTC; --zone sets another]"
      releases taxi → releases.2.liveAt=2026-03-01T00:00:00Z releases.1.liveAt=2026-03-02T09:00:00Z
      """)
    try Shell.taxi().tell("\(past)\nimport taxi @past --yes --zone UTC → warnings=[]")
  }

  @Test func `a line of App Store Connect's answer is counted among all entries of the file`() throws {
    let said = [
      "7.1.0=READY_FOR_DISTRIBUTION,platform:MAC_OS",
      "7.1.0=REPLACED_WITH_NEW_VERSION,created:2026-07-01T00:00:00Z", "7.2.0=SOMETHING_NEW",
    ].map { Shown($0) }
    let pages = try [said.prefix(1), said.dropFirst()].map { try JSON(parsing: Shown.answer(Array($0))) }
    for file in [Shown.answer(said), JSON.array(pages).bytes()] {
      let shell = try Shell.taxi()
      try shell.directory.write(file, to: "asc.json")
      try shell.tell("import taxi @asc.json --source asc --yes → 65 refused.*.line=[3]")
    }
  }

  @Test func `due shows what passed since the last export, or else since the last event`() throws {
    func time(_ hours: Int64) -> String { later(hours * 3_600).text }
    // Where changes write documents, those are what counts; of a directory that holds nothing yet, the last event.
    try Shell.taxi().tell(
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
      set PAWL_EXPORT=@elsewhere
      due → passed.*.at=[\(time(4))]
      set PAWL_EXPORT=
      export @out
      due → passed=[]
      """)
  }
}

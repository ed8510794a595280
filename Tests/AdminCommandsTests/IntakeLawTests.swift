import JSON
import ReleaseModel
import TestSupport
import Testing

@Suite struct IntakeLawTests {
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

  @Test func `a refused version's line number counts all entries of the file`() throws {
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
}

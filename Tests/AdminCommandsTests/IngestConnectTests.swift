import JSON
import TestSupport
import Testing

@Suite struct IngestConnectTests {
  @Test func `an app's whole past is imported, from one page or several`() throws {
    let said = [
      "7.4.0=IN_REVIEW,created:2026-09-01T00:00:00Z",
      "7.3.0=READY_FOR_DISTRIBUTION,build:30,created:2026-08-01T00:00:00Z",
      "7.2.0=REPLACED_WITH_NEW_VERSION,created:2026-07-01T00:00:00.000+0000",
      "7.1.0=REPLACED_WITH_NEW_VERSION,platform:MAC_OS",
    ].map { Shown($0) }
    let pages = try [said.prefix(1), said.dropFirst()].map { try JSON(parsing: Shown.answer(Array($0))) }
    for file in [Shown.answer(said), JSON.array(pages).bytes()] {
      let shell = try Shell.taxi()
      try shell.directory.write(file, to: "asc.json")
      try shell.tell(
        """
        import taxi @asc.json --source asc --yes → imported=2
        releases taxi → releases.*.version=[7.3.0,7.2.0] releases.0.state=live releases.0.build=30
        releases taxi → releases.1.liveAt=2026-07-01T00:00:00Z
        import taxi @asc.json --source asc --yes → skipped=2
        """)
    }
  }
}

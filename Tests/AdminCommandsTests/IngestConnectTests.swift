import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestConnectTests {
  private func taxi(_ more: String = "") throws -> Shell {
    let shell = try Shell.taxi()
    // A policy that forces nobody, so that an app's first release goes live unasked.
    try shell.tell("app set taxi --policy none\npublish taxi 7.4.0\n" + more)
    return shell
  }

  @Test func `an unusable key, one that others can read and a foreign URL are refused`() throws {
    let shell = try taxi("set PAWL_ASC_KEY_ID=2X9R4HXF34\nfile key.p8 none")
    try publishFile(Array("no key".utf8), as: shell.directory.file("none.p8"), rights: 0o600, replaces: false)
    try publishFile(
      Array(keyOfRFC7515.utf8), as: shell.directory.file("good.p8"), rights: 0o600, replaces: false)
    try shell.tell(
      """
      set PAWL_ASC_KEY=@key.p8
      ingest asc taxi --fetch → asc.key-open
      set PAWL_ASC_KEY=@none.p8
      ingest asc taxi --fetch → asc.key-unusable
      set PAWL_ASC_KEY=@
      ingest asc taxi --fetch → asc.key-open
      set PAWL_ASC_KEY=@good.p8
      """)
    for url in [
      "https://api.appstoreconnect.apple.com.example.com", "http://127.0.0.1.example.com",
      "http://127.0.0.1:80@x", "http://127.0.0.1:99999", "http://user@127.0.0.1", "http://localhost:+80",
      "http://localhost:80/x", "ftp://localhost",
    ] { try shell.tell("ingest asc taxi --fetch --endpoint \(url) → asc.foreign-url") }
  }

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

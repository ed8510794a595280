import JSON
import ReleaseModel
import Testing

/// Counts of devices: previews, board and report speak of people, and no decision changes.
@Suite struct UsageTests {
  /// An app with 1.0, 1.1 and 1.2 live one after the other.
  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell("live taxi 1.0 1.1 1.2")
    return shell
  }

  private func ingest(_ shell: Shell, _ csv: String) -> Ran {
    shell.run("ingest usage taxi - --json", input: Array(csv.utf8))
  }

  private let count = "version,devices\n1.0,100\n1.1,300\n1.2,500\n1.0.2,60\n1.0.5,30\n3.0,10\n"

  @Test func `the count taken in last holds, and the same twice on a day is one`() throws {
    let shell = try shell()
    let head = try #require(shell.head())
    let first = ingest(shell, count)
    #expect(first.status == 0, "\(first.err)")
    #expect(first.json["results"]?.array?.first?["outcome"] == "applied")
    #expect(shell.head() == head + 1)
    #expect(ingest(shell, count).json["results"]?.array?.first?["outcome"] == "duplicate")
    #expect(shell.head() == head + 1)
    #expect(ingest(shell, "version,devices\n1.2,7\n").json["results"]?.array?.first?["outcome"] == "applied")
    #expect(shell.run("status taxi --json").json["apps"]?.array?.first?["usage"]?["devices"] == 7)
    // An older count taken in again is the newest, and so it is on another day.
    #expect(ingest(shell, count).json["results"]?.array?.first?["outcome"] == "applied")
    #expect(ingest(shell, count).json["results"]?.array?.first?["outcome"] == "duplicate")
    shell.clock = later(86_400)
    #expect(ingest(shell, count).json["results"]?.array?.first?["outcome"] == "applied")
    let then = shell.run("status taxi --as-of \(head + 2) --json").json
    #expect(then["apps"]?.array?.first?["usage"]?["devices"] == 7)
    #expect(shell.run("verify").status == 0)
  }

  @Test func `previews count devices and their share, unrecorded versions too`() throws {
    let shell = try shell()
    #expect(ingest(shell, count).status == 0)
    // 1.0.2 and 1.0.5, which the ledger lacks, are forced as well; the preview of the event keeps it.
    try shell.tell(
      """
      force taxi below:1.2 --reason old --dry-run --yes → impact.#=1 impact.0.versions=1.0–1.1 impact.0.count=2 impact.0.devices=490 impact.0.share=0.49 impact.0.countedAt=\(noon.text)
      force taxi 1.1 --reason old --yes
      history taxi --limit 1 → events.0.impact.0.devices=300
      """)
  }

  @Test func `versions that only devices know are previewed, and ask`() throws {
    let shell = try shell()
    #expect(ingest(shell, "version,devices\n1.0.2,60\n1.2,40\n").status == 0)
    try shell.tell(
      "force taxi 1.0.2 --reason old → confirm.required details.impact.0.versions=1.0.2 details.impact.0.count=0 details.impact.0.devices=60"
    )
  }

  @Test func `the board says who is told what, and names what the ledger lacks`() throws {
    let shell = try shell()
    #expect(ingest(shell, count).status == 0)
    let usage = shell.run("status taxi --json").json["apps"]?.array?.first?["usage"]
    #expect(
      usage?["import"]?.string?.hasPrefix(#"printf 'version,released_at\n1.0.2,DATE\n1.0.5,DATE\n'"#) == true)
    #expect(usage?["versions"]?.array?.map { $0["recorded"] } == [true, false, false, true, true, false])
    // With dates, what the line says works, and then nothing is lacking.
    try shell.tell(
      #"""
      import taxi - --past --yes < "version,released_at\n1.0.2,DATE\n1.0.5,DATE\n" → 65 refused.*.id=[time.malformed,time.malformed]
      sleep 1m
      import taxi - --past --yes < "version,released_at\n1.0.2,2027-01-15T00:00:00Z\n1.0.5,2027-01-15T00:00:00Z\n" → imported=2
      status taxi → apps.0.usage.import=null
      """#)
  }

  @Test func `a count changes no decision`() throws {
    let shell = try shell()
    let before = ["1.0", "1.0.2", "1.1", "1.2", "3.0"].map {
      shell.run("check taxi \($0) --json").json["action"]
    }
    #expect(ingest(shell, count).status == 0)
    #expect(
      before
        == ["1.0", "1.0.2", "1.1", "1.2", "3.0"].map { shell.run("check taxi \($0) --json").json["action"] })
  }

  @Test(arguments: [
    ("", 1), ("version\n1.0\n", 1), ("version,devices,devices\n1,1,1\n", 1), ("version,devices\n", 1),
    ("version,devices\nv1.0,3\n", 2), ("version,devices\n1.0,3\n1.1\n", 3), ("version,devices\n1.0,-3\n", 2),
    ("version,devices\n1.0,1e3\n", 2), ("version,devices\n1.0,1000000000000\n", 2),
    ("version,devices\n1.0,0\n", 1),
    ("version,devices\n1.0,\"3\n", 2), ("version,devices\n1.0.0.0.0,3\n", 2),
  ])
  func `what is no count is refused whole, with its line`(csv: String, line: Int64) throws {
    let shell = try shell()
    let head = shell.head()
    let ran = ingest(shell, csv)
    #expect(ran.status == 65 && ran.errorID == "ingest.unusable-usage", "\(ran.err)")
    #expect(ran.error["details"]?["line"] == .integer(line), "\(ran.err)")
    #expect(shell.head() == head)
  }

  @Test func `a count as analytics export it is taken, and what says no version is left out if asked`() throws
  {
    let shell = try shell()
    let csv = "version,devices\n1.1 (512),40\n1.1 (9.3),2\n(other),99\n1.2 (x),1\n1.2,many\n1.2,58\n"
    #expect(ingest(shell, csv).error["details"]?["line"] == 4)
    let ran = shell.run("ingest usage taxi - --skip-refused --json", input: Array(csv.utf8))
    #expect(ran.status == 0, "\(ran.err)")
    #expect(ran.json["refused"]?.array?.map { $0["line"] } == [4, 5, 6], "\(ran.out)")
    #expect(ran.json["refused"]?.array?.first?["version"] == "(other)")
    let board = shell.run("status taxi --json").json["apps"]?.array?.first?["usage"]
    for usage in [ran.json["usage"], board] {
      #expect(usage?["devices"] == 100)
      #expect(usage?["versions"]?.array?.map { $0["devices"] } == [42, 58])
    }
    let nobody = Array("version,devices\n(other),1\n".utf8)
    #expect(shell.run("ingest usage taxi - --skip-refused", input: nobody).status == 65)
    #expect(shell.run("verify").status == 0)
  }

  @Test func `what is too long is refused`() throws {
    let shell = try shell()
    let lines = (0...10_000).map { "1.\($0),1\n" }.joined()
    #expect(ingest(shell, "version,devices\n" + lines).errorID == "ingest.unusable-usage")
    #expect(ingest(shell, "version,devices\n" + String(repeating: "\n", count: 1 << 20)).status == 65)
  }
}

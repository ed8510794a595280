import JSON
import ReleaseModel
import TestSupport
import Testing

@Suite struct UsageTests {
  private let shell: Shell
  private let count =
    #"ingest usage taxi - < "version,devices\n1.0,100\n1.1,300\n1.2,500\n1.0.2,60\n1.0.5,30\n3.0,10\n""#
  private let other = #"ingest usage taxi - < "version,devices\n1.2,7\n""#

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("live taxi 1.0 1.1 1.2")
  }

  @Test func `the count taken in last holds, and the same twice on a day is one`() throws {
    let head = try #require(shell.head())
    // An older count taken in again is the newest, and so it is on another day.
    try shell.tell(
      """
      \(count) → outcome=applied
      \(count) → same outcome=duplicate
      \(other) → outcome=applied
      status taxi → apps.0.usage.devices=7
      \(count) → outcome=applied
      \(count) → outcome=duplicate
      sleep 1d
      \(count) → outcome=applied
      status taxi --as-of \(head + 2) → apps.0.usage.devices=7
      verify
      """)
  }

  @Test func `previews count devices and their share, unrecorded versions too`() throws {
    // 1.0.2 and 1.0.5, which the ledger lacks, are forced as well; the preview of the event keeps it.
    try shell.tell(
      """
      \(count)
      force taxi below:1.2 --reason old --dry-run --yes → impact.#=1 "impact.0.versions=from:1.0 below:1.2" impact.0.count=2 impact.0.devices=490 impact.0.share=0.49 impact.0.countedAt=\(noon.text)
      force taxi 1.0.2 --reason old → confirm.required details.impact.0.versions=1.0.2 details.impact.0.count=0 details.impact.0.devices=60
      force taxi 1.1 --reason old --yes
      history taxi --limit 1 → events.0.impact.0.devices=300
      """)
  }

  @Test func `the board says who is told what, and names what the ledger lacks`() throws {
    // With dates, what the line says works, and then nothing is lacking.
    try shell.tell(
      #"""
      \#(count)
      status taxi → apps.0.usage.versions.*.recorded=[true,false,false,true,true,false]
      import taxi - --past --yes < "version,released_at\n1.0.2,DATE\n1.0.5,DATE\n" → 65 refused.*.id=[time.malformed,time.malformed]
      sleep 1m
      import taxi - --past --yes < "version,released_at\n1.0.2,2027-01-15T00:00:00Z\n1.0.5,2027-01-15T00:00:00Z\n" → imported=2
      status taxi → apps.0.usage.import=null
      """#)
  }

  @Test func `a count changes no decision`() throws {
    func actions() -> [JSON?] {
      ["1.0", "1.0.2", "1.1", "1.2", "3.0"].map { shell.run("check taxi \($0) --json").json["action"] }
    }
    let before = actions()
    try shell.tell(count)
    #expect(before == actions())
  }

  @Test(arguments: [
    ("", 1), ("version\\n1.0\\n", 1), ("version,devices,devices\\n1,1,1\\n", 1), ("version,devices\\n", 1),
    ("version,devices\\nv1.0,3\\n", 2), ("version,devices\\n1.0,3\\n1.1\\n", 3),
    ("version,devices\\n1.0,-3\\n", 2), ("version,devices\\n1.0,1e3\\n", 2),
    ("version,devices\\n1.0,1000000000000\\n", 2), ("version,devices\\n1.0,0\\n", 1),
    ("version,devices\\n1.0,'3\\n", 2), ("version,devices\\n1.0.0.0.0,3\\n", 2),
  ])
  func `what is no count is refused whole, with its line`(csv: String, line: Int) throws {
    try shell.tell("ingest usage taxi - < \"\(csv)\" → 65 ingest.unusable-usage details.line=\(line)")
  }

  @Test func `a count as analytics export it is taken, and what says no version is left out if asked`() throws
  {
    let csv =
      #"ingest usage taxi - < "version,devices\n1.1 (512),40\n1.1 (9.3),2\n(other),99\n1.2 (x),1\n1.2,many\n1.2,58\n""#
    let taken = csv.replacing("-", with: "- --skip-refused", maxReplacements: 1)
    try shell.tell(
      #"""
      \#(csv) → 65 details.line=4
      \#(taken) → refused.*.line=[4,5,6] refused.0.version=(other) usage.devices=100 usage.versions.*.devices=[42,58]
      status taxi → apps.0.usage.devices=100 apps.0.usage.versions.*.devices=[42,58]
      ingest usage taxi - --skip-refused < "version,devices\n(other),1\n" → 65
      verify
      """#)
  }

  @Test func `what is too long is refused`() throws {
    for lines in [(0...10_000).map { "1.\($0),1\n" }.joined(), String(repeating: "\n", count: 1 << 20)] {
      try shell.directory.write("version,devices\n" + lines, to: "usage")
      try shell.tell("ingest usage taxi @usage → 65")
    }
  }
}

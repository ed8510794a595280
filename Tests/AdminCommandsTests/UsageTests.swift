import JSON
import ReleaseModel
import Testing

/// Counts of devices: previews, board and report speak of people, and no decision changes.
@Suite struct UsageTests {
  /// An app with 1.0, 1.1 and 1.2 live one after the other.
  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    for version in ["1.0", "1.1", "1.2"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live --visible-now --yes")
    }
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
    let ran = shell.run("force taxi below:1.2 --reason old --dry-run --yes --json")
    let lines = ran.json["impact"]?.array ?? []
    #expect(lines.count == 1, "\(ran.out)")
    let line = try #require(lines.first)
    #expect(line["versions"] == "1.0–1.1" && line["count"] == 2)
    // 1.0.2 and 1.0.5, which the ledger lacks, are forced as well.
    #expect(line["devices"] == 490 && line["share"] == .number(0.49))
    #expect(line["countedAt"] == .string(noon.text))
    let text = shell.run("force taxi below:1.2 --reason old --dry-run --yes").out
    #expect(text.contains("DEVICES") && text.contains("490") && text.contains("49.0 %"), "\(text)")
    #expect(text.contains("Devices as counted on 2027-01-15."), "\(text)")
    // The preview of the event keeps it.
    try shell.done("force taxi 1.1 --reason old --yes")
    let kept = shell.run("history taxi --limit 1 --json").json["events"]?.array?.first?["impact"]?.array?
      .first
    #expect(kept?["devices"] == 300)
  }

  @Test func `versions that only devices know are previewed, and ask`() throws {
    let shell = try shell()
    #expect(ingest(shell, "version,devices\n1.0.2,60\n1.2,40\n").status == 0)
    let refused = shell.run("force taxi 1.0.2 --reason old --json")
    #expect(refused.errorID == "confirm.required")
    let line = refused.error["details"]?["impact"]?.array?.first
    #expect(line?["versions"] == "1.0.2" && line?["count"] == 0 && line?["devices"] == 60)
  }

  @Test func `without a count there are no devices`() throws {
    let shell = try shell()
    let line = shell.run("force taxi 1.1 --reason old --dry-run --yes --json").json["impact"]?.array?.first
    #expect(line?["devices"] == .null && line?["share"] == .null)
    #expect(!shell.run("force taxi 1.1 --reason old --dry-run --yes").out.contains("DEVICES"))
    #expect(shell.run("status taxi --json").json["apps"]?.array?.first?["usage"] == .null)
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

  @Test func `what is too long is refused`() throws {
    let shell = try shell()
    let lines = (0...10_000).map { "1.\($0),1\n" }.joined()
    #expect(ingest(shell, "version,devices\n" + lines).errorID == "ingest.unusable-usage")
    #expect(ingest(shell, "version,devices\n" + String(repeating: "\n", count: 1 << 20)).status == 65)
  }

  @Test func `two spellings of a version are one, and columns are found by name`() throws {
    let shell = try shell()
    let ran = ingest(shell, "devices,note,version\n3,x,1.0\n4,y,1.0.0\n")
    let versions = ran.json["usage"]?["versions"]?.array
    #expect(versions?.count == 1 && versions?.first?["devices"] == 7, "\(ran.out)\(ran.err)")
  }

  @Test func `an app that is not there is named`() throws {
    #expect(try shell().run("ingest usage texi - --json", input: Array(count.utf8)).status == 66)
  }
}

import AdminCommands
import JSON
import ReleaseModel
import TestSupport
import Testing

/// What an auditor asks of the record: ranges, CSV, zones, one event in full, and who changed what.
@Suite struct AuditTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.directory.write("version,released_at\n7.3.0,2026-12-01T09:00:00Z\n", to: "past.csv")
    try shell.done("import taxi \(shell.directory.file("past.csv")) --yes")
    _ = shell.run(["publish", "taxi", "7.4.0", "--note", "en=Faster", "--reason", "=SUM(A1), \"sprint\" 40"])
    try shell.done("mark taxi 7.4.0 live --actor release-bot --request-id r-7")
    // Central Europe, without the system's files.
    try shell.directory.directory("zones")
    try shell.directory.directory("zones/Europe")
    try shell.directory.write(Self.zoneFile, to: "zones/Europe/Berlin")
    try shell.directory.write("no zone", to: "zones/Europe/Broken")
    shell.environment["TZDIR"] = shell.directory.file("zones")
  }

  /// A zone file of version 2 whose rule at the end says all (RFC 8536).
  private static var zoneFile: [UInt8] {
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    let block =
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts + [0, 0, 0x0E, 0x10, 0, 0]
      + Array("CET\0".utf8)
    return block + block + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)
  }

  private func seqs(_ words: String) throws -> [Int64] {
    (try shell.done("history --json \(words)").json["events"]?.array ?? []).compactMap { $0["seq"]?.integer }
  }

  @Test func `history takes ranges of numbers, reasons, requests and evidence`() throws {
    #expect(try seqs("--from-seq 4") == [5, 4])
    #expect(try seqs("--to-seq 2") == [2, 1])
    #expect(try seqs("--from-seq 2 --to-seq 3") == [3, 2])
    #expect(try seqs("--from-seq 99") == [])
    #expect(try seqs("--reason SPRINT") == [4])
    #expect(try seqs("--request-id r-7") == [5])
    #expect(try seqs("--request-id r") == [])
    #expect(try seqs("--evidence 1") == [])
    _ = shell.run("ingest lookup taxi -", input: Array(Self.lookup.utf8))
    #expect(try seqs("--evidence 1").count >= 1)
    #expect(try seqs("--evidence 1") == seqs("--from-seq 6"))
    #expect(shell.run("history --from-seq 0").status == 64)
  }

  private static let lookup = """
    {"resultCount":1,"results":[{"bundleId":"com.example.taxi","trackId":1524608462,"version":"7.4.0",\
    "currentVersionReleaseDate":"2027-01-15T11:00:00Z","trackViewUrl":"https://apps.apple.com/app/id1524608462"}]}
    """

  @Test func `CSV has a header, one line an event, and no formula`() throws {
    let text = try shell.done("history --csv").out
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(lines.count == 7 && lines.last == "")
    #expect(
      lines[0]
        == "seq,at,kind,app,version,what,user,claimed,host,reason,request_id,evidence,before,after,impact,actor,hash"
    )
    #expect(
      lines[1].hasPrefix(
        "5,2027-01-15T12:00:00Z,release.mark,taxi,7.4.0,\"marked taxi 7.4.0 prepared → live, superseding 7.3.0\","
          + "engineer,release-bot,ci.example.com,,r-7,,\"{"))
    #expect(lines[2].contains(",\"'=SUM(A1), \"\"sprint\"\" 40\",,,,"))
    // The same twice, and the header alone where there is nothing.
    #expect(try shell.done("history --csv").out == text)
    #expect(try shell.done("history --csv --from-seq 99").out == lines[0] + "\r\n")
    #expect(shell.run("history --csv --json").errorID == "usage.invalid")
  }

  @Test func `people read times in a named zone, programs in UTC`() throws {
    #expect(
      try shell.done("history --limit 1 --zone Europe/Berlin").out.contains(" 2027-01-15T13:00:00+01:00 "))
    #expect(
      try shell.done("history --limit 1 --csv --zone Europe/Berlin").out.contains(
        ",2027-01-15T13:00:00+01:00,"))
    #expect(try shell.done("history --limit 1 --zone UTC").out.contains(" \(noon.text) "))
    let page = try shell.done("show 5 --zone Europe/Berlin").out
    #expect(page.contains("at          2027-01-15T13:00:00+01:00"))
    #expect(
      page.contains("visible at") && page.contains("2027-01-16T13:00:00+01:00") && !page.contains("00Z"))
    for line in ["history --json", "show 5 --json", "blame taxi --json", "blame taxi 7.4.0 --json"] {
      #expect(try shell.done("\(line) --zone Europe/Berlin").out == shell.done(line).out, "\(line)")
    }
    // In summer.
    shell.clock = Timestamp(seconds: noon.seconds + 180 * 86_400)
    try shell.done("stop taxi")
    #expect(
      try shell.done("history --limit 1 --zone Europe/Berlin").out.contains("2027-07-14T14:00:00+02:00"))
  }

  @Test func `a zone that does not exist is an error with the nearest name`() throws {
    func error(_ zone: String) -> JSON { shell.run("history --json --zone \(zone)").error }
    #expect(error("Europe/Berlim")["id"] == "zone.not-found")
    #expect(error("Europe/Berlim")["hint"] == "did you mean 'Europe/Berlin'?")
    #expect(error("berlin")["details"]?["nearest"] == "Europe/Berlin")
    #expect(error("Nowhere/Atall")["details"]?["nearest"] == .null)
    #expect(error("Europe")["id"] == "zone.not-found", "a folder is no zone")
    #expect(error("Europe/Broken")["id"] == "zone.unreadable")
    for name in ["../Europe/Berlin", "/etc/passwd", "Europe//Berlin", "a.b", "Europe/", ""] {
      let ran = shell.run(["history", "--json", "--zone", name])
      #expect(ran.errorID == "zone.malformed" && ran.status == 64, "'\(name)'")
    }
    #expect(shell.run("history --zone Europe/Berlim").status == 66)
    #expect(shell.run("history --zone Europe/Broken").status == 65)
    shell.environment["TZDIR"] = shell.directory.file("nowhere")
    #expect(error("Europe/Berlin")["hint"]?.string?.hasPrefix("there are no zones here") == true)
    #expect(shell.run("history --zone UTC").status == 0)
  }

  @Test func `show names its neighbours, and every field that changed`() throws {
    let json = try shell.done("show 5 --json").json
    #expect(json["previous"] == 4 && json["next"] == .null && json["subject"] == "release/2")
    #expect(json["evidenceDetail"] == .null)
    let changes = (json["changes"]?.array ?? []).compactMap { $0["field"]?.string }
    #expect(changes.contains("state") && changes.contains("former.state") && changes == changes.sorted())
    _ = shell.run(["amend", "taxi", "7.4.0", "--note", "en=Faster\nand smaller", "--note", "de=Neu", "--yes"])
    let page = try shell.done("show 6").out
    #expect(page.contains("notes de  –       Neu\n"))
    #expect(page.contains("notes en\n  - Faster\n  + Faster\n  + and smaller\n"))
    #expect(page.contains("about  release/2; previous event 5\n"))
    #expect(try shell.done("show 5 --json").json["next"] == 6)
    #expect(!page.contains("\u{1B}"))
  }

  @Test func `show names the evidence`() throws {
    _ = shell.run("ingest lookup taxi -", input: Array(Self.lookup.utf8))
    let event = try #require(try seqs("--evidence 1").last)
    #expect(try shell.done("show \(event) --json").json["evidenceDetail"]?["kind"] == "lookup")
    let page = try shell.done("show \(event)").out
    #expect(page.split(separator: "\n").contains { $0.hasPrefix("evidence") && $0.contains(" 1: lookup, ") })
  }

  @Test func `blame says who changed a field, and from what`() throws {
    try shell.done("app set taxi --policy remind --actor product-owner --yes")
    let fields = try shell.done("blame taxi --json").json["fields"]?.array ?? []
    let policy = try #require(fields.first { $0["field"] == "policy" })
    #expect(policy["value"] == "remind" && policy["was"] == "force,remind,none" && policy["event"] == 6)
    #expect(policy["actor"]?["claimed"] == "product-owner" && policy["first"] == false)
    #expect(fields.first { $0["field"] == "bundleID" }?["first"] == true)
    let page = try shell.done("blame taxi").out
    let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("policy ") })
    #expect(line.split(separator: " ").prefix(4) == ["policy", "remind", "force,remind,none", "6"])
    #expect(line.contains("engineer@ci.example.com as product-owner"))
    #expect(!page.contains("\nsku"), "what was never said is not shown")
    #expect(shell.run("blame bus --json").errorID == "app.not-found")
    #expect(shell.run("blame taxi --os 17 --json").errorID == "usage.invalid")
  }

  @Test func `blame says who changed what a version is told, time included`() throws {
    var json = try shell.done("blame taxi 7.3.0 --json").json
    #expect(json["answer"]?["action"] == "none" && json["changes"]?.array?.first?["event"] == 3)
    shell.clock = later(90_000)
    json = try shell.done("blame taxi 7.3.0 --json").json
    #expect(json["answer"] == (try shell.done("check taxi 7.3.0 --json").json))
    var change = try #require(json["changes"]?.array?.first)
    #expect(
      change["at"] == .string(later(86_400).text) && change["event"] == .null && change["actor"] == .null)
    #expect(change["causes"] == [["text": "the hold of taxi 7.4.0 ended", "event": 5]])
    #expect(change["before"]?["action"] == "none" && change["after"]?["target"] == "7.4.0")
    let page = try shell.done("blame taxi 7.3.0").out
    #expect(
      page.contains(
        "changed by itself at \(later(86_400).text)\n  the hold of taxi 7.4.0 ended, as set by event 5\n")
    )
    _ = shell.run(["force", "taxi", "7.3.0", "--reason", "leaks", "--actor", "security", "--yes"])
    json = try shell.done("blame taxi 7.3.0 --limit 2 --json").json
    change = try #require(json["changes"]?.array?.first)
    #expect(change["event"] == 6 && change["actor"]?["claimed"] == "security" && change["reason"] == "leaks")
    #expect(change["changes"] == [["field": "action", "before": "remind", "after": "force"]])
    #expect(json["changes"]?.array?.count == 2)
    #expect(try shell.done("blame taxi 7.3.0").out.contains("changed by event 6 at"))
    // A version nobody recorded is told something as well, and has no fields.
    json = try shell.done("blame taxi 7.2.9 --json").json
    #expect(json["fields"] == [] && json["answer"]?["action"] == "remind")
  }
}

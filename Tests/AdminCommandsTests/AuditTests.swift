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
}

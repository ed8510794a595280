import AdminCommands
import JSON
import ReleaseModel
import TestSupport
import Testing

/// What an auditor asks of the record.
@Suite struct HistoryTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell(
      """
      past taxi 7.3.0
      publish taxi 7.4.0 --reason "=SUM(A1), sprint 40"
      sleep 1h
      mark taxi 7.4.0 live --actor release-bot --request-id r-7
      """)
  }

  @Test func `history takes ranges of numbers and times, kinds, people, reasons, requests and evidence`()
    throws
  {
    let lookup = shell.run("ingest lookup taxi -", input: Array(Self.lookup.utf8))
    #expect(lookup.status == 0)
    try shell.tell(
      """
      history --from-seq 4 --to-seq 5 → events.*.seq=[5,4]
      history --from-seq 99 → events=[]
      history --reason SPRINT → events.*.seq=[4]
      history --request-id r-7 → events.*.seq=[5]
      history --request-id r → events=[]
      history --evidence 1 --limit 1 → events.0.evidence=1
      history --evidence 2 → events=[]
      history taxi --version 7.4 --kind release.publish → events.*.seq=[4]
      history --by release-bot → events.*.seq=[5]
      history --by engineer --limit 2 --to-seq 4 → events.*.seq=[4,3]
      history --kind release --to-seq 5 → events.*.seq=[5,4,3]
      history --until 30m → events.*.seq=[4,3,2,1]
      history --since 30m --to-seq 5 → events.*.seq=[5]
      history --kind rel → 64
      """)
  }

  @Test func `history ends after fifty events on a terminal, and says so`() throws {
    for number in 1...30 { try shell.tell("stop taxi --reason r\(number)\nresume taxi --yes") }
    shell.terminalWidth = 100
    let ran = try shell.done("history")
    #expect(ran.out.split(separator: "\n").count == 51 && !ran.err.isEmpty)
    #expect(try shell.done("history --limit 60").out.split(separator: "\n").count == 61)
    #expect(try shell.done("history --kind app.add").err.isEmpty)
    shell.terminalWidth = nil
    #expect(try shell.done("history").out.split(separator: "\n").count == 66)
  }

  private static let lookup = """
    {"resultCount":1,"results":[{"bundleId":"com.example.taxi","trackId":1524608462,"version":"7.4.0",\
    "currentVersionReleaseDate":"2027-01-15T11:00:00Z","trackViewUrl":"https://apps.apple.com/app/id1524608462"}]}
    """

  @Test func `a zone that is none is refused, and programs read times in UTC`() throws {
    for folder in ["zones", "zones/Europe"] { try shell.directory.directory(folder) }
    try shell.directory.write(Props.berlin, to: "zones/Europe/Berlin")
    try shell.directory.write("no zone", to: "zones/Europe/Broken")
    shell.environment["TZDIR"] = shell.directory.file("zones")
    for line in ["history --json", "show 5 --json", "blame taxi --json", "blame taxi 7.4.0 --json"] {
      #expect(try shell.done("\(line) --zone Europe/Berlin").out == shell.done(line).out, "\(line)")
    }
    try shell.tell(
      """
      history --zone berlin → 66 zone.not-found details.nearest=Europe/Berlin
      history --zone Nowhere/Atall → zone.not-found details.nearest=null
      history --zone Europe → zone.not-found
      history --zone Europe/Broken → 65 zone.unreadable
      history --zone /etc/passwd → 64 zone.malformed
      history --zone Europe//Berlin → zone.malformed
      history --zone a.b → zone.malformed
      history --zone Europe/ → zone.malformed
      """)
    shell.environment["TZDIR"] = shell.directory.file("nowhere")
    try shell.tell("history --zone Europe/Berlin → zone.not-found\nhistory --zone UTC")
  }
}

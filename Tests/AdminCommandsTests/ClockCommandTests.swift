import MailCorpus
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct ClockCommandTests {
  private static let jump = "26645d"
  private static let day: Int64 = 86_400

  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell("past taxi 7.2.0\nlive taxi 7.3.0\npublish taxi 7.4.0")
    return shell
  }

  // MARK: - Ahead

  @Test func `a clock that jumps is asked about, and a pipeline's --yes is no answer`() throws {
    let shell = try shell()
    try shell.tell("sleep \(Self.jump)")
    for line in [
      "mark taxi 7.4.0 live", "force taxi below:7.3 --reason old", "publish taxi 8.0", "resume taxi",
      "app set taxi --hold 1h", "allow taxi 7.2", "trust host example.com", "init --export @out",
    ] { try shell.tell("\(line) --yes → 1 clock.jump") }
    // The emergency switch waits for no clock, and leaves the ledger's time alone.
    try shell.tell(
      "stop taxi --reason wrong\nshow LAST → at=\(noon.text)\npublish taxi 8.0 --yes --accept-clock")
  }

  @Test func `evidence waits while the clock is out, unless Apple's clock says the same`() throws {
    let room = try Mailroom.open("7.3.0", .approved)
    try room.directory.write(room.signed().bytes, to: "mail")
    try room.tell("sleep \(Self.jump)")
    for option in ["", "--json "] { #expect(room.run(option + "ingest mail @mail").status == 75) }
    // Genuine mails are stale to the wrong clock; a mail as old as it should be says that the clock is right.
    try room.tell(
      """
      ingest mail - < "From: x@example.net\\n\\nx\\n" → same 75
      letter "Ready for Distribution" "date=Mon, 02 Nov 2099 11:00:00 +0000" → outcome=applied to=live
      verify
      """)
  }

  @Test func `a clock found to have run ahead is not put right, and board and doctor say until when`() throws
  {
    let shell = try shell()
    try shell.tell(
      """
      sleep 500d
      publish taxi 7.5.0 --yes --accept-clock
      sleep -500d
      doctor → 1 findings.0.id=clock.ahead
      publish taxi 7.6.0 --yes
      show LAST → at=\(later(500 * Self.day).text)
      verify
      """)
    let words = "the last event is 500d ahead of this host's clock: now stays"
    let board = shell.run("status").out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(board.contains(words))
  }

  // MARK: - Set back

  /// A ledger whose 7.4.0 is live with a hold of a day that is over, with documents in `out` that say so; the clock is back
  /// within the hold.
  private func setBack(_ line: String = "export @out") throws -> Shell {
    let shell = try shell()
    if line.hasPrefix("init") { try shell.done("init --export @out") }
    try shell.tell(
      """
      mark taxi 7.4.0 live --yes
      sleep 1d
      sleep 1m
      \(line)
      json @out/v1/taxi/7.3.0.json → action=remind
      sleep -1d
      sleep 10m
      """)
    return shell
  }

  @Test(arguments: ["export @out", "init --export @out"])
  func `a clock set back takes back nothing that documents said`(line: String) throws {
    // What is recorded now is not before that moment either.
    try setBack(line).tell(
      """
      doctor → 1 findings.0.id=clock.ahead
      unmark taxi 7.4.0 --reason wrong → 1 unmark.too-late
      check taxi 7.3.0 → action=remind
      export @out → written=0
      json @out/v1/taxi/7.3.0.json → action=remind
      setting taxi key value
      history --limit 1 → events.0.at=\(later(Self.day).text)
      verify
      """)
  }

  @Test func `documents for a moment to come leave now where it is`() throws {
    try shell().tell(
      """
      mark taxi 7.4.0 live --yes
      export @out --at 2d
      json @out/v1/taxi/7.3.0.json → action=remind
      check taxi 7.3.0 → action=none
      unmark taxi 7.4.0 --reason wrong
      """)
  }

  @Test func `what lies beside the ledger is believed only if it can be the ledger's own`() throws {
    let shell = try setBack()
    let file = shell.ledger + "-told"
    let line = try shell.text("pawl.db-told")
    func expectToday(_ action: String) throws { try shell.tell("check taxi 7.3.0 → action=\(action)") }
    try expectToday("remind")
    let id = "0123456789abcdef0123456789abcdef"
    for text in [
      "", "\0", String(line.dropLast()), line.replacing(id, with: "1" + id.dropFirst()),
      line.replacing("T", with: " "),
    ] {
      try publishFile(Array(text.utf8), as: file, rights: 0o640, replaces: true)
      try expectToday("none")
    }
    try publishFile(Array(line.utf8), as: shell.directory.file("elsewhere"), rights: 0o640, replaces: true)
    removeFile(file)
    try shell.directory.link("pawl.db-told", to: shell.directory.file("elsewhere"))
    try expectToday("none")
    removeFile(file)
    try shell.directory.pipe("pawl.db-told")
    try expectToday("none")
    try shell.tell("sleep 1d\nexport @out2\nsleep -1d")
    try expectToday("remind")
    try shell.tell("backup \(file) --replace → backup.unsafe")
  }
}

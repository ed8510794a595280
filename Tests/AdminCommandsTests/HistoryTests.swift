import TestSupport
import Testing

@Suite struct HistoryTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("past taxi 7.3.0\npublish taxi 7.4.0\nmark taxi 7.4.0 live")
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

  @Test func `a zone that is none is refused, and programs read times in UTC`() throws {
    for folder in ["zones", "zones/Europe"] { try shell.directory.directory(folder) }
    try shell.directory.write(Props.berlin, to: "zones/Europe/Berlin")
    try shell.directory.write("no zone", to: "zones/Europe/Broken")
    shell.environment["TZDIR"] = shell.directory.file("zones")
    for line in [
      "history --json", "show 5 --json", "show taxi --blame --json", "show taxi 7.4.0 --blame --json",
    ] {
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

  @Test(arguments: ["history", "status taxi", "check taxi 1.0", "lift taxi 1 --dry-run"])
  func `with --markdown the plain text is one fenced block, which no text of others ends`(line: String) throws
  {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      live taxi 1.0
      publish taxi 1.1 --yes --note "en=a ```` b"
      mark taxi 1.1 live --visible-now --yes
      force taxi 1.0 --reason "``` <b> @team" --yes
      """)
    let plain = try shell.done(line).out
    let longest = plain.matches(of: /`+/).map { $0.0.count }.max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    // On a terminal it is the same, without colours and uncut.
    for width in [nil, 30] {
      shell.terminalWidth = width
      #expect(try shell.done("\(line) --markdown").out == "\(fence)text\n\(plain)\(fence)\n")
    }
  }
}

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

  @Test(arguments: ["history", "status taxi", "check taxi 1.0", "lift taxi 1 --dry-run"])
  func `with --markdown the text is one fenced block that no recorded text can close`(line: String) throws {
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

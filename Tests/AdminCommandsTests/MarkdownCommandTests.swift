import Testing

@Suite struct MarkdownCommandTests {
  private let hostile = "a|b `c` <img src=x> @team [l](https://e.example) :tada:"

  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      live taxi 1.0
      publish taxi 1.1 --note "en=\(hostile)"
      mark taxi 1.1 live --visible-now --yes
      setting taxi key "\(hostile)"
      force taxi 1.0 --reason "\(hostile)" --until 7d --yes
      """)
    return shell
  }

  @Test(arguments: [
    "status", "status taxi", "status --as-of 4", "history", "history taxi --limit 3", "releases taxi",
    "rules", "rules taxi", "check taxi 1.0", "check taxi 1.0 --explain", "due", "due --since 7d",
    "lift taxi 1 --dry-run", "setting taxi key --clear --dry-run",
  ])
  func `a table, and nothing of others outside of code`(line: String) throws {
    let shell = try shell()
    let ran = try shell.done("\(line) --markdown")
    // An escaped bracket ends no link.
    let read = ran.out.split(separator: "\\](").joined(separator: " ")
    for mark in ["<", "@team", "](", "://", " `c"] where read.contains(mark) {
      Issue.record("\(line): \(mark) in \(ran.out)")
    }
    // On a terminal it is the same, without colours and uncut.
    shell.terminalWidth = 30
    #expect(shell.run("\(line) --markdown").out == ran.out)
  }
}

import Platform
import TestSupport
import Testing

@Suite struct ClockCommandTests {
  @Test func `the told file beside the ledger counts only if well formed and the ledger's own`() throws {
    // 7.4.0 is live with a hold of a day that was over when documents said so; the clock is back within it.
    let shell = try Shell.taxi()
    try shell.tell(
      """
      live taxi 7.2.0 7.3.0
      publish taxi 7.4.0
      mark taxi 7.4.0 live --yes
      sleep 1d
      sleep 1m
      export @out
      sleep -1d
      sleep 10m
      """)
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

import ReleaseModel
import Testing

/// Taking back the last change, by the one command that does it.
@Suite struct UndoTests {
  @Test(arguments: [
    ("app add van --bundle-id com.example.van", "app void van", "app.void"),
    ("publish taxi 1.0", "void taxi 1.0", "release.void"),
    ("stop taxi", "revert LAST", "app.resume"),
    ("trust host example.com", "trust remove host example.com", "trust.remove"),
  ])
  func `undo names the one command, asks, and runs it`(line: String, command: String, kind: String) throws {
    let shell = try Shell.taxi()
    try shell.done(line)
    let seq = try #require(shell.head())
    let words = command.replacing("LAST", with: "\(seq)").split(separator: " ").joined(separator: ",")
    try shell.tell("undo → confirm.required details.command=[\(words)]")
    shell.terminalWidth = 120
    #expect(shell.run("undo", input: Array("n\n".utf8)).status == 1 && shell.head() == seq)
    #expect(shell.run("undo", input: Array("y\n".utf8)).status == 0)
    shell.terminalWidth = nil
    try shell.tell("history --limit 1 → events.0.kind=\(kind) \"events.0.reason=takes back event \(seq)\"")
  }

  @Test func `undo takes a going live back while its hold runs, and says why it cannot later`() throws {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      publish taxi 1.0
      mark taxi 1.0 live
      undo --yes --request-id u-1 → release.state=prepared
      undo --yes --request-id u-1 → same release.state=prepared
      mark taxi 1.0 live --visible-now
      undo --yes → unmark.too-late
      amend taxi 1.0 --build 7
      undo --yes → revert.never
      """)
  }
}

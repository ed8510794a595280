import AdminCommands
import CommandLineKit
import JSON
import ReleaseModel
import TestSupport
import Testing

/// What people read on a terminal: lines break at blanks, commands and words stay whole, and nothing is cut.
@Suite struct TerminalTests {
  /// An app with a past, a long story, and a name to match.
  private func shell(width: Int = 80) throws -> Shell {
    let shell = try Shell.taxi()
    for version in ["7.1.3", "7.2.0", "7.3.2"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live --visible-now --yes")
    }
    try shell.done(
      "app add airport-companion-for-drivers --bundle-id com.codality.NotationalFlow --apple-id 289429962")
    shell.terminalWidth = width
    return shell
  }

  /// Fails where a line is too wide, unless a single word or command is.
  private func expectFit(_ text: String, _ width: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    for line in text.replacing(/\u{1B}\[[0-9]*m/, with: "").split(separator: "\n") {
      // A hash is a word of 64 letters.
      if !line.drop(while: { $0 == " " }).contains(" ") { continue }
      #expect(displayWidth(String(line)) <= width, "\(line)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [60, 80, 120])
  func `tables break no word and no time`(width: Int) throws {
    let shell = try shell(width: width)
    let reason =
      "the payment page of these versions lost the fares of everybody who paid by invoice in November"
    #expect(
      shell.run([
        "force", "taxi", "below:7.2", "--reason", reason, "--actor", "release-bot@example.com", "--yes",
      ])
      .status == 0)
    for line in [
      "releases taxi", "blame taxi", "history", "app list", "show 9", "history taxi --kind rule",
      "redirect taxi 7.1.3 --url https://apps.apple.com/app/id289429962 --dry-run", "doctor", "status taxi",
    ] {
      let out = shell.run(line).out
      expectFit(out, width)
      let words = Set(out.split(whereSeparator: \.isWhitespace).map(String.init))
      #expect(!words.contains { $0.hasPrefix("2027-01-15T12:00") && $0.count < 20 }, "\(line): \(out)")
      #expect(!out.contains("…") || line == "doctor", "\(line): \(out)")
    }
    #expect(shell.run("app list").out.contains("airport-companion-for-drivers"))
    #expect(shell.run("app list").out.contains("com.codality.NotationalFlow"))
    #expect(shell.run("blame taxi").out.contains("force,remind,none"))
    let history = shell.run("history --kind rule").out
    #expect(history.contains("2027-01-15") && history.contains("November"), "\(history)")
  }
}

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

  @Test(arguments: [60, 80])
  func `errors, hints and what comes next break at blanks, and commands stay whole`(width: Int) throws {
    let shell = try shell(width: width)
    let refused = shell.run("publish taxi 7.3.1")
    expectFit(refused.err, width)
    #expect(refused.err.contains("\n  pawl void taxi 7.3.2 --never-shipped --reason \"…\""), "\(refused.err)")
    // For programs, and in a pipe, a line is a line.
    #expect(shell.run("publish taxi 7.3.1 --json").err.split(separator: "\n").count == 1)
    shell.terminalWidth = nil
    #expect(shell.run("publish taxi 7.3.1").err.split(separator: "\n").count == 2)
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

  @Test func `doctor keeps the commands it names whole`() throws {
    let shell = try shell()
    try shell.done(
      "app add van --bundle-id com.example.van --channel enterprise --store-url https://apps.apple.com/van")
    try shell.done("publish van 3.2.0.1 --expires 7d")
    try shell.done("mark van 3.2.0.1 live")
    let out = shell.run("doctor").out
    expectFit(out, 80)
    #expect(out.contains("pawl amend van 3.2.0.1 "), "\(out)")
    #expect(!out.split(separator: "\n").contains { $0.hasSuffix("pawl") }, "\(out)")
  }

  @Test func `the board keeps the line to paste, and one form of time`() throws {
    let shell = try shell()
    try shell.directory.write(Array("version,devices\n6.1,50\n7.1.3,300\n9.9,1\n".utf8), to: "usage.csv")
    try shell.done("ingest usage taxi \(shell.directory.file("usage.csv"))")
    let out = shell.run("status taxi").out
    #expect(
      out.contains("printf 'version,released_at\\n6.1,2027-01-15T00:00:00Z\\n' | pawl import taxi - --past"),
      "\(out)")
    #expect(out.contains("2027-01-15 12:00Z") && !out.contains("12:00:00Z"), "\(out)")
    shell.terminalWidth = nil
    #expect(shell.run("status taxi").out.contains("as of 2027-01-15T12:00:00Z"))
  }

  @Test func `columns that say nothing are not there, and the page has a name`() throws {
    let shell = try shell()
    shell.terminalWidth = nil
    let none = shell.run("force taxi below:7.2 --reason x --dry-run --markdown").out
    #expect(none.contains("| IS TOLD | FROM |\n"), "\(none)")
    let page = shell.run("redirect taxi 7.1.3 --url https://apps.apple.com/app/id289429962 --dry-run").out
    #expect(page.contains("FROM                  PAGE"), "\(page)")
  }

  @Test func `a refused line says once what is wrong with it, within the width`() throws {
    let shell = try shell()
    let rows = ["8.0.0.1,2026-11-01T00:00:00Z", "8.1.0,2026-02-30T09:00", "8.2.0,2030-01-01T00:00:00Z"]
    try shell.directory.write(
      Array(("version,released_at\n" + rows.joined(separator: "\n") + "\n").utf8), to: "p.csv")
    let ran = shell.run("import taxi \(shell.directory.file("p.csv")) --yes")
    #expect(ran.status == 65)
    expectFit(ran.out, 80)
    #expect(ran.out.contains("8.0.0.1  more than 3 components"), "\(ran.out)")
    #expect(!ran.out.contains("cannot import"), "\(ran.out)")
    let hint = ran.err.split(separator: "\n").drop { !$0.contains("hint:") }.map { $0.drop { $0 == " " } }
      .joined(separator: " ")
    #expect(hint.contains("versions with four numbers: add --past"), "\(ran.err)")
    #expect(
      hint.contains("write days that exist, such as 2026-02-01 or 2026-02-01T09:00:00Z"),
      "\(ran.err)")
    #expect(hint.contains("leave out releases that are still to come"), "\(ran.err)")
    #expect(!hint.contains("--skip-refused"), "\(ran.err)")
  }

  @Test func `what somebody agreed to is not shown twice`() throws {
    let shell = try shell()
    let ran = shell.run(
      ["force", "taxi", "below:7.2", "--reason", "x"], input: Array("y\n".utf8))
    #expect(
      ran.status == 0 && ran.err.contains("WAS TOLD") && !ran.out.contains("WAS TOLD"), "\(ran.out)\(ran.err)"
    )
    shell.terminalWidth = nil
    #expect(shell.run("lift taxi 1").out.contains("WAS TOLD"))
  }
}

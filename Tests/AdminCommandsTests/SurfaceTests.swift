import CommandLineKit
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

/// What all commands have in common at the command line: help, groups, lists, and what they say of the ledger.
@Suite struct SurfaceTests {
  private let shell: Shell

  init() throws { shell = try Shell.taxi() }

  /// All commands that do something, by their words.
  private func commands(
    of command: Command<PawlContext>, at path: [String] = []
  ) -> [(path: [String], command: Command<PawlContext>)] {
    command.subcommands.flatMap { below in
      let name = path + [below.name]
      return (below.hasAction ? [(name, below)] : []) + commands(of: below, at: name)
    }
  }

  // MARK: - Help

  @Test func `every page of help says what is required, the exit codes, and where the common options are`() {
    for (path, command) in commands(of: AdminCommands.table) {
      let name = path.joined(separator: " ")
      let page = shell.run(["help"] + path).out
      #expect(page.contains("Exit codes: 0 done"), "\(name)")
      #expect(!page.contains("--accept-clock"), "\(name): a common option")
      let table = command.parameterDescriptions
      #expect(
        page.contains("And the common options: pawl help options") == table.contains { $0.name == "--json" },
        "\(name)")
      let required = table.filter(\.required).count
      #expect(page.components(of: "(required)") >= required, "\(name): \(required) are required")
    }
    #expect(shell.run("help force").out.contains("Why, for the record (required)"))
  }

  @Test func `the first page begins with ten commands, and plumbing stands apart`() throws {
    let page = try shell.done("help").out
    let first = try #require(page.split(separator: "\n\n").first { $0.hasPrefix("First month:") })
    #expect(
      first.split(separator: "\n").count { $0.hasPrefix("  ") && !$0.hasPrefix("   ") } == 10, "\(first)")
    #expect(page.contains("\nPlumbing:\n"))
  }

  @Test func `the options, variables, exit codes and every error have a page`() throws {
    #expect(try shell.done("help options").out.contains("--request-id ID"))
    #expect(try shell.done("help exit-codes").out.contains("75   busy, try again"))
    #expect(try shell.done("help environment").out.contains("PAWL_LEDGER"))
    let page = try shell.done("help force.nothing-newer").out
    #expect(page.contains("exit code  1") && page.contains("the newest visible version"), "\(page)")
    #expect(try shell.done("help export.milder").out.contains("cannot express every decision"))
    #expect(shell.run("help no.such").status == 64)
  }

  // MARK: - Groups

  @Test func `a group without a command is no success, but for those that list`() throws {
    for line in ["", "plan", "ingest"] {
      let ran = shell.run(line)
      #expect(ran.status == 64 && ran.out.isEmpty && ran.err.hasPrefix("Usage: pawl"), "\(line)")
    }
    for (group, list) in [("app", "app list"), ("trust", "trust list"), ("app --json", "app list --json")] {
      #expect(try shell.done(group).out == shell.done(list).out, "\(group)")
    }
    #expect(shell.run("app texi").err.contains("unknown command 'texi' for 'pawl app'"))
  }

  // MARK: - Lists

  @Test func `history ends after fifty events on a terminal, and says so`() throws {
    for number in 1...30 {
      try shell.done("stop taxi --reason r\(number)")
      try shell.done("resume taxi")
    }
    shell.terminalWidth = 100
    let ran = try shell.done("history")
    #expect(ran.out.split(separator: "\n").count == 51)
    #expect(ran.err.contains("These are the newest 50; --limit N shows more."))
    #expect(try shell.done("history --limit 60").out.split(separator: "\n").count == 61)
    #expect(try shell.done("history --kind app.add").err.isEmpty)
    shell.terminalWidth = nil
    #expect(try shell.done("history").out.split(separator: "\n").count == 63)
  }

  @Test func `releases without an app lists those of all`() throws {
    try shell.done("app add van --bundle-id com.example.van")
    try shell.done("publish taxi 1.0")
    try shell.done("publish van 2.0")
    #expect(
      try shell.done("releases --json").json["apps"]?.array?.map { $0["releases"]?.array?.first?["version"] }
        == ["1.0", "2.0"])
    let table = try shell.done("releases").out.split(separator: "\n")
    #expect(table.count == 3 && table[0].hasPrefix("APP ") && table[2].hasPrefix("van "))
    #expect(try !shell.done("releases van").out.hasPrefix("APP "))
  }

  @Test func `status says which ledger it is`() throws {
    let path = try resolvedPath(shell.ledger)
    #expect(
      try shell.done("status --json").json["ledger"]
        == ["id": "0123456789abcdef0123456789abcdef", "path": .string(path)])
    #expect(try shell.done("status").out.contains("event 2 of '\(shell.ledger)'"))
  }

  // MARK: - Apps

  @Test func `one bundle on one platform and channel is one app`() throws {
    let add = "app add other --bundle-id com.example.Taxi"
    #expect(shell.run("\(add) --json").errorID == "app.bundle-taken")
    try shell.done("\(add) --platform tvos --apple-id 5")
    try shell.done("app add third --bundle-id com.example.third")
    #expect(shell.run("app set third --bundle-id com.example.taxi --json").errorID == "app.bundle-taken")
    // tvOS opens no https page.
    let page = "com.apple.TVAppStore://apps.apple.com/app/id5"
    #expect(try shell.done("app show other --json").json["storeURL"] == .string(page))
    try shell.done("app set other --store-url \(page)")
  }

  // MARK: - Taking back, and waiting

  @Test(arguments: [
    ("app add van --bundle-id com.example.van", "app void van", "app.void"),
    ("publish taxi 1.0", "void taxi 1.0", "release.void"),
    ("stop taxi", "revert", "app.resume"),
    ("trust host example.com", "trust remove host example.com", "trust.remove"),
  ])
  func `undo names the one command, asks, and runs it`(line: String, command: String, kind: String) throws {
    try shell.done(line)
    let seq = try #require(shell.head())
    let asked = shell.run("undo --json")
    #expect(asked.errorID == "confirm.required" && shell.head() == seq)
    let words = asked.error["details"]?["command"]?.array?.compactMap(\.string).joined(separator: " ")
    #expect(words == (command == "revert" ? "revert \(seq)" : command))
    shell.terminalWidth = 120
    #expect(shell.run("undo", input: Array("n\n".utf8)).status == 1 && shell.head() == seq)
    #expect(shell.run("undo", input: Array("y\n".utf8)).status == 0)
    shell.terminalWidth = nil
    let event = try shell.done("history --limit 1 --json").json["events"]?.array?.first
    #expect(event?["kind"] == .string(kind) && event?["reason"] == .string("takes back event \(seq)"))
  }

  @Test func `undo takes a going live back while its hold runs, and says why it cannot later`() throws {
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live")
    let live = try #require(shell.head())
    try shell.done("undo --yes --request-id u-1")
    #expect(try shell.release("1.0")?["state"] == "prepared")
    // The same request has the same answer, and takes nothing else back.
    #expect(try shell.done("undo --yes --request-id u-1 --json").json["release"]?["state"] == "prepared")
    #expect(shell.head() == live + 1)
    try shell.done("mark taxi 1.0 live --visible-now")
    #expect(shell.run("undo --yes --json").errorID == "unmark.too-late")
    try shell.done("amend taxi 1.0 --build 7")
    #expect(shell.run("undo --yes --json").errorID == "revert.never")
  }

  @Test func `wait ends when it is so, when it can no longer be, and at the timeout`() throws {
    try shell.done("publish taxi 1.0")
    func wait(_ goal: String) -> Int32 { shell.run("wait taxi 1.0 \(goal) --timeout 90s --json").status }
    shell.tick = 1
    #expect(wait("prepared") == 0 && wait("approved") == 75)
    #expect(shell.slept == [60, 28])
    shell.onSleep = { self.shell.run("mark taxi 1.0 live") }
    #expect(wait("approved") == 0)
    shell.onSleep = nil
    #expect(wait("live") == 0 && wait("visible") == 75)
    shell.clock = later(86_400)
    #expect(wait("visible") == 0)
    try shell.done("publish taxi 1.1")
    try shell.done("publish taxi 1.2")
    try shell.done("mark taxi 1.2 live --visible-now")
    #expect(shell.run("wait taxi 1.1 live").status == 1 && wait("live") == 0)
    try shell.done("mark taxi 1.2 removed")
    let gone = shell.run("wait taxi 1.2 visible --json")
    #expect(gone.status == 1)
    #expect(gone.json == ["app": "taxi", "version": "1.2", "state": "removed", "reached": false])
    #expect(shell.run("wait taxi 9.9 live").status == 66)
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

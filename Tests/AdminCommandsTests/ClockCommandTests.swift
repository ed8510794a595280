import JSON
import MailCorpus
import Platform
import ReleaseModel
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A clock that is wrong: ahead while something is recorded, or set back after clients were told.
@Suite struct ClockCommandTests {
  /// 73 years, as a clock has them that says 2099.
  private static let jump: Int64 = 73 * 365 * 86_400
  private static let day: Int64 = 86_400

  /// A ledger in which 7.3.0 is live and visible, and 7.4.0 is published.
  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell("past taxi 7.2.0\nlive taxi 7.3.0\npublish taxi 7.4.0")
    return shell
  }

  private func action(_ shell: Shell, _ version: String = "7.3.0") throws -> String? {
    try shell.done("check taxi \(version) --json").json["action"]?.string
  }

  private func documented(_ out: String, _ version: String = "7.3.0") throws -> String? {
    try JSON(parsing: readFile("\(out)/v1/taxi/\(version).json", limit: 1 << 20))["action"]?.string
  }

  // MARK: - Ahead

  @Test func `a clock that jumps is asked about, and a pipeline's --yes is no answer`() throws {
    let shell = try shell()
    shell.clock = later(ClockCommandTests.jump)
    for line in [
      "mark taxi 7.4.0 live", "force taxi below:7.3 --reason old", "publish taxi 8.0", "resume taxi",
      "app set taxi --hold 1h", "lift taxi 1", "trust host example.com", "init --export @out",
    ] { try shell.tell("\(line) --yes → 1 clock.jump") }
    // The emergency switch waits for no clock, and leaves the ledger's time alone.
    try shell.tell(
      "stop taxi --reason wrong\nshow LAST → at=\(noon.text)\npublish taxi 8.0 --accept-clock")
  }

  @Test func `evidence waits while the clock is out`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let right = room.shell.clock
    let file = try room.file(room.signed().bytes)
    room.shell.clock = Timestamp(seconds: right.seconds + ClockCommandTests.jump)
    #expect(room.shell.run("ingest mail \(file)").status == 75)
    #expect(room.shell.run("ingest mail - --json", input: room.signed().bytes).status == 75)
    #expect(try room.evidenceCount() == 0)
    room.shell.clock = right
    #expect(room.shell.run("ingest mail \(file)").status == 0)
    #expect(try room.state("7.3.0") == .live)
  }

  /// A ledger in which 7.4.0 went live, and a rule was made, by a clock that said 2099; it is right again.
  private func jumped() throws -> Shell {
    let shell = try shell()
    shell.clock = later(ClockCommandTests.jump)
    try shell.done("mark taxi 7.4.0 live --accept-clock --yes")
    try shell.done("remind taxi below:7.3 --until 7d --yes")
    shell.clock = later(3_600)
    return shell
  }

  @Test func `a correction needs a reason, shows what it alters, asks, and is recorded once`() throws {
    let shell = try jumped()
    let head = try #require(shell.head())
    let correct = "doctor --correct-clock --reason battery"
    // As it was found: the hold ends in 2099, and no command undoes it.
    #expect(try action(shell) == "none" && shell.findings().contains("clock.behind"))
    for option in ["--correct-clock --yes", "--yes", "--dry-run", "--reason battery", "--accept-clock"] {
      try shell.tell("doctor \(option) → 64")
    }
    let (right, told) = (later(3_600).text, later(3_600 + ClockCommandTests.day).text)
    try shell.tell(
      """
      \(correct) → 1 confirm.required
      \(correct) --dry-run → same changed=true
      \(correct) --yes --request-id r1 → event=\(head + 1) clock.since=\(head - 1) clock.from=\(later(ClockCommandTests.jump).text) clock.to=\(right) impact.0.before=none impact.0.after=remind impact.0.at=\(told)
      \(correct) --yes --request-id r1 → same event=\(head + 1)
      \(correct) → same changed=false clock=null
      """)
    // The hold ends a day after now, the rule a week after; time goes on from the right moment.
    shell.clock = later(3_600 + ClockCommandTests.day)
    #expect(try action(shell) == "remind")
    try shell.tell(
      """
      releases taxi → releases.0.visibleAt=\(told)
      rules taxi → rules.0.until=\(later(3_600 + 7 * ClockCommandTests.day).text)
      publish taxi 7.5.0
      history --limit 2 → events.0.at=\(told) events.1.kind=clock.correct events.1.reason=battery
      verify
      """)
  }

  @Test func `genuine mails that a wrong clock made stale are believed after the correction`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let right = room.shell.clock
    room.shell.clock = Timestamp(seconds: right.seconds + ClockCommandTests.jump)
    try room.shell.done("app set taxi --name Taxi --accept-clock")
    room.shell.clock = right
    let waits = try room.feed(room.signed())
    #expect(waits["outcome"] == "parked", "\(waits)")
    try room.shell.done("doctor --correct-clock --reason battery --yes")
    room.shell.clock = Timestamp(seconds: right.seconds + 60)
    let again = try room.feed(room.signed())
    #expect(again["outcome"] == "applied", "\(again)")
    #expect(try room.state("7.3.0") == .live)
    #expect(room.shell.run("verify").status == 0)
  }

  @Test func `a key that may only look at a ledger does not move its time`() throws {
    let shell = try jumped()
    let head = shell.head()
    shell.environment["SSH_ORIGINAL_COMMAND"] = "pawl doctor --correct-clock --reason x --yes"
    #expect(shell.run(["serve-ssh", "--allow", "doctor,status"]).status == 77)
    #expect(shell.head() == head)
    shell.environment["SSH_ORIGINAL_COMMAND"] = "pawl doctor"
    #expect(shell.run(["serve-ssh", "--allow", "doctor,status"]).status == 1)
    shell.environment["SSH_ORIGINAL_COMMAND"] = "pawl doctor --correct-clock --reason x --yes"
    #expect(shell.run(["serve-ssh"]).status == 0)
  }

  // MARK: - Set back

  /// A ledger whose 7.4.0 is live with a hold of a day that is over, with documents that say so.
  private func told(_ words: String) throws -> (shell: Shell, out: String) {
    let shell = try shell()
    let out = shell.directory.file("out")
    if words.hasPrefix("init") { try shell.done("init --export \(out)") }
    try shell.done("mark taxi 7.4.0 live --yes")
    shell.clock = later(ClockCommandTests.day + 60)
    try shell.done(words.replacing("OUT", with: out))
    return (shell, out)
  }

  @Test(arguments: ["export OUT", "init --export OUT"])
  func `a clock set back takes back nothing that documents said`(words: String) throws {
    let (shell, out) = try told(words)
    #expect(try documented(out) == "remind")
    shell.clock = later(600)
    let unmark = shell.run("unmark taxi 7.4.0 --reason wrong --json")
    #expect(unmark.status == 1 && unmark.errorID == "unmark.too-late", "\(unmark.out)\(unmark.err)")
    #expect(try action(shell) == "remind")
    #expect(try shell.done("export \(out) --json").json["written"] == 0)
    #expect(try documented(out) == "remind")
    let found = shell.run("doctor --json").json["findings"]?.array ?? []
    #expect(found.contains { $0["id"] == "clock.behind" })
    // What is recorded now is not before that moment either.
    try shell.done("setting taxi key value")
    let event = shell.run("history --limit 1 --json").json["events"]?.array?.first
    #expect(event?["at"]?.string == later(ClockCommandTests.day).text)
    #expect(shell.run("verify").status == 0)
  }

  @Test func `documents for a moment to come leave now where it is`() throws {
    let shell = try shell()
    try shell.done("mark taxi 7.4.0 live --yes")
    let out = shell.directory.file("out")
    try shell.done("export \(out) --at 2d")
    #expect(try documented(out) == "remind")
    #expect(try action(shell) == "none")
    try shell.done("unmark taxi 7.4.0 --reason wrong")
  }

  @Test func `a clock that was ahead only for the documents is corrected too`() throws {
    let (shell, out) = try told("export OUT")
    shell.clock = later(600)
    try shell.done("doctor --correct-clock --reason test --yes")
    #expect(try action(shell) == "none")
    shell.clock = later(700)
    try shell.done("publish taxi 7.5.0")
    let event = shell.run("history --limit 1 --json").json["events"]?.array?.first
    #expect(event?["at"]?.string == later(700).text)
    #expect(shell.run("verify").status == 0)
    try shell.done("export \(out)")
    #expect(try documented(out) == "none")
    shell.clock = later(ClockCommandTests.day)
    #expect(try action(shell) == "remind")
  }

  @Test func `what lies beside the ledger is believed only if it can be the ledger's own`() throws {
    let (shell, _) = try told("export OUT")
    let file = shell.ledger + "-told"
    let good = try readFile(file, limit: 1_000)
    shell.clock = later(600)
    #expect(try action(shell) == "remind")
    let line = String(decoding: good, as: UTF8.self)
    let other = line.replacing("0123456789abcdef0123456789abcdef", with: "1123456789abcdef0123456789abcdef")
    for bytes in [
      [], Array("\0".utf8), Array(good.dropLast()), Array(other.utf8),
      Array(line.replacing("T", with: " ").utf8),
    ] {
      try publishFile(bytes, as: file, rights: 0o640, replaces: true)
      #expect(try action(shell) == "none", "\(bytes)")
    }
    try publishFile(good, as: shell.directory.file("elsewhere"), rights: 0o640, replaces: true)
    removeFile(file)
    try #require(symlink(shell.directory.file("elsewhere"), file) == 0)
    #expect(try action(shell) == "none")
    removeFile(file)
    try #require(mkfifo(file, 0o600) == 0)
    #expect(try action(shell) == "none")
    shell.clock = later(ClockCommandTests.day + 60)
    try shell.done("export \(shell.directory.file("out2"))")
    shell.clock = later(600)
    #expect(try action(shell) == "remind")
    #expect(shell.run("backup \(file) --replace --json").errorID == "backup.unsafe")
  }
}

import JSON
import Platform
import ReleaseModel
import SQLite
import TestSupport
import Testing

/// What somebody at the `sqlite3` shell did is noticed by the very next command.
@Suite struct NoticedTests {
  private static func shell() throws -> Shell {
    let shell = try Shell.taxi()
    for version in ["1.0", "1.1"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live --visible-now --yes")
    }
    try shell.done("publish taxi 1.2")
    try shell.done("mark taxi 1.2 in-review")
    return shell
  }

  /// The attacker's step: a version in review is forced to a foreign page.
  private static let rewrite = """
    INSERT OR REPLACE INTO answer
    SELECT app_id, lo, hi, valid_from, valid_until, 'force', 0, '1.1', 'taxi', min_os, 'https://evil.example.com/',
      remind_every, settings, tiers, tag, 'rule', NULL, forced_from FROM answer WHERE review = 1
    """

  @Test func `kept answers are not rewritten at the sqlite3 shell`() throws {
    let shell = try NoticedTests.shell()
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    for statement in [
      NoticedTests.rewrite, "UPDATE answer SET action = 'force'", "DELETE FROM answer",
      "UPDATE generation SET open = 1", "UPDATE generation SET event_seq = 1",
      "INSERT OR REPLACE INTO generation SELECT app_id, event_seq, digest, 1 FROM generation",
    ] {
      #expect(throws: SQLiteError.self, "\(statement)") { try connection.run(statement) }
    }
    try connection.close()
    #expect(shell.run("verify").status == 0)
  }

  @Test(arguments: [
    rewrite, "UPDATE answer SET url = 'https://evil.example.com/' WHERE url IS NOT NULL",
    "DELETE FROM answer",
    "DELETE FROM generation", "UPDATE answer SET settings = '{\"a\":\"b\"}'",
    "UPDATE answer SET valid_until = valid_until - 1",
  ])
  func `rewritten answers are noticed by status, doctor and export, which writes what is decided`(
    statement: String
  ) throws {
    let shell = try NoticedTests.shell()
    let out = shell.directory.file("out")
    try shell.done("export \(out)")
    #expect(shell.run("doctor --json").status == 0)
    #expect(try shell.done("status --json").json["apps"]?.array?.first?["answersAltered"] == .null)
    try shell.alter(statement)

    let board = try shell.done("status taxi --json").json["apps"]?.array?.first
    #expect(board?["answersAltered"]?.string?.contains("client_decision") == true)

    let doctor = shell.run("doctor --json")
    let findings = doctor.json["findings"]?.array ?? []
    #expect(doctor.status == 1 && findings.map { $0["id"] } == ["answers.altered"])
    #expect(findings.map { $0["app"] } == ["taxi"])

    let export = shell.run("export \(out) --json")
    #expect(export.status == 1 && export.errorID == "answers.altered")
    #expect(export.error["details"]?["apps"] == ["taxi"])
    #expect(export.json["files"] != nil)
    for ending in ["1.0.json", "default.json"] {
      let text = String(decoding: try readFile("\(out)/v1/taxi/\(ending)", limit: 1 << 20), as: UTF8.self)
      #expect(!text.contains("evil.example.com"))
    }
    // The next change of what clients are told makes the answers anew.
    try shell.done("stop taxi")
    #expect(shell.run("doctor --json").json["findings"]?.array?.map { $0["id"] } == [])
    #expect(shell.run("export \(out)").status == 0)
  }

  @Test func `an event with a wrong hash at the end is built upon by nobody`() throws {
    let shell = try NoticedTests.shell()
    let out = shell.directory.file("out")
    try shell.done("export \(out)")
    try shell.done("publish taxi 1.3 --dry-run")
    let seq = try #require(shell.head())
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    try connection.run(
      """
      INSERT INTO event (seq, at, format, kind, actor, reason, hash)
      SELECT seq + 1, at, 1, 'request', '{}', 'raw', hash FROM event WHERE seq = \(seq)
      """)
    try connection.close()
    for words in [
      "force taxi 1.0 --reason r --yes", "publish taxi 1.3", "publish taxi 1.3 --dry-run", "stop taxi",
      "app add van --bundle-id v", "export \(out)", "export \(shell.directory.file("new"))",
    ] {
      let ran = shell.run(words + " --json")
      #expect(ran.status == 1 && ran.errorID == "ledger.head-broken", "\(words): \(ran.err)")
      #expect(ran.error["details"]?["event"]?.integer == seq + 1)
    }
    #expect(shell.head() == seq + 1)
    #expect(throws: SystemError.self) { try FileStatus(of: shell.directory.file("new")) }
    let doctor = shell.run("doctor --json")
    #expect(doctor.status == 1)
    #expect(doctor.json["findings"]?.array?.first?["id"] == "ledger.head-broken")
    // Evidence on standard input waits.
    #expect(shell.run("ingest mail -", input: Array("From: x@example.net\n\nlunch\n".utf8)).status == 75)
  }

  @Test func `a head whose predecessor was altered is built upon by nobody`() throws {
    let shell = try NoticedTests.shell()
    let seq = try #require(shell.head())
    try shell.alter(
      "UPDATE event SET hash = '\(String(repeating: "1", count: 64))' WHERE seq = \(seq - 1)")
    #expect(shell.run("stop taxi --json").errorID == "ledger.head-broken")
    try shell.alter("DELETE FROM event WHERE seq = \(seq - 1)")
    #expect(shell.run("stop taxi --json").errorID == "ledger.head-broken")
  }
}

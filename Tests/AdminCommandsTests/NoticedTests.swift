import JSON
import SQLite
import TestSupport
import Testing

@Suite struct NoticedTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("live taxi 1.0 1.1\npublish taxi 1.2\nmark taxi 1.2 in-review\nexport @out")
  }

  private static let rewrite = """
    INSERT OR REPLACE INTO answer
    SELECT app_id, lo, hi, valid_from, valid_until, 'force', 0, '1.1', 'taxi', min_os, 'https://evil.example.com/',
      remind_every, settings, tiers, tag, 'rule', NULL, forced_from FROM answer WHERE review = 1
    """

  @Test(arguments: [
    rewrite, "UPDATE answer SET url = 'https://evil.example.com/' WHERE url IS NOT NULL",
    "DELETE FROM answer", "DELETE FROM generation", "UPDATE answer SET settings = '{\"a\":\"b\"}'",
    "UPDATE answer SET valid_until = valid_until - 1",
  ])
  func `rewritten answers are noticed by status, doctor and export, which writes what is decided`(
    statement: String
  ) throws {
    func documents() throws -> [JSON?] {
      try ["1.0.json", "default.json"].flatMap { name in
        let json = try shell.json("out/v1/taxi/\(name)")
        return [json["action"], json["url"], json["settings"]]
      }
    }
    let before = try documents()
    try shell.tell("doctor → findings=[]\nstatus → apps.0.answersAltered=null")
    try shell.alter(statement)
    #expect(try shell.done("status taxi --json").json["apps"]?.array?.first?["answersAltered"] != .null)
    let export = shell.run("export @out --json")
    #expect(export.status == 1 && export.errorID == "answers.altered" && export.json["files"] != nil)
    #expect(try documents() == before)
    // The next change of what clients are told makes the answers anew.
    try shell.tell(
      """
      doctor → 1 findings.*.id=[answers.altered] findings.*.app=[taxi]
      export @out → details.apps=[taxi] answers.altered
      stop taxi
      doctor → findings.*.id=[export.elsewhere]
      export @out
      """)
  }

  @Test func `an event with a wrong hash at the end is built upon by nobody`() throws {
    let seq = try #require(shell.head())
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    try connection.run(
      """
      INSERT INTO event (seq, at, format, kind, actor, reason, hash)
      SELECT seq + 1, at, 1, 'request', '{}', 'raw', hash FROM event WHERE seq = \(seq)
      """)
    try connection.close()
    for line in [
      "force taxi 1.0 --reason r --yes", "publish taxi 1.3", "publish taxi 1.3 --dry-run", "stop taxi",
      "app add van --bundle-id v", "export @out", "export @new",
    ] { try shell.tell("\(line) → 1 ledger.head-broken details.event=\(seq + 1)") }
    #expect(!shell.directory.exists("new"))
    // Evidence on standard input waits.
    try shell.tell(
      "doctor → 1 findings.0.id=ledger.head-broken\ningest mail - < \"From: x@example.net\\n\\nx\\n\" → same 75"
    )
  }

  @Test func `a head whose predecessor was altered is built upon by nobody`() throws {
    let zeros = String(repeating: "1", count: 64)
    try shell.tell(
      """
      alter "UPDATE event SET hash = '\(zeros)' WHERE seq = HEAD-1"
      stop taxi → ledger.head-broken
      alter "DELETE FROM event WHERE seq = HEAD-1"
      stop taxi → ledger.head-broken
      """)
  }
}

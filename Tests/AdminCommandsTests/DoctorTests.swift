import JSON
import Platform
import ReleaseModel
import SQLite
import TestSupport
import Testing

@Suite struct DoctorTests {
  private func findings(_ shell: Shell) throws -> [String] {
    let ran = shell.run("doctor --json")
    // It is the findings that say whether somebody has to act.
    let acts = ran.json["findings"]?.array?.contains { $0["act"] == true } == true
    #expect(ran.status == (acts ? 1 : 0) && shell.run("doctor").status == ran.status)
    return shell.findings()
  }

  @Test func `too few signers are an alarm 14 days before`() throws {
    let shell = try Shell.taxi()
    let signers = try Signer.three()
    for (signer, until) in zip(signers, [nil, 20 * 86_400, 30 * 86_400] as [Int64?]) {
      let ran = shell.run(
        ["trust", "signer", signer.name, signer.line] + (until.map { ["--until", later($0).text] } ?? []))
      try #require(ran.status == 0, "\(ran.err)")
    }
    #expect(try findings(shell) == [])
    shell.clock = later(29 * 86_400)
    // Nobody's agreement is demanded.
    #expect(try findings(shell) == [])
    shell.clock = noon
    try shell.done("trust approvals 2")
    // The first to go leaves enough.
    shell.clock = later(16 * 86_400 - 1)
    #expect(try findings(shell) == [])
    shell.clock = later(16 * 86_400)
    #expect(try findings(shell) == ["signers.expire"])
    shell.clock = later(30 * 86_400 - 1)
    #expect(try findings(shell) == ["signers.expire"])
    shell.clock = later(30 * 86_400)
    #expect(try findings(shell) == ["signers.too-few"])
  }

  @Test func `a full inbox is said, and an ended alarm is no longer counted`() throws {
    let shell = try Shell.taxi()
    try shell.tell("live taxi 1.0")
    let lookup = """
      {"resultCount":1,"results":[{"trackId":1524608462,"bundleId":"com.example.taxi","kind":"software","version":"1.1"}]}
      """
    try shell.directory.write(Array(lookup.utf8), to: "lookup.json")
    try shell.done("ingest lookup taxi \(shell.directory.file("lookup.json"))")
    #expect(try findings(shell) == ["inbox.waiting", "lookup.unknown-version"])
    try shell.done("publish taxi 1.1")
    #expect(try findings(shell) == [])
    #expect(shell.run("doctor --json").json["facts"]?["inbox"] == 0)

    shell.environment["PAWL_EVIDENCE_QUOTA"] = "2"
    let facts = shell.run("doctor --json").json["facts"]?["evidence"]
    #expect(facts?["limit"] == 2_000_000 && facts?["full"] == false)
    let claim =
      Array("From: no_reply@email.apple.com\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: 1_000_000)
    #expect(shell.run("ingest mail -", input: claim).status == 0)
    #expect(try findings(shell) == ["inbox.waiting", "inbox.full"])
    let board = try shell.done("status --json").json["evidence"]
    #expect(board?["full"] == true && (board?["unproved"]?.integer ?? 0) > 1_000_000)
  }

  @Test
  func `an old checkpoint is asked about once something followed it, and one of a later ledger at once`()
    throws
  {
    let shell = try Shell.taxi()
    let (key, note) = (shell.directory.file("key"), shell.directory.file("note"))
    try shell.done("checkpoint --new-key \(key)")
    try shell.done("checkpoint --key \(key) --out \(note)")
    let image = try readFile(shell.ledger, limit: 1 << 24)
    shell.environment["PAWL_CHECKPOINT"] = note
    shell.clock = later(8 * 86_400)
    #expect(try findings(shell) == [])
    try shell.done("app set taxi --name Taxi")
    #expect(try findings(shell) == [])
    shell.clock = later(16 * 86_400)
    #expect(try findings(shell) == ["checkpoint.old"])
    #expect(shell.run("doctor --json").json["facts"]?["checkpoint"]?["events"] == 2)
    try shell.done("checkpoint --key \(key) --out \(note)")
    #expect(try findings(shell) == [])
    let older = try Shell(image: image, clock: shell.clock)
    older.environment["PAWL_CHECKPOINT"] = note
    #expect(try findings(older) == ["checkpoint.ahead"])
  }

  @Test func `a ledger of a trial is refused, with how to carry its past over and what lies beside it`()
    throws
  {
    let shell = try Shell(image: [], clock: Timestamp(seconds: 1_800_014_400))
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    let step = Migration(version: 1, name: "trial", sql: "CREATE TABLE release (x);", sha256: "00")
    _ = try Migrator(applicationID: 0x7061_776C, migrations: [step]).migrate(connection, recordedAt: "then")
    try connection.close()
    try shell.directory.setRights(0o640, of: "pawl.db")
    try shell.directory.write([], to: "pawl.db-told")
    for command in ["doctor", "status", "publish taxi 1.0", "verify", "init"] {
      let ran = shell.run("\(command) --json")
      #expect(ran.status == 65 && ran.errorID == "ledger.trial", "\(command): \(ran.err)")
      let beside = ran.error["details"]?["beside"]?.array?.compactMap(\.string) ?? []
      #expect(beside.count == 1 && beside[0].hasSuffix("pawl.db-told"), "\(command): \(ran.err)")
    }
  }
}

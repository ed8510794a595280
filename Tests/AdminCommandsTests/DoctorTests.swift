import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct DoctorTests {
  private func findings(_ shell: Shell) throws -> [String] {
    (try shell.done("doctor --json").json["findings"]?.array ?? []).compactMap { $0["id"]?.string }
  }

  @Test func `the facts are those of the file`() throws {
    let shell = try Shell.taxi()
    let facts = try #require(shell.done("doctor --json").json["facts"])
    #expect(facts["journalMode"] == "delete")
    #expect(facts["rights"] == "0640")
    #expect(facts["events"] == 2)
    #expect(facts["eventsOfThirtyDays"] == 2)
    #expect(facts["bytes"]?.integer == (try FileStatus(of: shell.ledger).size))
    #expect(facts["schema"]?.integer ?? 0 >= 5)
    #expect(facts["sqlite"]?.string?.hasPrefix("3.") == true)
    #expect(facts["lastEvent"]?.string == noon.text)
    #expect(try findings(shell) == [])
    let text = try shell.done("doctor").out
    #expect(text.hasPrefix("Nothing to look at."))
    #expect(text.contains("journal mode delete"))
  }

  @Test func `what is older than thirty days counts as an event, not as growth`() throws {
    let shell = try Shell.taxi()
    shell.clock = later(31 * 86_400)
    try shell.done("app set taxi --name Taxi")
    let facts = try #require(shell.done("doctor --json").json["facts"])
    #expect(facts["events"] == 3)
    #expect(facts["eventsOfThirtyDays"] == 1)
  }

  @Test func `a clock behind the last event is asked about`() throws {
    let shell = try Shell.taxi()
    shell.clock = later(-7_200)
    #expect(try findings(shell) == ["clock.behind"])
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
    #expect(try findings(shell) == ["checkpoint.old"])
    #expect(try shell.done("doctor --json").json["facts"]?["checkpoint"]?["seq"] == 2)
    try shell.done("checkpoint --key \(key) --out \(note)")
    #expect(try findings(shell) == [])
    let older = try Shell(image: image, clock: shell.clock)
    older.environment["PAWL_CHECKPOINT"] = note
    #expect(try findings(older) == ["checkpoint.ahead"])
  }
}

import AdminCommands
import JSON
import MailCorpus
import ReleaseModel
import Testing

/// Mails that are applied in each way there is: `verify` finds that the changes are what the mails say.
@Suite struct EvidenceRecordTests {
  private func expectClean(_ room: Mailroom, sourceLocation: SourceLocation = #_sourceLocation) {
    let verified = room.shell.run("verify --json")
    #expect(
      verified.json["faults"] == [], "\(verified.json["faults"]?.text() ?? verified.err)",
      sourceLocation: sourceLocation)
  }

  @Test func `mails that come in together are as they were recorded`() throws {
    let room = try Mailroom("7.3.0", .prepared)
    var states: [String] = []
    for (place, name) in ["Waiting for Review", "In Review", "Ready for Distribution"].enumerated() {
      let mail = room.status(name) { $0.messageID = "<\(place)@email.apple.com>" }
      states.append(try room.feed(mail)["outcome"]?.string ?? "")
    }
    #expect(states == ["applied", "applied", "applied"])
    expectClean(room)
  }

  @Test func `a mail that a key proves later is as it was recorded`() throws {
    let room = try Mailroom("7.3.0", .approved, .nothing)
    #expect(try room.feed(room.signed())["outcome"] == "parked")
    let key = try #require(room.world.records.first { $0.selector == "email0517" })
    let path = try room.file(Array(key.text.utf8), name: "key.txt")
    try room.shell.done("trust dkim email.apple.com email0517 --key \(path)")
    try room.shell.done("inbox retry")
    #expect(try room.state("7.3.0") == .live)
    expectClean(room)
  }

  @Test func `a mail that a person reads is as it was recorded`() throws {
    let room = try Mailroom("7.3.0", .approved, .nothing)
    #expect(try room.feed(room.signed())["outcome"] == "parked")
    try room.shell.done("inbox apply 1 --app taxi --version 7.3.0 --state live --reason read --yes")
    #expect(try room.state("7.3.0") == .live)
    expectClean(room)
  }
}

import JSON
import TestSupport
import Testing

/// What a stop says about those whom it did not reach.
@Suite struct StopTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("past taxi 7.0 7.1")
  }

  private func unreached(_ line: String) throws -> [String] {
    let found = shell.run("\(line) --json").json["unreached"]?.array ?? []
    let ids = found.compactMap { $0["id"]?.string }
    // The same in words, each with what to run.
    let text = shell.run(line).err
    for finding in found {
      #expect(text.contains("warning: not reached: \(finding["message"]?.string ?? "?")"), "\(text)")
      #expect(text.contains("pawl "))
    }
    return ids
  }

  @Test func `a stop says that nobody reads a directory, and which one it left behind`() throws {
    #expect(try unreached("stop taxi") == ["export.none"])
    try shell.tell("resume taxi --yes\nexport @elsewhere")
    #expect(try unreached("stop taxi") == ["export.none", "export.elsewhere"])
    try shell.tell("export @elsewhere")
    #expect(try unreached("stop taxi") == ["export.none"])
    try shell.tell("init --export @own\nresume taxi --yes")
    #expect(try unreached("stop taxi") == ["export.elsewhere"])
    let findings = shell.run("doctor --json").json["findings"]?.array ?? []
    #expect(findings.contains { $0["id"] == "export.elsewhere" && $0["act"] == false })
  }

  @Test func `a stop that reached all says nothing`() throws {
    try shell.tell("init --export @own\nexport @own")
    #expect(try unreached("stop --all").isEmpty)
    try shell.tell("export @preview --at 7d")
    #expect(try unreached("resume taxi --yes").isEmpty)
    #expect(try unreached("stop taxi").isEmpty)
  }

  @Test func `a stop names each mirror that still has the answers of before`() throws {
    try shell.tell("init --export @own\nresume taxi")
    try shell.directory.directory("pawl.db-mirrors")
    try shell.directory.write(#"{"apps":{"taxi":1}}"#, to: "pawl.db-mirrors/backend.json")
    #expect(try unreached("stop taxi") == ["mirror.behind"])
  }
}

import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

@Suite struct ExportCommandTests {
  /// A ledger with 1.0 and 1.1 live and visible, and a directory for documents.
  private static func shell() throws -> (shell: Shell, out: String) {
    let shell = try Shell.taxi()
    try shell.directory.write(
      "version,released_at\n1.0,2024-01-01T00:00:00Z\n1.1,2024-02-01T00:00:00Z\n", to: "past.csv")
    try shell.done("import taxi \(shell.directory.file("past.csv")) --yes")
    return (shell, shell.directory.file("out"))
  }

  private func document(_ out: String, _ path: String) throws -> JSON {
    try JSON(parsing: readFile("\(out)/\(path)", limit: 1 << 20))
  }

  @Test func `a version's document is the answer of check without the head, and more`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    try shell.done("setting taxi map paid")
    try shell.done("export \(out)")
    for version in ["1.0", "1.1"] {
      let check = try #require(shell.done("check taxi \(version) --json").json.object)
      let found = try document(out, "v1/taxi/\(version).json")
      for member in check.members where member.key != "asOf" {
        #expect(found[member.key] == member.value, "\(version) \(member.key)")
      }
      #expect(found["asOf"] == nil)
      #expect(
        keys(found).subtracting(check.members.map(\.key)) == [
          "generation", "notesByLocale", "tiers", "validFrom", "validUntil",
        ])
    }
  }

  @Test func `a version that has no document may be in review, with the settings of one`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    try shell.done("setting taxi map free --during review")
    try shell.done("setting taxi map paid")
    try shell.done("setting taxi old yes --versions upto:1.1")
    try shell.done("publish taxi 1.2")
    try shell.done("export \(out)")
    let found = try document(out, "v1/taxi/default.json")
    #expect(found["version"] == .null)
    #expect(found["action"] == "none" && found["review"] == true && found["decidedBy"] == "unreleased")
    #expect(found["settings"] == ["map": "free"])
    #expect(throws: SystemError.self) { try readFile("\(out)/v1/taxi/1.2.json", limit: 1 << 20) }
    try shell.done("export \(out) --include-unreleased")
    #expect(try document(out, "v1/taxi/1.2.json")["review"] == true)
  }

  @Test func `documents are written after every change, where a directory was named`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    try shell.done("init --export \(out)")
    try shell.done("stop taxi")
    #expect(try document(out, "v1/taxi/1.0.json")["decidedBy"] == "stopped")
    try shell.done("resume taxi --yes")
    #expect(try document(out, "v1/taxi/1.0.json")["action"] == "remind")
    let other = shell.directory.file("other")
    shell.environment["PAWL_EXPORT"] = other
    try shell.done("stop --all")
    #expect(try document(other, "v1/taxi/1.0.json")["decidedBy"] == "stopped")
    #expect(try document(out, "v1/taxi/1.0.json")["action"] == "remind")
    shell.environment = [:]
    try shell.done("init --no-export")
    try shell.done("resume taxi --yes")
    #expect(shell.run("export").errorID == nil && shell.run("export").status == 64)
  }

  @Test func `a change stands when its documents cannot be written, and the request again writes them`()
    throws
  {
    let (shell, out) = try ExportCommandTests.shell()
    try publishFile([], as: out, rights: 0o644, replaces: true)
    shell.environment["PAWL_EXPORT"] = out
    let ran = shell.run("stop taxi --request-id now --json")
    #expect(ran.status == 74)
    #expect(ran.errorID == "export.failed")
    #expect(ran.error["hint"]?.string?.contains("pawl export \(out)") == true)
    #expect(ran.json["changed"] == true)
    #expect(try shell.done("app show taxi --json").json["stopped"] == true)
    removeFile(out)
    var again = try #require(try shell.done("stop taxi --request-id now --json").json.object)
    // What was recorded is said as it was; the documents are this run's.
    #expect(keys(again["documents"] ?? .null) == ["removed", "warnings", "written"])
    again["documents"] = nil
    #expect(JSON.object(again) == ran.json)
    #expect(try document(out, "v1/taxi/1.0.json")["decidedBy"] == "stopped")
  }

  @Test func `what a format says more mildly is a warning, and with --strict exit 1, written either way`()
    throws
  {
    let (shell, out) = try ExportCommandTests.shell()
    try shell.done("export \(out) --format updates --strict")
    try shell.done("allow taxi below:1.0 --yes")
    let ran = try shell.done("export \(out) --format updates --json")
    let warning = try #require(ran.json["warnings"]?.array?.first)
    #expect(warning["id"] == "export.milder")
    #expect(warning["versions"] == ["1.0"])
    #expect(warning["ranges"] == ["from:1.0 below:1.1"])
    #expect(try document(out, "updates/taxi.json")["updates"]?["version"] == "0.0.0")
    let strict = shell.run("export \(out) --format updates --strict --json")
    #expect(strict.status == 1 && strict.errorID == "export.milder")
    #expect(strict.json["files"] == 1)
    #expect(try document(out, "updates/taxi.json")["updates"]?["version"] == "0.0.0")
  }

  @Test func `what a format could only say more mildly is said before the change`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    let words = "allow taxi below:1.0 --json --dry-run"
    try shell.done("init --export \(out)")
    #expect(try shell.done(words).json["documents"] == nil)
    try shell.done("init --export \(out) --format v1 --format updates")
    let dry = try shell.done(words).json["documents"]
    #expect(dry?["written"] == 0 && dry?["removed"] == 0)
    let warning = try #require(dry?["warnings"]?.array?.first)
    #expect(
      warning["id"] == "export.milder" && warning["format"] == "updates" && warning["versions"] == ["1.0"])
    let text = try shell.done("allow taxi below:1.0 --dry-run").out
    #expect(text.contains("Documents:\n  warning: taxi, updates: "))
    // What has to be agreed to shows it too.
    let asked = shell.run("force taxi 1.0 --reason r --json")
    let forced = shell.run("allow taxi upto:0.5 --json").json["documents"]?["warnings"]?.array ?? []
    #expect(asked.errorID == "confirm.required")
    #expect(forced.contains { $0["id"] == "export.milder" })
    let refused = shell.run("force taxi 1.0 --reason r --json").error["details"]
    #expect(refused?["documents"]?["warnings"]?.array?.contains { $0["id"] == "export.milder" } == true)
    #expect(refused?["impact"]?.array?.isEmpty == false)
    // Doctor says it for as long as it holds, and does not demand that anybody acts.
    let doctor = shell.run("doctor --json").json["findings"]?.array
    #expect(doctor?.contains { $0["id"] == "export.milder" && $0["act"] == false } == true)
    // A stopped app has nothing that could be said too mildly.
    #expect(try shell.done("stop taxi --dry-run --json").json["documents"] == nil)
  }

  @Test func `a dry run writes no documents`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    shell.environment["PAWL_EXPORT"] = out
    // Neither does what only looks at them.
    for words in ["stop taxi --dry-run", "status", "due", "doctor"] {
      shell.run(words)
      #expect(throws: SystemError.self, "\(words)") { try FileStatus(of: out) }
    }
  }

  @Test func `due, status and doctor say when the documents lag behind`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    try shell.done("init --export \(out)")
    try shell.done("export")
    #expect(try shell.done("due --json").json["export"]?["overdue"] == false)
    let noon = shell.clock
    #expect(
      shell.run(["remind", "taxi", "1.0", "--until", "1h", "--yes"]).status == 0)
    #expect(
      try shell.done("due --json").json["export"]?["nextChange"]?.string
        == (noon + TimeSpan(seconds: 3_600)).text)
    shell.clock = noon + TimeSpan(seconds: 3_600)
    #expect(try shell.done("due --json").json["export"]?["overdue"] == true)
    #expect(try shell.done("status --json").json["export"]?["overdue"] == true)
    #expect(try shell.done("status").out.contains("should have been exported again"))
    let findings = shell.run("doctor --json").json["findings"]?.array ?? []
    #expect(findings.contains { $0["id"] == "export.overdue" })
    try shell.done("export")
    #expect(try shell.done("due --json").json["export"]?["overdue"] == false)
  }

  @Test func `an unknown format, app or a missing directory is named`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    #expect(shell.run("export \(out) --format flag").err.contains("did you mean 'flags'?"))
    #expect(shell.run("export \(out) --app taxo").status == 66)
    #expect(shell.run("export --json").errorID == "usage.missing-argument")
    #expect(throws: SystemError.self) { try FileStatus(of: out) }
  }

  @Test func `another ledger is refused`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    try shell.done("export \(out)")
    let other = try Shell(makesLedger: false)
    try other.done("init --ledger \(other.ledger)")
    #expect(other.run("export \(out) --json").errorID == "export.other-ledger")
    // It is not even named.
    #expect(other.run("init --export \(out) --json").errorID == "export.other-ledger")
    #expect(try other.done("status --json").json["export"] == .null)
  }

  @Test func `the version stays out of every document until it was live`() throws {
    let (shell, out) = try ExportCommandTests.shell()
    try shell.done("publish taxi 9.8.7")
    try shell.done("mark taxi 9.8.7 in-review")
    for (value, range) in [("a", "9.8.7"), ("b", "from:9.8.7"), ("c", "below:9.8.7")] {
      try shell.done("setting taxi key \(value) --versions \(range)")
    }
    for _ in 1...2 {
      // Said each time, and kept nowhere.
      let warnings = try shell.done("export \(out) --format v1 --json").json["warnings"]?.array ?? []
      #expect(warnings.contains { $0["id"] == "export.announces" && $0["versions"] == ["9.8.7"] })
    }
    for path in [
      "v1/taxi/schedule.json", "v1/taxi/default.json", "v1/taxi/1.0.json", "manifest.json",
      ".pawl/state.json",
    ] {
      let text = String(decoding: try readFile("\(out)/\(path)", limit: 1 << 20), as: UTF8.self)
      #expect(!text.contains("9.8.7"), "\(path)")
    }
  }
}

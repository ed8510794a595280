import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

@Suite struct ExportTests {
  /// A ledger with 1.0 and 1.1 live and visible, and a directory for documents.
  private static func shell() throws -> (shell: Shell, out: String) {
    let shell = try Shell.taxi()
    try shell.tell("past taxi 1.0 1.1")
    return (shell, shell.directory.file("out"))
  }

  private func document(_ out: String, _ path: String) throws -> JSON {
    try JSON(parsing: readFile("\(out)/\(path)", limit: 1 << 20))
  }

  @Test func `a version's document is the answer of check without the head, and more`() throws {
    let (shell, out) = try ExportTests.shell()
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
    let (shell, out) = try ExportTests.shell()
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
    let (shell, out) = try ExportTests.shell()
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
    let (shell, out) = try ExportTests.shell()
    try publishFile([], as: out, rights: 0o644, replaces: true)
    shell.environment["PAWL_EXPORT"] = out
    let ran = shell.run("stop taxi --request-id now --json")
    #expect(ran.status == 74)
    #expect(ran.errorID == "export.failed")
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

  @Test func `what a format could only say more mildly is said before the change`() throws {
    let (shell, out) = try ExportTests.shell()
    func milder(_ place: String) -> String { "\(place).id=export.milder \(place).versions=[1.0]" }
    // What has to be agreed to shows it, too; doctor says it for as long as it holds, and demands nothing of anybody.
    try shell.tell(
      """
      init --export \(out)
      allow taxi below:1.0 --dry-run → documents=null
      init --export \(out) --format v1 --format updates
      allow taxi below:1.0 --dry-run → documents.written=0 documents.warnings.0.format=updates \(milder("documents.warnings.0"))
      force taxi 1.0 --reason r → confirm.required details.impact.#=1
      allow taxi below:1.0 → \(milder("documents.warnings.0"))
      force taxi 1.0 --reason r → confirm.required \(milder("details.documents.warnings.0"))
      export --strict → 1 export.milder files=5
      stop taxi --dry-run → documents=null
      """)
    #expect(shell.findings().contains("export.milder"))
  }

  @Test func `a dry run of init says what would be, and refuses what would be refused`() throws {
    let (shell, _) = try ExportTests.shell()
    try shell.tell(
      """
      init --ledger @other.db --dry-run --format flags --export @d → changed=true made=true formats=[flags]
      init --ledger @no/where.db --dry-run → ledger.no-folder
      init --dry-run → same changed=false
      init --export @out --dry-run → same changed=true
      init --export @out
      init --export @out --format flags --dry-run → same changed=true
      init --no-export --dry-run → same changed=true
      init --export @out --dry-run → same changed=false
      """)
    #expect(!shell.directory.exists("other.db") && !shell.directory.exists("d"))
  }

  @Test func `a dry run writes no documents`() throws {
    let (shell, out) = try ExportTests.shell()
    shell.environment["PAWL_EXPORT"] = out
    // Neither does what only looks at them.
    for words in ["stop taxi --dry-run", "status", "due", "doctor"] {
      shell.run(words)
      #expect(throws: SystemError.self, "\(words)") { try FileStatus(of: out) }
    }
  }

  @Test func `due, status and doctor say when the documents lag behind`() throws {
    let (shell, out) = try ExportTests.shell()
    let end = later(3_600).text
    try shell.tell(
      """
      init --export \(out)
      export
      due → export.overdue=false
      remind taxi 1.0 --until 1h --yes
      due → export.nextChange=\(end)
      sleep 1h
      due → export.overdue=true
      status → export.overdue=true
      """)
    #expect(shell.findings().contains("export.overdue"))
    try shell.tell("export\ndue → export.overdue=false")
  }

  @Test func `another ledger is refused`() throws {
    let (shell, out) = try ExportTests.shell()
    try shell.done("export \(out)")
    let other = try Shell(makesLedger: false)
    try other.done("init --ledger \(other.ledger)")
    #expect(other.run("export \(out) --json").errorID == "export.other-ledger")
    // It is not even named.
    #expect(other.run("init --export \(out) --json").errorID == "export.other-ledger")
    #expect(try other.done("status --json").json["export"] == .null)
  }

  @Test func `the version stays out of every document until it was live`() throws {
    let (shell, out) = try ExportTests.shell()
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

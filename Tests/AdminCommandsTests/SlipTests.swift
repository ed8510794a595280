import AdminCommands
import JSON
import Ledger
import ReleaseModel
import TestSupport
import Testing

/// Slips of the hand, and what is said next: a hint never makes things worse.
@Suite struct SlipTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    let past = "version,released_at\n7.0,2026-01-01T00:00:00Z\n7.1,2026-02-01T00:00:00Z\n"
    try #require(shell.run(["import", "taxi", "-", "--yes"], input: Array(past.utf8)).status == 0)
  }

  private func lastEvent() throws -> Int64 { try #require(shell.head()) }

  // MARK: - Taking back

  @Test(arguments: [
    ("force taxi below:7.1 --reason crash --yes", "lift taxi 1"),
    ("redirect taxi 7.0 --url https://apps.apple.com/app/id1 --yes", "redirect taxi 7.0 --clear --yes"),
    ("setting taxi map-key paid", "setting taxi map-key --clear"),
    ("app set taxi --hold 1h --yes", "app set taxi --hold 24h --yes"), ("stop taxi", "resume taxi --yes"),
  ])
  func `what is taken back twice, or was by hand, is already so`(change: String, back: String) throws {
    for way in ["by hand", "revert"] {
      try shell.done(change)
      let event = try lastEvent()
      try shell.done(way == "revert" ? "revert \(event) --yes" : back)
      let head = try lastEvent()
      let again = try shell.done("revert \(event) --json")
      #expect(again.json["changed"] == false, "\(way)")
      #expect(shell.head() == head)
    }
  }

  @Test func `a lifted rule that is in force again is not lifted by an old number`() throws {
    try shell.done("force taxi below:7.1 --reason crash --yes")
    try shell.done("lift taxi 1")
    let lifted = try lastEvent()
    try shell.done("revert \(lifted) --yes")
    #expect(try shell.done("revert \(lifted) --json").json["changed"] == false)
    try shell.done("lift taxi 1")
    #expect(shell.run("revert \(lifted) --yes --json").errorID == "revert.touched-since")
  }

  // MARK: - Grace

  @Test func `a grace until a date, said again, is there already`() throws {
    let line = "force taxi below:7.1 --grace 2027-06-01 --reason crash --yes --json"
    #expect(try shell.done(line).json["changed"] == true)
    for _ in 1...2 {
      let again = try shell.done(line).json
      #expect(again["changed"] == false && again["event"] == .null)
    }
    // Not where something newer has come between.
    try shell.done("allow taxi 7.0")
    #expect(try shell.done(line).json["changed"] == true)
  }

  // MARK: - Twice

  @Test func `an app that was struck out stays so, and its slug can be used again`() throws {
    try shell.done("app add tax --bundle-id com.example.tax")
    try shell.done("app void tax")
    let head = try lastEvent()
    let again = try shell.done("app void tax --json").json
    #expect(again["changed"] == false && again["app"]?["slug"] == "tax" && shell.head() == head)
    #expect(shell.run("app void never --json").errorID == "app.not-found")
    try shell.done("app add tax --bundle-id com.example.tax")
    #expect(try shell.done("app void tax --json").json["changed"] == true)
  }

  // MARK: - Dry runs and programs

  @Test func `a dry run of init says what would be, and refuses what would be refused`() throws {
    let made = shell.directory.file("other.db")
    let new = try shell.done("init --ledger \(made) --dry-run --json --format flags --export \(shell.directory.file("d"))").json
    #expect(new["changed"] == true && new["made"] == true && new["formats"] == ["flags"])
    #expect(!shell.directory.exists("other.db"))
    let nowhere = shell.directory.file("no/where.db")
    #expect(shell.run("init --ledger \(nowhere) --dry-run --json").errorID == "ledger.no-folder")
    #expect(try shell.done("init --dry-run --json").json["changed"] == false)
    let out = shell.directory.file("out")
    let head = try lastEvent()
    #expect(try shell.done("init --export \(out) --dry-run --json").json["changed"] == true)
    #expect(!shell.directory.exists("out") && shell.head() == head)
    try shell.done("init --export \(out)")
    #expect(try shell.done("init --export \(out) --format flags --dry-run --json").json["changed"] == true)
    #expect(try shell.done("init --no-export --dry-run --json").json["changed"] == true)
    #expect(try shell.done("init --export \(out) --dry-run --json").json["changed"] == false)
  }

  @Test func `times of a file are read in a zone`() throws {
    let past = "version,released_at\n7.2,2026-03-01\n7.3,2026-03-02T09:00\n"
    let ran = shell.run(
      ["import", "taxi", "-", "--yes", "--zone", "Asia/Tokyo"], input: Array(past.utf8))
    try #require(ran.status == 0, "\(ran.err)")
    #expect(try shell.release("7.2")?["liveAt"] == "2026-02-28T15:00:00Z")
    #expect(try shell.release("7.3")?["liveAt"] == "2026-03-02T00:00:00Z")
    let malformed = shell.run(
      ["import", "taxi", "-", "--yes", "--json"], input: Array("version,released_at\n7.4,24h\n".utf8))
    #expect(malformed.status == 65)
    // Without a zone they are those of UTC, as everywhere, and the answer says so.
    let unzoned = shell.run(
      ["import", "taxi", "-", "--yes", "--json"],
      input: Array("version,released_at\n7.4,2026-03-03\n".utf8))
    #expect(unzoned.json["warnings"] == ["1 time has no zone and was read as UTC; --zone sets another"])
    #expect(try shell.release("7.4")?["liveAt"] == "2026-03-03T00:00:00Z")
  }

  // MARK: - Words

  @Test func `a past release of four numbers closes no version of the store`() throws {
    let past = "version,released_at\n7.2.0.0,2026-03-01T00:00:00Z\n"
    try #require(shell.run(["import", "taxi", "-", "--past", "--yes"], input: Array(past.utf8)).status == 0)
    let next = try #require(try shell.done("next taxi --json").json["version"]?.string)
    try shell.done("next taxi --check \(next)")
    try shell.done("publish taxi \(next)")
  }

  @Test func `lines that say otherwise of a version are named, and not called recorded`() throws {
    let past = """
      version,released_at
      6.0,2025-01-01T00:00:00Z
      6.0.0,2025-01-02T00:00:00Z
      6.0,2025-01-01T00:00:00Z

      """
    let ran = shell.run(
      ["import", "taxi", "-", "--past", "--yes", "--json"], input: Array(past.utf8))
    #expect(ran.json["skipped"] == 2)
    #expect(ran.json["warnings"]?.array?.first?.string?.contains("1 line repeats") == true)
    #expect(ran.json["warnings"]?.array?.first?.string?.contains("3 (6.0.0)") == true)
  }

  // MARK: - Directories

  @Test func `a file in the place of a directory is named, and nothing is recorded`() throws {
    try shell.directory.write("theirs", to: "file")
    try shell.directory.pipe("pipe")
    for name in ["file", "pipe"] {
      let path = shell.directory.file(name)
      let head = try lastEvent()
      #expect(shell.run("export \(path) --json").errorID == "export.foreign")
      #expect(shell.run("report \(path) --json").errorID == "report.foreign-file")
      #expect(shell.run("init --export \(path) --json").errorID == "export.foreign")
      #expect(shell.head() == head)
    }
  }

  @Test func `a report goes into no directory of documents, nor documents into a report's`() throws {
    let (documents, report) = (shell.directory.file("documents"), shell.directory.file("report"))
    try shell.done("export \(documents)")
    try shell.done("report \(report)")
    #expect(shell.run("report \(documents) --json").errorID == "report.foreign-file")
    #expect(shell.run("export \(report) --json").errorID == "export.foreign")
    try shell.done("export \(documents)")
    try shell.done("report \(report)")
  }

}

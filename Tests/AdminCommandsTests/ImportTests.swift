import AdminCommands
import JSON
import ReleaseModel
import TestSupport
import Testing

/// What `import` says of lines that it refuses, and what it makes of them with `--past`.
@Suite struct ImportTests {
  private let shell: Shell

  init() throws { shell = try Shell.taxi() }

  /// A file of versions released a day apart.
  private func file(_ versions: [String]) throws -> String {
    let start = noon.seconds - 400 * 86_400
    let lines = versions.enumerated().map { index, version in
      "\(version),\(Timestamp(seconds: start + Int64(index) * 86_400).text)\n"
    }
    try shell.directory.write(Array(("version,released_at\n" + lines.joined()).utf8), to: "past.csv")
    return shell.directory.file("past.csv")
  }

  private func imports(_ versions: [String], _ words: String...) throws -> Ran {
    shell.run(["import", "taxi", try file(versions), "--yes"] + words)
  }

  private let mistyped = ["7.3.0", "70.4.0", "7.5.0", "7.6.0", "7.7.0"]

  @Test func `the line in the way of many is named first, and no hint takes it silently`() throws {
    let ran = try imports(mistyped, "--json")
    #expect(ran.status == 65 && ran.errorID == "import.refused")
    let refused = ran.json["refused"]?.array ?? []
    #expect(refused.map { $0["line"] } == [3, 4, 5, 6])
    #expect(refused.first?["version"] == "70.4.0" && refused.first?["id"] == "import.in-the-way")
    #expect(refused.dropFirst().allSatisfy { $0["id"] == "version.not-greater" })
    #expect(refused.dropFirst().allSatisfy { $0["message"] == "not greater than 70.4.0, line 3" })
    let hint = try #require(ran.error["hint"]?.string)
    #expect(hint.contains("70.4.0") && hint.contains("line 3") && !hint.contains("--skip-refused"))
    #expect(ran.json["warnings"]?.array?.count == 1)
    #expect(shell.head() == 2)
  }

  @Test func `a mistyped line that is taken all the same is warned of, and can be struck out`() throws {
    let ran = try imports(mistyped, "--json", "--skip-refused")
    #expect(ran.status == 0 && ran.json["imported"] == 2)
    let warnings = ran.json["warnings"]?.array?.compactMap(\.string) ?? []
    #expect(warnings.count == 2)
    #expect(warnings.first?.contains("line 3") == true)
    #expect(warnings.first?.contains("pawl void taxi 70.4.0 --never-shipped") == true)
    // What is recorded is in the way now.
    let again = try imports(["7.5.0", "7.6.0"], "--json")
    #expect(again.error["hint"]?.string?.contains("void taxi 70.4.0 --never-shipped") == true)
    try shell.done("void taxi 70.4.0 --never-shipped --reason typing --yes")
    #expect(try imports(["7.5.0", "7.6.0"], "--json").json["imported"] == 2)
  }

  @Test func `what is lower becomes past, and one line in the way of one is not called so`() throws {
    let ran = try imports(["1.0", "1.2", "1.1.0", "1.3", "1.2.0.7", "1.0.1"], "--json", "--past")
    #expect(ran.status == 0 && ran.json["refused"] == [])
    #expect(ran.json["imported"] == 6 && ran.json["past"] == 3 && ran.json["warnings"] == [])
    for version in ["1.1.0", "1.2.0.7", "1.0.1"] {
      let release = try shell.release(version)
      #expect(release?["past"] == true && release?["state"] == "superseded")
    }
    #expect(try shell.done("check taxi 1.0.1 --json").json["target"] == "1.3")
  }

  @Test func `of two equal numbers the one that can go live wins`() throws {
    let ran = try imports(["1.0", "1.1.0.0", "1.1", "1.1.0"], "--json", "--past")
    #expect(ran.json["imported"] == 2 && ran.json["skipped"] == 2 && ran.json["past"] == 0)
    #expect(try shell.release("1.1")?["state"] == "live")
    // What is recorded wins over a line of four components, and of another day.
    let again = try imports(["1.1.0.0", "1.0"], "--json", "--past")
    #expect(again.status == 0 && again.json["skipped"] == 2, "\(again.err)")
  }

  @Test func `what could still go live is not made past`() throws {
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live --visible-now")
    try shell.done("publish taxi 3.0")
    let ran = try imports(["2.0"], "--json", "--past")
    #expect(ran.status == 65 && ran.json["refused"]?.array?.first?["id"] == "version.not-past")
  }

  @Test(arguments: [
    ("7.4.0", "70.4.0", true), ("7.4.0", "7.40.0", true), ("7.4.0", "7.5.0", false), ("7.9", "7.10", false),
    ("4.61", "2021.1", true), ("7.4.0", "8.0.0", false), ("9.9", "10.0", false), ("1.0", "10.0", true),
    ("2021.12", "2022.1", false), ("7.4.1", "7.4.100", false), ("15.2", "25.0", true),
  ])
  func `a jump warns in publish, in mark live and in import`(before: String, after: String, warns: Bool)
    throws
  {
    let count = warns ? 1 : 0
    try shell.done("publish taxi \(before)")
    try shell.done("mark taxi \(before) live --visible-now")
    let published = try shell.done("publish taxi \(after) --json").json["warnings"]?.array
    #expect(published?.count == count)
    let live = try shell.done("mark taxi \(after) live --yes --json").json["warnings"]?.array
    #expect(live?.count == count)
    if warns { #expect(live?.first?.string?.contains("--never-shipped") == true) }
    let other = try Shell.taxi()
    let text = "version,released_at\n\(before),2026-01-01T00:00:00Z\n\(after),2026-02-01T00:00:00Z\n"
    let ran = other.run(["import", "taxi", "-", "--yes", "--json"], input: Array(text.utf8))
    #expect(ran.status == 0 && ran.json["warnings"]?.array?.count == count)
  }

  @Test func `versions of one time are taken in their order, whichever is written first`() throws {
    let lines = ["1.2", "1.10", "1.0"].map { "\($0),2026-01-01T00:00:00Z\n" }.joined()
    let ran = shell.run(
      ["import", "taxi", "-", "--yes", "--json"], input: Array("version,released_at\n\(lines)".utf8))
    #expect(ran.status == 0 && ran.json["imported"] == 3 && ran.json["refused"] == [], "\(ran.err)")
    #expect(try shell.release("1.10")?["state"] == "live")
  }

  @Test func `a version dated before an older one went live is refused, as by mark`() throws {
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live --visible-now")
    let line = "version,released_at\n1.1,\(later(-86_400).text)\n"
    for words in [[], ["--past"], ["--skip-refused"]] as [[String]] {
      let ran = shell.run(["import", "taxi", "-", "--yes", "--json"] + words, input: Array(line.utf8))
      #expect(ran.status == 65 && ran.json["imported"] == 0, "\(words): \(ran.err)")
      #expect(ran.json["refused"]?.array?.first?["id"] == "mark.before-newest", "\(ran.out)")
    }
    #expect(try shell.release("1.0")?["state"] == "live")
  }

  @Test func `a file of too many releases is refused as a whole`() throws {
    let csv = "version,released_at\n" + String(repeating: "a,b\n", count: 20_001)
    let json = "[" + String(repeating: "{},", count: 20_000) + "{}]"
    for text in [csv, json] {
      let ran = shell.run(["import", "taxi", "-", "--yes", "--json"], input: Array(text.utf8))
      #expect(
        ran.status == 65 && ran.errorID == "import.too-long" && ran.error["details"]?["limit"] == 20_000)
    }
    #expect(shell.head() == 2)
  }
}

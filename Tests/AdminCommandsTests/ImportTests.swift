import JSON
import TestSupport
import Testing

@Suite struct ImportTests {
  private let shell: Shell

  init() throws { shell = try Shell.taxi() }

  /// Writes versions to the file of a story, all of one day unless a line says another.
  private func file(_ lines: String) throws -> String {
    let rows = lines.split(separator: " ").map {
      $0.contains(",") ? "\($0)\n" : "\($0),2026-01-01T00:00:00Z\n"
    }
    try shell.directory.write("version,released_at\n" + rows.joined(), to: "past.csv")
    return "@past.csv"
  }

  @Test func `the line in the way of many is named first, and no hint takes it silently`() throws {
    let mistyped = "7.3.0,2026-01-01 70.4.0,2026-01-02 7.5.0,2026-01-03 7.6.0,2026-01-04 7.7.0,2026-01-05"
    let before = "not greater than 70.4.0, line 3"
    try shell.tell(
      """
      import taxi \(try file(mistyped)) --yes → 65 import.refused refused.*.line=[3,4,5,6] refused.0.id=import.in-the-way "refused.3.message=\(before)" warnings.#=2
      import taxi @past.csv --yes --skip-refused → imported=2
      void taxi 70.4.0 --never-shipped --reason typing --yes
      """)
    try shell.tell("import taxi \(try file("7.5.0,2026-01-03 7.6.0,2026-01-04")) --yes → imported=2")
  }

  @Test func `the lines that one line is in the way of fold into one row`() throws {
    let rows = (1...9).map { "1.\($0),2026-01-0\($0)T00:00:00Z" }
    try shell.directory.write(
      (["version,released_at", "70.1,2025-12-31T00:00:00Z"] + rows).joined(separator: "\n"), to: "way")
    let ran = shell.run("import taxi @way --skip-refused --yes --dry-run")
    #expect(ran.out.contains("; so are 8 more") && !ran.out.contains("1.9"), "\(ran.out)")
    #expect(shell.run("import taxi @way --skip-refused --yes --json").json["refused"]?.array?.count == 9)
  }

  @Test func `what is lower becomes past, and what could still go live does not`() throws {
    let lower =
      "1.0,2026-01-01 1.2,2026-01-02 1.1.0,2026-01-03 1.3,2026-01-04 1.2.0.7,2026-01-05 1.0.1,2026-01-06"
    try shell.tell(
      """
      import taxi \(try file(lower)) --yes --past → refused=[] imported=6 past=3
      releases taxi → releases.*.past=[false,true,false,true,true,false]
      check taxi 1.0.1 → target=1.3
      publish taxi 3.0 --yes
      """)
    try shell.tell("import taxi \(try file("2.0")) --yes --past → 65 refused.0.id=version.not-past")
  }

  @Test func `of two equal numbers the one that can go live wins, and all of one time in their order`() throws
  {
    try shell.tell(
      """
      import taxi \(try file("1.0 1.1.0.0 1.1 1.1.0 1.10 1.2")) --yes --past → imported=4 skipped=2 past=0
      releases taxi → releases.0.version=1.10 releases.0.state=live
      """)
    try shell.tell("import taxi \(try file("1.1.0.0,2026-05-01 1.0")) --yes --past → skipped=2")
  }

  @Test func `a version dated before an older one went live is refused, as by mark`() throws {
    try shell.tell("live taxi 1.0")
    for words in ["", "--past", "--skip-refused"] {
      try shell.tell(
        "import taxi \(try file("1.1")) --yes \(words) → 65 imported=0 refused.0.id=mark.before-newest")
    }
  }

  @Test(arguments: [
    ("7.4.0", "70.4.0", true), ("7.4.0", "7.40.0", true), ("7.4.0", "7.5.0", false), ("7.9", "7.10", false),
    ("4.61", "2021.1", true), ("7.4.0", "8.0.0", false), ("9.9", "10.0", false), ("1.0", "10.0", true),
    ("2021.12", "2022.1", false), ("7.4.1", "7.4.100", false), ("15.2", "25.0", true),
  ])
  func `a jump warns in publish, in mark live and in import`(before: String, after: String, warns: Bool)
    throws
  {
    let count = "warnings.#=\(warns ? 1 : 0)"
    try shell.tell(
      "live taxi \(before)\npublish taxi \(after) --yes → \(count)\nmark taxi \(after) live --yes → \(count)")
    let other = try Shell.taxi()
    let text = "version,released_at\n\(before),2026-01-01T00:00:00Z\n\(after),2026-02-01T00:00:00Z\n"
    try other.directory.write(text, to: "past")
    try other.tell("import taxi @past --yes → \(count)")
  }

  @Test func `a file of too many releases is refused as a whole`() throws {
    let csv = "version,released_at\n" + String(repeating: "a,b\n", count: 20_001)
    let json = "[" + String(repeating: "{},", count: 20_000) + "{}]"
    for text in [csv, json] {
      try shell.directory.write(text, to: "past")
      try shell.tell("import taxi @past --yes → 65 import.too-long details.limit=20000")
    }
  }
}

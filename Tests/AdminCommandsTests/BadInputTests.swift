import AdminCommands
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct BadInputTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
  }

  @Test(arguments: ["\0", "\u{1}", "\u{1B}[2J", "a\rb", "\u{7F}"])
  func `no text that is recorded holds a control character`(text: String) throws {
    try shell.directory.write(Array("new: \(text)!".utf8), to: "notes")
    try shell.tell("publish taxi 1.0 --notes @notes → 65 text.control-character")
    let json = "{\"en\": \(JSON.string(text).text())}"
    try shell.directory.write(Array(json.utf8), to: "notes")
    try shell.tell("publish taxi 1.0 --notes @notes → 65 text.control-character")
    let past = #"[{"version":"1.0","released_at":"2026-01-01","notes":\#(JSON.string(text).text())}]"#
    try shell.directory.write(Array(past.utf8), to: "past.json")
    try shell.tell("import taxi @past.json --yes → 65 refused.0.id=text.control-character\nlive taxi 1.0")
    let lookup: JSON = [
      "resultCount": 1,
      "results": [
        [
          "trackId": 1_524_608_462, "kind": "software", "version": "1.0", "releaseNotes": .string("x" + text),
        ]
      ],
    ]
    #expect(shell.run(["ingest", "lookup", "taxi", "-"], input: Array(lookup.text().utf8)).status == 0)
    #expect(try shell.release("1.0")?["notes"] == [:])
    #expect(shell.run("verify").status == 0)
  }

  @Test func `a note of a file with carriage returns and line feeds has line feeds`() throws {
    try shell.directory.write(Array("one\r\ntwo\r\n\tthree".utf8), to: "notes")
    for _ in 1...2 { try shell.done("publish taxi 1.0 --notes \(shell.directory.file("notes"))") }
    #expect(try shell.release("1.0")?["notes"] == ["und": "one\ntwo\n\tthree"])
  }

  // MARK: The ledger's file

  @Test func `a ledger that is something else is said to be so`() throws {
    try shell.directory.write(Array("version,released_at\n".utf8), to: "text.db")
    try shell.directory.write([], to: "empty.db")
    for name in ["text.db", "empty.db"] { try shell.directory.setRights(0o640, of: name) }
    try shell.directory.directory("folder.db")
    try shell.directory.link("link.db", to: shell.ledger)
    for command in ["status", "publish taxi 9.9"] {
      try shell.tell(
        """
        \(command) --ledger @text.db → 65 ledger.not-a-ledger
        \(command) --ledger @empty.db → 65 ledger.not-a-ledger
        \(command) --ledger @folder.db → 65 ledger.not-a-ledger
        \(command) --ledger @link.db → 77 ledger.unsafe-file
        \(command) --ledger @nothing.db → 66 ledger.not-found
        \(command) --ledger @nowhere/pawl.db → 66 ledger.no-folder
        """)
      try shell.directory.setRights(0o642, of: "pawl.db")
      #expect(shell.run("\(command) --json").errorID == "ledger.world-writable")
      try shell.directory.setRights(0o640, of: "pawl.db")
    }
    try shell.directory.setRights(0o444, of: "pawl.db")
    try shell.tell("publish taxi 1.0 → 77 ledger.read-only\nstatus")
  }

  @Test func `the ledger is named by the option before the environment`() throws {
    try shell.tell("init --ledger @other.db\nhistory --ledger @other.db → head.seq=1")
    shell.environment["PAWL_LEDGER"] = shell.directory.file("other.db")
    try shell.tell("history → head.seq=1\nhistory --ledger @pawl.db → head.seq=2")
  }

  // MARK: Files to import

  private func imports(_ bytes: [UInt8], _ words: String = "") throws -> Ran {
    try shell.directory.write(bytes, to: "past.csv")
    return shell.run(
      ["import", "taxi", shell.directory.file("past.csv"), "--json", "--yes"]
        + words.split(separator: " ").map(String.init))
  }

  @Test(arguments: [
    "\u{FEFF}version,released_at\n1.0,2027-01-01T00:00:00Z\n1.1,2027-01-02T00:00:00Z\n",
    "version,released_at\r\n1.0,2027-01-01T00:00:00Z\r\n1.1,2027-01-02T00:00:00Z\r\n",
    "\"version\",\"released_at\"\n\"1.0\",\"2027-01-01T00:00:00Z\"\n1.1,2027-01-02T00:00:00Z",
    "released_at,extra,version\n2027-01-01T00:00:00Z,x,1.0\n2027-01-02T00:00:00Z,\"a,b\",1.1\n",
    "version,released_at,notes\n1.1,2027-01-02T00:00:00Z,\"a \"\"fast\"\"\nstart, really\"\n1.0,2027-01-01T01:00:00+01:00,\n",
    "VERSION , Released_At\n1.0,2027-01-01T00:00:00Z\n\n1.1,2027-01-02T00:00:00Z\n",
    #"[{"version":"1.0","released_at":"2027-01-01T00:00:00Z"},{"version":"1.1","releasedAt":"2027-01-02T00:00:00Z"}]"#,
  ])
  func `a file that says two releases gives two, however it is written`(text: String) throws {
    let ran = try imports(Array(text.utf8))
    #expect(ran.status == 0 && ran.json["imported"] == 2, "\(ran.err)")
    let board = shell.run("status taxi --json").json["apps"]?.array?.first
    let releases = board?["releases"]?.array ?? []
    #expect(releases.map { $0["version"]?.string } == ["1.1", "1.0"])
    #expect(releases.map { $0["liveAt"]?.string } == ["2027-01-02T00:00:00Z", "2027-01-01T00:00:00Z"])
    #expect(releases.map { $0["state"]?.string } == ["live", "superseded"])
    if text.contains("fast") { #expect(releases.first?["notes"]?["und"] == "a \"fast\"\nstart, really") }
  }

  @Test(
    arguments: [
      [], Array("\n\n".utf8), Array("version\n1.0\n".utf8), Array("released_at\n".utf8),
      Array("version,version,released_at\n".utf8), Array("1.0,2027-01-01T00:00:00Z\n".utf8),
      Array("version,released_at\n1.0,\"2027-01-01T00:00:00Z\n".utf8), Array("[1,2".utf8), Array("{}".utf8),
      Array("version,released_at\n1.0,".utf8) + [0xFF, 0xFE], [0x50, 0x4B, 3, 4],
      Array("version,released_at\n\"1.0\"x,2027-01-01T00:00:00Z\n".utf8),
    ] as [[UInt8]])
  func `a file that is no history is refused as a whole`(bytes: [UInt8]) throws {
    let head = shell.head()
    let ran = try imports(bytes)
    #expect(ran.status == 65 && ran.errorID == "import.unusable-file", "\(ran.err)")
    #expect(try imports(bytes, "--skip-refused").status == 65)
    #expect(shell.head() == head)
  }

  @Test func `each bad line is named with its reason, and nothing is taken`() throws {
    let text = """
      version,released_at,build
      1.0,2027-01-01T00:00:00Z,1
      v1.1,2027-01-02T00:00:00Z,
      1.2,2027-01-03T00:00:0,
      1.3,2027-01-04T00:00:00Z,x
      1.4,2027-01-05T00:00:00Z
      1.5,2027-01-06T00:00:00Z,1,2
      1.6.0.1,2027-01-07T00:00:00Z,
      1.7,2037-01-01T00:00:00Z,
      0.9,2027-01-08T00:00:00Z,
      1.0.0,2027-01-09T00:00:00Z,
      """
    let expected: [[JSON]] = [
      [3, "version.malformed"], [4, "time.malformed"], [5, "build.malformed"], [6, "import.columns"],
      [7, "import.columns"], [8, "version.malformed"], [9, "time.future"], [10, "version.not-greater"],
      [11, "version.not-greater"],
    ]
    let head = shell.head()
    let ran = try imports(Array(text.utf8))
    #expect(ran.status == 65 && shell.head() == head)
    #expect((ran.json["refused"]?.array ?? []).map { [$0["line"] ?? .null, $0["id"] ?? .null] } == expected)
    let taken = try imports(Array(text.utf8), "--skip-refused")
    #expect(taken.status == 0 && taken.json["imported"] == 1)
    #expect((taken.json["refused"]?.array ?? []).count == expected.count)
    #expect(shell.head() == (head ?? 0) + 1)
  }

  // MARK: --stdin

  @Test func `a bad line of standard input answers in its place and the rest go on`() throws {
    try shell.tell("past taxi 1.0")
    let input = "1.0\n\nv1\n0.9 17.1\r\n1.0 17 x\n\t 2.0 \n１.0\n1.0 v17\n0.9"
    let ran = shell.run("check taxi --stdin", input: Array(input.utf8))
    #expect(ran.status == 65)
    let ids = ran.lines.map { $0["error"]?["id"]?.string }
    #expect(
      ids == [
        nil, "line.malformed", "version.malformed", nil, "line.malformed", nil, "version.malformed",
        "version.malformed", nil,
      ])
    #expect(ran.lines.enumerated().allSatisfy { $1["error"] == nil || $1["line"] == .integer(Int64($0) + 1) })
    // Each good line answers as the command alone does.
    for (index, words) in [(0, "1.0"), (3, "0.9 --os 17.1"), (5, "2.0"), (8, "0.9")] {
      #expect(ran.lines[index] == shell.run("check taxi \(words) --json").json, "\(words)")
    }
    #expect(shell.run("check taxi --stdin").out.isEmpty)
  }

  @Test func `a line answers as the command alone does, whatever the system`() throws {
    for (version, system) in [("1.0", "12"), ("1.1", "15"), ("1.2", "17.1")] {
      try shell.done("publish taxi \(version) --min-os \(system)")
      try shell.done("mark taxi \(version) live --visible-now --yes")
    }
    try shell.done("force taxi 1.0 --reason bug --yes")
    try shell.done("allow taxi below:1.0 --until 2h")
    try shell.done("force taxi 0.8 --from 2h --reason bug --yes")
    let asked = ["0.8", "0.9", "1.0", "1.1", "1.1.5", "1.2", "2.0"].flatMap { version in
      ["", " 9", " 12", " 14.9", " 15.0.1", " 17.1", " 99"].map { version + $0 }
    }
    let told = shell.run("check taxi --stdin", input: Array(asked.joined(separator: "\n").utf8)).lines
    #expect(told.count == asked.count && Set(told.map { $0["decidedBy"]?.string }).count > 3)
    for (answer, words) in zip(told, asked) {
      let alone = "check taxi \(words.replacing(" ", with: " --os ")) --json"
      #expect(try answer == shell.done(alone).json, "\(words)")
    }
  }

  @Test func `lines for several threads are answered in their order, bad ones with their number`() throws {
    let lines = (0..<50_000).map { $0 % 9_973 == 0 ? "bad" : "\($0 % 7).\($0)" }
    let ran = shell.run("check taxi --stdin", input: Array((lines.joined(separator: "\n") + "\n").utf8))
    #expect(ran.status == 65)
    let answers = ran.out.split(separator: "\n")
    #expect(answers.count == lines.count)
    let isInOrder = zip(answers, lines).enumerated().allSatisfy { index, pair in
      pair.1 == "bad"
        ? pair.0.hasSuffix("\"line\":\(index + 1)}") : pair.0.hasSuffix("\"version\":\"\(pair.1)\"}")
    }
    #expect(isInOrder)
  }

  @Test func `invalid UTF-8 on standard input is a bad line and no more`() throws {
    let ran = shell.run("check taxi --stdin", input: [0x31, 0x0A, 0xFF, 0xFE, 0x0A, 0x31, 0x0A])
    #expect(ran.status == 65)
    #expect(ran.lines.map { $0["error"]?["id"]?.string } == [nil, "version.malformed", nil])
  }

  @Test(arguments: ["\u{301}", "\u{200D}", "=\u{301}="])
  func `a note may begin with a mark that joins the sign before it`(text: String) throws {
    let ran = shell.run(["publish", "taxi", "9.9", "--note", "en=" + text, "--json"])
    #expect(ran.status == 0, "\(ran.err)")
    #expect(ran.json["release"]?["notes"]?["en"]?.string?.utf8.elementsEqual(text.utf8) == true, "\(ran.out)")
  }
}

import JSON
import TestSupport
import Testing

@Suite struct BadInputTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
  }

  @Test(arguments: ["\0", "\u{1}", "\u{1B}[2J", "a\rb", "\u{7F}", "a\u{9B}2J"])
  func `no text that is recorded holds a control character`(text: String) throws {
    let json = JSON.string(text).text()
    try shell.directory.write("new: \(text)!", to: "notes")
    try shell.directory.write("{\"en\": \(json)}", to: "notes.json")
    try shell.directory.write(
      #"[{"version":"1.0","released_at":"2026-01-01","notes":\#(json)}]"#, to: "past.json")
    let lookup = try shell.lookup("taxi", "1.0").split(separator: "\n")
      .map {
        $0.hasPrefix("   \"releaseNotes\"") ? "\"releaseNotes\": \(JSON.string("x" + text).text())," : $0
      }
    try shell.directory.write(lookup.joined(separator: "\n"), to: "lookup")
    try shell.tell(
      """
      publish taxi 1.0 --yes --notes @notes → 65 text.control-character
      publish taxi 1.0 --yes --notes @notes.json → 65 text.control-character
      import taxi @past.json --yes → 65 refused.0.id=text.control-character
      live taxi 1.0
      ingest lookup taxi @lookup
      app set taxi --name "x\(text)" → 64
      show taxi 1.0 → release.notes={}
      verify
      """)
  }

  @Test func `a note of a file with carriage returns and line feeds has line feeds`() throws {
    try shell.directory.write(Array("one\r\ntwo\r\n\tthree".utf8), to: "notes")
    try shell.tell("publish taxi 1.0 --yes --notes @notes\npublish taxi 1.0 --notes @notes → same")
    #expect(try shell.release("1.0")?["notes"] == ["und": "one\ntwo\n\tthree"])
  }

  @Test(arguments: ["\u{301}", "\u{200D}", "=\u{301}="])
  func `a note may begin with a mark that joins the sign before it`(text: String) throws {
    let ran = shell.run(["publish", "taxi", "9.9", "--yes", "--note", "en=" + text, "--json"])
    #expect(ran.json["release"]?["notes"]?["en"]?.string?.utf8.elementsEqual(text.utf8) == true, "\(ran)")
  }

  // MARK: The ledger's file

  @Test(arguments: ["status", "publish taxi 9.9 --yes"])
  func `a ledger that is something else is said to be so`(command: String) throws {
    try shell.tell("file text.db version,released_at\nfile empty.db \"\"")
    for name in ["text.db", "empty.db"] { try shell.directory.setRights(0o640, of: name) }
    try shell.directory.directory("folder.db")
    try shell.directory.link("link.db", to: shell.ledger)
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
    try shell.directory.setRights(0o444, of: "pawl.db")
    try shell.tell("publish taxi 1.0 --yes → 77 ledger.read-only\nstatus")
  }

  @Test func `the ledger is named by the option before the environment`() throws {
    try shell.tell(
      """
      init --ledger @other.db
      history --ledger @other.db → head.seq=1
      set PAWL_LEDGER=@other.db
      history → head.seq=1
      history --ledger @pawl.db → head.seq=2
      """)
  }

  // MARK: Files to import

  @Test(arguments: [
    "\u{FEFF}version,released_at\n1.0,2027-01-01T00:00:00Z\n1.1,2027-01-02T00:00:00Z\n",
    "version,released_at\r\n1.0,2027-01-01T00:00:00Z\r\n1.1,2027-01-02T00:00:00Z\r\n",
    "\"version\",\"released_at\"\n\"1.0\",\"2027-01-01T00:00:00Z\"\n1.1,2027-01-02T00:00:00Z",
    "released_at,extra,version\n2027-01-01T00:00:00Z,x,1.0\n2027-01-02T00:00:00Z,\"a,b\",1.1\n",
    "version,released_at,notes\n1.1,2027-01-02T00:00:00Z,\"a \"\"fast\"\"\nstart\"\n1.0,2027-01-01T01:00:00+01:00,\n",
    "VERSION , Released_At\n1.0,2027-01-01T00:00:00Z\n\n1.1,2027-01-02T00:00:00Z\n",
    #"[{"version":"1.0","released_at":"2027-01-01T00:00:00Z"},{"version":"1.1","releasedAt":"2027-01-02T00:00:00Z"}]"#,
  ])
  func `a file that says two releases gives two, however it is written`(text: String) throws {
    try shell.directory.write(text, to: "past")
    try shell.tell(
      """
      import taxi @past --yes → imported=2
      releases taxi → releases.*.version=[1.1,1.0] releases.*.state=[live,superseded]
      releases taxi → releases.*.liveAt=[2027-01-02T00:00:00Z,2027-01-01T00:00:00Z]
      """)
    let note = try shell.release("1.1")?["notes"]?["und"]?.string
    #expect(note == (text.hasPrefix("version,released_at,notes") ? "a \"fast\"\nstart" : nil))
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
    try shell.directory.write(bytes, to: "past")
    try shell.tell(
      """
      import taxi @past --yes → 65 import.unusable-file
      import taxi @past --yes --skip-refused → 65
      """)
  }

  @Test func `each bad line is named with its reason, and nothing is taken`() throws {
    try shell.directory.write(
      """
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
      """, to: "past")
    let lines = "refused.*.line=[3,4,5,6,7,8,9,10,11]"
    let ids =
      "version.malformed,time.malformed,build.malformed,import.columns,import.columns,version.malformed,time.future,version.not-greater,version.not-greater"
    try shell.tell(
      """
      import taxi @past --yes → 65 \(lines) refused.*.id=[\(ids)]
      import taxi @past --yes --skip-refused → imported=1 \(lines)
      history → head.seq=3
      """)
  }

  // MARK: --stdin

  @Test func `a bad line of standard input answers in its place and the rest go on`() throws {
    try shell.tell("past taxi 1.0")
    let input =
      Array("1.0\n\nv1\n0.9 17.1\r\n1.0 17 x\n\t 2.0 \n１.0\n1.0 v17\n0.9\n".utf8) + [0xFF, 0xFE, 0x0A]
    let ran = shell.run("check taxi --stdin", input: input)
    #expect(ran.status == 65)
    #expect(
      ran.lines.map { $0["error"]?["id"]?.string } == [
        nil, "line.malformed", "version.malformed", nil, "line.malformed", nil, "version.malformed",
        "version.malformed", nil, "version.malformed",
      ])
    #expect(ran.lines.enumerated().allSatisfy { $1["error"] == nil || $1["line"] == .integer(Int64($0) + 1) })
    #expect(shell.run("check taxi --stdin").out.isEmpty)
  }

  @Test func `a line answers as the command alone does, whatever the system`() throws {
    try shell.tell(
      [("1.0", "12"), ("1.1", "15"), ("1.2", "17.1")].map {
        "publish taxi \($0) --yes --min-os \($1)\nmark taxi \($0) live --visible-now --yes\n"
      }.joined()
        + """
        force taxi 1.0 --reason bug --yes
        allow taxi below:1.0 --until 2h
        force taxi 0.8 --from 2h --reason bug --yes
        """)
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
      pair.0.hasSuffix(pair.1 == "bad" ? "\"line\":\(index + 1)}" : "\"version\":\"\(pair.1)\"}")
    }
    #expect(isInOrder)
  }
}

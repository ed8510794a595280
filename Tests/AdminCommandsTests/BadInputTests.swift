import JSON
import TestSupport
import Testing

@Suite struct BadInputTests {
  private let shell: Shell

  init() throws { shell = try Shell.taxi() }

  @Test(arguments: ["\0", "\u{1}", "\u{1B}[2J", "a\rb", "\u{7F}", "a\u{9B}2J"])
  func `text with a control character is not recorded`(text: String) throws {
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
      app set taxi --name "x\(text)" → 64 usage.invalid-value/control
      show taxi 1.0 → release.notes={}
      verify
      """)
  }

  @Test func `carriage returns before line feeds are dropped from a notes file`() throws {
    try shell.directory.write(Array("one\r\ntwo\r\n\tthree".utf8), to: "notes")
    try shell.tell("publish taxi 1.0 --yes --notes @notes\npublish taxi 1.0 --notes @notes → same")
    #expect(try shell.release("1.0")?["notes"] == ["und": "one\ntwo\n\tthree"])
  }

  @Test(arguments: ["\u{301}", "\u{200D}", "=\u{301}="])
  func `a note may begin with a character that combines with the one before it`(text: String) throws {
    let ran = shell.run(["publish", "taxi", "9.9", "--yes", "--note", "en=" + text, "--json"])
    #expect(ran.json["release"]?["notes"]?["en"]?.string?.utf8.elementsEqual(text.utf8) == true, "\(ran)")
  }

  // MARK: --stdin

  @Test func `a bad line of standard input gets an error in its place, and the others an answer`() throws {
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

  @Test func `a line of standard input gets the answer of the same single check`() throws {
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
      // Which versions have no document is said of one that is asked for by itself.
      let members = try #require(shell.done(alone).json.object).members.filter { $0.key != "noFile" }
      #expect(answer == .object(JSON.Object(members.map { ($0.key, $0.value) })), "\(words)")
    }
  }

  @Test func `many lines are answered in order, and each error has its line number`() throws {
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

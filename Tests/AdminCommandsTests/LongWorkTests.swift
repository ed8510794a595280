import JSON
import Platform
import TestSupport
import Testing

@Suite struct LongWorkTests {
  private static let interrupt: Int32 = 2

  private func shell(lines: Int) throws -> Shell {
    let shell = try Shell.taxi()
    let past = (1...lines).map { "1.\($0),2026-01-01T00:00:\($0 < 10 ? "0" : "")\($0)Z\n" }
    try shell.directory.write("version,released_at\n" + past.joined(), to: "past")
    return shell
  }

  private func stop(_ shell: Shell, _ line: String, after looks: Range<Int>, _ check: (Ran) throws -> Void)
    rethrows
  {
    for looks in looks {
      shell.stop = (looks, LongWorkTests.interrupt)
      let ran = shell.run(line)
      #expect(ran.status == 130, "\(line), \(looks): \(ran.err)")
      try check(ran)
    }
    shell.stop = nil
  }

  @Test func `an import stopped at any point records nothing, and succeeds when repeated`() throws {
    let shell = try shell(lines: 9)
    stop(shell, "import taxi @past --yes", after: 0..<18) { ran in
      #expect(ran.out.isEmpty && ran.err.hasPrefix("error: interrupted; none of"))
      #expect(shell.listenings == [.whileWorking, nil])
    }
    #expect(shell.head() == 2)
    try shell.tell("verify\nimport taxi @past --yes")
    #expect(shell.head() == 11)
    stop(shell, "verify", after: 0..<5) { #expect($0.out.isEmpty) }
  }

  @Test(arguments: [(Int32(2), Int32(130)), (15, 143), (1, 129)])
  func `the exit status and the JSON error give the signal`(signal: Int32, status: Int32) throws {
    let shell = try shell(lines: 2)
    shell.stop = (1, signal)
    let ran = shell.run("import taxi @past --yes --json")
    #expect(ran.status == status)
    #expect(ran.errorID == "interrupted" && ran.error["details"]?["signal"]?.integer == Int64(signal))
  }

  @Test func `mails taken in before a stop stay, and repeating the command takes in the rest`() throws {
    let room = try Mailroom.open()
    for index in 0..<5 {
      try room.tell(
        "file \(index) \"From: a@example.com\\nTo: b@example.com\\nSubject: \(index)\\n\\nhello\\n\"")
    }
    let head = try #require(room.head())
    let line = "ingest mail @0 @1 @2 @3 @4"
    stop(room, line, after: 0..<1) { _ in #expect(room.head() == head) }
    stop(room, line + " --request-id a", after: 3..<4) { _ in #expect(room.head() == head) }
    stop(room, line, after: 3..<4) { _ in #expect(room.head() == head + 3) }
    try room.tell("\(line) → results.*.outcome=[duplicate,duplicate,duplicate,ignored,ignored]\nverify")
    // A mail server's pipe is told to try again.
    room.stop = (0, 15)
    #expect(room.run("ingest mail -", input: Array("From: a@example.com\r\n\r\nx".utf8)).status == 75)
  }

  @Test func `a stopped backup leaves no new file and keeps the earlier backup`() throws {
    let shell = try shell(lines: 1)
    try shell.done("backup @copy.db")
    let bytes = try shell.bytes("copy.db")
    let names = try fileNames(in: shell.directory.path).sorted()
    try shell.done("app set taxi --name Taxi")
    try stop(shell, "backup @copy.db --replace", after: 0..<4) { (_: Ran) throws in
      #expect(try shell.bytes("copy.db") == bytes)
      #expect(try fileNames(in: shell.directory.path).sorted() == names)
    }
  }

  @Test func `a stopped export is finished by later runs, with the same manifest`() throws {
    let shell = try shell(lines: 3)
    try shell.tell("import taxi @past --yes\nexport @whole")
    var looks = 0
    while true {
      shell.stop = (looks, LongWorkTests.interrupt)
      let ran = shell.run("export @torn")
      if ran.status == 0 { break }
      #expect(ran.status == 130, "\(ran.err)")
      looks += 1
    }
    #expect(looks > 5)
    #expect(try shell.bytes("torn/manifest.json") == shell.bytes("whole/manifest.json"))
  }

  @Test func `a change is recorded even if its export is stopped`() throws {
    let shell = try shell(lines: 1)
    try shell.done("init --export @out")
    let head = try #require(shell.head())
    stop(shell, "publish taxi 2.0 --yes", after: 0..<1) { _ in }
    #expect(shell.head() == head + 1)
  }

  @Test func `Ctrl-C at a question records nothing`() throws {
    let shell = try shell(lines: 2)
    try shell.tell("import taxi @past --yes\nset NO_COLOR=1")
    let head = shell.head()
    shell.terminalWidth = 80
    stop(shell, "app set taxi --policy force", after: 0..<1) { ran in
      #expect(
        ran.err.hasSuffix(
          "[y/N] \nerror: interrupted; nothing was recorded\nhint: run the same command again\n"))
      #expect(shell.listenings == [.whileAsking, nil])
    }
    #expect(shell.head() == head)
  }
}

import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

/// Long work that somebody stops at each point at which it looks, and what it says meanwhile.
@Suite struct LongWorkTests {
  private static let interrupt: Int32 = 2

  /// A ledger with an app and a file of so many past releases.
  private func shell(lines: Int) throws -> (Shell, String) {
    let shell = try Shell.taxi()
    let past = (1...lines).map { "1.\($0),2026-01-01T00:00:\($0 < 10 ? "0" : "")\($0)Z\n" }
    try shell.directory.write(Array(("version,released_at\n" + past.joined()).utf8), to: "past.csv")
    return (shell, shell.directory.file("past.csv"))
  }

  @Test
  func
    `an import that is stopped records nothing, wherever it is stopped, and the same command goes through`()
    throws
  {
    let (shell, file) = try shell(lines: 9)
    for looks in 0..<18 {
      shell.stop = (looks, LongWorkTests.interrupt)
      let ran = shell.run("import taxi \(file) --yes")
      #expect(
        ran.status == 130 && ran.out.isEmpty && ran.err.hasPrefix("error: interrupted; none of"), "\(looks)")
      #expect(shell.listenings == [.whileWorking, nil], "\(looks)")
    }
    shell.stop = nil
    #expect(shell.head() == 2)
    try shell.done("verify")
    try shell.done("import taxi \(file) --yes")
    #expect(shell.head() == 11)
  }

  @Test(arguments: [(Int32(2), Int32(130)), (15, 143), (1, 129)])
  func `the status says by which signal, and JSON has it too`(signal: Int32, status: Int32) throws {
    let (shell, file) = try shell(lines: 2)
    shell.stop = (1, signal)
    let ran = shell.run("import taxi \(file) --yes --json")
    #expect(ran.status == status)
    #expect(ran.errorID == "interrupted" && ran.error["details"]?["signal"]?.integer == Int64(signal))
  }

  @Test
  func `mails that were taken in before somebody stopped stay, and the same command takes in the others`()
    throws
  {
    let room = try Mailroom()
    var files: [String] = []
    for index in 0..<5 {
      let mail = "From: a@example.com\r\nTo: b@example.com\r\nSubject: \(index)\r\n\r\nhello\r\n"
      try room.shell.directory.write(Array(mail.utf8), to: "\(index).eml")
      files.append(room.shell.directory.file("\(index).eml"))
    }
    let head = try #require(room.shell.head())
    let line = ["ingest", "mail"] + files
    room.shell.stop = (0, LongWorkTests.interrupt)
    #expect(room.shell.run(line).status == 130 && room.shell.head() == head)
    room.shell.stop = (3, LongWorkTests.interrupt)
    #expect(room.shell.run(line + ["--request-id", "a"]).status == 130 && room.shell.head() == head)
    #expect(room.shell.run(line).status == 130 && room.shell.head() == head + 3)
    room.shell.stop = nil
    let outcomes = room.shell.run(line + ["--json"]).json["results"]?.array?.compactMap {
      $0["outcome"]?.string
    }
    #expect(outcomes == ["duplicate", "duplicate", "duplicate", "ignored", "ignored"])
    try room.expectReplay()
  }

  @Test func `a mail server's pipe is told to try again`() throws {
    let room = try Mailroom()
    room.shell.stop = (0, 15)
    #expect(room.shell.run("ingest mail -", input: Array("From: a@example.com\r\n\r\nx".utf8)).status == 75)
  }

  @Test func `a verification that is stopped says how far it came`() throws {
    let (shell, file) = try shell(lines: 9)
    try shell.done("import taxi \(file) --yes")
    for looks in 0..<5 {
      shell.stop = (looks, LongWorkTests.interrupt)
      let ran = shell.run("verify")
      #expect(ran.status == 130 && ran.out.isEmpty)
    }
  }

  @Test func `a backup that is stopped leaves no file, and the one before as it was`() throws {
    let (shell, _) = try shell(lines: 1)
    let copy = shell.directory.file("copy.db")
    try shell.done("backup \(copy)")
    let (bytes, names) = (
      try readFile(copy, limit: 1 << 20), try fileNames(in: shell.directory.path).sorted()
    )
    try shell.done("app set taxi --name Taxi")
    for looks in 0..<4 {
      shell.stop = (looks, LongWorkTests.interrupt)
      let ran = shell.run("backup \(copy) --replace")
      #expect(ran.status == 130)
      #expect(try readFile(copy, limit: 1 << 20) == bytes)
      #expect(try fileNames(in: shell.directory.path).sorted() == names)
    }
  }

  @Test func `an export that is stopped is finished by the next, to the same tree`() throws {
    let (shell, file) = try shell(lines: 3)
    try shell.done("import taxi \(file) --yes")
    let (whole, torn) = (shell.directory.file("whole"), shell.directory.file("torn"))
    try shell.done("export \(whole)")
    var looks = 0
    while true {
      shell.stop = (looks, LongWorkTests.interrupt)
      let ran = shell.run("export \(torn)")
      if ran.status == 0 { break }
      #expect(ran.status == 130, "\(ran.err)")
      looks += 1
    }
    #expect(looks > 5)
    #expect(
      try readFile("\(torn)/manifest.json", limit: 1 << 20)
        == readFile("\(whole)/manifest.json", limit: 1 << 20))
  }

  @Test func `a report that is stopped is finished by the next`() throws {
    let (shell, file) = try shell(lines: 3)
    try shell.done("import taxi \(file) --yes")
    let directory = shell.directory.file("report")
    shell.stop = (0, LongWorkTests.interrupt)
    let ran = shell.run("report \(directory)")
    #expect(ran.status == 130, "\(ran.err)")
    #expect((try? readFile("\(directory)/taxi.html", limit: 1 << 20)) == nil)
    shell.stop = nil
    try shell.done("report \(directory)")
    #expect(try fileNames(in: directory).contains("taxi.html"))
  }

  @Test func `a change whose documents were stopped is recorded, and says so`() throws {
    let (shell, _) = try shell(lines: 1)
    try shell.done("init --export \(shell.directory.file("out"))")
    let head = try #require(shell.head())
    shell.stop = (0, LongWorkTests.interrupt)
    let ran = shell.run("publish taxi 2.0")
    #expect(ran.status == 130)
    shell.stop = nil
    #expect(shell.head() == head + 1)
  }

  @Test func `Ctrl-C at a question records nothing`() throws {
    let (shell, file) = try shell(lines: 2)
    try shell.done("import taxi \(file) --yes")
    shell.terminalWidth = 80
    shell.environment["NO_COLOR"] = "1"
    shell.stop = (.max, LongWorkTests.interrupt)
    let head = shell.head()
    shell.stop = (0, LongWorkTests.interrupt)
    let ran = shell.run("app set taxi --policy force")
    #expect(ran.status == 130)
    #expect(
      ran.err.hasSuffix(
        "Continue? [y/N] \nerror: interrupted; nothing was recorded\nhint: run the same command again\n"))
    #expect(shell.listenings == [.whileAsking, nil])
    shell.stop = nil
    #expect(shell.head() == head)
  }
}

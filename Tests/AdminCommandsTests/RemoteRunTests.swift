import JSON
import Platform
import Testing

@Suite struct RemoteRunTests {
  private let shell: Shell

  init() throws {
    shell = try Shell(makesLedger: false)
    shell.environment["PAWL_LEDGER"] = "ssh://pawl@ledger.example.com:2222/srv/pawl.db"
  }

  /// Runs a line where the other side ends with a status: the words of the program it starts, nil where it starts none.
  private func run(_ line: String, status: Int32 = 0) -> (started: [String]?, ran: Ran) {
    var started: [String]?
    shell.program = {
      started = $0
      return status
    }
    let ran = shell.run(line)
    return (started, ran)
  }

  @Test func `ssh gets its options, the host and the command in one word`() {
    #expect(
      run("check taxi 7.3.1").started == [
        "ssh", "-T", "-n", "-p", "2222", "-l", "pawl", "--", "ledger.example.com",
        "pawl check '--ledger=/srv/pawl.db' -- taxi 7.3.1",
      ])
  }

  @Test func `the ledger option takes precedence over the variable, anywhere in the line`() {
    let started = run("--ledger ssh://other/~/x.db status --json").started
    #expect(started == ["ssh", "-T", "-n", "--", "other", "pawl status '--ledger=x.db' --json"])
    #expect(run("status --ledger=none.db").started == nil)
  }

  @Test func `wait waits on this machine and asks the other host again`() {
    var lines: [String] = []
    // Away at first sight is a mistake; later it passes. The release is there at the third answer.
    var statuses: [Int32] = [75, 255, 0]
    shell.answer = { words in
      lines.append(words.last ?? "")
      return ProgramEnd(status: statuses.removeFirst(), output: Array("\(lines.count)".utf8))
    }
    let ran = shell.run("wait taxi 7.4.0 live --timeout 5m")
    #expect(ran.status == 0 && ran.out == "3" && shell.slept == [60, 60])
    #expect(
      lines == Array(repeating: "pawl wait '--ledger=/srv/pawl.db' --timeout=0 -- taxi 7.4.0 live", count: 3))
    statuses = [255]
    #expect(shell.run("wait taxi 7.4.0 live").status == 74)
    statuses = [75, 75]
    #expect(shell.run("wait taxi 7.4.0 live --timeout 20s").status == 75)
  }

  @Test func `the actor's name is passed on, and the remote program may have another name`() {
    shell.environment["PAWL_ACTOR"] = "o'brien"
    shell.environment["PAWL_REMOTE"] = "/opt/p awl"
    shell.environment["NO_COLOR"] = "1"
    #expect(
      run("stop taxi --reason \"it's late\" --actor=me").started?.last
        == #"PAWL_ACTOR='o'\''brien' '/opt/p awl' stop '--ledger=/srv/pawl.db' '--reason=it'\''s late' '--actor=me' -- taxi"#
    )
  }

  @Test func `ssh gets -t only if all three streams are terminals`() {
    shell.terminalWidth = 80
    for index in 0..<8 {
      shell.piped = (index & 1 != 0, index & 2 != 0, index & 4 != 0)
      let words = run("status").started ?? []
      #expect(words.contains(index == 0 ? "-t" : "-T") && !words.contains(index == 0 ? "-T" : "-t"))
    }
  }

  @Test(arguments: [
    ("check taxi 1.0", false), ("check taxi --stdin", true), ("import taxi -", true),
    ("ingest lookup taxi", true), ("ingest mail -", true), ("publish taxi 2.0 --yes", false),
    ("publish taxi 2.0 --yes --notes -", true), ("status", false),
  ])
  func `standard input is passed on only to commands that read it`(line: String, reads: Bool) {
    #expect(run(line).started?.contains("-n") == !reads)
  }

  @Test(arguments: [
    "import taxi past.csv", "publish taxi 2.0 --yes --notes notes.txt", "ingest mail a.eml b.eml",
    "ingest lookup taxi answer.json",
    "trust dkim email.apple.com x --key key.pem", "checkpoint --key signing.key",
    "verify --checkpoint head.txt", "verify --checkpoint - --signer release.pub",
  ])
  func `a file of this machine is refused, and ssh is not started`(line: String) {
    let (started, ran) = run("\(line) --json")
    // A mail server is asked to try again only for what it hands over itself.
    #expect(started == nil && ran.status == 64 && ran.errorID == "ssh.local-file")
  }

  @Test(arguments: [
    ("backup a.db", "pawl backup '--ledger=/srv/pawl.db' -- a.db"),
    ("export out", "pawl export '--ledger=/srv/pawl.db' -- out"),
    ("ingest mail --maildir box", "pawl ingest mail '--ledger=/srv/pawl.db' '--maildir=box'"),
  ])
  func `a directory or a backup is one of the other host`(line: String, handed: String) {
    #expect(run(line).started?.last == handed)
  }

  @Test(
    arguments: [
      (0, 0, nil), (1, 1, nil), (64, 64, nil), (75, 75, nil), (130, 130, nil), (143, 143, nil),
      (255, 74, "ssh.failed/question"), (127, 66, "ssh.no-pawl"),
    ] as [(Int32, Int32, String?)])
  func `the exit status is the other host's, but for ssh's errors`(theirs: Int32, ours: Int32, key: String?) {
    let ran = run("status --json", status: theirs).ran
    #expect(ran.status == ours && key.map(ran.says) ?? (ran.error == .null))
    // A mail server is asked to try again whatever the other side says.
    #expect(run("ingest mail -", status: theirs).ran.status == (theirs == 0 ? 0 : 75))
  }

  @Test func `after an error of ssh a change may have been recorded`() {
    #expect(run("stop taxi --json", status: 255).ran.says("ssh.failed"))
    shell.terminalWidth = 80
    let ran = run("stop taxi --json", status: 255).ran
    #expect(ran.says("ssh.failed/terminal"))
    #expect(ran.error["hint"]?.string?.contains("a change may have been recorded") == true)
  }

  @Test(arguments: ["check --help", "check", "chek taxi", "--version"])
  func `help and usage errors are answered without ssh`(line: String) {
    #expect(run(line).started == nil)
  }
}

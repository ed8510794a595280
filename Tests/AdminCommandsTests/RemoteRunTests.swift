import AdminCommands
import Platform
import Testing

/// What a command with a ledger elsewhere hands to ssh.
private struct Elsewhere {
  var environment: [String: String] = ["PAWL_LEDGER": "ssh://pawl@ledger.example.com:2222/srv/pawl.db"]
  /// Whether input, output and errors are terminals.
  var terminals = (false, false, false)
  var status: Int32 = 0

  /// Runs a command: the words of the program it starts, nil where it starts none; status and errors.
  func run(_ words: [String]) -> (started: [String]?, status: Int32, err: String) {
    var started: [String]?
    var err: [UInt8] = []
    let context = PawlContext.played(by: "engineer@ci.example.com") { environment[$0] }
    context.writeError = { err += $0 }
    context.runProgram = { words in
      started = words
      return status
    }
    (context.isInputTerminal, context.isOutputTerminal, context.isErrorTerminal) = terminals
    let ended = AdminCommands.run(words, context)
    return (started, ended, String(decoding: err, as: UTF8.self))
  }

  func line(_ words: String...) -> String? { run(words).started?.last }
}

@Suite struct RemoteRunTests {
  @Test func `ssh gets the host behind its options, and one line`() {
    let ran = Elsewhere().run(["check", "taxi", "7.3.1"])
    #expect(
      ran.started == [
        "ssh", "-T", "-n", "-p", "2222", "-l", "pawl", "--", "ledger.example.com",
        "pawl check '--ledger=/srv/pawl.db' -- taxi 7.3.1",
      ])
    #expect(ran.status == 0)
  }

  @Test func `the option names the ledger before the variable does, wherever it stands`() {
    let ran = Elsewhere().run(["--ledger", "ssh://other/~/x.db", "status", "--json"])
    #expect(ran.started == ["ssh", "-T", "-n", "--", "other", "pawl status '--ledger=x.db' --json"])
    #expect(Elsewhere().run(["status", "--ledger=none.db"]).started == nil)
  }

  @Test func `who waits for a release waits here, and asks the other host again`() {
    let elsewhere = Elsewhere()
    var (lines, out, slept): ([String], [UInt8], [Double]) = ([], [], [])
    // Away at first sight is a mistake; later it passes. The release is there at the third answer.
    var statuses: [Int32] = [75, 255, 0]
    var seconds = 0.0
    let context = PawlContext.played(by: "engineer@ci.example.com") { elsewhere.environment[$0] }
    context.writeOutput = { out += $0 }
    context.seconds = { seconds }
    context.sleep = { span in
      slept.append(span)
      seconds += span
    }
    context.captureProgram = { words, _ in
      lines.append(words.last ?? "")
      return ProgramEnd(status: statuses.removeFirst(), output: Array("\(lines.count)".utf8))
    }
    #expect(AdminCommands.run(["wait", "taxi", "7.4.0", "live", "--timeout", "5m"], context) == 0)
    #expect(
      lines == Array(repeating: "pawl wait '--ledger=/srv/pawl.db' --timeout=0 -- taxi 7.4.0 live", count: 3))
    #expect(slept == [60, 60] && out == Array("3".utf8))
    statuses = [255]
    #expect(AdminCommands.run(["wait", "taxi", "7.4.0", "live"], context) == 74)
    statuses = [75, 75]
    #expect(AdminCommands.run(["wait", "taxi", "7.4.0", "live", "--timeout", "20s"], context) == 75)
  }

  @Test func `the person's name goes along, and the program may have another`() {
    var elsewhere = Elsewhere()
    elsewhere.environment["PAWL_ACTOR"] = "o'brien"
    elsewhere.environment["PAWL_REMOTE"] = "/opt/p awl"
    elsewhere.environment["NO_COLOR"] = "1"
    #expect(
      elsewhere.line("stop", "taxi", "--reason", "it's late", "--actor=me")
        == #"PAWL_ACTOR='o'\''brien' '/opt/p awl' stop '--ledger=/srv/pawl.db' '--reason=it'\''s late' '--actor=me' -- taxi"#
    )
  }

  @Test func `a terminal is asked for only where all three are terminals`() {
    for input in [false, true] {
      for output in [false, true] {
        for errors in [false, true] {
          var elsewhere = Elsewhere()
          elsewhere.terminals = (input, output, errors)
          let words = elsewhere.run(["status"]).started ?? []
          #expect(words.contains("-t") == (input && output && errors))
          #expect(words.contains("-T") != words.contains("-t"))
        }
      }
    }
  }

  @Test(arguments: [
    ("check taxi 1.0", false), ("check taxi --stdin", true), ("import taxi -", true),
    ("ingest lookup taxi", true),
    ("ingest mail -", true), ("publish taxi 2.0", false), ("publish taxi 2.0 --notes -", true),
    ("status", false),
  ])
  func `input is handed over only to who reads it`(line: String, reads: Bool) {
    let words = Elsewhere().run(line.split(separator: " ").map(String.init)).started
    #expect(words?.contains("-n") == !reads)
  }

  @Test(arguments: [
    "import taxi past.csv", "publish taxi 2.0 --notes notes.txt", "ingest mail a.eml b.eml",
    "ingest mail --mbox mails",
    "ingest lookup taxi answer.json", "trust dkim email.apple.com x --key key.pem",
    "checkpoint --key signing.key", "verify --checkpoint head.txt", "verify --public-key release.pub",
  ])
  func `a file of this machine is refused, and nobody is called`(line: String) {
    let ran = Elsewhere().run(line.split(separator: " ").map(String.init) + ["--json"])
    #expect(ran.started == nil)
    #expect(ran.err.contains(#""id":"ssh.local-file""#))
    // A mail server is asked to try again only for what it hands over itself.
    #expect(ran.status == 64)
  }

  @Test func `a directory is the other host's, and so is a backup`() {
    #expect(Elsewhere().line("backup", "a.db") == "pawl backup '--ledger=/srv/pawl.db' -- a.db")
    #expect(Elsewhere().line("export", "out") == "pawl export '--ledger=/srv/pawl.db' -- out")
    #expect(Elsewhere().line("ingest", "mail", "--maildir", "box")?.contains("'--maildir=box'") == true)
  }

  @Test func `the status is the other side's, but for ssh's own`() {
    var elsewhere = Elsewhere()
    for status: Int32 in [0, 1, 64, 75, 130, 143] {
      elsewhere.status = status
      #expect(elsewhere.run(["status"]).status == status)
    }
    elsewhere.status = 255
    let failed = elsewhere.run(["status", "--json"])
    #expect(failed.status == 74)
    #expect(failed.err.contains(#""id":"ssh.failed""#))
    elsewhere.status = 127
    let absent = elsewhere.run(["status", "--json"])
    #expect(absent.status == 66)
    #expect(absent.err.contains(#""id":"ssh.no-pawl""#))
  }

  @Test func `a mail server is asked to try again whatever the other side says`() {
    for status: Int32 in [1, 64, 77, 127, 255] {
      var elsewhere = Elsewhere()
      elsewhere.status = status
      #expect(elsewhere.run(["ingest", "mail", "-"]).status == 75)
    }
    #expect(Elsewhere().run(["ingest", "mail", "-"]).status == 0)
  }

  @Test func `help and wrong words are answered here`() {
    for words in [["check", "--help"], ["check"], ["chek", "taxi"], ["--version"]] {
      #expect(Elsewhere().run(words).started == nil)
    }
  }
}

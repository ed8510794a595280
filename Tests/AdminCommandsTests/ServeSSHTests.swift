import AdminCommands
import CommandLineKit
import JSON
import Platform
import TestSupport
import Testing

@Suite struct ServeSSHTests {
  private let shell: Shell
  private var other: String { shell.directory.file("other.db") }

  init() throws {
    shell = try Shell.taxi()
    try shell.tell(
      """
      publish taxi 1.0 --yes
      init --ledger @other.db
      app add secret --bundle-id com.example.secret --ledger @other.db
      """)
  }

  private func serve(_ line: String?, _ options: [String] = [], input: [UInt8] = []) -> Ran {
    shell.environment["SSH_ORIGINAL_COMMAND"] = line
    defer { shell.environment["SSH_ORIGINAL_COMMAND"] = nil }
    return shell.run(["serve-ssh"] + options, input: input)
  }

  // MARK: - Another ledger

  @Test func `no command line or variable reaches another ledger of the host`() throws {
    let lines = [
      "--complete 3 -- mark --ledger \(other) ''", "--complete 1 -- check '' --ledger \(other)",
      "--complete 3 -- mark --ledger=\(other) ''", "--complete 2 -- '--ledger=\(other)' check ''",
      "status --ledger \(other)", "status '--ledger=\(other)'", "--ledger \(other) status",
      "'--ledger=\(other)' app list", "check --ledger \(other) -- secret 1.0",
      "app list --ledger \(other) --json",
      "verify --ledger \(other)", "status --ledger ssh://127.0.0.1\(other)",
    ]
    for line in lines {
      let ran = serve("pawl \(line)")
      #expect(ran.status == 77, "\(line): \(ran.status) \(ran.err)")
      #expect(ran.out.isEmpty && !ran.err.contains("secret"), "\(line): \(ran.out)")
    }
    for name in ["PAWL_LEDGER", "PAWL_EXPORT", "PAWL_PRINCIPAL", "TZDIR"] {
      #expect(serve("\(name)=\(other) pawl app list").status == 77)
    }
    // Words after '--' are arguments, abbreviations are none, and help says nothing of any ledger.
    #expect(serve("pawl status -- --ledger \(other)").status == 64)
    #expect(serve("pawl app list --led \(other)").status == 64)
    for line in [
      "help --ledger \(other)", "status --help --ledger \(other)", "--help", "help", "--version", "",
    ] {
      #expect(!serve("pawl \(line)").out.contains("secret"), "\(line)")
    }
  }

  @Test func `file names in different Unicode forms are different ledgers`() throws {
    // Composed, and decomposed.
    shell.environment["PAWL_LEDGER"] = shell.directory.file("caf\u{E9}.db")
    try shell.done("init")
    let ran = serve("pawl status '--ledger=\(shell.directory.file("cafe\u{301}.db"))'")
    #expect(ran.status == 77, "\(ran.err)")
  }

  // MARK: - Commands

  @Test(arguments: [
    nil, "", "id", "sh -c id", "pawl status; id", "pawl $(id)", "pawl status\nid", "PATH=/x pawl status",
    "PAWL_LEDGER=/x pawl status", "pawl serve-ssh", "pawl deliver chat -- sh -c id", "pawl help deliver",
    "PAWL_ACTOR=x", "xpawl status", "pawl status --ledger /x",
    "pawl --ledger=ssh://other/x status",
  ])
  func `any other command is refused`(line: String?) throws {
    let ran = serve(line)
    #expect(ran.status == 77 && ran.out.isEmpty, "\(ran.err)")
  }

  @Test func `every command may run over ssh, except those listed as never`() {
    let never: Set = ["completions", "deliver", "plan sign", "probe", "serve-ssh", "sync", "trust webhook"]
    for (path, _) in AdminCommands.table.all() {
      let name = path.joined(separator: " ")
      let ran = serve("pawl \(name) --help")
      // Whoever adds a command says so where it is made, or here.
      #expect(ran.status == (never.contains(name) ? 77 : 0), "\(name): \(ran.err)")
    }
  }

  @Test func `a key with --allow runs the commands listed and no others`() throws {
    let ci = ["--allow", "publish,mark,check,status"]
    try shell.done("mark taxi 1.0 live --visible-now --yes")
    // What is wrong with a command of its own is said as ever.
    for (line, status) in [
      ("status", 0), ("check taxi 1.0", 0), ("publish taxi 1.1 --yes", 0), ("mark --help", 0),
      ("help mark", 0),
      ("mark taxi 1.1", 64), ("publish taxi 1.0.5 --yes", 1),
    ] as [(String, Int32)] { #expect(serve("pawl \(line)", ci).status == status, "\(line)") }
    let before = shell.head()
    for line in [
      "force taxi below:9 --reason x --yes", "stop taxi --reason x",
      "app add van --bundle-id com.example.van",
      "app list", "app", "ingest mail -", "inbox", "inbox apply 1 --app taxi --version 1.0 --state live",
      "trust host example.com", "void taxi 1.0 --reason x", "verify", "export", "init", "help", "--help",
      "help force", "force --help", "force --bad-option", "--version", "chek taxi",
      "--complete 1 -- check ''",
      "serve-ssh", "statu", "", "--json", "-- status",
    ] {
      let ran = serve("pawl \(line)", ci)
      #expect(ran.status == 77 && ran.out.isEmpty, "\(line): \(ran.status) \(ran.out)\(ran.err)")
    }
    #expect(shell.head() == before)
    let refused = serve("pawl force taxi all --json", ci)
    #expect(refused.errorID == "ssh.not-served")
    #expect(refused.error["hint"] == "it may run: check, mark, publish, status")
  }

  // MARK: - Paths

  /// The words of a call that gives one parameter a value, and to the arguments before it, so that it is its own.
  private func call(
    _ path: [String], _ table: [ParameterDescription], _ parameter: ParameterDescription, _ value: String
  ) -> [String] {
    var words = path
    for other in table where other.required && other.name != parameter.name {
      if other.kind == .option { words.append("\(other.name)=\(other.allowed.first ?? "1")") }
    }
    if parameter.kind == .option { words.append("\(parameter.name)=\(value)") }
    words.append("--")
    for other in table where other.kind == .argument && (other.required || other.name == parameter.name) {
      let usual = [
        "APP": "taxi", "SLUG": "taxi", "HOST": "dl.example.com", "N": "1", "SEQ": "1", "RULE": "1",
      ]
      words.append(other.name == parameter.name ? value : other.allowed.first ?? usual[other.name] ?? "1.0")
    }
    return words
  }

  @Test func `no parameter takes a file name over ssh, and '-' only for standard input`() {
    var looked = 0
    for (path, command) in AdminCommands.table.all() where path != ["serve-ssh"] {
      let table = command.parameterDescriptions
      for parameter in table where parameter.name != "--ledger" {
        let isInput = parameter.help.contains("standard input") || parameter.help.contains("standard output")
        let isPath =
          [.file, .directory].contains(parameter.completion)
          || ["FILE", "DIR", "PATH"].contains(parameter.valueName) || isInput
        guard isPath, parameter.kind != .flag else { continue }
        looked += 1
        for value in ["/etc/passwd", "../x", "other.db"] + (isInput ? [] : ["-"]) {
          let line = call(path, table, parameter, value).map(ShellWords.quoted).joined(separator: " ")
          let ran = serve("pawl \(line)")
          #expect(
            ran.status == 77 || value == "-" && ran.status == 64,
            "\(line): \(ran.status) \(ran.out)\(ran.err)")
        }
        // A command that cannot do without another file is for the host alone.
        guard isInput,
          !table.contains(where: { $0.required && $0.name != parameter.name && $0.completion == .file })
        else { continue }
        let line = call(path, table, parameter, "-").map(ShellWords.quoted).joined(separator: " ")
        #expect(serve("pawl \(line)").status != 77, "\(line)")
      }
    }
    #expect(looked > 15)
    #expect(!shell.directory.exists("-") && (try? FileStatus(of: "-")) == nil)
  }

  @Test func `a refusal does not tell whether the file exists`() throws {
    func refusal(_ file: String) -> String {
      serve("pawl import taxi \(file)").err.split(separator: "'").filter { $0 != file }.joined()
    }
    #expect(refusal(other) == refusal(shell.directory.file("none.csv")))
  }
}

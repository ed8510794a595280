internal import AdminCommands
internal import JSON
internal import Ledger
internal import Platform
internal import ReleaseModel
internal import SQLite
internal import TestSupport
internal import Testing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

let noon = Timestamp(seconds: 1_800_014_400)

/// A moment so many seconds after noon.
func later(_ seconds: Int64) -> Timestamp { Timestamp(seconds: noon.seconds + seconds) }

struct Ran {
  let status: Int32
  let out: String
  let err: String

  var json: JSON { (try? JSON(parsing: out.utf8)) ?? .null }
  var error: JSON { (try? JSON(parsing: err.utf8))?["error"] ?? .null }
  var errorID: String? { error["id"]?.string }
  var lines: [JSON] { out.split(separator: "\n").map { (try? JSON(parsing: $0.utf8)) ?? .null } }
}

/// A ledger in a directory of its own, and pawl at a fixed time by a fixed user.
final class Shell {
  let directory: TemporaryDirectory
  var clock = noon
  var environment: [String: String] = [:]
  /// What tells the machine from others; nil in a container.
  var machine: String? = "host"
  /// The cells of a line where output and errors go to a terminal; nil where they go to pipes.
  var terminalWidth: Int?
  var piped: (input: Bool, output: Bool, errors: Bool) = (false, false, false)
  /// After how many looks somebody is seen to have asked to stop, and by which signal; nil where nobody has.
  var stop: (after: Int, signal: Int32)?
  var feed: ([String], [UInt8], [(name: String, value: String)]) throws -> Int32 = { _, _, _ in 127 }
  /// What a program does that runs in pawl's place, as ssh does, and the status it ends with.
  var program: ([String]) -> Int32 = { _ in 127 }
  var answer: ([String]) -> ProgramEnd = { _ in ProgramEnd(status: 127, output: []) }
  /// How many seconds pass from one look at the clock that only runs forward to the next.
  var tick = 0.0
  /// The words of a story that stand for values.
  var names: [String: String] = [:]
  /// The messages of a story's deliveries, and how the programs that get them end.
  var taken: [JSON] = []
  var taker: [Int32] = [0]
  /// What App Store Connect answers about versions.
  var shown: [UInt8]?
  /// The seconds that the last command let pass, each time it waited, and what happened meanwhile.
  private(set) var slept: [Double] = []
  var onSleep: (() -> Void)?
  private(set) var listenings: [StopSignals.Listening?] = []
  private var looks = 0
  /// Called each time a command looks whether somebody asked to stop, with how often it has.
  var onLook: (Int) -> Void = { _ in }
  private var seconds = 0.0

  var ledger: String { directory.file("pawl.db") }

  init(makesLedger: Bool = true, clock: Timestamp = noon) throws {
    directory = try TemporaryDirectory()
    self.clock = clock
    guard makesLedger else { return }
    let (ledger, _) = try Ledger.create(ledger, now: clock)
    let actor: JSON = [
      "user": "engineer", "uid": 1_000, "loginUid": .null, "host": "ci.example.com",
      "claimed": .null, "principal": .null,
    ]
    _ = try ledger.record(
      Recording(actor: actor, clock: clock), confirm: { _ in },
      body: { $0.make(ledger: "0123456789abcdef0123456789abcdef") }, answer: { _ in [] })
    ledger.close()
  }

  /// Takes a copy of a ledger, given as its bytes.
  init(image: [UInt8], clock: Timestamp) throws {
    directory = try TemporaryDirectory()
    self.clock = clock
    try directory.write(image, to: "pawl.db")
  }

  static func taxi() throws -> Shell {
    let shell = try Shell()
    try shell.done("app add taxi --bundle-id com.example.taxi --apple-id 1524608462")
    return shell
  }

  @discardableResult
  func run(_ line: String, input: [UInt8] = []) -> Ran { run(words(line), input: input) }

  @discardableResult
  func run(_ words: [String], input: [UInt8] = []) -> Ran {
    var out: [UInt8] = []
    var err: [UInt8] = []
    // Standard input comes in pieces that end anywhere.
    var rest = input[...]
    looks = 0
    listenings = []
    let context = PawlContext.played(by: "engineer@ci.example.com") {
      $0 == "PAWL_LEDGER" ? self.environment[$0] ?? self.ledger : self.environment[$0]
    }
    context.clock = { self.clock }
    context.machine = { self.machine }
    context.writeOutput = { out += $0 }
    context.writeError = { err += $0 }
    context.readInput = {
      if self.listenings.last == .whileAsking, self.stop != nil {
        throw SystemError(code: EINTR, operation: "read", path: "standard input")
      }
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(7) }
      return Array(rest.prefix(7))
    }
    context.listen = { self.listenings.append($0) }
    context.stopSignal = {
      self.looks += 1
      self.onLook(self.looks)
      return self.stop.flatMap { self.looks > $0.after ? $0.signal : nil }
    }
    context.seconds = {
      self.seconds += self.tick
      return self.seconds
    }
    context.runProgram = { try $1 == nil ? self.program($0) : self.feed($0, $1 ?? [], $2) }
    context.isInputTerminal = terminalWidth != nil && !piped.input
    context.isOutputTerminal = terminalWidth != nil && !piped.output
    context.isErrorTerminal = terminalWidth != nil && !piped.errors
    context.width = terminalWidth ?? 80
    context.captureProgram = { words, input, _ in
      if words.first == "curl", let shown = self.shown {
        let asked = String(decoding: input, as: UTF8.self)
        let answer =
          asked.contains("/appStoreVersions?")
          ? shown : asked.contains("/v1/builds?") ? Shown.answer([]) : Shown.app
        return ProgramEnd(status: 0, output: answer + Array("\n200 ".utf8))
      }
      return try Signer.keygen(words, input) ?? self.answer(words)
    }
    slept = []
    context.sleep = { span in
      self.slept.append(span)
      self.seconds += span
      self.onSleep?()
    }
    let status = AdminCommands.run(words, context)
    return Ran(
      status: status, out: String(decoding: out, as: UTF8.self), err: String(decoding: err, as: UTF8.self))
  }

  @discardableResult
  func done(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Ran {
    let ran = run(line)
    try #require(ran.status == 0, "\(line): \(ran.err)", sourceLocation: sourceLocation)
    try followUp(words(line), ran, sourceLocation: sourceLocation)
    return ran
  }

  /// Alters the ledger as somebody would at the `sqlite3` shell, the triggers dropped and made again.
  func alter(_ statement: String) throws {
    let connection = try Connection(path: ledger, mode: .readWrite)
    let triggers = try connection.query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") {
      (try $0.text(0), try $0.text(1))
    }
    for (name, _) in triggers { try connection.run("DROP TRIGGER \(name)") }
    try connection.run(statement)
    for (_, sql) in triggers { try connection.run(sql) }
    try connection.close()
  }

  func findings(_ words: String = "") -> [String] {
    (run("doctor --json \(words)").json["findings"]?.array ?? []).compactMap { $0["id"]?.string }
  }

  func release(_ version: String) throws -> JSON? {
    let wanted = try Version(version)
    let releases = try done("releases taxi --json").json["releases"]?.array
    // Newest first; one that was struck out may have its number again.
    return try releases?.first { try $0["version"]?.string.map { try Version($0) } == wanted }
  }

  func bytes(_ name: String) throws -> [UInt8] { try readFile(directory.file(name), limit: 1 << 24) }

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  func json(_ name: String) throws -> JSON { try JSON(parsing: bytes(name)) }

  func head() -> Int64? { run("history --limit 1 --json").json["head"]?["seq"]?.integer }
}

func keys(_ json: JSON?) -> Set<String> { Set((json?.object?.members ?? []).map(\.key)) }

let repository = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
  .joined(separator: "/")

extension PawlContext {
  /// A context of `user@host` that reaches nothing of this process but what its caller sets: the clock, what is read and
  /// written, programs, and what is a terminal.
  static func played(by name: String, _ environment: @escaping (String) -> String?) -> PawlContext {
    let (context, words) = (PawlContext(), name.split(separator: "@").map(String.init))
    (context.user, context.host) = (OSUser(uid: 1_000, name: words[0]), words[1])
    context.environment = environment
    context.machine = { "host" }
    context.programDate = .distantPast
    context.listen = { _ in }
    context.stopSignal = { nil }
    context.seconds = { 0 }
    context.endsAfterwards = false
    context.loginUID = { nil }
    return context
  }
}

import CommandLineKit
import JSON
package import Platform
package import ReleaseModel

/// Everything a command sees of the outside world; nothing else in this module accesses it.
///
/// It is a class so that all parts of a command share one output; tests make one that collects what is
/// written.
package final class PawlContext {
  package var clock: () -> Timestamp = { Timestamp(seconds: secondsNow()) }
  /// The date of this version; a clock that is behind it cannot be right.
  package var programDate = AdminCommands.programDate
  package var environment: (String) -> String? = { Platform.environment($0) }
  /// Writes results; throws if no one can read them.
  package var writeOutput: ([UInt8]) throws -> Void = { try writeAll($0, to: 1, path: output) }
  static let output = "standard output"
  /// Writes everything that is not a result.
  package var writeError: ([UInt8]) -> Void = { try? writeAll($0, to: 2, path: "standard error") }
  /// Reads more of standard input; nil at its end.
  package var readInput: () throws -> [UInt8]? = { try readChunk(0, path: "standard input") }
  /// Runs a program with the given input, or else this process's own, and returns its exit status.
  package var runProgram: ([String], [UInt8]?, [(name: String, value: String)]) throws -> Int32 = {
    try runAttached($0, input: $1, environment: $2)
  }
  /// Runs a program with the given input, and captures its output, and its errors if asked to.
  package var captureProgram: ([String], [UInt8], Bool) throws -> ProgramEnd = {
    try Platform.runProgram($0, input: $1, limit: 1 << 28, keepsErrors: $2)
  }
  /// Starts to catch the signals that ask to stop, for `stopSignal`; nil lets them end the process again.
  package var listen: (StopSignals.Listening?) -> Void = { listening in
    if let listening { StopSignals.listen(listening) } else { StopSignals.listenNoMore() }
  }
  /// The number of a signal that was caught, if any.
  package var stopSignal: () -> Int32? = { StopSignals.received }
  /// A clock that only runs forward, in seconds.
  package var seconds: () -> Double = { secondsSinceStart() }
  /// Lets seconds pass; a signal ends the process meanwhile.
  package var sleep: (Double) throws -> Void = { pause(seconds: $0) }
  package var isInputTerminal = isTerminal(0)
  package var isOutputTerminal = isTerminal(1)
  package var isErrorTerminal = isTerminal(2)
  package var width = terminalWidth() ?? 80
  /// The lines of the terminal that results go to; nil without a terminal, or if no pager may run.
  package var height = terminalHeight()
  /// Whether anything may be coloured.
  var mayColor = true
  /// Whether the process ends with the command, so that nothing that ends with it needs cleaning up.
  package var endsAfterwards = true
  package var user = OSUser.current
  package var host = hostName()
  package var machine: () throws -> String? = machineID
  /// The user id of the login that the process came from; read only when something is recorded.
  package var loginUID: () -> UInt32? = { Platform.loginUID() }
  /// The zone of times on pages.
  var zone = Zone.utc
  /// The plan that the command is run for, if it is not run by itself.
  var planTask: PlanTask?
  /// What the ssh key may do with which the command came; nil if it came with none.
  var gate: SSHGate?

  /// The context of this process.
  package init() {}

  /// Writes a result with control characters escaped, so that neither text nor JSON can drive a terminal.
  func print(_ text: String) throws { try print(Array(text.utf8)) }

  func print(_ bytes: [UInt8]) throws { try writeOutput(JSON.escapingControls(bytes)) }

  /// Runs a body whose output becomes one fenced block of Markdown, as plain as in a pipe.
  ///
  /// The fence is longer than any run of backquotes in the text, so that nothing in it ends the block (CommonMark 0.31.2,
  /// 4.5).
  func fenced(_ body: () throws -> ExitCode) throws -> ExitCode {
    let (write, isTerminal) = (writeOutput, isOutputTerminal)
    var text: [UInt8] = []
    writeOutput = { text += $0 }
    isOutputTerminal = false
    defer { (writeOutput, isOutputTerminal) = (write, isTerminal) }
    let exit = try body()
    let longest = text.split { $0 != UInt8(ascii: "`") }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    let end = text.last == UInt8(ascii: "\n") ? "" : "\n"
    try write(Array("\(fence)text\n".utf8) + text + Array("\(end)\(fence)\n".utf8))
    return exit
  }

  /// Runs a body whose output is shown by a pager if it is longer than the terminal.
  ///
  /// The pager is that of `PAWL_PAGER`, else of `PAGER`, else less(1), which runs nothing that a key could ask it for
  /// (`LESSSECURE`). An empty name, or a pager that does not run, means none.
  func paged<Result>(_ isPaged: Bool, _ body: () throws -> Result) throws -> Result {
    guard isPaged, let height, isInputTerminal, isOutputTerminal, isErrorTerminal else { return try body() }
    let pager = environment("PAWL_PAGER") ?? environment("PAGER") ?? "less -FRX"
    guard !pager.isEmpty, environment("TERM") != "dumb" else { return try body() }
    let write = writeOutput
    var text: [UInt8] = []
    writeOutput = { text += $0 }
    defer { writeOutput = write }
    let result = Swift.Result { try body() }
    let isLong = text.count { $0 == UInt8(ascii: "\n") } >= height
    let status =
      isLong ? try? runProgram(["sh", "-c", pager], text, [("LESSSECURE", "1")]) : nil
    // A shell that finds no such program ends with 126 or 127.
    if status.map({ $0 == 126 || $0 == 127 }) ?? true { try write(text) }
    return try result.get()
  }

  /// Says that input is expected from whoever sits at the terminal.
  func announceInput() {
    if isInputTerminal { note("Reading from the terminal; Ctrl-D on a line of its own ends it.\n") }
  }

  /// Writes text that is not a result; on a terminal in lines that fit, unless it is for programs.
  func note(_ text: String, isJSON: Bool = false) {
    let text = isErrorTerminal && !isJSON ? CommandText.fitted(text, width: width) : text
    writeError(JSON.escapingControls(Array(text.utf8)))
  }

  var mayAgree: Bool { gate?.mayAgree ?? true }

  var mayAsk: Bool { mayAgree && isInputTerminal && isErrorTerminal }

  /// What to do where a confirmation is missing and the requester cannot confirm anything; nil if they can.
  var agreementHint: String? { mayAgree ? nil : ErrorWords("confirm.required/key", [:]).hint }

  /// Whether results may be coloured: only on a terminal, and never with `NO_COLOR` (no-color.org).
  var hasStyles: Bool {
    isOutputTerminal && mayColor && environment("NO_COLOR") == nil && environment("TERM") != "dumb"
  }

  /// The width of a line of results in cells; nil if lines are not fitted.
  var lineWidth: Int? { isOutputTerminal ? width : nil }

  /// A moment on a page, in its zone: to the minute on a terminal, in full otherwise.
  func text(_ moment: Timestamp) -> String {
    let text = zone.text(moment)
    return lineWidth == nil ? text : Timestamp.minutes(of: text) ?? text
  }

  /// A moment in a sentence, to the minute where it is a whole one.
  func moment(_ moment: Timestamp) -> String {
    let text = zone.text(moment)
    guard moment.seconds % 60 == 0, let minutes = Timestamp.minutes(of: text) else { return text }
    return String(minutes.map { $0 == "\u{A0}" ? " " : $0 })
  }

  func table(_ columns: [Column], _ rows: [[Cell]]) -> String {
    rendered(Table(columns: columns, rows: rows))
  }

  /// Renders a table for output: fitted to a terminal, in full width otherwise.
  func rendered(_ table: Table) -> String {
    var table = table.withoutNamelessColumns
    guard let lineWidth else { return table.render(styles: hasStyles) }
    table.rows = table.rows.map { row in
      row.map { Cell(Timestamp.minutes(of: $0.text) ?? CommandText.unbroken($0.text), $0.style) }
    }
    return table.render(width: lineWidth < table.width ? lineWidth : nil, styles: hasStyles)
  }

  /// Prints what a body writes in large pieces, so that a long answer is not held in memory.
  func printing(_ body: (_ write: (String) throws -> Void) throws -> Void) throws {
    var piece = ""
    try body { text in
      piece += text
      guard piece.utf8.count >= 1 << 16 else { return }
      try print(piece)
      piece = ""
    }
    try print(piece)
  }

  /// Lays out a text for output: on a terminal in lines that fit.
  func page(_ text: String) -> String { lineWidth.map { CommandText.fitted(text, width: $0) } ?? text }

  /// Reads standard input up to a limit, and ignores the rest.
  ///
  /// - Throws: `SystemError`.
  func readInputPrefix(limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    announceInput()
    while bytes.count < limit, let chunk = try readInput() { bytes.append(contentsOf: chunk) }
    return Array(bytes.prefix(limit))
  }

  /// Reads all of standard input.
  ///
  /// - Throws: `FileTooLarge` beyond the limit, `SystemError`.
  func readAllInput(limit: Int) throws -> [UInt8] {
    let bytes = try readInputPrefix(limit: limit &+ 1)
    guard bytes.count <= limit else { throw FileTooLarge(path: "standard input", limit: limit) }
    return bytes
  }
}

extension Table {
  /// Facts with their labels, one per line; those of which there is nothing to say are left out.
  init(facts: [(String, String?)], indent: String = "") {
    self.init(
      rows: facts.compactMap { label, text in text.map { [Cell(indent + label, .dim), Cell($0)] } })
  }
}

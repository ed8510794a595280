import CommandLineKit
import JSON
package import Platform
package import ReleaseModel

/// Everything a command sees of the outside world; nothing else in this module accesses it.
///
/// It is a class so that all parts of a command share one output; tests make one that collects what is
/// written.
package final class PawlContext {
  package var clock: () -> Timestamp
  /// The date of this version; a clock that is behind it cannot be right.
  package var programDate = Timestamp.distantPast
  package var environment: (String) -> String?
  /// Writes results; throws if nobody can read them.
  package var writeOutput: ([UInt8]) throws -> Void
  /// Writes everything that is not a result.
  package var writeError: ([UInt8]) -> Void
  /// Reads more of standard input; nil at its end.
  package var readInput: () throws -> [UInt8]?
  /// Runs a program with this process's input, output and errors, and returns its exit status.
  package var runProgram: ([String]) throws -> Int32
  /// Runs a program with the given input instead of this process's own, and returns its exit status.
  package var feedProgram: (Directory, [String], ProgramFeed) throws -> Int32 = { try $0.run($1, $2) }
  /// Starts to catch the signals that ask to stop, for `stopSignal`; nil lets them end the process again.
  package var listen: (StopSignals.Listening?) -> Void
  /// The number of a signal that was caught, if any.
  package var stopSignal: () -> Int32?
  /// A clock that only runs forward, in seconds.
  package var seconds: () -> Double
  package var isInputTerminal: Bool
  package var isOutputTerminal: Bool
  package var isErrorTerminal: Bool
  package var width: Int
  /// Whether the process ends with the command, so that nothing that ends with it needs cleaning up.
  package var endsAfterwards: Bool
  package var user: OSUser
  package var host: String
  /// Whether tables are printed as GitHub-flavoured Markdown.
  var isMarkdown = false
  /// The preview that was shown when asking for agreement; nil if nobody was asked.
  var shownPreview: String?
  /// The tables rendered as Markdown so far, each as its lines.
  private var markdownTables: [[Substring]] = []
  /// The user id of the login that the process came from; read only when something is recorded.
  package var loginUID: () -> UInt32?
  /// Runs a program with the given input and this process's errors, and captures its output.
  package var captureProgram: ([String], [UInt8]) throws -> ProgramEnd = {
    try Platform.runProgram($0, input: $1, limit: 1 << 28)
  }
  /// The plan task that the command is part of; nil if the command runs by itself.
  var planTask: PlanTask?
  /// Lets seconds pass; a signal ends the process meanwhile.
  package var sleep: (Double) throws -> Void = { pause(seconds: $0) }
  /// Whether a command may wait here, and not where it is asked for.
  var mayWait = true
  /// Whether the requester may agree to what needs agreement.
  var mayAgree = true
  /// Refuses a command of a plan that the requester may not run.
  var admitPlanned: (Invocation<PawlContext>) throws -> Void = { _ in }

  package init(
    clock: @escaping () -> Timestamp, environment: @escaping (String) -> String?,
    writeOutput: @escaping ([UInt8]) throws -> Void, writeError: @escaping ([UInt8]) -> Void,
    readInput: @escaping () throws -> [UInt8]?,
    runProgram: @escaping ([String]) throws -> Int32 = { _ in 127 },
    listen: @escaping (StopSignals.Listening?) -> Void = { _ in },
    stopSignal: @escaping () -> Int32? = { nil }, seconds: @escaping () -> Double = { 0 },
    isInputTerminal: Bool = false, isOutputTerminal: Bool = false,
    isErrorTerminal: Bool = false, width: Int = 80, endsAfterwards: Bool = false, user: OSUser, host: String,
    loginUID: @escaping () -> UInt32? = { nil }
  ) {
    self.clock = clock
    self.environment = environment
    self.writeOutput = writeOutput
    self.writeError = writeError
    self.readInput = readInput
    self.runProgram = runProgram
    self.listen = listen
    self.stopSignal = stopSignal
    self.seconds = seconds
    self.isInputTerminal = isInputTerminal
    self.isOutputTerminal = isOutputTerminal
    self.isErrorTerminal = isErrorTerminal
    self.width = width
    self.endsAfterwards = endsAfterwards
    self.user = user
    self.host = host
    self.loginUID = loginUID
  }

  /// The context of this process.
  package static func process() -> PawlContext {
    let context = PawlContext(
      clock: { Timestamp(seconds: secondsNow()) }, environment: { Platform.environment($0) },
      writeOutput: { try writeAll($0, to: 1, path: "standard output") },
      writeError: { try? writeAll($0, to: 2, path: "standard error") },
      readInput: { try readChunk(0, path: "standard input") },
      runProgram: { try runAttached($0) },
      listen: { listening in
        if let listening { StopSignals.listen(listening) } else { StopSignals.listenNoMore() }
      }, stopSignal: { StopSignals.received }, seconds: { secondsSinceStart() },
      isInputTerminal: isTerminal(0),
      isOutputTerminal: isTerminal(1), isErrorTerminal: isTerminal(2), width: terminalWidth() ?? 80,
      endsAfterwards: true, user: .current, host: hostName(), loginUID: { Platform.loginUID() })
    context.programDate = AdminCommands.programDate
    return context
  }

  /// Writes a result with control characters escaped, so that neither text nor JSON can drive a terminal.
  func print(_ text: String) throws { try print(Array(text.utf8)) }

  /// Writes a result, given as its UTF-8.
  func print(_ bytes: [UInt8]) throws { try writeOutput(JSON.escapingControls(bytes)) }

  /// Writes text that is not a result; on a terminal in lines that fit, unless it is for programs.
  func note(_ text: String, isJSON: Bool = false) {
    let text = isErrorTerminal && !isMarkdown && !isJSON ? CommandText.fitted(text, width: width) : text
    writeError(JSON.escapingControls(Array(text.utf8)))
  }

  var mayAsk: Bool { mayAgree && isInputTerminal && isErrorTerminal }

  /// What to do where agreement is missing: `usual`, unless the requester may not agree at all.
  func agreementHint(_ usual: String) -> String {
    mayAgree
      ? usual : "this key may not agree: ask a person to run it, or put the change into a file with --plan"
  }

  /// Whether results may be coloured: only on a terminal, and never with `NO_COLOR` (no-color.org).
  var hasStyles: Bool {
    isOutputTerminal && !isMarkdown && environment("NO_COLOR") == nil && environment("TERM") != "dumb"
  }

  /// The width of a line of results in cells; nil if lines are not fitted.
  var lineWidth: Int? { isOutputTerminal && !isMarkdown ? width : nil }

  /// Renders rows under their headings for output.
  func table(_ columns: [Column], _ rows: [[Cell]]) -> String {
    rendered(Table(columns: columns, rows: rows))
  }

  /// Renders a table for output: fitted to a terminal, in full width otherwise.
  func rendered(_ table: Table) -> String {
    let table = table.withoutNamelessColumns
    guard isMarkdown else {
      guard let lineWidth, lineWidth < table.width else { return table.render(styles: hasStyles) }
      let narrow = Table(
        columns: table.columns,
        rows: table.rows.map { row in
          row.map { Cell(Timestamp.minutes(of: $0.text) ?? CommandText.unbroken($0.text), $0.style) }
        })
      return narrow.render(width: lineWidth, overflow: .wrapped, styles: hasStyles)
    }
    let text = table.markdown()
    markdownTables.append(text.split(separator: "\n"))
    return text
  }

  /// Lays out a text with its tables for output: on a terminal in lines that fit; with `--markdown`,
  /// everything but the tables becomes paragraphs.
  ///
  /// Only tables that this context rendered as Markdown stay as they are; all other text is escaped.
  func page(_ text: String) -> String {
    guard isMarkdown else { return lineWidth.map { CommandText.fitted(text, width: $0) } ?? text }
    var blocks: [String] = []
    var prose: [String] = []
    func flush() {
      if !prose.isEmpty { blocks.append(Markdown.paragraph(prose)) }
      prose = []
    }
    var rest = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = rest.first {
      if let table = markdownTables.first(where: { rest.starts(with: $0) }) {
        flush()
        blocks.append(table.joined(separator: "\n"))
        rest = rest.dropFirst(table.count)
      } else {
        if line.isEmpty { flush() } else { prose.append(printable(String(line))) }
        rest = rest.dropFirst()
      }
    }
    flush()
    return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// Reads standard input up to a limit, and ignores the rest.
  ///
  /// - Throws: `SystemError`.
  func readInputPrefix(limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit, let chunk = try readInput() { bytes.append(contentsOf: chunk) }
    return Array(bytes.prefix(limit))
  }

  /// Reads all of standard input.
  ///
  /// - Throws: `FileTooLarge` beyond the limit, `SystemError`.
  func readAllInput(limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let chunk = try readInput() {
      guard bytes.count + chunk.count <= limit else {
        throw FileTooLarge(path: "standard input", limit: limit)
      }
      bytes.append(contentsOf: chunk)
    }
    return bytes
  }

}

/// Facts with their labels, one per line.
struct FactTable {
  private(set) var table = Table(columns: ["", ""])
  private let indent: String

  init(indent: Int = 0) { self.indent = String(repeating: " ", count: indent) }

  /// Adds a fact, unless there is nothing to say.
  mutating func add(_ label: String, _ text: String?) {
    if let text { table.add([Cell(indent + label, .dim), Cell(text)]) }
  }
}

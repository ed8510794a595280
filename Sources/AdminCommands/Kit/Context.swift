import CommandLineKit
import JSON
package import Platform
package import ReleaseModel

/// All that a command sees of the world; nothing else in this module reaches out.
///
/// A class, so that a command writes to one output; a test makes one that collects what is written.
package final class PawlContext {
  /// The clock.
  package var clock: () -> Timestamp
  /// Before which no right clock can be: when this version was made.
  package var programDate = Timestamp.distantPast
  package var environment: (String) -> String?
  /// Writes results; throws where nobody can read them.
  package var writeOutput: ([UInt8]) throws -> Void
  /// Writes everything that is no result.
  package var writeError: ([UInt8]) -> Void
  /// Reads more of standard input; nil at its end.
  package var readInput: () throws -> [UInt8]?
  /// Runs a program with this process's input, output and errors, and gives the status it ends with.
  package var runProgram: ([String]) throws -> Int32
  /// Runs a program with some input in place of this process's own, and gives the status it ends with.
  package var feedProgram: (Directory, [String], ProgramFeed) throws -> Int32 = { try $0.run($1, $2) }
  /// Starts to keep the signals that ask to stop for `stopSignal`, or with nil lets them end the process again.
  package var listen: (StopSignals.Listening?) -> Void
  /// The number of a signal that came while they were kept.
  package var stopSignal: () -> Int32?
  /// A clock that only runs forward, in seconds.
  package var seconds: () -> Double
  package var isInputTerminal: Bool
  package var isOutputTerminal: Bool
  package var isErrorTerminal: Bool
  /// The width of the terminal in cells.
  package var width: Int
  /// Whether the process ends with the command, so that nothing need be tidied up that ends with it.
  package var endsAfterwards: Bool
  package var user: OSUser
  package var host: String
  /// Whether tables are printed as GitHub-flavoured Markdown.
  var isMarkdown = false
  /// The preview that somebody was shown to agree to; nil where nobody was.
  var shownPreview: String?
  /// The tables rendered as Markdown, each as its lines.
  private var markdownTables: [[Substring]] = []
  /// The number of the login the process came from; asked for only when something is recorded.
  package var loginUID: () -> UInt32?
  /// Runs a program on some input, with this process's errors, and takes what it writes.
  package var captureProgram: ([String], [UInt8]) throws -> ProgramEnd = {
    try Platform.runProgram($0, input: $1, limit: 1 << 20)
  }
  /// What the command is run for, where it is not recorded at once.
  var planTask: PlanTask?
  /// Refuses the command of a plan that whoever asks may not run.
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

  /// Writes a result; nothing in it can drive a terminal, neither text nor JSON.
  func print(_ text: String) throws { try print(Array(text.utf8)) }

  /// Writes a result, given as its UTF-8.
  func print(_ bytes: [UInt8]) throws { try writeOutput(JSON.escapingControls(bytes)) }

  /// Writes what is no result; on a terminal in lines that fit, unless it is for programs.
  func note(_ text: String, isJSON: Bool = false) {
    let text = isErrorTerminal && !isMarkdown && !isJSON ? CommandText.fitted(text, width: width) : text
    writeError(JSON.escapingControls(Array(text.utf8)))
  }

  /// Whether results may be coloured: on a terminal, and never with `NO_COLOR` (no-color.org).
  var hasStyles: Bool {
    isOutputTerminal && !isMarkdown && environment("NO_COLOR") == nil && environment("TERM") != "dumb"
  }

  /// The cells of a line of results; nil where nothing is cut.
  var lineWidth: Int? { isOutputTerminal && !isMarkdown ? width : nil }

  /// A table as it is printed: fitted to a terminal, whole in a pipe.
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

  /// A text with its tables as it is printed: on a terminal in lines that fit; with `--markdown` everything but the tables
  /// becomes paragraphs.
  ///
  /// What is left as it stands is only what was rendered as Markdown here, so that nothing of others is forgotten.
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

  /// Reads standard input up to a limit; what is beyond it is left.
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

/// Facts with their labels, one a line.
struct FactTable {
  private(set) var table = Table(columns: [Column(""), Column("")])
  private let indent: String

  init(indent: Int = 0) { self.indent = String(repeating: " ", count: indent) }

  /// Adds a fact; none where there is nothing to say.
  mutating func add(_ label: String, _ text: String?) {
    if let text { table.add([Cell(indent + label, .dim), Cell(text)]) }
  }
}

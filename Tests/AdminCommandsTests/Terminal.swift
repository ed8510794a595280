internal import AdminCommands
internal import JSON
internal import Platform
internal import ReleaseModel
internal import TestSupport
internal import Testing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The terminal of a transcript: 80 columns, no colours, a folder of its own, and a clock that only `sleep` moves.
///
/// It knows `pawl` and what its cases list, with quotes, `VARIABLE=value`, `< FILE`, `> FILE`, `| cat` and
/// `| jq -c .MEMBER`. Programs that pawl starts are played.
final class Terminal {
  private static let start = Timestamp(seconds: 1_795_165_200)
  /// What the folder is called in a transcript; as long as its real name, so that tables have the same columns.
  private static let shownFolder = "/srv/ledgers/releases"

  private let directory: TemporaryDirectory
  private var clock = Terminal.start
  private var environment = ["NO_COLOR": "1", "TZDIR": "zones"]
  private var width = 80

  /// Opens a terminal in a scene; nil for an empty folder.
  init(scene: String?) throws {
    directory = try TemporaryDirectory(in: "/tmp")
    try #require(chdir(directory.path) == 0)
    for (name, bytes) in try Props.files.get() { try put(bytes, name) }
    guard let scene else { return }
    try play(scene)
  }

  private func play(_ scene: String) throws {
    let (base, blocks) = try Page.scene(scene)
    if let base { try play(base) }
    try Page.play(blocks, self)
  }

  private func put(_ bytes: [UInt8], _ name: String) throws {
    let folders = name.split(separator: "/").dropLast()
    for end in folders.indices { mkdir(folders[...end].joined(separator: "/"), 0o755) }
    try directory.write(bytes, to: name)
    try directory.setRights(0o640, of: name)
  }

  // MARK: - Lines

  func run(_ line: String, typing: [String]) throws -> [String] {
    var output: [UInt8] = []
    let status = try perform(line, typing: typing) { output += $0 }
    var text = shown(String(decoding: output, as: UTF8.self))
    if status != 0 { text += (text.isEmpty || text.hasSuffix("\n") ? "" : "\n") + "[exit \(status)]" }
    if text.hasSuffix("\n") { text.removeLast() }
    guard !text.isEmpty else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// What differs from one machine and one run to the next, replaced by something as long.
  private func shown(_ text: String) -> String {
    var text = text
    text.replace(directory.path, with: Terminal.shownFolder)
    text.replace(/[0-9a-f]{64}/) { _ in String(repeating: "0123456789abcdef", count: 4) }
    text.replace(/:[0-9]+@[0-9.]+:/) { _ in ":1@1.0:" }
    text.replace(/\b[0-9a-f]{32}\b/) { _ in String(repeating: "0123456789abcdef", count: 2) }
    text.replace(/[A-Za-z0-9+\/]{43,}=+/) { String(repeating: "A", count: $0.0.count - 1) + "=" }
    text.replace(/SQLite( +)[0-9.]+, .*/) { "SQLite\($0.1)3.46.1, 2024-08-13 09:16:08" }
    text.replace(/[0-9]+ KiB on [a-z0-9]+,/, with: "204 KiB on ext4,")
    text.replace("\u{1B}", with: "␛")
    return text
  }

  private func perform(_ line: String, typing: [String], _ write: @escaping ([UInt8]) -> Void) throws -> Int32
  {
    var words = Terminal.words(line)
    let outer = environment
    defer { if words.first == "pawl" { environment = outer } }
    while let word = words.first, let match = word.wholeMatch(of: /([A-Z_]+)=(.*)/) {
      environment[String(match.1)] = match.2.isEmpty ? nil : String(match.2)
      words.removeFirst()
    }
    var input: [UInt8]?
    var file: String?
    var filter: String?
    if let bar = words.lastIndex(of: "|") {
      filter = words.last
      words.removeSubrange(bar...)
    }
    let isMerged = words.last == "2>&1"
    if isMerged { words.removeLast() }
    while words.count > 2, let sign = words.dropLast().last, ["<", ">"].contains(sign) {
      let name = words.removeLast()
      words.removeLast()
      if sign == ">" {
        file = name
      } else {
        input = name == "/dev/null" ? [] : try readFile(name, limit: 1 << 24)
      }
    }
    var written: [UInt8] = []
    let isSeen = file == nil && filter == nil
    let output: ([UInt8]) -> Void = isSeen ? write : { written += $0 }
    defer {
      if let file { try? directory.write(written, to: file) }
      if let filter { write(filter == "cat" ? written : Terminal.member(filter, of: written)) }
    }
    func fail(_ isDone: Bool) -> Int32 { isDone ? 0 : 1 }
    switch (words.first, words.dropFirst().first) {
    case (nil, _): return 0
    case ("pawl", _):
      return pawl(
        Array(words.dropFirst()), input: input, typing: typing, isSeen: isSeen, output,
        isMerged ? output : write)
    case ("sleep", let span?):
      let (back, length) = (span.hasPrefix("-"), span.drop { $0 == "-" })
      let time = try #require(TimeSpan(String(length)))
      clock = back ? clock - time : clock + time
      return 0
    case ("stty", _):
      width = try #require(Int(words.last ?? ""))
      return 0
    case ("unset", let name?):
      environment[name] = nil
      return 0
    case ("export", let word?):
      environment[String(word.prefix { $0 != "=" })] = String(word.drop { $0 != "=" }.dropFirst())
      return 0
    case ("cat", nil):
      output(Array(typing.map { $0 + "\n" }.joined().utf8))
      if file != nil { write(Array(typing.map { "> \($0)\n" }.joined().utf8)) }
      return 0
    case ("cat", _):
      for name in words.dropFirst() { output(try readFile(name, limit: 1 << 20)) }
      return 0
    case ("ls", let folder?):
      output(Array(try fileNames(in: folder).sorted().map { $0 + "\n" }.joined().utf8))
      return 0
    case ("cp", let from?):
      try directory.write(try readFile(from, limit: 1 << 24), to: words[2])
      return 0
    case ("mkdir", let name?): return fail(mkdir(name, 0o755) == 0)
    case ("rm", let name?): return fail(unlink(name) == 0)
    case ("chmod", let rights?): return fail(chmod(words[2], mode_t(rights, radix: 8) ?? 0) == 0)
    case ("mv", let from?): return fail(rename(from, words[2]) == 0)
    case (let program?, _):
      Issue.record("the transcripts know no program '\(program)'")
      return 127
    }
  }

  private static func member(_ path: String, of text: [UInt8]) -> [UInt8] {
    let found = path.split(separator: ".").reduce(try? JSON(parsing: text)) { $0?[String($1)] }
    return Array(((found ?? .null).text() + "\n").utf8)
  }

  /// The words of a line: single and double quotes, and `$(cat FILE)` for what is in a file.
  static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = Substring(line)
    while let character = rest.popFirst() {
      if quote != "'", character == "$", let match = rest.prefixMatch(of: /\(cat ([^)]+)\)/) {
        let text = (try? readFile(String(match.1), limit: 1 << 20)).map {
          String(decoding: $0, as: UTF8.self)
        }
        word = (word ?? "") + (text ?? "").split(separator: "\n").joined(separator: "\n")
        rest = rest[match.range.upperBound...]
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        (quote, word) = (character, word ?? "")
      } else if quote == nil, character == " " {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  // MARK: - pawl

  private func pawl(
    _ words: [String], input: [UInt8]?, typing: [String], isSeen: Bool,
    _ writeOutput: @escaping ([UInt8]) -> Void, _ writeError: @escaping ([UInt8]) -> Void
  ) -> Int32 {
    var typing = typing[...]
    var input = input.map { $0[...] }
    var isLineOpen = false
    func note(_ bytes: [UInt8]) { if let last = bytes.last { isLineOpen = last != 0x0A } }
    let context = PawlContext.played(by: "ada@ledger.example.com") { self.environment[$0] }
    context.clock = { self.clock }
    context.writeOutput = {
      if isSeen { note($0) }
      writeOutput($0)
    }
    context.writeError = {
      note($0)
      writeError($0)
    }
    context.readInput = {
      if input != nil {
        defer { input = [] }
        return input?.isEmpty == false ? input.map { Array($0) } : nil
      }
      guard let line = typing.popFirst() else { return nil }
      writeError(Array(((isLineOpen ? "\n" : "") + "> \(line)\n").utf8))
      isLineOpen = false
      return Array((line + "\n").utf8)
    }
    (context.isInputTerminal, context.isOutputTerminal) = (input == nil, isSeen)
    (context.isErrorTerminal, context.width) = (true, width)
    context.captureProgram = { words, input, _ in try Props.play(words, input) }
    context.runProgram = { words, input, _ in
      guard let input else { return try self.ssh(words, writeOutput, writeError) }
      if words == ["cat"] { writeOutput(input + [0x0A]) }
      return words.first == "false" ? 1 : words == ["cat"] || words == ["true"] ? 0 : 127
    }
    return AdminCommands.run(words, context)
  }

  /// Plays ssh: the host is this one, and the key's forced command is `serve-ssh`.
  private func ssh(
    _ words: [String], _ writeOutput: @escaping ([UInt8]) -> Void, _ writeError: @escaping ([UInt8]) -> Void
  ) throws -> Int32 {
    guard words.first == "ssh", let line = words.last else { return 127 }
    let outer = environment
    defer { environment = outer }
    environment["SSH_ORIGINAL_COMMAND"] = line
    environment["PAWL_LEDGER"] = nil
    return pawl(
      ["serve-ssh", "--principal", "ada"], input: [], typing: [], isSeen: true, writeOutput, writeError)
  }
}

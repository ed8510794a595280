internal import JSON
internal import Platform
internal import ReleaseModel
internal import TestSupport
internal import Testing

/// The stories of Tests/stories, each a test of its own. Their lines are those of `Story.swift`.
///
/// `## ` is a story's title. What stands before the first one begins every story of the file. A first line `open …` says on
/// what: `open taxi` is a ledger with the app `taxi`, and what a story opens itself is without the file's beginning; `open
/// ledger` is one without apps, `open nothing` none, and `open mail [VERSION STATE] BELIEF` the ledger of `Mailroom`.
///
/// Lines that begin with `|` are a table: its first row has names, which the story's lines use as `{NAME}`, and each other
/// one is a test with what they stand for; ` ; ` in it ends a line.
///
/// At the end of a story its ledger is verified, unless the story alters or damages it or says itself what `verify` finds.
@Suite struct StoryTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let file: String
    let title: String
    let row: String
    let lines: [(number: Int, text: String)]
    var testDescription: String { "\(file): \(title)\(row)" }
  }

  private static let folder = "Tests/stories"

  static let cases: Result<[Case], any Error> = Result {
    try fileNames(in: "\(repository)/\(folder)").filter { $0.hasSuffix(".txt") }.sorted().flatMap(read)
  }

  private static func read(_ file: String) throws -> [Case] {
    let text = String(
      decoding: try readFile("\(repository)/\(folder)/\(file)", limit: 1 << 20), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { (number: $0 + 1, text: String($1)) }.filter { !$0.text.isEmpty && !$0.text.hasPrefix("# ") }
    let starts = lines.indices.filter { lines[$0].text.hasPrefix("## ") }
    let beginning = Array(lines[..<(starts.first ?? lines.endIndex)])
    return zip(starts, starts.dropFirst() + [lines.endIndex]).flatMap { start, end in
      let title = String(lines[start].text.dropFirst(3))
      let table = lines[(start + 1)..<end].prefix { $0.text.hasPrefix("|") }.map { cells($0.text) }
      let story = Array(lines[(start + 1 + table.count)..<end])
      let whole = story.first?.text.hasPrefix("open ") == true ? story : beginning + story
      guard let head = table.first else { return [Case(file: file, title: title, row: "", lines: whole)] }
      return table.dropFirst().map { row in
        Case(
          file: file, title: title, row: ", \(row.joined(separator: " | "))",
          lines: whole.map { line in
            (line.number, zip(head, row).reduce(line.text) { $0.replacing("{\($1.0)}", with: $1.1) })
          })
      }
    }
  }

  private static func cells(_ row: String) -> [String] {
    "\(row) ".dropFirst(2).split(separator: " | ", omittingEmptySubsequences: false)
      .map { String($0).replacing(#/ +$/#, with: "").replacing(" ; ", with: "\n") }
  }

  private static func open(_ words: [String]) throws -> Shell {
    switch words.first {
    case "ledger": return try Shell()
    case "nothing": return try Shell(makesLedger: false)
    case "mail":
      let believing = try #require(Believing.allCases.first { "\($0)" == words.last })
      guard words.count > 2 else { return try Mailroom.open(believing) }
      return try Mailroom.open(words[1], #require(ReleaseState(rawValue: words[2])), believing)
    default: return try Shell.taxi()
    }
  }

  @Test(arguments: try cases.get()) func `a story runs as written`(_ story: Case) throws {
    var lines = story.lines[...]
    let opening = lines.first?.text.hasPrefix("open ") == true ? lines.removeFirst().text : "open taxi"
    let shell = try StoryTests.open(opening.split(separator: " ").dropFirst().map(String.init))
    shell.feed = { [unowned shell] _, input, _ in
      shell.taken.append((try? JSON(parsing: input)) ?? .null)
      return shell.taker.count > 1 ? shell.taker.removeFirst() : shell.taker.first ?? 0
    }
    for (number, text) in lines {
      let place = SourceLocation(
        fileID: "stories/\(story.file)", filePath: "\(repository)/\(StoryTests.folder)/\(story.file)",
        line: number, column: 1)
      try shell.tell(text, sourceLocation: place)
    }
    let tampers = story.lines.contains { line in
      ["alter ", "damage ", "verify "].contains { line.text.hasPrefix($0) }
    }
    if !tampers, shell.directory.exists("pawl.db") { try shell.done("verify") }
  }
}

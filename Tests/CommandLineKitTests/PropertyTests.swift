import CommandLineKit
import TestSupport
import Testing

@Suite struct PropertyTests {
  @Test func `no list of words crashes the parser`() {
    var random = Seeded(7)
    let words = [
      "app", "add", "list", "inbox", "show", "note", "check", "help", "--", "-", "-h", "--help", "--json",
      "--grep",
      "--grep=x", "--platform", "--platform=ios", "--seats", "9", "-5", "--bundle-id", "-f", "-qf", "=",
      "--=", "-=",
      "", " ", "\u{301}", "--\u{301}", "-\u{301}f", "--grep=\u{301}", "\u{1B}[0m", "\u{FFFD}",
      "\u{1F469}\u{200D}", "ap",
      "--f", "--colour", "-\u{1F1E6}", "\r\n",
    ]
    var outcomes = (runs: 0, helps: 0, errors: 0)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...7, using: &random)
      let line = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }
      do {
        switch try tool.parse(line, width: Int.random(in: -5...120, using: &random)) {
        case .run: outcomes.runs += 1
        case .help(let path, let text), .incomplete(let path, let text):
          outcomes.helps += 1
          #expect(tool.command(at: path) != nil)
          #expect(text.hasSuffix("\n"))
        }
      } catch {
        outcomes.errors += 1
        #expect(printable(error.message) == error.message)
        #expect(error.id.hasPrefix("usage."))
        #expect(tool.command(at: error.path) != nil)
      }
    }
    #expect(outcomes.runs > 100 && outcomes.helps > 100 && outcomes.errors > 100)
  }

  @Test func `the order and form of options do not change the call`() throws {
    var random = Seeded(11)
    let expected = try call(
      "app", "add", "demo", "--bundle-id", "x", "--platform", "ios", "--seats", "3", "--force", "--quiet")
    #expect(expected != nil)
    let options = [
      ["--bundle-id", "x"], ["--platform", "ios"], ["--seats", "3"], ["--force"], ["--quiet"], ["--json"],
    ]
    for _ in 0..<2_000 {
      var groups = options.shuffled(using: &random).map { group in
        group.count == 2 && Bool.random(using: &random) ? ["\(group[0])=\(group[1])"] : group
      }
      // Names and the argument keep their order, each at a random place among the options.
      var places = (0..<3).map { _ in Int.random(in: 0...groups.count, using: &random) }.sorted()
      for name in ["demo", "add", "app"] { groups.insert([name], at: places.popLast() ?? 0) }
      let words = groups.flatMap { $0 }
      #expect(try call(words) == expected, "\(words)")
    }
    for _ in 0..<500 {
      let words = ["app", "add"] + (options + [["demo"]]).shuffled(using: &random).flatMap { $0 }
      #expect(try call(words) == expected, "\(words)")
    }
  }

  @Test func `printable text stays as it is and has no control characters`() {
    var random = Seeded(3)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...12, using: &random)
      let scalars = (0..<count).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0xFF : 0x10FFFF), using: &random))
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      let shown = printable(text)
      #expect(printable(shown) == shown)
      #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control })
      #expect(displayWidth(text) >= 0)
      let table = Table(
        columns: [Column("A"), .right("B"), Column("C")], rows: [[Cell(text), "b", Cell(text)]])
      #expect(table.render().split(separator: "\n").count == 2)
      _ = table.render(width: 40)
    }
  }
}

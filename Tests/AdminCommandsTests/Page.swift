internal import Platform
internal import Testing

/// A page with transcripts in blocks of the kind `console`.
///
/// A comment `<!-- scene: NAME -->` names the scene of Tests/transcripts/scenes.md that the transcripts below it begin with,
/// and that each heading of the second level begins with anew. Without one a page is one session. In a block, `$ ` stands before a command, `> ` before a line
/// that is typed while it runs, and `[exit N]` after one that does not end with 0.
struct Page {
  static let folder = "docs/commands"
  private static let tests = "Tests/transcripts"
  private static let scenes = "\(tests)/scenes.md"
  private static let stories = ["README.md", "docs/getting-started.md"]

  static func paths() throws -> [String] {
    let pages = try [folder, tests].flatMap { folder in
      try fileNames(in: "\(repository)/\(folder)").filter { $0.hasSuffix(".md") }.sorted()
        .map { "\(folder)/\($0)" }
    }
    return stories + pages.filter { $0 != scenes }
  }

  let path: String
  let lines: [String]

  init(_ path: String) throws {
    self.path = path
    let text = String(decoding: try readFile("\(repository)/\(path)", limit: 1 << 20), as: UTF8.self)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  func run() throws -> [String] {
    var out: [String] = []
    var scene: String?
    var terminal: Terminal?
    var rest = lines[...]
    while let line = rest.popFirst() {
      out.append(line)
      if line.hasPrefix("## "), scene != nil {
        terminal = nil
      } else if let named = line.wholeMatch(of: /<!-- scene: ([a-z-]+) -->/) {
        (scene, terminal) = (String(named.1), nil)
      } else if line == "```console" {
        let block = rest.prefix { $0 != "```" }
        rest = rest.dropFirst(block.count)
        let opened = try terminal ?? Terminal(scene: scene)
        terminal = opened
        out += try Page.run(block, opened)
      }
    }
    return out
  }

  private static func run(_ block: ArraySlice<String>, _ terminal: Terminal) throws -> [String] {
    var out: [String] = []
    var rest = block
    while var line = rest.popFirst() {
      guard line.hasPrefix("$ ") else { continue }
      out.append(line)
      while line.hasSuffix("\\"), let more = rest.popFirst() {
        out.append(more)
        line = String(line.dropLast()) + String(more.drop { $0 == " " })
      }
      let typed = rest.prefix { !$0.hasPrefix("$ ") }.filter { $0 == ">" || $0.hasPrefix("> ") }
      out += try terminal.run(String(line.dropFirst(2)), typing: typed.map { String($0.dropFirst(2)) })
    }
    return out
  }

  static func scene(_ name: String) throws -> (base: String?, blocks: [ArraySlice<String>]) {
    let page = try Page(scenes)
    let start = try #require(page.lines.firstIndex(of: "## \(name)"), "there is no scene '\(name)'")
    let section = page.lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
    let base = section.lazy.compactMap { $0.wholeMatch(of: /<!-- scene: ([a-z-]+) -->/) }.first
    var found: [ArraySlice<String>] = []
    var rest = section
    while let fence = rest.firstIndex(of: "```console") {
      let block = rest[(fence + 1)...].prefix { $0 != "```" }
      found.append(block)
      rest = rest[block.endIndex...]
    }
    return (base.map { String($0.1) }, found)
  }

  static func play(_ blocks: [ArraySlice<String>], _ terminal: Terminal) throws {
    for line in try blocks.flatMap({ try run($0, terminal) }) {
      #expect(!line.hasPrefix("[exit ") && !line.hasPrefix("hint: "), "a scene: \(line)")
    }
  }
}

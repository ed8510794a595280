import AdminCommands
import CommandLineKit
import Platform
import Testing

/// The pages of docs/commands: each transcript is run and compared to the letter; UPDATE_GOLDEN=1 writes them anew.
///
/// One after the other, since each terminal changes into a folder of its own.
@Suite(.serialized) struct PageTests {
  @Test(arguments: try Page.names())
  func `what a page shows is what pawl prints`(name: String) throws {
    let page = try Page(name)
    let lines = try page.run()
    if environment("UPDATE_GOLDEN") == "1", lines != page.lines {
      let bytes = Array(lines.joined(separator: "\n").utf8)
      try writeFile(bytes, to: "\(Page.folder)/\(name).md", rights: 0o644)
    } else {
      let difference = lines.difference(from: page.lines).map { change in
        switch change {
        case .insert(let line, let text, _): "\(line + 1): + \(text)"
        case .remove(let line, let text, _): "\(line + 1): - \(text)"
        }
      }
      #expect(difference.isEmpty, "\(name).md differs:\n\(difference.joined(separator: "\n"))")
    }
    // The help is as long as it is.
    let shown =
      lines.prefix(4).contains { $0.hasPrefix("$ pawl help") } ? lines.drop { $0 != "```" } : lines[...]
    #expect(shown.count <= 151, "a page shows at most 150 lines")
  }

  @Test func `every command has its help at the head of a page`() throws {
    let shown = try Page.names().reduce(into: Set<String>()) { shown, name in
      shown.formUnion(
        try Page(name).lines.filter { $0.hasPrefix("$ pawl help ") }.map { String($0.dropFirst(12)) })
    }
    func look(_ command: Command<AdminCommands.Context>, _ path: [String]) {
      if !path.isEmpty { #expect(shown.contains(path.joined(separator: " ")), "no page shows its help") }
      for child in command.subcommands { look(child, path + [child.name]) }
    }
    look(AdminCommands.table, [])
  }
}

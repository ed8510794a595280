import AdminCommands
import CommandLineKit
import Pages
import Platform
import Testing

/// The pages that the program has: enough that no error, hint or help leads to one that is not there.
@Suite struct PagesTests {
  /// Text of the program, and of the tables that it takes words from, in which pages are named.
  private func words() throws -> String {
    // What stands in comments is for readers of the sources.
    try Repository.files(below: "Sources", ending: ".swift").flatMap(Repository.lines).map(\.text).filter {
      !$0.drop { $0 == " " }.hasPrefix("//")
    }.joined(separator: "\n")
      + Repository.text("docs/errors.md") + Repository.text("docs/reasons.md")
  }

  @Test func everyPageThatAWordNamesIsThere() throws {
    let words = try words()
    let names = Set(words.matches(of: /pawl help ([a-z-]+)'/).map { String($0.1) })
    #expect(names.contains("formats") && names.count > 3)
    let others = Set(
      AdminCommands.table.subcommands.map(\.name) + ["options", "environment", "exit-codes", "topics"])
    for name in names where !others.contains(name) { #expect(Pages.page(named: name) != nil, "\(name)") }
    for match in words.matches(of: /docs\/[A-Za-z0-9_\/-]+\.md/) {
      #expect(Pages.page(named: String(match.0)) != nil, "\(match.0)")
    }
    // What they link to, so that none of them is a dead end; a page of commands is their help.
    for page in Pages.all where names.contains(page.name) || words.contains("docs/\(page.file)") {
      let folder = page.file.split(separator: "/").dropLast().joined(separator: "/")
      let text = String(decoding: page.text(), as: UTF8.self).replacing(/(?s)```.*?```/, with: "")
      for link in text.matches(of: /\]\(([A-Za-z0-9_.\/-]+\.md)/) {
        let file = DocumentationTests.joined(folder, String(link.1))
        #expect(
          Pages.page(named: file) != nil || file.hasPrefix("commands/"), "\(page.name) links to \(file)")
      }
    }
  }

  @Test func everyPageIsTheOneOfDocs() throws {
    for page in Pages.all {
      #expect(String(decoding: page.text(), as: UTF8.self) == (try Repository.text("docs/" + page.file)))
      #expect(Pages.page(named: page.name)?.file == page.file)
      #expect(Pages.page(named: "docs/" + page.file)?.name == page.name)
    }
    #expect(Set(Pages.all.map(\.name)).count == Pages.all.count)
    #expect(Pages.page(named: "docs/none.md") == nil)
  }
}

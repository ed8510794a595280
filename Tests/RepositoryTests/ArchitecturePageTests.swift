import Testing

@Suite struct ArchitecturePageTests {
  private static func spans() throws -> [String] {
    let parts = try Repository.text("docs/architecture.md").split(separator: "```").enumerated()
    let prose = parts.filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined()
    return prose.matches(of: /`([^`\n]+)`/).map { String($0.1) }
  }

  @Test func `every file and folder that the page names is there`() throws {
    let files = Set(
      try Repository.sources().map { $0.split(separator: "/").last.map(String.init) ?? "" })
    var count = 0
    for span in try ArchitecturePageTests.spans() {
      if ["Sources/", "Tests/", "docs/", "db/"].contains(where: span.hasPrefix) || span == "README.md" {
        count += 1
        #expect(Repository.exists(span), "there is no \(span)")
      } else if span.hasSuffix(".swift") {
        count += 1
        #expect(files.contains(span), "there is no \(span)")
      }
    }
    #expect(count > 40, "the files were not found")
  }

  @Test func `every type and function that the page names is declared`() throws {
    let tests = try Repository.files(below: "Tests", ending: ".swift")
    let text = try (Repository.sources() + tests).map(Repository.text).joined(separator: "\n")
    var declared: Set<String> = []
    for match in text.matches(
      of: /(?:struct|class|enum|protocol|typealias|extension|func|var|let) ([A-Za-z]+)/)
    {
      declared.insert(String(match.1))
    }
    let modules = Set(try Repository.names(in: "Sources"))
    var count = 0
    for span in try ArchitecturePageTests.spans() {
      // A type, or a member of one: `ChangeSet`, `Ledger.record`.
      guard !span.hasSuffix(".swift"), !span.hasSuffix(".md"),
        span.wholeMatch(of: /[A-Z][A-Za-z]+(?:\.[a-z][A-Za-z]+)?/) != nil
      else { continue }
      count += 1
      for name in span.split(separator: ".").map(String.init) {
        #expect(declared.contains(name) || modules.contains(name), "nothing is called '\(name)' (\(span))")
      }
    }
    #expect(count > 30, "the names were not found")
  }

  @Test func `the picture has every module`() throws {
    let page = try Repository.text("docs/architecture.md")
    let picture = try #require(page.split(separator: "```").dropFirst().first)
    for module in try Repository.names(in: "Sources") + ["Schema"] {
      #expect(picture.contains(try Regex("\\b\(module)\\b")), "\(module) is not in the picture")
    }
  }
}

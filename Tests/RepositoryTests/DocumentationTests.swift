import AppleIntake
import CommandLineKit
import ReleaseModel
import Testing

@testable import AdminCommands

@Suite struct DocumentationTests {
  // MARK: - Errors

  private static func documentedIDs() -> [String] {
    ErrorCatalogue.cells.map { $0[0] } + ErrorCatalogue.rows.map(\.id)
  }

  @Test func `every exit code is documented with its number`() throws {
    let page = try Repository.text("docs/errors.md")
    for code in [0, 1, 64, 65, 66, 70, 74, 75, 77, 130, 143] {
      #expect(page.contains("| \(code) |"), "\(code)")
    }
  }

  // MARK: - Reasons

  private static func documentedReasons() throws -> [String] {
    try Repository.lines("docs/reasons.md").flatMap { line in
      line.text.hasPrefix("| `")
        ? line.text.split(separator: "|")[0].matches(of: /`(.+?)`/).map { String($0.1) } : []
    }
  }

  /// Every reason that a piece of evidence may have: those of enumerations, and the others as the sources spell them.
  private static func reasons() throws -> Set<String> {
    var mails = MessageFault.allCases.map(\.rawValue) + OtherMatter.allCases.map { "other.\($0.rawValue)" }
    mails += MIMEFault.allCases.map { "unreadable.\($0.rawValue)" }
    mails += MailHeaders.required.map { "missing-field.\($0)" }
    mails += MailHeaders.single.map { "repeated-field.\($0)" }
    mails += DKIMFailure.allCases.flatMap { ["signature.\($0.rawValue)", "uncovered.\($0.rawValue)"] }
    mails += ServerFailure.allCases.map { "server.\($0.rawValue)" }
    mails += NoticeField.allCases.flatMap { field in
      ["contradiction", "ambiguous", "malformed", "missing"].map { "\($0).\(field.rawValue)" }
    }
    let kinds = ["mail", "webhook", "asc"]
    let laws = try ["Law", "LawChecks", "Refusal"].flatMap { name in
      try Repository.text("Sources/ReleaseModel/Laws/\(name).swift").matches(
        of: /"((?:build|mark|release|state|time|unmark|version|void)\.[a-z-]+)["\/]/
      ).map { String($0.1) }
    }
    var others = kinds.flatMap { kind in laws.map { "\(kind).law.\($0)" } }
    for folder in ["Sources/Intake", "Sources/AppleIntake"] {
      // What an answer is refused with is an error, and no reason.
      for file in try Repository.files(below: folder, ending: ".swift")
      where !file.contains("Fetch") && !file.contains("Refusal") {
        let text = try Repository.text(file)
        others += text.matches(of: /(Refusal\()?"((?:mail|lookup|webhook|asc|inbox)\.[a-z-]+)"/)
          .filter { $0.1 == nil }.map { String($0.2) }
        mails += text.matches(of: /(?:ProofFailure\(|unclear\(|unknownState = )"([a-z-]+)"/).map {
          String($0.1)
        }
        for match in text.matches(of: /(?:ind\.rawValue\)\.|park\(")([a-z-]+)"/) where match.1 != "unknown-id"
        {
          others += kinds.map { "\($0).\(match.1)" }
        }
      }
    }
    // A lookup says no state, but may have to wait, or come too late; no answer is stale so far.
    return Set(mails.map { "mail.\($0)" } + others + ["lookup.unagreed", "lookup.overtaken", "asc.stale"])
  }

  @Test func `every reason for evidence is documented, and every documented one exists`() throws {
    let documented = try DocumentationTests.documentedReasons()
    #expect(documented.count == Set(documented).count, "a reason stands there twice")
    let all = try DocumentationTests.reasons().union(PassedOver.allCases.map(\.rawValue))
    // `mail.missing.*` stands for each id that goes on with a part from the second table.
    let parts = Set(documented.filter { id in !all.contains(id) && !id.hasSuffix("*") })
    var used: Set<String> = []
    for id in all {
      let words = meaning(of: id)
      #expect(words?.isEmpty == false && words?.hasSuffix(".") == false, "\(id) is not documented")
      guard !documented.contains(id) else { continue }
      let family = documented.first { $0.hasSuffix(".*") && id.hasPrefix($0.dropLast()) } ?? "*"
      let part = String(id.dropFirst(family.utf8.count - 1))
      #expect(parts.contains(part), "\(id) is not documented")
      used.formUnion([family, part])
    }
    let unused = Set(documented).subtracting(used).subtracting(all)
    #expect(unused.isEmpty, "\(unused.sorted()) are not the reason of anything")
    for (id, words) in [
      ("mail.missing-field.message-id", "its field Message-ID is missing"),
      ("mail.missing.apple-id", "proved, but the Apple ID is missing"),
      ("asc.law.release.void", "a law refuses the move: the release was struck out"),
      ("mail.not-apple", "its From does not claim to be Apple; only hash and header are kept"),
    ] {
      #expect(meaning(of: id) == words)
    }
    #expect(PassedOver.link.words == "it is a symbolic link, and those are not followed")
  }

  @Test func `pages name only reasons that exist`() throws {
    let known = try DocumentationTests.reasons().union(PassedOver.allCases.map(\.rawValue)).union(
      DocumentationTests.documentedIDs())
    for page in try DocumentationTests.pages() {
      for match in try Repository.text(page).matches(of: /`((?:mail|lookup|webhook)\.[a-z-]+(?:\.[a-z-]+)*)`/)
      {
        #expect(known.contains(String(match.1)), "\(page) names \(match.1)")
      }
    }
  }

  // MARK: - Commands

  private static let noExample: [String: String] = [
    "pawl app show": "it takes the app and nothing else",
    "pawl app list": "it takes nothing",
    "pawl trust list": "it takes nothing",
    "pawl version": "it takes nothing",
  ]

  @Test func `every command has a summary and an example`() {
    func look(_ command: Command<AdminCommands.Context>, _ name: String) {
      #expect(!command.summary.isEmpty, "\(name) has no summary")
      #expect(!command.summary.hasSuffix("."), "\(name): a summary ends without a full stop")
      if command.subcommands.isEmpty {
        #expect(
          command.examples.isEmpty == (DocumentationTests.noExample[name] != nil),
          "\(name) has an example, or a reason not to in this test; not both")
      }
      for example in command.examples {
        #expect(example.label.contains(name), "'\(example.label)' is no example of \(name)")
      }
      for child in command.subcommands { look(child, "\(name) \(child.name)") }
    }
    look(AdminCommands.table, "pawl")
  }

  // MARK: - Declarations

  @Test func `every package declaration has a doc comment`() throws {
    for file in try Repository.sources() {
      let lines = try Repository.lines(file)
      for (index, line) in lines.enumerated() {
        let code = line.text.drop { $0 == " " }
        guard code.hasPrefix("package "), !code.hasPrefix("package import") else { continue }
        guard !DocumentationTests.needsNoComment(String(code)) else { continue }
        // Attributes may stand between the comment and the declaration; fields of a list share the comment above it.
        var above = index - 1
        while above >= 0, lines[above].text.drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
        let isCommented = above >= 0 && lines[above].text.drop { $0 == " " }.hasPrefix("//")
        #expect(isCommented, "\(line)")
      }
    }
  }

  /// What says all there is to say by its name and type: a stored or computed property without surprises, the
  /// memberwise initialiser, an operator, and what a protocol asks for: one of the standard library, or one of the model's
  /// fields, where it is said once.
  private static func needsNoComment(_ code: String) -> Bool {
    if code.hasPrefix("package init(") || code.hasPrefix("package static func <")
      || code.hasPrefix("package static func ==") || code.hasPrefix("package func hash(into")
      || code.hasPrefix("package mutating func visit<")
      || code.hasPrefix("package init?(cell:") || code.hasPrefix("package init?(member:")
      || code.hasPrefix("package init?(spelled")
    {
      return true
    }
    return ["let", "var", "private(set) var", "internal(set) var", "typealias", "static let", "static var"]
      .contains {
        code.hasPrefix("package \($0) ")
      }
  }

  // MARK: - Pages

  private static func pages() throws -> [String] {
    try ["README.md"] + Repository.files(below: "docs", ending: ".md")
      + Repository.files(below: "db", ending: ".md")
  }

  @Test func `every link leads to an existing page and heading`() throws {
    for page in try DocumentationTests.pages() {
      let folder = page.split(separator: "/").dropLast().joined(separator: "/")
      // What a transcript prints is no link.
      let text = try Repository.text(page).replacing(/(?s)```.*?```/, with: "")
      for match in text.matches(of: /\]\(([^)\s]+)\)/) {
        let link = String(match.1)
        guard !link.contains("://"), !link.hasPrefix("mailto:") else { continue }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? page : DocumentationTests.joined(folder, String(parts[0]))
        #expect(Repository.exists(path), "\(page) links to \(link)")
        #expect(
          !link.hasPrefix("/") && (!page.hasPrefix("docs/") || path.hasPrefix("docs/")),
          "\(page) links to \(link), which a site of docs alone lacks")
        guard parts.count == 2, path.hasSuffix(".md") else { continue }
        let anchors = try Repository.lines(path).filter { $0.text.hasPrefix("#") }.map {
          DocumentationTests.anchor($0.text)
        }
        #expect(anchors.contains(String(parts[1])), "\(page) links to \(link)")
      }
    }
  }

  @Test func `a page can be part of a site, which would take double braces for its own`() throws {
    for page in try Repository.files(below: "docs", ending: ".md") {
      let text = try Repository.text(page)
      let raw = text.firstRange(of: "{% raw %}")
      #expect(raw != nil || text.firstRange(of: "{{") == nil, "\(page) has double braces outside of 'raw'")
    }
    #expect(Repository.exists("docs/README.md"), "a site of docs has no index")
  }

  @Test func `a cell of a table has at most 300 characters`() throws {
    for page in try DocumentationTests.pages() {
      var isCode = false
      for line in try Repository.lines(page) {
        if line.text.hasPrefix("```") { isCode.toggle() }
        guard !isCode, line.text.hasPrefix("|") else { continue }
        for cell in line.text.replacing("\\|", with: " ").split(separator: "|") {
          let count = cell.reversed().drop { $0 == " " }.reversed().drop { $0 == " " }.count
          #expect(count <= Repository.longestCell, "\(line.file):\(line.number): \(count) characters")
        }
      }
    }
  }

  static func joined(_ folder: String, _ path: String) -> String {
    var parts = folder.split(separator: "/").map(String.init)
    for part in path.split(separator: "/") {
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(String(part)) }
    }
    return parts.joined(separator: "/")
  }

  private static func anchor(_ heading: String) -> String {
    let text = heading.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
    return String(
      text.compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : nil })
  }

  @Test func `every page of docs can be reached from the README`() throws {
    var reached: Set = ["README.md"]
    var waiting = ["README.md"]
    while let page = waiting.popLast() {
      let folder = page.split(separator: "/").dropLast().joined(separator: "/")
      for match in try Repository.text(page).matches(of: /\]\(([^)\s#]+)/) {
        let path = DocumentationTests.joined(folder, String(match.1))
        if path.hasSuffix(".md"), Repository.exists(path), reached.insert(path).inserted {
          waiting.append(path)
        }
      }
    }
    for page in try Repository.files(below: "docs", ending: ".md") {
      #expect(reached.contains(page), "nothing leads to \(page)")
    }
  }

  @Test func `every file below docs that the sources name exists`() throws {
    var named = 0
    for line in try Repository.sources().flatMap(Repository.lines) {
      for match in line.text.matches(of: /\bdocs\/[A-Za-z0-9_.\/-]*[A-Za-z0-9_]/) {
        named += 1
        #expect(Repository.exists(String(match.0)), "\(line)")
      }
    }
    #expect(named > 20)
  }

  @Test func `the README has ten links at most, and its parts in order`() throws {
    let readme = try Repository.text("README.md")
    #expect(readme.matches(of: /[^!]\[[^\]]*\]\([^)]+\)/).count <= 10)
    let order = [
      "# pawl\n\n**", "docs/quickstart.sh", "Tests/run.sh", "## What it makes impossible",
      "## What it looks like", "## Install", "## Where to read", "(docs/README.md)", "## Status and licence",
    ]
    var rest = readme[...]
    for part in order {
      let range = try #require(rest.firstRange(of: part), "'\(part)' is missing, or not in its place")
      rest = rest[range.upperBound...]
    }
  }

  private static let longPages: [String: String] = [
    "docs/decisions.md": "one entry for each decision",
    "docs/json.md": "the members of every answer",
    "docs/errors.md": "the catalogue that the program reads",
    "docs/reasons.md": "the words that the program says",
  ]

  @Test func `a page has at most 150 lines`() throws {
    // The transcripts of docs/commands are measured without their help.
    for page in try DocumentationTests.pages() where !page.hasPrefix("docs/commands/") {
      let count = try Repository.lines(page).count
      #expect((count > 151) == (DocumentationTests.longPages[page] != nil), "\(page) has \(count) lines")
    }
  }

  /// What stood beside a word of the glossary for the same thing.
  private static let disused = [
    "first number", "second number", "version component", "components", "agree to a plan",
    "agrees in a script",
  ]

  @Test func `pages and messages use the words of the glossary`() throws {
    let glossary = try Repository.text("docs/glossary.md")
    for word in ["approve", "confirm", "document", "recorded", "segment"] {
      #expect(glossary.contains("\n| **\(word)** |"), "\(word)")
    }
    for page in try DocumentationTests.pages() {
      let text = try Repository.text(page)
      for word in DocumentationTests.disused { #expect(!text.contains(word), "\(page): \(word)") }
    }
    for line in try Repository.sources().flatMap(Repository.lines) where line.text.contains("\"") {
      let said = line.text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map(\.element).joined(separator: " ")
      for word in DocumentationTests.disused { #expect(!said.contains(word), "\(line)") }
    }
  }

  @Test func `no page names a path in a home folder`() throws {
    for page in try DocumentationTests.pages() {
      for line in try Repository.lines(page) {
        #expect(!line.text.contains("/home/") && !line.text.contains("/Users/"), "\(line)")
      }
    }
  }
}

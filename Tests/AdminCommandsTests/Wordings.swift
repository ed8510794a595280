import JSON
import Platform
import Testing

@testable import AdminCommands

/// The words of docs/errors.md, as commands print them.
extension ErrorCatalogue.Row {
  static let all = ErrorCatalogue.rows
  static let byID = Dictionary(grouping: all, by: \.id)

  /// The parser words wrong usage itself.
  var isOfParser: Bool { id.hasPrefix("usage.") && !key.contains("/") }

  /// Whether a text is this row's, with any values; what stands before it names a parameter and its value.
  func fits(_ text: String) -> Bool { message.pattern.map { text.contains($0) } ?? true }

  /// Whether an error or a finding is in these words; wordings that differ in their hint alone are told apart by it.
  private func fits(_ said: JSON) -> Bool {
    guard said["id"]?.string == id, isOfParser || fits(said["message"]?.string ?? "") else { return false }
    let hint = said["hint"]?.string ?? ""
    let hinted = (ErrorCatalogue.Row.byID[id] ?? []).filter { twin in
      twin.message == message && (twin.hint.pattern.map { hint.contains($0) } ?? hint.isEmpty)
    }
    return hinted.isEmpty || hinted.contains { $0.key == key }
  }

  /// Whether a command failed in these words, or has them among its findings or warnings.
  func isSaid(by ran: Ran) -> Bool {
    if ran.err.hasPrefix("error: ") { return fits(ran.err) }
    let found = ["findings", "warnings", "unreached", "refused"].flatMap { ran.json[$0]?.array ?? [] }
    return ([ran.error] + found).contains { fits($0) }
  }
}

extension String {
  /// What a template looks like once it is filled in; nil where it is empty.
  fileprivate var pattern: Regex<AnyRegexOutput>? {
    guard !isEmpty else { return nil }
    let parts = replacing(/\{[A-Za-z]+\}/, with: "\u{0}").split(
      separator: "\u{0}", omittingEmptySubsequences: false
    ).map { "\\Q\($0)\\E" }
    return try? Regex(parts.joined(separator: "(?s:.*?)"))
  }
}

extension Ran {
  /// Whether a command says what a row of docs/errors.md has: `id`, or `id/wording`.
  func says(_ key: String) -> Bool {
    ErrorCatalogue.Row.all.first { $0.key == key }?.isSaid(by: self) ?? false
  }

  /// The keys of the rows that fit.
  var keys: [String] { ErrorCatalogue.Row.all.filter { $0.isSaid(by: self) }.map(\.key) }
}

@Suite struct CatalogueTests {
  /// Rows that no command of a test meets by name: those of a fault of the machine, of a second process or of another
  /// server, which tests of shells name by the id alone. A row that is new is met.
  private static let unmet: Set = [
    "clock.jump/early", "export.failed/unknown", "export.foreign/stop",
    "export.refused", "file.remote", "ledger.forbidden", "ledger.io",
    "ledger.older-schema", "ledger.refused", "plan.other-copy/unknown", "schedule.too-large",
  ]

  /// The ids and keys that a text names.
  private static func keys(in text: String) -> Set<String> {
    let marks = Set("-./".utf8)
    return Set(
      text.utf8.split { !(97...122).contains($0) && !(48...57).contains($0) && !marks.contains($0) }
        .map { String(decoding: $0, as: UTF8.self) })
  }

  /// What transcripts print as errors and warnings, each on one line, and what stories say is printed.
  private static func said() throws -> [String] {
    let printed = try StoryTests.cases.get().flatMap(\.lines).compactMap { line in
      line.text.firstRange(of: " ⇒ ").map { "error: \(line.text[$0.upperBound...])" }
    }
    return try printed
      + Page.paths().flatMap { path in
        try Page(path).lines.reduce(into: [String]()) { said, line in
          if line.hasPrefix("  "), let last = said.popLast() {
            said.append(last + line.dropFirst())
          } else {
            said.append(line)
          }
        }
      }.filter { $0.hasPrefix("error: ") || $0.hasPrefix("warning: ") || $0.hasPrefix("{\"error") }
  }

  @Test func `a command of a story, of a page or of another test meets each row`() throws {
    let stories = try StoryTests.cases.get().flatMap(\.lines).map(\.text).joined(separator: "\n")
    let others = try ["AdminCommandsTests", "shell", "faults"].flatMap { folder in
      try fileNames(in: "\(repository)/Tests/\(folder)").filter { $0.contains(".") && $0 != "Wordings.swift" }
        .map {
          String(decoding: try readFile("\(repository)/Tests/\(folder)/\($0)", limit: 1 << 20), as: UTF8.self)
        }
    }.joined(separator: "\n")
    let (named, said) = (CatalogueTests.keys(in: stories + others), try CatalogueTests.said())
    for row in ErrorCatalogue.Row.all where !row.isOfParser {
      let isMet = named.contains(row.key) || said.contains { row.fits($0) }
      #expect(isMet != CatalogueTests.unmet.contains(row.key), "\(row.key): \(row.message)")
    }
  }
}

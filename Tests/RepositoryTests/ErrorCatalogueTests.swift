import CommandLineKit
import JSON
import Testing

@testable import AdminCommands

@Suite struct ErrorCatalogueTests {
  // MARK: - Rows and sources

  /// A place in the sources that names a row, and the values that it gives.
  private struct Use {
    let key: String
    let place: String
    let names: Set<String>
  }

  /// What makes an error or a finding of a row, and helpers that make it with values of their own.
  private static let makers: Set = [
    "CommandFailure", "Finding", "UsageError", "add", "demand", "found", "reading",
  ]
  private static let helpers: Set = ["report", "refused"]
  /// What makes a refusal in the modules below; what was tried, and where, is added later.
  private static let refusals: Set = ["Refusal", "notGreater", "schema", "unusable"]

  /// The names of the values in a call's arguments; where variables hold values, those of the whole file.
  private static func names(in arguments: Substring, of file: String) -> Set<String> {
    let holdsMore = arguments.contains(/\b(?:values|details|common)[,).\s]/)
    return Set(
      (holdsMore ? file[...] : arguments).matches(of: /"([A-Za-z]+)"(?::|\] =)/).map { String($0.1) })
  }

  /// The call around a position: what is called, and its arguments.
  private static func call(around place: Range<String.Index>, in text: String) -> (String, Substring)? {
    var depth = 0
    var start = place.lowerBound
    repeat {
      guard start > text.startIndex else { return nil }
      start = text.index(before: start)
      depth += text[start] == ")" ? 1 : text[start] == "(" ? -1 : 0
    } while depth >= 0
    var end = place.upperBound
    while end < text.endIndex, depth < 0 {
      depth += text[end] == "(" ? -1 : text[end] == ")" ? 1 : 0
      end = text.index(after: end)
    }
    return (String(text[..<start].reversed().prefix(while: \.isLetter).reversed()), text[start..<end])
  }

  private static func uses() throws -> [Use] {
    var uses: [Use] = []
    for file in try Repository.files(below: "Sources", ending: ".swift") {
      let text = try Repository.text(file)
      // What a helper that gets the key adds to every error of its file.
      let shared = text.matches(of: /(?:CommandFailure|report)\(\s*(?:key|unusable),/).map { match in
        let comma = text.index(before: match.range.upperBound)..<match.range.upperBound
        return names(in: call(around: comma, in: text)?.1 ?? "", of: text)
      }.reduce(Set(["app", "attempt", "reason", "version"])) { $0.union($1) }
      for match in text.matches(of: /UsageError\.demand\(/) {
        let paren = text.index(before: match.range.upperBound)..<match.range.upperBound
        guard let arguments = call(around: paren.upperBound..<paren.upperBound, in: text)?.1 else { continue }
        let isKeyed = ["\"usage.", "together: ", "needs: "].contains { arguments.contains($0) }
        #expect(isKeyed, "\(file): \(arguments) names no row")
      }
      for match in text.matches(of: /"([a-z]+(?:-[a-z]+)*\.[a-z0-9-]+(?:\/[a-z-]+)?)"/) {
        guard let (callee, arguments) = call(around: match.range, in: text) else { continue }
        let isHelped = helpers.contains(callee) && text.contains("-> CommandFailure")
        let isRefusal = refusals.contains(callee)
        guard makers.contains(callee) || isHelped || isRefusal else { continue }
        let given = names(in: callee == "found" ? text[...] : arguments, of: text).union(["app"])
          .union(
            isRefusal
              ? ["app", "attempt", "approvals", "found", "known", "path", "signers", "url", "version"] : [])
        uses.append(
          Use(
            key: String(match.1), place: "\(file): \(match.1)",
            names: isHelped || callee == "reading" ? given.union(shared) : given))
      }
    }
    return uses
  }

  @Test func `every error in the sources has its row, and every row is used`() throws {
    let rows = ErrorCatalogue.rows
    let known = Set(rows.map(\.key))
    #expect(rows.count > 200 && known.count == rows.count, "a row is there twice")
    for use in try ErrorCatalogueTests.uses() { #expect(known.contains(use.key), "\(use.place)") }
    let sources = try Repository.sources().map(Repository.text).joined()
    // The parser has the words of wrong usage in general.
    for row in rows where row.key.contains("/") || !row.id.hasPrefix("usage.") {
      let forms = ["\"\(row.key)\"", "\"\(row.id)/\\(", "id)/\(row.key.split(separator: "/").last ?? "")\""]
      #expect(forms.contains { sources.contains($0) }, "nothing uses \(row.key)")
    }
  }

  @Test func `every name in a template is a value that the sources give`() throws {
    let rows = Dictionary(uniqueKeysWithValues: ErrorCatalogue.rows.map { ($0.key, $0) })
    let uses = try ErrorCatalogueTests.uses()
    #expect(uses.count > 250)
    for use in uses {
      guard let row = rows[use.key] else { continue }
      for name in (row.message + row.hint).matches(of: /\{([A-Za-z]+)\}/).map({ String($0.1) }) {
        #expect(use.names.contains(name), "\(use.place) does not give '\(name)'")
      }
    }
  }

  @Test func `rows are sorted by id, and have an exit code`() throws {
    let keys = ErrorCatalogue.cells.filter { $0.count > 3 }.map { String($0[0].prefix { $0 != "," }) }
    for (key, next) in zip(keys, keys.dropFirst()) where key != "id" && next != "id" {
      let (id, nextID) = (key.prefix { $0 != "/" }, next.prefix { $0 != "/" })
      #expect(id < nextID || id == nextID && next.contains("/"), "\(next) is out of order")
    }
    let page = try Repository.text("docs/errors.md")
    for row in ErrorCatalogue.rows { #expect(page.contains("\n| \(row.exit.rawValue) | "), "\(row.key)") }
  }

  // MARK: - Words

  @Test func `values are made printable, and are not expanded as templates`() {
    let error = CommandFailure(
      "ledger.not-found", ["path": "{path}\u{1B}[2J"], details: ["path": "details come second"])
    #expect(error.message == #"cannot open ledger '{path}\u{1B}[2J': there is no such file"#)
    #expect(CommandFailure("no.such-row").exit.rawValue == 70)
  }
}

import JSON
import ReleaseModel
import Testing

@Suite struct JSONPageTests {
  // MARK: - Records

  /// The objects that the ledger keeps, by the name that the page gives them, with a member in each.
  private static let records: [(name: String, json: JSON)] = [
    ("app", App.blank.json(app: "x")), ("release", Release.blank.json(app: "x")),
    ("former", Release.Former.blank.json(app: "x")), ("rule", Rule.blank.json(app: "x")),
    ("redirect", Redirect.blank.json(app: "x")), ("setting", Setting.blank.json(app: "x")),
    ("evidence", Evidence.blank.json(app: "x")), ("trust", Trust.blank.json(app: "x")),
    ("publication", Publication.blank.json(app: "x")), ("clock", ClockCorrection.blank.json(app: "x")),
  ]

  private static var wanted: [String] {
    records.map { name, json in
      let members = (json.object?.members ?? []).map { "`\($0.key)`" }.sorted()
      return "| `\(name)` | \(members.joined(separator: ", ")) |"
    }
  }

  private static func table(_ head: String, in lines: [String]) throws -> Range<Int> {
    let start = try #require(lines.firstIndex(of: head), "there is no table '\(head)'") + 2
    return start..<(lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.count)
  }

  private static func lines() throws -> [String] { try Repository.lines("docs/json.md").map(\.text) }

  @Test func `the members of every record are documented`() throws {
    var lines = try JSONPageTests.lines()
    let place = try JSONPageTests.table("| object | members |", in: lines)
    let wanted = JSONPageTests.wanted
    #expect(wanted.allSatisfy { $0.contains("`, `") }, "the members were not found: \(wanted)")
    if Repository.updatesGolden, Array(lines[place]) != wanted {
      lines.replaceSubrange(place, with: wanted)
      try Repository.write(lines.joined(separator: "\n"), to: "docs/json.md")
      return
    }
    #expect(
      Array(lines[place]) == wanted,
      "run 'UPDATE_GOLDEN=1 swift test --disable-xctest --filter JSONPageTests'")
  }

  @Test func `the kinds of records that are not documented are none`() throws {
    // A table without a name above would be one that the page does not know.
    let named = Set(JSONPageTests.records.map(\.name))
    #expect(RecordTable.allCases.filter { !named.contains($0.rawValue) } == [])
  }

  // MARK: - Events

  @Test func `every kind of event is documented, and every documented kind exists`() throws {
    let lines = try Repository.lines("docs/events.md").map(\.text)
    let place = try JSONPageTests.table("| kind | what happened | `before` | `after` |", in: lines)
    let kinds = lines[place].flatMap { line in
      (line.split(separator: "|").first ?? "").matches(of: /`([a-z.-]+)`/).map { String($0.1) }
    }
    #expect(kinds.sorted() == EventKind.names.sorted())
  }

  // MARK: - Answers

  private static let elsewhere: [(end: String, page: String)] = [
    ("Kit/Synonyms.swift", "words of people, no members"),
    ("Export/Payload.swift", "docs/push.md"), ("Mapping.swift", "docs/errors.md"),
    ("Kit/CommandFailure.swift", "docs/errors.md"), ("Kit/LongWork.swift", "docs/errors.md"),
    ("Kit/Zone.swift", "docs/errors.md"), ("File/LockHolder.swift", "a file of pawl's own"),
    ("Export/ExportState.swift", "a file of pawl's own"), ("Export/Manifest.swift", "docs/documents.md"),
    ("Report/PageFolder.swift", "a file of pawl's own"),
    ("Deliver/DeliveryCursor.swift", "a file of pawl's own"), ("Export/DocumentKey.swift", "docs/json.md"),
    ("Export/AnswerTable.swift", "docs/deliver/README.md"), ("Export/TakeOver.swift", "docs/errors.md"),
    ("Deliver/Message.swift", "docs/deliver/README.md"),
  ]

  private static let written: Result<[String: String], any Error> = Result {
    var found: [String: String] = [:]
    for module in ["AdminCommands", "Export", "HTMLReport", "Intake", "Ledger", "ReleaseModel"] {
      for file in try Repository.files(below: "Sources/\(module)", ending: ".swift") {
        let isElsewhere =
          file.contains("/Remote/") || file.contains("/V1/") || file.contains("/Formats/")
          || elsewhere.contains { file.hasSuffix($0.end) }
        guard !isElsewhere else { continue }
        for member in members(in: try Repository.text(file)) { found[member] = file }
      }
    }
    return found
  }

  /// The names that a text pairs with values of JSON: `("name", value.json)` and `"name": .string(value)`.
  private static func members(in text: String) -> [String] {
    let makers = ["string", "integer", "bool", "array", "object", "optional", "null", "number"]
    let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
    return pieces.indices.dropFirst().dropLast().compactMap { index in
      let name = pieces[index]
      guard let first = name.first, first.isLowercase, name.allSatisfy({ $0.isLetter && $0.isASCII }) else {
        return nil
      }
      let value = pieces[index + 1].prefix { $0 != "\n" }
      let isJSON =
        value.contains("json") || value.contains("JSON") || makers.contains { value.contains(".\($0)") }
      let isPair = pieces[index - 1].hasSuffix("(") && value.hasPrefix(", ")
      let isMember =
        value.hasPrefix(": ") && (value.contains("json") || makers.contains { value.hasPrefix(": .\($0)") })
      return (isPair && isJSON) || isMember ? String(name) : nil
    }
  }

  @Test func `every member of an answer is documented`() throws {
    let members = try JSONPageTests.written.get()
    #expect(members.count > 120, "the members were not found")
    var documented: Set<String> = []
    // The details of an error are documented with it.
    for page in ["docs/json.md", "docs/events.md", "docs/documents.md", "docs/errors.md"] {
      for span in try Repository.text(page).matches(of: /`([^`\n]*)`/) {
        for word in span.1.matches(of: /[A-Za-z][A-Za-z0-9]*/) { documented.insert(String(word.0)) }
      }
    }
    for (member, file) in members.sorted(by: { $0.key < $1.key }) {
      #expect(documented.contains(member), "\(file) writes '\(member)', and docs/json.md does not have it")
    }
  }

  @Test func `every member that the page lists for a command is one that some command writes`() throws {
    // Values of members, not members.
    var written: Set = ["null", "over"]
    for (_, json) in JSONPageTests.records { written.formUnion((json.object?.members ?? []).map(\.key)) }
    for file in try Repository.files(below: "Sources", ending: ".swift") {
      written.formUnion(try Repository.text(file).split(separator: "\"").lazy.map(String.init))
    }
    let lines = try JSONPageTests.lines()
    for (index, head) in lines.enumerated() where head == "| command | members |" {
      for line in lines[(index + 2)...].prefix(while: { $0.hasPrefix("|") }) {
        let cells = line.split(separator: "|", maxSplits: 1)
        // Where a list of members is in braces, or a name begins what is said of it.
        for match in (cells.last ?? "").matches(of: /(?:^ |; |, |\{|and )`([a-z][A-Za-z]*)`/) {
          let member = String(match.1)
          #expect(written.contains(member), "'\(member)' in: \(line)")
        }
      }
    }
  }

  // MARK: - The decision

  @Test func `every step of a decision is documented, and every documented step exists`() throws {
    var steps: Set<String> = []
    for file in try Repository.files(below: "Sources/ReleaseModel", ending: ".swift") {
      for match in try Repository.text(file).matches(of: /[tT]race\.add\(\s*"([a-z-]+)"/) {
        steps.insert(String(match.1))
      }
    }
    #expect(steps.count >= 5, "the steps were not found: \(steps)")
    let lines = try Repository.lines("docs/decision.md").map(\.text)
    let place = try JSONPageTests.table("| step | what it says |", in: lines)
    let documented = lines[place].compactMap { $0.firstMatch(of: /^\| `([a-z-]+)` \|/).map { String($0.1) } }
    #expect(documented.sorted() == steps.sorted())
  }

  @Test func `every reason for an answer is documented, and every documented reason exists`() throws {
    let lines = try Repository.lines("docs/decision.md").map(\.text)
    let place = try JSONPageTests.table("| step | action | `decidedBy` |", in: lines)
    let documented = lines[place].compactMap { $0.firstMatch(of: /`([a-z-]+)` \|$/).map { String($0.1) } }
    #expect(Set(documented) == Set(Decision.Reason.allCases.map(\.rawValue)))
  }

  // MARK: - Faults

  @Test func `every fault that verify finds is documented, and every documented fault exists`() throws {
    let documented = try Repository.lines("docs/verify.md").compactMap {
      $0.text.firstMatch(of: /^\| `([a-z-]+\.[a-z-]+)` \|/).map { String($0.1) }
    }
    var found: Set<String> = []
    let folders = ["Sources/Ledger/Verify", "Sources/AdminCommands/Proof"]
    for file in try folders.flatMap({ try Repository.files(below: $0, ending: ".swift") }) {
      let text = try Repository.text(file)
      for match in text.matches(of: /(?:Fault|report)\(\s*"([a-z-]+\.[a-z-]+)"/) {
        found.insert(String(match.1))
      }
      // An id that is chosen first.
      for match in text.matches(of: /"((?:file|schema|row|checkpoint|head)\.[a-z-]+)" :/) {
        found.insert(String(match.1))
      }
    }
    #expect(documented.count == Set(documented).count, "a fault stands there twice")
    #expect(Set(documented).subtracting(found).sorted() == [], "documented, and nothing finds it")
    // What commands refuse is in docs/errors.md.
    let errors = try Repository.text("docs/errors.md")
    let missing = found.subtracting(documented).filter { !errors.contains("| `\($0)` |") }
    #expect(missing.sorted() == [], "verify finds it, and docs/verify.md does not have it")
  }
}

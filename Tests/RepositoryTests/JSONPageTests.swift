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
    ("publication", Publication.blank.json(app: "x")),
  ]

  /// A row for each object, and more where its members are longer than a cell may be.
  private static var wanted: [String] {
    records.flatMap { name, json in
      var cells: [String] = []
      for member in (json.object?.members ?? []).map({ "`\($0.key)`" }).sorted() {
        if let last = cells.last, last.count + member.count < Repository.longestCell - 2 {
          cells[cells.count - 1] = "\(last), \(member)"
        } else {
          cells.append(member)
        }
      }
      return cells.enumerated().map { "| \($0 == 0 ? "`\(name)`" : "") | \($1) |" }
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

  @Test func `every kind of record is documented`() throws {
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

  // MARK: - The decision

  @Test func `every reason for an answer is documented, and every documented reason exists`() throws {
    let lines = try Repository.lines("docs/decision.md").map(\.text)
    let place = try JSONPageTests.table("| step | action | `decidedBy` |", in: lines)
    let documented = lines[place].compactMap { $0.firstMatch(of: /`([a-z-]+)` \|$/).map { String($0.1) } }
    #expect(Set(documented) == Set(Decision.Reason.allCases.map(\.rawValue)).subtracting(["unknown"]))
  }
}

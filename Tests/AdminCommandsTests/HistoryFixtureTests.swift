import JSON
import Platform
import TestSupport
import Testing

@Suite struct HistoryFixtureTests {
  private struct Line {
    let number: Int
    let version: String
    let releasedAt: String
    let build: String
  }

  private func lines(_ name: String) throws -> (path: String, lines: [Line]) {
    let path = "\(repository)/Tests/Fixtures/histories/\(name).csv"
    let text = String(decoding: try readFile(path, limit: 1 << 20), as: UTF8.self)
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().dropFirst()
    return (
      path,
      rows.filter { !$1.isEmpty }.map { index, row in
        let fields = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return Line(number: index + 1, version: fields[0], releasedAt: fields[1], build: fields[2])
      }
    )
  }

  private func numbers(_ version: String) -> [Int] {
    var numbers = version.split(separator: ".").compactMap { Int($0) }
    while numbers.count < 3 { numbers.append(0) }
    return numbers
  }

  private func isPlain(_ version: String) -> Bool {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 3 && parts.allSatisfy { $0 == String(Int($0) ?? -1) }
  }

  @Test(arguments: ["duckduckgo-ios", "home-assistant-ios", "simplenote-ios"])
  func `with --past every version is known, and none of the past ones is ever a target`(name: String) throws {
    let shell = try Shell.taxi()
    let (path, lines) = try lines(name)
    // By hand: of one number, the line that can go live, else the first.
    var taken: [[Int]: (line: Line, isPast: Bool)] = [:]
    var greatest: [Int] = []
    for line in lines.sorted(by: { $0.releasedAt < $1.releasedAt }) {
      let number = numbers(line.version) + (numbers(line.version).count == 3 ? [0] : [])
      let isBeside = line.version.split(separator: ".").count > 3
      if let known = taken[number], isBeside || isPlain(known.line.version) { continue }
      let isPast = isBeside || !(greatest.isEmpty || greatest.lexicographicallyPrecedes(number))
      if !isPast { greatest = number }
      taken[number] = (line, isPast)
    }
    let past = taken.values.filter(\.isPast)
    #expect(!past.isEmpty)
    let ran = shell.run(["import", "taxi", path, "--json", "--yes", "--past"])
    #expect(ran.status == 0 && ran.json["refused"] == [], "\(ran.err)")
    #expect(ran.json["imported"] == .integer(Int64(taken.count)))
    #expect(ran.json["past"] == .integer(Int64(past.count)))
    #expect(ran.json["skipped"] == .integer(Int64(lines.count - taken.count)))
    let again = shell.run(["import", "taxi", path, "--json", "--yes", "--past"]).json
    #expect(again["imported"] == 0 && again["skipped"] == .integer(Int64(lines.count)))
    #expect(again["changed"] == false)

    try shell.done("export @out")
    for (line, _) in taken.values { #expect(shell.directory.exists("out/v1/taxi/\(line.version).json")) }
    for (line, isPast) in taken.values {
      let told = shell.run("check taxi \(line.version) --json").json
      #expect(told["review"] == false, "\(line.version)")
      let target = try #require(told["target"])
      #expect(target == .null || !past.contains { .string($0.line.version) == target })
      guard isPast else { continue }
      #expect(shell.run("mark taxi \(line.version) live --json").errorID == "release.past")
      let shown = try shell.release(line.version)
      #expect(shown?["state"] == "superseded" && shown?["visibleAt"] == .null && shown?["past"] == true)
    }
    let top = try #require(shell.run("status taxi --json").json["apps"]?.array?.first?["target"]?.string)
    #expect(numbers(top) + [0] == greatest)
    #expect(shell.run("verify").status == 0)
  }

  @Test(arguments: ["duckduckgo-ios", "home-assistant-ios", "simplenote-ios"])
  func `exactly the lines that break the law are refused`(name: String) throws {
    let shell = try Shell.taxi()
    let (path, lines) = try lines(name)
    var refused: [Int: String] = [:]
    var greatest: [Int] = []
    var taken = 0
    // Times in one zone and one form sort as text; sorting is stable.
    for line in lines.sorted(by: { $0.releasedAt < $1.releasedAt }) {
      if !isPlain(line.version) {
        refused[line.number] = "version.malformed"
      } else if !line.build.isEmpty, !isPlain(line.build) {
        refused[line.number] = "build.malformed"
      } else if !greatest.isEmpty, !greatest.lexicographicallyPrecedes(numbers(line.version)) {
        refused[line.number] = "version.not-greater"
      } else {
        greatest = numbers(line.version)
        taken += 1
      }
    }
    let head = shell.head()
    let whole = shell.run(["import", "taxi", path, "--json", "--yes"])
    let named = Dictionary(
      uniqueKeysWithValues: (whole.json["refused"]?.array ?? []).map {
        (Int($0["line"]?.integer ?? 0), $0["id"]?.string ?? "")
      })
    #expect(named == refused)
    #expect(whole.status == (refused.isEmpty ? 0 : 65))
    if !refused.isEmpty {
      // All or nothing.
      #expect(shell.head() == head && whole.json["imported"] == 0)
      let rest = shell.run(["import", "taxi", path, "--json", "--yes", "--skip-refused"])
      #expect(rest.status == 0 && rest.json["imported"] == .integer(Int64(taken)))
      #expect(rest.json["refused"] == whole.json["refused"])
    }
    #expect(shell.head() == (head ?? 0) + Int64(taken))
    let again = shell.run(["import", "taxi", path, "--json", "--yes", "--skip-refused"]).json
    #expect(again["imported"] == 0 && again["skipped"] == .integer(Int64(taken)))
    let board = shell.run("status taxi --json").json["apps"]?.array?.first
    #expect(board?["releaseCount"] == .integer(Int64(taken)))
    #expect(board?["target"]?.string.map(numbers) == greatest)
  }
}

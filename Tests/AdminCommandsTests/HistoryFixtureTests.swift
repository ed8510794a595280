import AdminCommands
import JSON
import Platform
import Testing

/// Real histories of public apps, against what one works out by hand.
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

import Export
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

/// The museum of forced updates: each incident of Tests/Fixtures/incidents.txt with the mechanism that the team had, and the
/// same in pawl. docs/design/incidents.md is made from it; UPDATE_GOLDEN=1 writes it anew.
@Suite struct MuseumTests {
  private struct Incident: CustomTestStringConvertible {
    let thread: String
    let title: String
    let saw: String
    let verdict: String
    let why: String
    let steps: [String]
    var testDescription: String { thread }
  }

  private static let file = "Tests/Fixtures/incidents.txt"
  private static let page = "docs/design/incidents.md"
  private static let verdicts = ["refuses", "asks", "warns", "holds", "softens", "not prevented"]

  private static func text(_ path: String) throws -> String {
    String(decoding: try readFile("\(repository)/\(path)", limit: 1 << 20), as: UTF8.self)
  }

  /// The first one says how the file is written.
  private static let incidents: Result<[Incident], any Error> = Result {
    try text(file).split(separator: "\n# ").dropFirst(2).map { story in
      let lines = story.split(separator: "\n").map(String.init)
      let heading = lines[0].split(separator: " | ").map(String.init)
      let verdict = lines[2].split(separator: ": ", maxSplits: 1).map(String.init)
      return Incident(
        thread: heading[0], title: heading[1], saw: String(lines[1].dropFirst("saw: ".count)),
        verdict: verdict[0], why: verdict[1], steps: Array(lines.dropFirst(3)))
    }
  }

  @Test(arguments: try incidents.get()) private func `an incident ends in pawl as the table says`(
    incident: Incident
  ) throws {
    #expect(incident.steps.count <= 22 && MuseumTests.verdicts.contains(incident.verdict))
    let shell = try Shell.taxi()
    var team = Team(start: shell.clock)
    var documents: ((Shell) throws -> [String: [UInt8]]) = MuseumTests.documents
    var told = 0
    for step in incident.steps {
      let words = shell.words(step)
      let os = words.lazy.filter { $0.hasPrefix("os=") }.first.map { String($0.dropFirst(3)) }
      var pawl: String?
      switch words[0] {
      case "team": team.learn(words.dropFirst())
      case "documents":
        documents =
          words[1] == "gone" ? { _ in [:] } : { try MuseumTests.documents(of: $0).mapValues { _ in [60] } }
      case "demand": try shell.demand()
      case "told":
        pawl = try shell.done("check taxi \(words[1])\(os.map { " --os \($0)" } ?? "") --json").json[
          "action"]?.string
      case "read":
        try shell.done("export")
        let client = try #require(
          ExportFormats.named("v1")?.clients(of: documents(shell), app: "taxi", at: shell.clock).first)
        let concluded = client.conclude(try Version(words[1]))(try os.map { try Version($0) })
        pawl = (concluded?.action ?? .none).rawValue
      default: try shell.tell(step)
      }
      guard let pawl else { continue }
      told += 1
      let both = [team.told(try Version(words[1]), at: shell.clock).rawValue, pawl]
      #expect(both == Array(words.suffix(2)), "\(incident.thread): \(step): \(both)")
    }
    #expect(
      told > 0 || incident.steps.contains { $0.hasPrefix("check") || $0.contains("→ 1") },
      "it tells nobody anything")
    try shell.done("verify")
  }

  /// What the version files of the app say, by path.
  private static func documents(of shell: Shell) throws -> [String: [UInt8]] {
    let names = try fileNames(in: shell.directory.file("out/v1/taxi"))
    return Dictionary(
      try names.map { ("v1/taxi/\($0)", try shell.bytes("out/v1/taxi/\($0)")) }, uniquingKeysWith: { $1 })
  }

  @Test func `the page has every incident, with the number of each verdict`() throws {
    let incidents = try MuseumTests.incidents.get()
    #expect(Set(incidents.map(\.thread)).count == incidents.count && incidents.count >= 36)
    let counts = MuseumTests.verdicts.map { verdict in
      "\(verdict) \(incidents.count { $0.verdict == verdict })"
    }
    let rows = incidents.enumerated().map { place, incident in
      let verdict = incident.verdict.hasPrefix("not") ? "**\(incident.verdict)**" : incident.verdict
      return
        "| \(place + 1) | \(incident.title) | \(incident.thread) | \(incident.saw) | \(verdict): \(incident.why) |"
    }
    let was = try MuseumTests.text(MuseumTests.page)
    let head = try #require(was.firstRange(of: "| # |")?.lowerBound)
    let table = ["| # | what happened | thread | what users saw | pawl |", "|---|---|---|---|---|"] + rows
    let sum = "Of \(incidents.count) incidents: \(counts.joined(separator: ", "))."
    let intro = was[..<head].replacing(/Of \d+ incidents:[^.]*\./, with: sum)
    let page = intro + table.joined(separator: "\n") + "\n"
    if environment("UPDATE_GOLDEN") == "1", page != was {
      try publishFile(
        Array(page.utf8), as: "\(repository)/\(MuseumTests.page)", rights: 0o644, replaces: true)
    }
    #expect(try MuseumTests.text(MuseumTests.page) == page, "UPDATE_GOLDEN=1 writes it")
  }
}

/// What a team had before pawl: a number, a flag or an answer that its clients read, and how they compare it.
private struct Team {
  let start: Timestamp
  private var mechanism = ""
  private var facts: [String: String] = [:]
  private var walled: Set<String> = []

  init(start: Timestamp) { self.start = start }

  mutating func learn(_ words: ArraySlice<String>) {
    for word in words {
      let parts = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      if parts.count == 1 { mechanism = word } else { facts[parts[0]] = parts[1] }
    }
  }

  private func version(_ name: String) -> Version? { facts[name].flatMap { try? Version($0) } }

  private func isBelow(_ client: Version, _ name: String) -> Bool {
    version(name).map { client < $0 } ?? false
  }

  mutating func told(_ client: Version, at now: Timestamp) -> Action {
    let floor: Action = isBelow(client, "min") ? .force : isBelow(client, "latest") ? .remind : .none
    switch mechanism {
    // A client reads a minimum, and the latest, of all versions.
    case "floor": return floor
    // A client compares itself with what the store says.
    case "store": return isBelow(client, "store") ? .remind : .none
    // It takes every difference for an update.
    case "differs": return version("store").map { client != $0 } ?? false ? .remind : .none
    // The strength is that of the build which the store serves.
    case "build": return floor == .none ? .none : facts["strong"] == facts["build"] ? .force : .remind
    // A client trusts a missing answer.
    case "missing": return version("min") == nil ? .force : floor
    // A client keeps the wall that it once had.
    case "wall":
      if floor == .force { walled.insert(client.text) }
      return walled.contains(client.text) ? .force : floor
    // It takes a signature that fails for a need to update.
    case "doubt": return facts["signature"] == "good" ? floor : .force
    // A build runs out by the device's clock.
    case "age":
      let days = (now.seconds - start.seconds) / 86_400 - (Int64(facts["built"] ?? "") ?? 0)
      return days > Int64(facts["days"] ?? "") ?? 0 ? .force : .none
    default: return .none
    }
  }
}

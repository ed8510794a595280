import CommandLineKit
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

/// The board of a ledger in which there is something of everything.
@Suite struct BoardTests {
  private let shell: Shell

  init() throws {
    let shell = try Shell()
    self.shell = shell
    func done(_ words: String...) throws {
      let ran = shell.run(words)
      try #require(ran.status == 0, "\(words): \(ran.err)")
    }
    func past(_ slug: String, _ lines: String) throws {
      try shell.directory.write(Array("version,released_at,build\n\(lines)".utf8), to: "past.csv")
      try done("import", slug, shell.directory.file("past.csv"), "--yes")
    }
    try done(
      "app", "add", "campus", "--bundle-id", "CampusOfGLUT", "--apple-id", "968615456", "--name", "校园 🎓")
    try past("campus", "1.2,2026-12-01T09:00:00Z,120\n")
    let lookup = try readFile("\(repository)/Tests/Fixtures/lookup/968615456.json", limit: 1 << 20)
    try shell.directory.write(lookup, to: "lookup.json")
    try done("ingest", "lookup", "campus", shell.directory.file("lookup.json"), "--country", "US")
    try done(
      "app", "add", "bike", "--bundle-id", "com.example.bike", "--apple-id", "3", "--name",
      "自行车 🚲 for all who like to ride")
    try past("bike", "7.2.0,2026-11-01T09:00:00Z,480\n7.3.0,2026-12-01T09:00:00Z,495\n")
    try done("stop", "bike", "--reason", "broken", "--yes")
    try done("app", "add", "tram", "--bundle-id", "com.example.tram", "--apple-id", "4", "--name", "Trämli")
    try past("tram", "7.3.0,2026-12-01T09:00:00Z,495\n")
    try done("publish", "tram", "7.4.0", "--build", "600")
    try done("mark", "tram", "7.4.0", "rejected")
    try done(
      "app", "add", "taxi", "--bundle-id", "com.example.taxi", "--apple-id", "1524608462", "--name", "出租车 🚕")
    try past("taxi", "6.9.0,2026-10-01T09:00:00Z,440\n7.3.0,2026-12-01T09:00:00Z,495\n")
    try done("publish", "taxi", "7.4.0", "--build", "512", "--mandatory")
    try done("mark", "taxi", "7.4.0", "live", "--yes")
    try done("publish", "taxi", "7.4.1", "--build", "513")
    try done("mark", "taxi", "7.4.1", "in-review")
    try done("force", "taxi", "below:7.0", "--reason", "付款在这些版本里坏了：请更新", "--yes")
    try done(
      "remind", "taxi", "7.2.0", "--from", "2027-01-20T00:00:00Z", "--until", "2027-02-01T00:00:00Z",
      "--reason",
      "The map service of these versions ends soon", "--yes")
    try done("setting", "taxi", "map-key", "free-1234", "--during", "review")
    try done("app", "add", "boat", "--bundle-id", "com.example.boat", "--apple-id", "5", "--name", "👩‍👩‍👧‍👦 Boat")
    try past("boat", "7.3.0,2026-12-01T09:00:00Z,495\n")
    try done("publish", "boat", "8.0", "--build", "700")
    try done("mark", "boat", "8.0", "waiting")
    try done(
      "app", "add", "van", "--bundle-id", "com.example.van", "--channel", "enterprise", "--name", "面包车")
    try past("van", "1.0,2027-01-06T08:00:00Z,2026.118\n")
    try done("redirect", "van", "all", "--to", "taxi", "--yes")
    try done(
      "app", "add", "airport-companion-for-drivers", "--bundle-id", "com.example.dc", "--apple-id", "7",
      "--name",
      "机场司机助手（国际版）")
    try past(
      "airport-companion-for-drivers", "7.2.0,2026-11-01T09:00:00Z,480\n7.3.0,2026-12-01T09:00:00Z,495\n")
    try done("app", "add", "sled", "--bundle-id", "com.example.sled")
    shell.clock = later(5 * 3_600)
  }

  @Test func `every width from one cell on is kept, but for what cannot be cut`() throws {
    shell.environment["NO_COLOR"] = "1"
    for width in 1...130 {
      shell.terminalWidth = width
      let lines = try shell.done("status").out.split(separator: "\n")
      #expect(lines.count >= 25)
      // Versions, states and ages are never cut, nor words of sentences.
      if width >= 36 { #expect(lines.allSatisfy { displayWidth(String($0)) <= width }, "\(width)") }
    }
  }

  @Test func `a quiet app has one line, and a long board ends with what wants a look`() throws {
    let shell = try Shell()
    for index in 1...200 {
      try shell.done("app add app-\(index) --bundle-id com.example.app\(index) --apple-id \(index)")
      try shell.done("publish app-\(index) 1.0")
      try shell.done("mark app-\(index) 1.0 live --visible-now")
    }
    try shell.done("stop app-77 --yes")
    let lines = try shell.done("status").out.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0].hasPrefix("app-77  STOPPED"))
    #expect(lines.count == 4 + 199 + 4)
    #expect(lines.suffix(3).first == "200 apps: 1 stopped (app-77), 199 quiet")
  }

  @Test func `a board of several apps says how many more there are, that of one app says all`() throws {
    for index in 1...7 { try shell.done("setting taxi key-\(index) value") }
    let all = try shell.done("status").out
    #expect(all.contains("key-3") && !all.contains("key-4"))
    #expect(all.contains("and 4 more settings: pawl status taxi"))
    let one = try shell.done("status taxi").out
    #expect(one.contains("key-7") && !one.contains("more settings"))
  }

  /// The board's words on where clients are sent, as `check` answers.
  private func expectLead(_ shell: Shell, _ app: String, _ version: String, _ words: String) throws {
    let board = try #require(try shell.done("status \(app) --json").json["apps"]?.array?.first)
    let check = try shell.done("check \(app) \(version) --json").json
    for name in ["targetApp", "url"] { #expect(board[name] == check[name], "\(name)") }
    // Which release of another app it is depends on what prompts a client.
    let isOwn = [.null, .string(app)].contains(board["targetApp"] ?? .null)
    #expect(board["target"] == (isOwn ? check["target"] : .null))
    #expect(try shell.done("status \(app)").out.contains("clients   \(words)"))
  }

  @Test func `the board names the target that check names, and where it leads`() throws {
    let shell = try Shell.taxi()
    try shell.done("publish taxi 1.0")
    #expect(try shell.done("status").out.contains("clients   are sent nowhere: nothing is visible yet"))
    try shell.done("mark taxi 1.0 live --visible-now")
    let page = "https://apps.apple.com/app/id1524608462"
    try expectLead(shell, "taxi", "0.9", "go to 1.0  \(page)")
    // Two are held: the one that clients are sent to has a row all the same.
    for version in ["1.1", "1.2"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live")
    }
    try expectLead(shell, "taxi", "0.9", "go to 1.0  \(page)")
    #expect(try shell.done("status taxi").out.contains("\n  1.0  –  superseded"))
    try shell.done("stop taxi")
    try expectLead(shell, "taxi", "0.9", "are sent nowhere: the app is stopped")
    #expect(try !shell.done("status taxi").out.contains("told in"))
    #expect(try shell.done("status taxi").out.contains("hold ends in 1d"))
    try shell.done("resume taxi --yes")

    try shell.done("app add van --bundle-id com.example.van --channel enterprise --store-url \(page)")
    try shell.done("publish van 9.0")
    try shell.done("mark van 9.0 live")
    try expectLead(shell, "van", "8.0", "go to 9.0  \(page)")
    try shell.done("redirect van all --to taxi --yes")
    try expectLead(shell, "van", "8.0", "go to taxi  \(page)")
    let out = try shell.done("status van").out
    #expect(!out.contains("clients go here") && out.contains("redirect  all → taxi\n"))
    let report = try shell.done("report \(shell.directory.file("out")) --json").json["apps"]?.array?.last
    #expect(report?["target"] == .null && report?["targetApp"] == "taxi" && report?["url"] == .string(page))
    try shell.done("stop taxi")
    try expectLead(shell, "van", "8.0", "are sent nowhere: they are redirected to taxi, which is stopped")
    try shell.done("resume taxi --yes")
    try shell.done("redirect van all --clear --yes")
    try shell.done("redirect van below:9.0 --to taxi --yes")
    try shell.done("stop taxi")
    #expect(
      try shell.done("status van").out.contains("redirect  below:9.0 → taxi, which is stopped\n"))
  }
}

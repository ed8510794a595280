import AdminCommands
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct ReportTests {
  /// An app with a past, a release that was rejected and is in review again, and a rule.
  private static func shell() throws -> (shell: Shell, out: String) {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      past taxi 1.0 1.1
      publish taxi 1.2
      mark taxi 1.2 waiting
      sleep 2h
      mark taxi 1.2 rejected
      sleep 1h
      mark taxi 1.2 in-review
      sleep 21h
      force taxi 1.0 --reason unsafe --yes
      """)
    return (shell, shell.directory.file("out"))
  }

  private func page(_ out: String, _ name: String) throws -> String {
    String(decoding: try readFile("\(out)/\(name)", limit: 1 << 22), as: UTF8.self)
  }

  /// The lines of a page, without the line feeds that tell two states of one second apart.
  private func lines(_ page: String) -> [Substring] { page.split(separator: "\n") }

  private func names(_ out: String) throws -> [String] {
    try fileNames(in: out).filter { $0 != ".pawl-report" }.sorted()
  }

  @Test func `the pages say what the object says`() throws {
    let (shell, out) = try ReportTests.shell()
    let json = try shell.done("report \(out) --json").json
    let app = try #require(json["apps"]?.array?.first)
    #expect(json["written"] == 2 && json["unchanged"] == 0 && json["removed"] == 0)
    #expect(app["eventCount"]?.integer == Int64(app["events"]?.array?.count ?? 0))
    #expect(app["head"] == json["head"])
    let reviews = try #require(app["releases"]?.array?.first?["reviews"]?.array)
    #expect(reviews.map { $0["outcome"] } == ["rejected", .null])
    #expect(reviews.map { $0["seconds"] } == [7_200, 75_600])
  }

  @Test func `what the object says other commands say, too`() throws {
    let (shell, out) = try ReportTests.shell()
    try shell.done("redirect taxi 1.1 --url https://apps.apple.com/app/id7 --yes")
    try shell.done("setting taxi map key --yes")
    let app = try #require(try shell.done("report \(out) --json").json["apps"]?.array?.first)
    let told = try #require(app["told"]?.array)
    #expect(told.map { $0["versions"]?.string } == ["1.2", "1.1", "1.0"])
    for range in told {
      let check = try shell.done("check taxi \(range["versions"]?.string ?? "") --json").json
      for name in keys(check).subtracting(["app", "asOf", "version"]) {
        #expect(range[name] == check[name], "\(name)")
      }
    }
    let history = try shell.done("history taxi --json").json
    #expect(app["events"] == history["events"] && app["head"] == history["head"])
    let rules = try shell.done("rules taxi --json").json
    #expect(app["rules"] == rules["rules"])
    let board = try #require(try shell.done("status taxi --json").json["apps"]?.array?.first)
    for name in ["app", "target", "releaseCount"] { #expect(app[name] == board[name], "\(name)") }
  }

  @Test func `a page that would say the same is not touched`() throws {
    let (shell, out) = try ReportTests.shell()
    #expect(try shell.done("report \(out) --json").json["written"] == 2)
    #expect(try shell.done("report \(out) --json").json["unchanged"] == 2)
    shell.clock = later(86_401)
    #expect(try shell.done("report \(out) --json").json["written"] == 2)
    #expect(try FileStatus(of: "\(out)/taxi.html").rights == 0o644)
    #expect(try fileNames(in: "\(out)/.pawl-report/staging").isEmpty)
  }

  @Test func `a page leaves out what is beyond the limit and says so`() throws {
    let (shell, out) = try ReportTests.shell()
    let app = try #require(try shell.done("report \(out) --limit 2 --json").json["apps"]?.array?.first)
    #expect(app["events"]?.array?.count == 2 && app["releases"]?.array?.count == 2)
    #expect(app["releaseCount"] == 3)
    // The reviews are of the releases that are shown, whatever events are.
    #expect(app["releases"]?.array?.first?["reviews"]?.array?.count == 2)
    #expect(try page(out, "taxi.html").contains("The newest 2 of 3 releases"))
  }

  @Test func `the ledger as it was gives the page that it gave`() throws {
    let (shell, out) = try ReportTests.shell()
    try shell.done("report \(out)")
    let (taxi, index) = (try page(out, "taxi.html"), try page(out, "index.html"))
    let head = try #require(shell.head())
    shell.clock = later(90_000)
    try shell.done("app add van --bundle-id com.example.van")
    try shell.done("mark taxi 1.2 approved")
    try shell.done("lift taxi 1")
    try shell.done("report \(out)")
    #expect(try page(out, "taxi.html") != taxi)
    #expect(try names(out) == ["index.html", "taxi.html", "van.html"])
    let again = try shell.done("report \(out) --as-of \(head) --json").json
    #expect(try lines(page(out, "taxi.html")) == lines(taxi))
    #expect(try lines(page(out, "index.html")) == lines(index))
    // The page of an app that was not there yet goes.
    #expect(again["removed"] == 1 && again["head"]?["seq"]?.integer == head)
    #expect(try names(out) == ["index.html", "taxi.html"])
    #expect(shell.run("report \(out) --app van --as-of \(head) --json").errorID == "app.not-found")
  }

  @Test func `another moment is another page`() throws {
    let (shell, out) = try ReportTests.shell()
    let before = try shell.done("report \(out) --at 2020-01-01T00:00:00Z --json").json["apps"]?.array?.first
    #expect(before?["target"] == .null)
    #expect(before?["releases"]?.array?.first?["reviews"]?.array?.map { $0["seconds"] } == [7_200, 0])
  }

  @Test func `one app's page leaves the others', and the index still names them`() throws {
    let (shell, out) = try ReportTests.shell()
    try shell.done("app add van --bundle-id com.example.van")
    try shell.done("report \(out) --app van")
    #expect(try names(out) == ["index.html", "van.html"])
    try shell.done("report \(out) --app taxi")
    #expect(try page(out, "index.html").ranges(of: /<a href="(taxi|van).html">/).count == 2)
  }

  @Test func `what is no page of this ledger is neither replaced nor removed`() throws {
    let (shell, out) = try ReportTests.shell()
    let foreign = "<!DOCTYPE html>\n<title>ours</title>\n"
    try makeDirectory(out, rights: 0o755)
    for name in ["index.html", "taxi.html"] {
      try publishFile(Array(foreign.utf8), as: "\(out)/\(name)", rights: 0o600, replaces: true)
      let ran = shell.run("report \(out) --json")
      #expect(ran.errorID == "report.foreign-file" && ran.status == 1 && ran.out == "")
      #expect(try page(out, name) == foreign)
      #expect(try names(out) == [name])
      try Directory.open(out).remove(name)
    }
    try makeDirectory("\(out)/taxi.html", rights: 0o755)
    #expect(shell.run("report \(out) --json").errorID == "report.foreign-file")
    #expect(try names(out) == ["taxi.html"])
    // A link is somebody's, too, whatever it leads to.
    let other = shell.directory.file("other")
    try shell.directory.link("other", to: "\(out)")
    #expect(shell.run("report \(other) --json").errorID == "report.foreign-file")

    let elsewhere = shell.directory.file("elsewhere")
    try makeDirectory(elsewhere, rights: 0o755)
    try publishFile(Array(foreign.utf8), as: "\(elsewhere)/van.html", rights: 0o600, replaces: true)
    try shell.done("report \(elsewhere)")
    #expect(try page(elsewhere, "van.html") == foreign)
  }

  @Test func `pages of another ledger stay`() throws {
    let (shell, out) = try ReportTests.shell()
    try shell.done("report \(out)")
    let before = try page(out, "taxi.html")
    let other = try Shell(makesLedger: false)
    try other.done("init")
    try other.done("app add taxi --bundle-id com.example.taxi")
    #expect(other.run("report \(out) --json").errorID == "report.other-ledger")
    #expect(try page(out, "taxi.html") == before)
  }

  @Test func `a second report waits, and does not wait for ever`() throws {
    let (shell, out) = try ReportTests.shell()
    try shell.done("report \(out)")
    let lock = try FileLock("\(out)/.pawl-report/lock", rights: 0o644)
    #expect(try lock.take(waiting: 0))
    #expect(shell.run("report \(out) --json --wait 0s").errorID == "report.busy")
    lock.release()
    try shell.done("report \(out) --wait 0s")
  }

  @Test func `what an interrupted report left does not stand in the way`() throws {
    let (shell, out) = try ReportTests.shell()
    try shell.done("report \(out)")
    try publishFile([1, 2, 3], as: "\(out)/.pawl-report/staging/0", rights: 0o644, replaces: true)
    shell.clock = later(90_000)
    try shell.done("report \(out)")
    #expect(try fileNames(in: "\(out)/.pawl-report/staging").isEmpty)
  }

  @Test func `an app called index keeps a page of its own`() throws {
    let shell = try Shell()
    try shell.done("app add index --bundle-id com.example.index")
    let out = shell.directory.file("out")
    #expect(try shell.done("report \(out) --json").json["apps"]?.array?.first?["page"] == "index_.html")
    #expect(try page(out, "index.html").contains("<a href=\"index_.html\">"))
    #expect(shell.run("report \(out) --app van --json").errorID == "app.not-found")
  }
}

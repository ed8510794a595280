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
    try shell.directory.write(
      "version,released_at\n1.0,2024-01-01T00:00:00Z\n1.1,2024-02-01T00:00:00Z\n", to: "past.csv")
    try shell.done("import taxi \(shell.directory.file("past.csv")) --yes")
    try shell.done("publish taxi 1.2")
    try shell.done("mark taxi 1.2 waiting")
    shell.clock = later(7_200)
    try shell.done("mark taxi 1.2 rejected")
    shell.clock = later(10_800)
    try shell.done("mark taxi 1.2 in-review")
    shell.clock = later(86_400)
    try shell.done("force taxi 1.0 --reason unsafe --yes")
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
    let text = try page(out, "taxi.html")
    #expect(text.contains("<li><bdi>2h, then rejected</bdi></li><li><bdi>21h so far</bdi></li>"))
    #expect(
      text.contains(">in force, for 1 known version</td><td data-label=\"Reason\"><bdi>unsafe</bdi></td>"))
    #expect(try page(out, "index.html").contains("<a href=\"taxi.html\">"))
  }

  @Test func `what each version is told comes before the releases, and times say that they are UTC`() throws {
    let (shell, out) = try ReportTests.shell()
    try shell.done("report \(out)")
    let text = try page(out, "taxi.html")
    let told = try #require(text.firstRange(of: "<h2 id=\"told\">"))
    let releases = try #require(text.firstRange(of: "<h2 id=\"releases\">"))
    #expect(told.lowerBound < releases.lowerBound)
    for title in ["Live (UTC)", "From (UTC)", "Until (UTC)", "At (UTC)", "By (UTC)"] {
      #expect(text.contains("<th scope=\"col\">\(title)</th>"), "\(title)")
    }
    #expect(try page(out, "index.html").contains(">Under way (UTC)</th>"))
    // Where clients are sent is a link, and nothing on the page is the markup of a program.
    #expect(text.contains("<bdi>1.1</bdi><br><a href=\"https://apps.apple.com/app/id1524608462\""))
    #expect(!text.contains("Markup("))
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
    let text = try page(out, "taxi.html")
    #expect(text.contains("The newest 2 of 3 releases"))
    #expect(text.contains("The newest 2 of \(app["eventCount"]?.integer ?? 0) events"))
    #expect(text.contains("Older events are not on this page"))
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
    #expect(try page(out, "index.html").contains("<th scope=\"row\" data-label=\"App\"><bdi>taxi</bdi></th>"))
    try shell.done("report \(out) --app taxi")
    #expect(try page(out, "index.html").contains("<a href=\"taxi.html\">"))
    #expect(try page(out, "index.html").contains("<a href=\"van.html\">"))
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

  @Test func `a ledger without apps has an index that says so`() throws {
    let shell = try Shell()
    let out = shell.directory.file("out")
    #expect(try shell.done("report \(out) --json").json["apps"] == [])
    #expect(try page(out, "index.html").contains("There are no apps yet."))
  }

  @Test func `what somebody wrote is shown and never obeyed`() throws {
    let (shell, out) = try ReportTests.shell()
    let text = "</td><script>alert(1)</script>\u{202E}\u{1B}[31m\"'&amp;"
    let calm = "&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]"
    try shell.directory.write(Array((text + "\r\n").utf8), to: "notes.txt")
    for words in [
      ["publish", "taxi", "1.3", "--notes", shell.directory.file("notes.txt")],
      ["setting", "taxi", "map", text, "--yes"], ["app", "set", "taxi", "--name", text],
      ["remind", "taxi", "1.1", "--reason", String(text.prefix { $0 != "\u{1B}" }), "--yes"],
    ] {
      let ran = shell.run(words)
      #expect(ran.status == 0 || ran.err.contains("control character"), "\(words): \(ran.err)")
    }
    try shell.done("report \(out)")
    let html = try page(out, "taxi.html")
    #expect(html.contains(calm))
    #expect(html.split(separator: "<script").count == 2, "the page's own")
    #expect(!html.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{1B}" || $0 == "\r" })
    #expect(!(try page(out, "index.html")).contains("<script"))
  }
}

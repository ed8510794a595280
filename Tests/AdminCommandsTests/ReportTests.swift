import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

@Suite struct ReportTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell(
      """
      past taxi 1.0 1.1
      publish taxi 1.2 --yes --reason "it's <b>"
      setting taxi map key --yes
      force taxi 1.0 --reason unsafe --yes
      app add van --bundle-id com.example.van
      """)
  }

  private var file: String { shell.directory.file("report.html") }

  private func text() throws -> String { String(decoding: try readFile(file, limit: 1 << 20), as: UTF8.self) }

  @Test func `a report shows what the lists show, and the command that verifies it`() throws {
    try shell.tell("report @report.html → apps=[taxi,van]")
    let page = try text()
    for list in ["releases taxi", "rules taxi", "settings taxi", "history", "check taxi"] {
      // Settings have a list of their own, above.
      let rows = try shell.done(list).out.split(separator: "\n").dropFirst()
        .filter { !$0.hasPrefix("settings:") }
      for word in rows.joined(separator: " ").split(whereSeparator: \.isWhitespace)
      where !word.contains("<") && word != "–" {
        let shown = Timestamp.minutes(in: String(word)).replacing("'", with: "&#39;")
        #expect(page.contains(shown), "\(list): \(word)")
      }
    }
    #expect(page.contains(/\d\d:\d\d:\d\d/) == false, "a moment has seconds")
    let head = try shell.done("verify --json").json["head"]
    let command = "verify --head \(head?["seq"]?.integer ?? 0):\(head?["hash"]?.string ?? "")"
    #expect(page.contains("<code>pawl \(command)</code>"))
    try shell.tell(command)
    #expect(page.contains("it&#39;s &lt;b&gt;") && !page.contains("<b>"))
    #expect(try FileStatus(of: file).rights == 0o640)
  }

  @Test func `a report is about the apps and the period that are asked for`() throws {
    shell.clock = later(86_400)
    try shell.tell("publish taxi 1.3 --yes")
    let all = try shell.done("report @report.html --json").json["events"]?.integer ?? 0
    try shell.tell(
      """
      report @report.html --since 1h → events=1
      report @report.html --until 1h → events=\(all - 1)
      report @report.html --limit 2 → events=2
      report @report.html --app van → apps=[van] events=1
      """)
    #expect(try !text().contains("app-taxi"))
    try shell.tell("report @report.html --app tram → 66 app.not-found")
  }

  @Test func `what an auditor asks first comes first`() throws {
    try shell.tell("publish taxi 2.0 --yes\nmark taxi 2.0 live --yes\nreport @report.html --app taxi")
    let page = try text()
    let first = page[..<(try #require(page.firstRange(of: "<h2 id=\"app-taxi\">")).lowerBound)]
    for word in ["2.0 since", "on hold until", "1.0; from ", "2 publish", "pawl verify --head"] {
      #expect(first.contains(word), "\(word)")
    }
    let settings = try #require(page.firstRange(of: "The app&#39;s own settings")?.lowerBound)
    #expect(try #require(page.firstRange(of: "Who is told what")?.lowerBound) < settings)
    try shell.directory.write(Array("version,devices\n1.0,1234000\n1.1,8766000\n".utf8), to: "usage.csv")
    try shell.tell("ingest usage taxi @usage.csv\nreport @report.html")
    #expect(try text().contains("1,234,000 of 10,000,000 (12.3 %)"))
  }

  @Test func `only a report of the same ledger is replaced`() throws {
    try shell.tell("report @report.html")
    let before = try text()
    try shell.tell("publish taxi 1.3 --yes\nreport @report.html")
    #expect(try text() != before)
    let other = try Shell(makesLedger: false)
    try other.done("init")
    #expect(other.run(["report", file, "--json"]).errorID == "export.foreign")
    try shell.directory.write(Array("<p>mine</p>".utf8), to: "mine.html")
    try shell.directory.link("link.html", to: "report.html")
    try shell.directory.directory("folder")
    let start = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    try shell.directory.write(Array(start.utf8), to: "start.html")
    for name in ["mine.html", "link.html", "folder", "start.html"] {
      let ran = shell.run(["report", shell.directory.file(name), "--json"])
      #expect(ran.status == 1 && ran.errorID == "export.foreign", "\(name): \(ran.err)")
    }
    #expect(try readFile(shell.directory.file("mine.html"), limit: 99) == Array("<p>mine</p>".utf8))
    #expect(try FileStatus(of: shell.directory.file("link.html")).kind == .symbolicLink)
  }
}

import JSON
import Platform
import TestSupport
import Testing

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
      for word in try shell.done(list).out.split(whereSeparator: \.isWhitespace) where !word.contains("<") {
        #expect(page.contains(word.replacing("'", with: "&#39;")), "\(list): \(word)")
      }
    }
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

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
      publish taxi 1.2
      mark taxi 1.2 waiting
      sleep 2h
      mark taxi 1.2 rejected
      sleep 1h
      mark taxi 1.2 in-review
      sleep 21h
      force taxi 1.0 --reason unsafe --yes
      """)
  }

  private func names(_ folder: String = "out") throws -> [String] {
    try fileNames(in: shell.directory.file(folder)).filter { $0 != ".pawl-report" }.sorted()
  }

  @Test func `what the object says other commands say, too`() throws {
    try shell.tell(
      """
      redirect taxi 1.1 --url https://apps.apple.com/app/id7 --yes
      setting taxi map key --yes
      report @out → written=2 unchanged=0 removed=0 apps.0.releases.0.reviews.*.outcome=[rejected,null]
      report @out → apps.0.releases.0.reviews.*.seconds=[7200,75600] apps.0.told.*.versions=[1.2,1.1,1.0]
      """)
    let json = try shell.done("report @out --json").json
    let app = try #require(json["apps"]?.array?.first)
    #expect(app["eventCount"]?.integer == Int64(app["events"]?.array?.count ?? 0))
    for range in app["told"]?.array ?? [] {
      let check = try shell.done("check taxi \(range["versions"]?.string ?? "") --json").json
      for name in keys(check).subtracting(["app", "asOf", "version"]) {
        #expect(range[name] == check[name], "\(name)")
      }
    }
    let history = try shell.done("history taxi --json").json
    #expect(app["events"] == history["events"] && app["head"] == history["head"])
    #expect(try app["rules"] == shell.done("rules taxi --json").json["rules"])
    let board = try #require(try shell.done("status taxi --json").json["apps"]?.array?.first)
    for name in ["app", "target", "releaseCount"] { #expect(app[name] == board[name], "\(name)") }
  }

  @Test func `a page that would say the same is not touched, and another moment is another page`() throws {
    try shell.tell(
      """
      report @out → written=2
      report @out → unchanged=2
      sleep 1s
      report @out → written=2
      report @out --at 2020-01-01T00:00:00Z → apps.0.target=null apps.0.releases.0.reviews.*.seconds=[7200,0]
      """)
    #expect(try FileStatus(of: shell.directory.file("out/taxi.html")).rights == 0o644)
    // What an interrupted report left does not stand in the way.
    try shell.tell("file out/.pawl-report/staging/0 x\nsleep 1h\nreport @out")
    #expect(try names("out/.pawl-report/staging").isEmpty)
  }

  @Test func `a page leaves out what is beyond the limit and says so`() throws {
    // The reviews are of the releases that are shown, whatever events are.
    try shell.tell(
      "report @out --limit 2 → apps.0.events.#=2 apps.0.releases.#=2 apps.0.releaseCount=3 apps.0.releases.0.reviews.#=2"
    )
    #expect(try shell.text("out/taxi.html").contains("The newest 2 of 3 releases"))
  }

  @Test func `the ledger as it was gives the page that it gave`() throws {
    func lines() throws -> [[Substring]] {
      try ["taxi.html", "index.html"].map { try shell.text("out/\($0)").split(separator: "\n") }
    }
    try shell.done("report @out")
    let (before, head) = (try lines(), try #require(shell.head()))
    try shell.tell(
      """
      sleep 1h
      app add van --bundle-id com.example.van
      mark taxi 1.2 approved
      lift taxi 1
      report @out
      """)
    #expect(try lines() != before && names() == ["index.html", "taxi.html", "van.html"])
    // The page of an app that was not there yet goes.
    try shell.tell(
      """
      report @out --as-of \(head) → removed=1 head.seq=\(head)
      report @out --app van --as-of \(head) → app.not-found
      """)
    #expect(try lines() == before && names() == ["index.html", "taxi.html"])
  }

  @Test func `one app's page leaves the others', and an app called index keeps a page of its own`() throws {
    try shell.tell(
      """
      app add index --bundle-id com.example.index
      report @out --app index → apps.0.page=index_.html
      report @out --app taxi
      report @out --app van → app.not-found
      """)
    #expect(try names() == ["index.html", "index_.html", "taxi.html"])
    #expect(try shell.text("out/index.html").ranges(of: /<a href="(taxi|index_).html">/).count == 2)
  }

  @Test func `what is no page of this ledger is neither replaced nor removed`() throws {
    try shell.directory.directory("out")
    for name in ["index.html", "taxi.html"] {
      try shell.tell("file out/\(name) ours\nreport @out → 1 report.foreign-file")
      #expect(try shell.text("out/\(name)") == "ours" && names() == [name])
      removeFile(shell.directory.file("out/\(name)"))
    }
    try shell.directory.directory("out/taxi.html")
    try shell.tell("report @out → report.foreign-file")
    #expect(try names() == ["taxi.html"])
    // A link is somebody's, too, whatever it leads to.
    try shell.directory.link("other", to: shell.directory.file("out"))
    try shell.directory.directory("elsewhere")
    try shell.tell("report @other → report.foreign-file\nfile elsewhere/van.html ours\nreport @elsewhere")
    #expect(try shell.text("elsewhere/van.html") == "ours")
  }

  @Test func `pages of another ledger stay`() throws {
    try shell.done("report @out")
    let before = try shell.text("out/taxi.html")
    let other = try Shell(makesLedger: false)
    try other.tell(
      """
      init
      app add taxi --bundle-id com.example.taxi
      report \(shell.directory.file("out")) → report.other-ledger
      """)
    #expect(try shell.text("out/taxi.html") == before)
  }

  @Test func `a second report waits, and does not wait for ever`() throws {
    try shell.done("report @out")
    let lock = try FileLock(shell.directory.file("out/.pawl-report/lock"), rights: 0o644)
    #expect(try lock.take(waiting: 0))
    try shell.tell("report @out --wait 0s → report.busy")
    lock.release()
    try shell.tell("report @out --wait 0s")
  }
}

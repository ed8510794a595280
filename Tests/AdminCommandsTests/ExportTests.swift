import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct ExportTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("past taxi 1.0 1.1")
  }

  @Test func `a version's document is the answer of check without the head, and more`() throws {
    try shell.tell("setting taxi map paid\nexport @out")
    for version in ["1.0", "1.1"] {
      let check = try #require(shell.done("check taxi \(version) --json").json.object)
      let found = try shell.json("out/v1/taxi/\(version).json")
      for member in check.members where member.key != "asOf" {
        #expect(found[member.key] == member.value, "\(version) \(member.key)")
      }
      #expect(
        keys(found).symmetricDifference(check.members.map(\.key)) == [
          "asOf", "generation", "notesByLocale", "tiers", "validFrom", "validUntil",
        ])
    }
  }

  @Test func `a version that has no document may be in review, with the settings of one`() throws {
    try shell.tell(
      """
      setting taxi map free --during review
      setting taxi map paid
      setting taxi old yes --versions upto:1.1
      publish taxi 1.2 --yes
      export @out
      json @out/v1/taxi/default.json → version=null action=none review=true decidedBy=unreleased settings={map:free}
      """)
    #expect(!shell.directory.exists("out/v1/taxi/1.2.json"))
    try shell.tell("export @out --include-unreleased\njson @out/v1/taxi/1.2.json → review=true")
  }

  @Test func `documents are written after every change, where a directory was named`() throws {
    try shell.tell(
      """
      init --export @out
      stop taxi
      json @out/v1/taxi/1.0.json → decidedBy=stopped
      resume taxi --yes
      json @out/v1/taxi/1.0.json → action=remind
      set PAWL_EXPORT=@other
      stop --all
      json @other/v1/taxi/1.0.json → decidedBy=stopped
      json @out/v1/taxi/1.0.json → action=remind
      set PAWL_EXPORT=
      init --no-export
      resume taxi --yes
      export → 64
      """)
  }

  @Test func `a change stands when its documents cannot be written, and the request again writes them`()
    throws
  {
    // What was recorded is said as it was; the documents are this run's.
    try shell.tell(
      "file out x\nset PAWL_EXPORT=@out\nstop taxi --request-id now → 74 export.failed changed=true"
    )
    let head = shell.head() ?? 0
    removeFile(shell.directory.file("out"))
    try shell.tell(
      """
      app show taxi → stopped=true
      stop taxi --request-id now → same changed=true event=\(head) documents.warnings=[]
      json @out/v1/taxi/1.0.json → decidedBy=stopped
      """)
  }

  @Test func `what a format could only say more mildly is said before the change`() throws {
    func milder(_ place: String) -> String { "\(place).id=export.milder \(place).versions=[1.0]" }
    // What has to be agreed to shows it, too; doctor says it for as long as it holds, and demands nothing of anybody.
    try shell.tell(
      """
      init --export @out
      allow taxi below:1.0 --dry-run → documents=missing
      init --export @out --format v1 --format prince-of-versions
      allow taxi below:1.0 --dry-run → documents.written=0 documents.warnings.0.format=prince-of-versions \(milder("documents.warnings.0"))
      force taxi 1.0 --reason r → confirm.required details.impact.#=1
      allow taxi below:1.0 → \(milder("documents.warnings.0"))
      force taxi 1.0 --reason r → confirm.required \(milder("details.documents.warnings.0"))
      export --strict → 1 export.milder files=5
      stop taxi --dry-run → documents=missing
      doctor → 1 findings.*.id=[rule.matches-nothing,export.milder]
      """)
  }

  @Test func `a dry run of init says what would be, and refuses what would be refused`() throws {
    try shell.tell(
      """
      init --ledger @other.db --dry-run --format flags --export @d → changed=true made=true formats=[flags]
      init --ledger @no/where.db --dry-run → ledger.no-folder
      init --dry-run → same changed=false
      init --export @out --dry-run → same changed=true
      init --export @out
      init --export @out --format flags --dry-run → same changed=true
      init --no-export --dry-run → same changed=true
      init --export @out --dry-run → same changed=false
      """)
    #expect(!shell.directory.exists("other.db") && !shell.directory.exists("d"))
  }

  @Test(arguments: ["stop taxi --dry-run", "status", "due", "doctor"])
  func `a dry run writes no documents, nor what only looks at them`(line: String) throws {
    try shell.tell("set PAWL_EXPORT=@out")
    shell.run(line)
    #expect(!shell.directory.exists("out"))
  }

  @Test func `due, status and doctor say when the documents lag behind`() throws {
    try shell.tell(
      """
      init --export @out
      export
      due → export.overdue=false
      remind taxi 1.0 --until 1h --yes
      due → export.nextChange=\(later(3_600).text)
      sleep 1h
      due → export.overdue=true
      status → export.overdue=true
      doctor → 1 findings.*.id=[export.overdue,rule.over]
      export
      due → export.overdue=false
      """)
  }

  @Test func `another ledger is refused, and not even named`() throws {
    try shell.done("export @out")
    let out = shell.directory.file("out")
    let other = try Shell(makesLedger: false)
    try other.tell(
      """
      init
      export \(out) → export.other-ledger
      init --export \(out) → export.other-ledger
      status → export=null
      """)
  }

  @Test func `the version stays out of every document until it was live`() throws {
    // Said each time, and kept nowhere.
    try shell.tell(
      """
      publish taxi 9.8.7 --yes
      mark taxi 9.8.7 in-review
      setting taxi key a --versions 9.8.7
      setting taxi key b --versions from:9.8.7
      setting taxi key c --versions below:9.8.7
      export @out --format v1 → warnings.0.id=export.announces warnings.0.versions=[9.8.7]
      export @out --format v1 → warnings.0.id=export.announces warnings.0.versions=[9.8.7]
      """)
    for path in [
      "v1/taxi/schedule.json", "v1/taxi/default.json", "v1/taxi/1.0.json", "manifest.json",
      ".pawl/state.json",
    ] { #expect(try shell.text("out/\(path)").ranges(of: "9.8.7").isEmpty, "\(path)") }
  }

  @Test func `a version that clients in use misread is named before it is built, and when it is published`()
    throws
  {
    let shell = try Shell.taxi()
    try shell.tell("live taxi 1.8 1.9\ninit --export @out --format v1 --format lookup")
    // One that every client reads as newer raises nothing.
    try shell.tell("next taxi --check 1.9.1 → warnings=[]")
    let reviewed = "clients that compare decimal numbers (1.10 is below 1.9) misread 1.10 and would"
    let live = "once 1.10 is live, clients that compare decimal numbers (1.10 is below 1.9) misread 1.8, 1.9"
    for line in ["next taxi --check 1.10", "publish taxi 1.10 --dry-run", "publish taxi 1.10"] {
      let json = try shell.done("\(line) --json").json
      let said = (json["documents"]?["warnings"] ?? json["warnings"])?.array ?? []
      let words = said.compactMap { ($0["message"]?.string ?? $0.string)?.replacing("lookup: ", with: "") }
      #expect(
        words.contains { $0.hasPrefix(reviewed) } && words.contains { $0.hasPrefix(live) },
        "\(line): \(words)")
    }
    #expect(try shell.done("publish taxi 1.11").out.contains("once 1.11 is live"))
  }

  @Test func `versions without a file are named by check, and by export where devices run them`() throws {
    let usage = #"< "version,devices\n1.0,5\n0.9,7\n0.8,30\n2.0,1\n""#
    try shell.tell(
      """
      live taxi 1.2
      force taxi below:1.1 --reason x --yes
      check taxi → ranges.*.noFile=[null,null,null,below:1.0]
      check taxi 0.9 → action=force
      export @out → warnings=[]
      ingest usage taxi - \(usage)
      export @out → warnings.*.id=[export.no-file] warnings.0.versions=[0.8,0.9]
      """)
    let told = "no file: v1 clients are told none, as in review\n"
    #expect(shell.run("check taxi 0.9").out.hasSuffix("\n  " + told))
    #expect(shell.run("check taxi").out.hasSuffix("\nbelow:1.0: " + told))
    #expect(shell.run("check taxi 1.0").out.ranges(of: "no file").isEmpty)
    try shell.tell(
      #"""
      import taxi - --past --yes < "version,released_at\n0.8,2025-01-01T00:00:00Z\n"
      export @out → warnings.*.versions=[[0.9]]
      import taxi - --past --yes < "version,released_at\n0.9,2025-02-01T00:00:00Z\n"
      export @out → warnings=[]
      json @out/v1/taxi/0.9.json → action=force
      """#)
    #expect(shell.run("check taxi 0.9").out.ranges(of: "no file").isEmpty)
    // The preview of a change says so beside what it forces.
    #expect(shell.run("remind taxi below:0.5 --dry-run").out.contains("below:0.5: " + told))
    // Where nobody is told anything, nor has settings of their own, a file would say the same.
    try shell.tell("stop taxi")
    #expect(shell.run("check taxi").out.ranges(of: "no file").isEmpty)
    try shell.tell("setting taxi map paid --versions below:1.0")
    #expect(shell.run("check taxi").out.hasSuffix("\nbelow:0.8: " + told))
  }
}

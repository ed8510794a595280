import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct CopyTests {
  private let shell: Shell
  private var out: String { shell.directory.file("out") }

  /// The apps `taxi` and `van`, each with 1.0, which is forced, and 1.1; their documents are in `out`.
  init() throws {
    shell = try Shell.taxi()
    try shell.tell(
      """
      app add van --bundle-id com.example.van --apple-id 7
      past taxi 1.0 1.1
      force taxi 1.0 --reason crash --yes
      past van 1.0 1.1
      force van 1.0 --reason crash --yes
      init --export @out --format v1 --format lookup
      """)
  }

  private func told(_ app: String = "taxi", _ version: String = "1.0") throws -> JSON {
    try shell.json("out/v1/\(app)/\(version).json")
  }

  /// Every document with its bytes, by its path.
  private func documents() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for folder in ["v1/taxi", "v1/van", "lookup"] {
      for name in try fileNames(in: "\(out)/\(folder)") {
        found["\(folder)/\(name)"] = try shell.bytes("out/\(folder)/\(name)")
      }
    }
    found["manifest.json"] = try shell.bytes("out/manifest.json")
    return found
  }

  private func restore(_ image: [UInt8]) throws {
    removeFile(shell.ledger)
    try shell.directory.write(image, to: "pawl.db")
    try shell.directory.setRights(0o640, of: "pawl.db")
  }

  private func copy() throws {
    try shell.directory.write(shell.bytes("pawl.db"), to: "copy.db")
    try shell.directory.setRights(0o640, of: "copy.db")
  }

  private func expectForks(
    _ ids: [String], of name: String = "pawl.db", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = shell.findings("--ledger @\(name)").filter {
      $0.hasSuffix(".forked") || $0.hasSuffix(".other-copy")
    }
    #expect(found == ids, sourceLocation: sourceLocation)
  }

  @Test func `a backup names no directory, and what is done in it reaches no client`() throws {
    let head = try shell.done("history --limit 1 --json").json["head"]
    let before = try documents()
    try shell.tell(
      """
      backup @copy.db → events=\((shell.head() ?? 0) + 1)
      verify --ledger @copy.db --head \(head?["seq"]?.integer ?? 0):\(head?["hash"]?.string ?? "")
      status --ledger @copy.db → export=null
      remind van 1.0 --reason trial --yes --ledger @copy.db
      stop --all --reason trial --yes --ledger @copy.db
      resume --all --yes --ledger @copy.db
      """)
    #expect(try documents() == before)
    expectForks([], of: "copy.db")
    // A copy of a copy is one, too; on purpose, elsewhere, it may write.
    try shell.tell(
      """
      backup @second.db --ledger @copy.db
      init --export @trial --ledger @copy.db
      json @trial/v1/taxi/1.0.json → app=taxi
      """)
  }

  @Test func `a copied file writes nothing into the directory of the file it was copied from`() throws {
    try copy()
    let before = try documents()
    try shell.tell(
      """
      remind taxi 1.0 --yes --ledger @copy.db → 74 export.other-copy changed=true
      export \(out) --ledger @copy.db → 1 export.other-copy
      export --ledger @copy.db → 1 export.other-copy
      init --export \(out) --format v1 --ledger @copy.db → 1 export.other-copy
      stop --all --ledger @copy.db → 74
      """)
    expectForks(["export.other-copy"], of: "copy.db")
    expectForks([])
    #expect(try documents() == before)
    try shell.tell("stop taxi\njson @out/v1/taxi/1.0.json → action=none")
  }

  @Test func `a take-over asks, goes on above what was served, and silences the other file`() throws {
    try copy()
    // The original goes on; the copy takes another way.
    for _ in 1...3 { try shell.tell("stop van\nresume van --yes") }
    try shell.tell("lift taxi 1 --ledger @copy.db → 74")
    let (before, own) = (try documents(), try #require(shell.head()))
    let takeOver = "export \(out) --take-over --ledger @copy.db"
    try shell.tell(
      """
      \(takeOver) → 1 confirm.required details.impact.0.app=taxi details.impact.0.before=force details.impact.0.after=remind
      \(takeOver) --dry-run --yes → changed=true event=null
      export \(out) --dry-run --ledger @copy.db → 64
      """)
    #expect(try documents() == before)
    let done = try shell.done("export \(out) --take-over --ledger @copy.db --yes --reason moved --json").json
    let event = try #require(done["event"]?.integer)
    #expect(event > own && done["written"] != 0 && done["changed"] == true)
    // From now on the copy speaks, and the original is the one that is refused.
    try shell.tell(
      """
      json @out/v1/taxi/1.0.json → generation=\(event) action=remind
      json @out/v1/van/1.0.json → generation=\(event)
      show \(event) --ledger @copy.db → kind=ledger.take-over
      verify --ledger @copy.db
      remind van 1.0 --ledger @copy.db
      json @out/v1/van/1.0.json → action=remind
      stop taxi → 74 export.other-copy
      \(takeOver) --yes → event=missing written=0
      """)
    expectForks(["export.other-copy"])
  }

  @Test(arguments: ["backup", "cp"])
  func `after a restore a stop reaches clients, and nothing else does until a take-over`(way: String) throws {
    if way == "backup" { try shell.done("backup @copy.db") } else { try copy() }
    let old = try shell.bytes("copy.db")
    for _ in 1...4 { try shell.tell("stop van\nresume van --yes") }
    try shell.done("force taxi 1.0 --reason again --until 90d --yes")
    let served = try #require(shell.head())
    try restore(old)
    let before = try documents()
    try shell.tell("remind taxi 1.0 --yes → 74 export.forked\nexport → 1 export.forked")
    let refused = shell.run("remind taxi 1.1 --yes").err
    #expect(refused.split(separator: "see the old answers").count == 2, "\(refused)")
    #expect(try documents() == before)
    expectForks(["export.forked"])
    #expect(try !shell.done("stop taxi --reason incident").err.contains("old answers"))
    try shell.tell(
      """
      json @out/v1/taxi/1.0.json → action=none decidedBy=stopped
      json @out/lookup/taxi.json → resultCount=1
      verify
      stop taxi → same changed=false
      export → 1 export.forked
      """)
    #expect(try (told()["generation"]?.integer ?? 0) > served)
    let (after, head) = (try documents(), try #require(shell.head()))
    for (path, bytes) in before where path.hasPrefix("v1/van") { #expect(after[path] == bytes, "\(path)") }
    // A second app comes after the first without another gap.
    try shell.tell(
      """
      stop van → event=\(head + 1)
      json @out/v1/van/1.0.json → action=none
      export \(out) --take-over --yes
      """)
    expectForks([])
    try shell.tell("resume --all --yes\nverify")
    #expect(try told()["action"] != "none")
  }

  @Test func `a stop that was recorded already still reaches clients`() throws {
    try shell.done("stop taxi")
    let old = try shell.bytes("pawl.db")
    try shell.done("resume taxi --yes")
    let served = try #require(shell.head())
    #expect(try told()["action"] == "force")
    try restore(old)
    try shell.done("stop --all")
    #expect(try told()["action"] == "none" && told("van")["action"] == "none")
    #expect(try (told()["generation"]?.integer ?? 0) > served)
    try shell.done("verify")
  }

  @Test func `what leaves numbers out is read everywhere as what it is`() throws {
    let old = try shell.bytes("pawl.db")
    for _ in 1...4 { try shell.tell("stop van\nresume van --yes") }
    let served = try #require(shell.head())
    shell.feed = { _, _, _ in 0 }
    try shell.done("deliver ahead -- taker")
    try restore(old)
    let kept = try #require(shell.head())
    try shell.done("deliver push -- taker")
    try shell.done("stop taxi")
    let events = try shell.done("history --limit 50 --json").json["events"]?.array ?? []
    #expect(events.first?["seq"]?.integer == served + 2)
    #expect(events.dropFirst().first?["after"]?["from"]?.integer == kept + 1)
    #expect(events.dropFirst().first?["after"]?["to"]?.integer == served)
    #expect(Int64(events.count) == kept + 2)
    #expect(try shell.done("verify --json").json["events"]?.integer == kept + 2)
    #expect(shell.run("show \(kept + 1)").status == 66)
    // A receiver that was told of a number that is left out now has been told of another past.
    expectForks(["export.forked", "deliver.forked"])
    let delivered = try shell.done("deliver push --json -- taker").json
    #expect(delivered["waiting"] == 0 && delivered["delivered"]?.integer ?? 0 >= 2)
    #expect(try shell.done("check taxi 1.0 --as-of \(served) --json").json["action"] == "force")
  }

  @Test func `a directory that is too far ahead is not taken over, and a stop gets out all the same`() throws
  {
    let path = "\(out)/.pawl/state.json"
    var state = try #require(try shell.json("out/.pawl/state.json").object)
    state["head"] = ["seq": 5_000_000, "hash": .string(String(repeating: "0", count: 64))]
    try publishFile(JSON.object(state).bytes(), as: path, rights: 0o600, replaces: true)
    try shell.tell(
      """
      export \(out) --take-over --yes → 1 take-over.too-far
      stop taxi
      json @out/v1/taxi/1.0.json → action=none
      """)
  }

  @Test func `what the ledger's own directory holds is not altered by an export`() throws {
    let before = try documents()
    for (words, option) in [
      ("--format lookup", "--format"), ("--app taxi", "--app"),
      ("--include-unreleased", "--include-unreleased"),
      ("--sign key.pem", "--sign"),
    ] {
      for directory in ["", out, out + "/", out + "/../out"] {
        let ran = shell.run("export \(directory) \(words) --json")
        #expect(ran.status == 1 && ran.errorID == "export.own-directory", "\(words) \(directory)")
        #expect(ran.error["details"]?["options"]?.array == [.string(option)])
      }
    }
    try shell.tell("export \(out) --at 60d → 1 export.other-time")
    #expect(try documents() == before)
    // What does not differ is no matter, and another directory may hold anything.
    try shell.tell(
      """
      export --format lookup --format v1 --app taxi --app van
      export \(out) --at \(noon.text)
      export @other --format v1 --at 60d --app taxi --include-unreleased
      export @signed --format v1-signed --sign key.pem --at 60d → 1 export.other-time
      export @signed --format v1-signed --at 60d → 1 export.other-time
      """)
  }
}

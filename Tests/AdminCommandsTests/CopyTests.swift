import AdminCommands
import JSON
import Platform
import ReleaseModel
import SQLite
import TestSupport
import Testing

/// A directory of documents belongs to one file of a ledger: what copies, restored files and forks may do.
@Suite struct CopyTests {
  private let shell: Shell
  private var out: String { shell.directory.file("out") }
  private var copy: String { shell.directory.file("copy.db") }

  /// The apps `taxi` and `van`, each with 1.0, which is forced, and 1.1; their documents are in `out`.
  init() throws {
    shell = try Shell.taxi()
    try shell.done("app add van --bundle-id com.example.van --apple-id 7")
    let past = "version,released_at\n1.0,2024-01-01T00:00:00Z\n1.1,2024-02-01T00:00:00Z\n"
    for app in ["taxi", "van"] {
      try #require(shell.run(["import", app, "-", "--yes"], input: Array(past.utf8)).status == 0)
      try shell.done("force \(app) 1.0 --reason crash --yes")
    }
    try shell.done("init --export \(out) --format v1 --format lookup")
  }

  private func told(_ app: String = "taxi", _ version: String = "1.0") throws -> JSON {
    try JSON(parsing: readFile("\(out)/v1/\(app)/\(version).json", limit: 1 << 20))
  }

  /// Every document with its bytes, by its path.
  private func documents() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for folder in ["v1/taxi", "v1/van", "lookup"] {
      for name in try fileNames(in: "\(out)/\(folder)") {
        found["\(folder)/\(name)"] = try readFile("\(out)/\(folder)/\(name)", limit: 1 << 20)
      }
    }
    found["manifest.json"] = try readFile("\(out)/manifest.json", limit: 1 << 20)
    return found
  }

  private func image() throws -> [UInt8] { try readFile(shell.ledger, limit: 1 << 24) }

  /// Puts an older file back in the ledger's place.
  private func restore(_ image: [UInt8]) throws {
    removeFile(shell.ledger)
    try shell.directory.write(image, to: "pawl.db")
    try shell.directory.setRights(0o640, of: "pawl.db")
  }

  /// The findings of `doctor` that somebody has to act on.
  private func alarms(_ ledger: String? = nil) -> Set<String> {
    let ran = shell.run("doctor --json --ledger \(ledger ?? shell.ledger)")
    return Set((ran.json["findings"]?.array ?? []).compactMap { $0["id"]?.string })
  }

  @Test func `a backup names no directory, and what is done in it reaches no client`() throws {
    let head = try shell.done("history --limit 1 --json").json["head"]
    let made = try shell.done("backup \(copy) --json").json
    #expect(try shell.done("verify --json --ledger \(copy)").json["head"] == made["head"])
    let kept = "\(head?["seq"]?.integer ?? 0):\(head?["hash"]?.string ?? "")"
    try shell.done("verify --ledger \(copy) --head \(kept)")
    let before = try documents()
    #expect(try shell.done("status --json --ledger \(copy)").json["export"] == .null)
    #expect(try shell.done("init --json --ledger \(copy)").json["export"] == .null)
    for words in ["force taxi 1.1 --when-visible", "remind van 1.0", "stop --all"] {
      // `--when-visible` may not be there; what counts is that nothing gets out.
      shell.run("\(words) --reason trial --yes --ledger \(copy)")
    }
    try shell.done("resume --all --yes --ledger \(copy)")
    #expect(try documents() == before)
    #expect(!alarms(copy).contains("export.other-copy"))
    // A copy of a copy is one, too, and needs no further event.
    let second = shell.directory.file("second.db")
    let events = try shell.done("verify --json --ledger \(copy)").json["events"]
    try shell.done("backup \(second) --ledger \(copy)")
    #expect(try shell.done("verify --json --ledger \(second)").json["events"] == events)
    // On purpose, elsewhere, it may write.
    try shell.done("init --export \(shell.directory.file("trial")) --ledger \(copy)")
    #expect(shell.directory.exists("trial/v1/taxi/1.0.json"))
  }

  @Test func `a copied file writes nothing into the directory of the file it was copied from`() throws {
    try shell.directory.write(image(), to: "copy.db")
    try shell.directory.setRights(0o640, of: "copy.db")
    let before = try documents()
    #expect(alarms(copy).contains("export.other-copy"))
    #expect(try shell.done("status --ledger \(copy)").out.contains("belongs to another file"))
    let changed = shell.run("remind taxi 1.0 --yes --json --ledger \(copy)")
    #expect(changed.status == 74 && changed.errorID == "export.other-copy")
    #expect(changed.json["changed"] == true)
    #expect(changed.error["message"]?.string?.hasPrefix("clients") == true)
    #expect(changed.error["hint"]?.string?.contains("--take-over") == true)
    for words in ["export \(out)", "export", "init --export \(out) --format v1"] {
      let head = try shell.done("verify --json --ledger \(copy)").json["head"]
      let ran = shell.run("\(words) --json --ledger \(copy)")
      #expect(ran.status == 1 && ran.errorID == "export.other-copy", "\(words)")
      #expect(try shell.done("verify --json --ledger \(copy)").json["head"] == head)
    }
    #expect(shell.run("stop --all --ledger \(copy)").status == 74)
    #expect(try documents() == before)
    #expect(alarms().isDisjoint(with: ["export.other-copy", "export.forked"]))
    try shell.done("stop taxi")
    #expect(try told()["action"] == "none")
  }

  @Test func `a take-over asks, goes on above what was served, and silences the other file`() throws {
    try shell.directory.write(image(), to: "copy.db")
    try shell.directory.setRights(0o640, of: "copy.db")
    // The original goes on; the copy takes another way.
    for _ in 1...3 {
      try shell.done("stop van")
      try shell.done("resume van --yes")
    }
    shell.run("lift taxi 1 --ledger \(copy)")
    let served = try #require(try told("van")["generation"]?.integer)
    let own = try #require(shell.head())
    let before = try documents()
    let asked = shell.run("export \(out) --take-over --json --ledger \(copy)")
    #expect(asked.status == 1 && asked.errorID == "confirm.required")
    let preview = asked.error["details"]?["impact"]?.array ?? []
    #expect(
      preview.contains { $0["app"] == "taxi" && $0["before"] == "force" && $0["after"] == "remind" })
    #expect(try documents() == before)
    let dry = try shell.done("export \(out) --take-over --dry-run --yes --json --ledger \(copy)").json
    #expect(dry["changed"] == true && dry["event"] == .null)
    #expect(shell.run("export \(out) --dry-run --ledger \(copy)").status == 64)
    let done = try shell.done("export \(out) --take-over --yes --reason moved --json --ledger \(copy)").json
    let event = try #require(done["event"]?.integer)
    #expect(event > served && event > own && done["written"] != 0 && done["changed"] == true)
    for app in ["taxi", "van"] { #expect(try told(app)["generation"]?.integer == event) }
    #expect(try told()["action"] == "remind")
    let recorded = try shell.done("show \(event) --json --ledger \(copy)").json
    #expect(recorded["event"]?["kind"] == "ledger.take-over" || recorded["kind"] == "ledger.take-over")
    try shell.done("verify --ledger \(copy)")
    // From now on the copy speaks, and the original is the one that is refused.
    try shell.done("remind van 1.0 --ledger \(copy)")
    #expect(try told("van")["action"] == "remind")
    #expect(alarms().contains("export.other-copy"))
    #expect(shell.run("stop taxi --json").errorID == "export.other-copy")
    // Nothing is left to take over.
    let again = try shell.done("export \(out) --take-over --yes --json --ledger \(copy)").json
    #expect(again["event"] == nil && again["written"] == 0)
  }

  @Test(arguments: ["backup", "cp"])
  func `after a restore a stop reaches clients, and nothing else does until a take-over`(way: String) throws {
    if way == "backup" { try shell.done("backup \(copy)") }
    let old = try way == "cp" ? image() : readFile(copy, limit: 1 << 24)
    for _ in 1...4 {
      try shell.done("stop van")
      try shell.done("resume van --yes")
    }
    try shell.done("force taxi 1.0 --reason again --until 90d --yes")
    let served = try #require(shell.head())
    try restore(old)
    let before = try documents()
    let forced = shell.run("remind taxi 1.0 --yes --json")
    #expect(forced.status == 74 && forced.errorID == "export.forked")
    #expect(shell.run("export --json").errorID == "export.forked")
    #expect(try documents() == before)
    #expect(alarms().contains("export.forked"))

    let stopped = try shell.done("stop taxi --json --reason incident")
    #expect(stopped.json["changed"] == true && stopped.err.contains("--take-over"))
    #expect(try told()["action"] == "none" && told()["decidedBy"] == "stopped")
    #expect(try (told()["generation"]?.integer ?? 0) > served)
    let lookup = try JSON(parsing: readFile("\(out)/lookup/taxi.json", limit: 1 << 20))
    #expect(lookup["resultCount"] == 1)
    let after = try documents()
    for (path, bytes) in before where path.contains("van") { #expect(after[path] == bytes, "\(path)") }
    try shell.done("verify")
    // Said again there is nothing to add, and it stays refused for everything else.
    let head = shell.head()
    #expect(try shell.done("stop taxi --json").json["changed"] == false)
    #expect(shell.head() == head)
    #expect(shell.run("export --json").errorID == "export.forked")
    // A second app comes after the first without another gap.
    try shell.done("stop van")
    #expect(try told("van")["action"] == "none")
    #expect(shell.head() == head.map { $0 + 1 })

    try shell.done("export \(out) --take-over --yes")
    #expect(alarms().isDisjoint(with: ["export.other-copy", "export.forked"]))
    try shell.done("resume --all --yes")
    #expect(try told()["action"] == "force" || told()["action"] == "remind")
    try shell.done("verify")
  }

  @Test func `a stop that was recorded already still reaches clients`() throws {
    try shell.done("stop taxi")
    let old = try image()
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
    let old = try image()
    for _ in 1...4 {
      try shell.done("stop van")
      try shell.done("resume van --yes")
    }
    let served = try #require(shell.head())
    shell.feed = { _, _ in 0 }
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
    #expect(alarms().contains("deliver.forked"))
    let delivered = try shell.done("deliver push --json -- taker").json
    #expect(delivered["waiting"] == 0 && delivered["delivered"]?.integer ?? 0 >= 2)
    #expect(try shell.done("check taxi 1.0 --as-of \(served) --json").json["action"] == "force")
    #expect(try shell.done("blame taxi 1.0").out.contains("stop"))
  }

  @Test func `a directory that is too far ahead is not taken over, and a stop gets out all the same`() throws
  {
    let path = "\(out)/.pawl/state.json"
    var state = try #require(try JSON(parsing: readFile(path, limit: 1 << 20)).object)
    state["head"] = ["seq": 5_000_000, "hash": .string(String(repeating: "0", count: 64))]
    try publishFile(JSON.object(state).bytes(), as: path, rights: 0o600, replaces: true)
    let refused = shell.run("export \(out) --take-over --yes --json")
    #expect(refused.status == 1 && refused.errorID == "take-over.too-far")
    try shell.done("stop taxi")
    #expect(try told()["action"] == "none")
  }

  @Test func `only a take-over leaves out numbers, and it names them`() throws {
    let head = try #require(shell.head())
    let database = try Connection(path: shell.ledger, mode: .readWrite)
    let sql = """
      INSERT INTO event (seq, at, format, kind, after, actor, hash)
      SELECT %, at, 1, '%', '%', actor, '\(String(repeating: "0", count: 64))' FROM event WHERE seq = \(head)
      """
    func insert(_ seq: Int64, _ kind: String, _ after: String) -> Bool {
      var parts = sql.split(separator: "%", omittingEmptySubsequences: false).map(String.init)
      parts.insert("\(seq)", at: 1)
      parts.insert(kind, at: 3)
      parts.insert(after, at: 5)
      return (try? database.run(parts.joined())) != nil
    }
    for (seq, kind, after) in [
      (head + 3, "request", "{}"), (head + 3, "ledger.take-over", "{}"),
      (head + 3, "ledger.take-over", #"{"from":\#(head + 1),"place":null,"to":\#(head + 3)}"#),
      (head + 3, "ledger.take-over", #"{"from":\#(head + 2),"place":null,"to":\#(head + 2)}"#),
      (head + 1, "ledger.take-over", #"{"from":\#(head + 1),"place":null,"to":\#(head)}"#),
      (
        head + 1_000_002, "ledger.take-over", #"{"from":\#(head + 1),"place":null,"to":\#(head + 1_000_001)}"#
      ),
    ] { #expect(!insert(seq, kind, after), "\(seq) \(kind) \(after)") }
    #expect(insert(head + 3, "ledger.take-over", #"{"from":\#(head + 1),"place":null,"to":\#(head + 2)}"#))
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
    #expect(shell.run("export --format lookup").err.contains("pawl init --export \(out) --format lookup"))
    let ahead = shell.run("export \(out) --at 60d --json")
    #expect(ahead.status == 1 && ahead.errorID == "export.other-time")
    #expect(try documents() == before)
    // What does not differ is no matter, and another directory may hold anything.
    try shell.done("export --format lookup --format v1 --app taxi --app van")
    try shell.done("export \(out) --at \(noon.text)")
    let other = shell.directory.file("other")
    try shell.done("export \(other) --format v1 --at 60d --app taxi --include-unreleased")
    for words in ["--format v1-signed --sign key.pem", "--format v1-signed"] {
      let signed = shell.run("export \(shell.directory.file("signed")) \(words) --at 60d --json")
      #expect(signed.status == 1 && signed.errorID == "export.other-time", "\(words)")
    }
  }
}

import Crypto
import JSON
import Ledger
import Platform
import SQLite
import TestSupport
import Testing

@Suite struct ProofTests {
  private static func shell() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.done("publish taxi 1.0")
    try shell.done("mark taxi 1.0 live --yes")
    return shell
  }

  /// Alters the ledger as somebody would at the `sqlite3` shell.
  private static func alter(_ shell: Shell, _ statement: String) throws {
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    let triggers = try connection.query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") {
      (try $0.text(0), try $0.text(1))
    }
    for (name, _) in triggers { try connection.run("DROP TRIGGER \(name)") }
    try connection.run(statement)
    for (_, sql) in triggers { try connection.run(sql) }
    try connection.close()
  }

  @Test func `a clean ledger is said to be one`() throws {
    let shell = try ProofTests.shell()
    let ran = try shell.done("verify --json")
    #expect(keys(ran.json) == ["ok", "events", "head", "faults", "unlisted"])
    #expect(ran.json["ok"] == true && ran.json["faults"] == [] && ran.json["events"]?.integer == shell.head())
    #expect(ran.json["head"]?["seq"]?.integer == shell.head())
    #expect(try shell.done("verify").out.hasPrefix("All is as it was recorded.\n"))
  }

  @Test func `a fault ends with 1 and is told on standard output`() throws {
    let shell = try ProofTests.shell()
    try ProofTests.alter(shell, "UPDATE release SET build = '9'")
    let ran = shell.run("verify --json")
    #expect(ran.status == 1 && ran.err == "" && ran.json["ok"] == false)
    let fault = ran.json["faults"]?.array?.first
    #expect(fault?["id"] == "row.differs" && fault?["seq"]?.integer == shell.head())
    #expect(fault?["message"] == "release 1: build is '9', the events say NULL")
    let text = shell.run("verify")
    #expect(
      text.status == 1 && text.out.contains("row.differs")
        && text.out.contains("This is not what was recorded."))
  }

  @Test func `an altered schema is a fault for verify and an end for all others`() throws {
    let shell = try ProofTests.shell()
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    try connection.run("DROP TRIGGER event_update")
    try connection.close()
    #expect(shell.run("status").status == 77)
    let ran = shell.run("verify --json")
    #expect(ran.status == 1 && ran.json["faults"]?.array?.first?["message"] == "trigger event_update is gone")
  }

  @Test func `a checkpoint is signed, and a ledger that went on from it agrees with it`() throws {
    let shell = try ProofTests.shell()
    let (key, out) = (shell.directory.file("key"), shell.directory.file("head.txt"))
    let made = try shell.done("checkpoint --new-key \(key)")
    let verifier = try #require(NoteVerifier(String(made.out.dropLast())))
    #expect(try FileStatus(of: key).rights == 0o600)
    #expect(verifier.name == "pawl-ledger/0123456789abcdef0123456789abcdef")
    let signed = try shell.done("checkpoint --key \(key) --out \(out)")
    let note = try #require(SignedNote(signed.out))
    #expect(note.isSigned(by: [verifier]) == true)
    let checkpoint = try #require(Checkpoint(note.text))
    #expect(checkpoint.origin == verifier.name && checkpoint.size == 4)
    try shell.done("publish taxi 1.1")
    try shell.done("verify --checkpoint \(out) --public-key \(verifier.text)")
    #expect(try shell.done("verify --checkpoint \(out)").err.contains("was not checked"))
    shell.environment["PAWL_KEY"] = key
    let next = try shell.done("checkpoint --out \(out) --json")
    #expect(next.json["size"]?.integer == 5 && next.json["file"] == .string(out))
    #expect(try readFile(out, limit: 9_999) == Array((next.json["checkpoint"]?.string ?? "").utf8))
  }

  @Test func `a cut tail, an older file and a chain written anew contradict the checkpoint`() throws {
    let shell = try ProofTests.shell()
    let (key, out, copy) = (
      shell.directory.file("key"), shell.directory.file("head.txt"), shell.directory.file("copy.db")
    )
    let verifier = try shell.done("checkpoint --new-key \(key)").out.dropLast()
    try shell.done("backup \(copy)")
    try shell.done("publish taxi 1.1")
    try shell.done("checkpoint --key \(key) --out \(out)")
    let older = shell.run("verify --ledger \(copy) --checkpoint \(out) --public-key \(verifier) --json")
    #expect(older.status == 1)
    let fault = older.json["faults"]?.array?.first
    #expect(fault?["id"] == "checkpoint.shorter" && fault?["seq"]?.integer == 4)
    #expect(fault?["message"]?.string?.contains("checkpoint 5 ") == true)
    // The older file goes another way, past the checkpoint.
    try shell.done("publish taxi 2.0 --ledger \(copy)")
    let other = shell.run("verify --ledger \(copy) --checkpoint \(out) --json")
    #expect(other.status == 1 && other.json["faults"]?.array?.first?["id"] == "checkpoint.differs")
    let refused = shell.run("checkpoint --ledger \(copy) --key \(key) --out \(out) --json")
    #expect(refused.status == 1 && refused.errorID == "checkpoint.inconsistent")
    #expect(shell.run("checkpoint --ledger \(copy) --key \(key) --previous \(out) --json").status == 1)
  }

  @Test func `a signature of another key, or of another text, is a fault`() throws {
    let shell = try ProofTests.shell()
    let (key, other, out) = (
      shell.directory.file("key"), shell.directory.file("other"), shell.directory.file("head.txt")
    )
    try shell.done("checkpoint --new-key \(key)")
    let verifier = try shell.done("checkpoint --new-key \(other)").out
    try shell.directory.write(Array(verifier.utf8), to: "other.pub")
    try shell.done("checkpoint --key \(key) --out \(out)")
    let ran = shell.run("verify --checkpoint \(out) --public-key \(other).pub --json")
    #expect(ran.status == 1 && ran.json["faults"]?.array?.map { $0["id"] } == ["checkpoint.signature"])
  }

  @Test func `what is wrong with keys and checkpoints is said`() throws {
    let shell = try ProofTests.shell()
    let key = shell.directory.file("key")
    try shell.done("checkpoint --new-key \(key)")
    let before = try readFile(key, limit: 9_999)
    #expect(shell.run("checkpoint --new-key \(key) --json").errorID == "key.exists")
    #expect(try readFile(key, limit: 9_999) == before)
    let missing = shell.run("checkpoint --json")
    #expect(missing.status == 64 && missing.errorID == "key.missing")
    try shell.directory.write(before, to: "open")
    let open = shell.run("checkpoint --key \(shell.directory.file("open")) --json")
    #expect(open.status == 77 && open.errorID == "key.rights")
    try createFile(shell.directory.file("empty"), rights: 0o600)
    #expect(shell.run("checkpoint --key \(shell.directory.file("empty")) --json").errorID == "key.malformed")
    #expect(shell.run("verify --public-key \(key) --json").errorID == "key.malformed")
    #expect(shell.run("verify --checkpoint \(key) --json").errorID == "checkpoint.malformed")
    #expect(
      shell.run("checkpoint --key \(key) --out \(shell.directory.file("open")) --json").errorID
        == "checkpoint.malformed")
    let out = shell.directory.file("head.txt")
    try shell.done("checkpoint --key \(key) --out \(out)")
    #expect(
      shell.run("checkpoint --key \(key) --out \(out) --origin else --json").errorID == "checkpoint.origin")
    try ProofTests.alter(shell, "UPDATE app SET hold = 9")
    #expect(shell.run("checkpoint --key \(key) --json").errorID == "checkpoint.faulty")
  }

  @Test func `a backup is the ledger, with its rights, and takes no other file's place`() throws {
    let shell = try ProofTests.shell()
    let copy = shell.directory.file("copy.db")
    let ran = try shell.done("backup \(copy) --json")
    #expect(keys(ran.json) == ["events", "head", "file", "bytes"])
    #expect(ran.json["events"]?.integer == 4 && ran.json["file"] == .string(copy))
    #expect(
      try FileStatus(of: copy).rights == 0o640 && FileStatus(of: copy).size == ran.json["bytes"]?.integer)
    #expect(try shell.done("verify --json --ledger \(copy)").json == shell.done("verify --json").json)
    try shell.done("publish taxi 1.1")
    let refused = shell.run("backup \(copy) --json")
    #expect(refused.status == 1 && refused.errorID == "backup.exists")
    try shell.done("backup \(copy) --replace")
    #expect(shell.run("history --limit 1 --json --ledger \(copy)").json["head"]?["seq"]?.integer == 5)
    #expect(shell.run("backup \(shell.ledger) --replace --json").errorID == "backup.unsafe")
    try shell.directory.write([0], to: "other.db-journal")
    #expect(shell.run("backup \(shell.directory.file("other.db")) --json").errorID == "backup.unsafe")
    #expect(shell.run("backup \(shell.directory.file("no/such.db")) --json").status == 66)
    try ProofTests.alter(shell, "UPDATE app SET hold = 9")
    let faulty = shell.run("backup \(copy) --replace --json")
    #expect(faulty.status == 1 && faulty.errorID == "backup.faulty")
    #expect(
      try Set(fileNames(in: shell.directory.path)) == [
        "pawl.db", "pawl.db-lock", "copy.db", "other.db-journal",
      ])
  }
}

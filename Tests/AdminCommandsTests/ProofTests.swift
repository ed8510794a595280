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
    #expect(try shell.done("verify").out.hasPrefix("Everything is as it was recorded.\n"))
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
        && text.out.contains("Ledger altered: "))
  }

  @Test func `an altered schema is a fault for verify and an end for all others`() throws {
    let shell = try ProofTests.shell()
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    try connection.run("DROP TRIGGER event_update")
    try connection.close()
    #expect(shell.run("status").status == 77)
    let ran = shell.run("verify --json")
    #expect(
      ran.status == 1 && ran.json["faults"]?.array?.first?["message"] == "trigger event_update is missing")
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
    // Anybody can write a checkpoint; only a signature that is checked proves something.
    let unchecked = shell.run("verify --checkpoint \(out) --json")
    #expect(unchecked.status == 1 && unchecked.json["ok"] == false)
    #expect(unchecked.json["faults"]?.array?.map { $0["id"] } == ["checkpoint.unverified"])
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
    let other = shell.run("verify --ledger \(copy) --checkpoint \(out) --public-key \(verifier) --json")
    #expect(other.status == 1 && other.json["faults"]?.array?.map { $0["id"] } == ["checkpoint.differs"])
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

  @Test func `a rewritten ledger with a checkpoint to match proves nothing`() throws {
    let shell = try ProofTests.shell()
    let (key, copy, forged) = (
      shell.directory.file("key"), shell.directory.file("copy.db"), shell.directory.file("forged.txt")
    )
    let verifier = try shell.done("checkpoint --new-key \(key)").out.dropLast()
    try shell.done("backup \(copy)")
    try shell.done("publish taxi 1.1")
    try shell.done("publish taxi 6.6.6 --ledger \(copy)")
    // The attacker has no key but one of their own, of the same name.
    try shell.done("checkpoint --new-key \(shell.directory.file("own"))")
    try shell.done("checkpoint --ledger \(copy) --key \(shell.directory.file("own")) --out \(forged)")
    #expect(shell.run("verify --ledger \(copy) --checkpoint \(forged)").status == 1)
    let ran = shell.run("verify --ledger \(copy) --checkpoint \(forged) --public-key \(verifier) --json")
    #expect(ran.status == 1 && ran.json["faults"]?.array?.map { $0["id"] } == ["checkpoint.signature"])
  }

  @Test func `a signature under another name than the log's does not count`() throws {
    let shell = try ProofTests.shell()
    let key = shell.directory.file("key")
    let verifier = try #require(
      NoteVerifier(String(try shell.done("checkpoint --new-key \(key)").out.dropLast())))
    let signed = try shell.done("checkpoint --key \(key) --origin else").out
    // The signature is over the text alone, so its line can be given the name of a key that somebody trusts.
    let note = try #require(SignedNote(signed))
    let line = try #require(note.signatures.first)
    let renamed = note.text + "\n\u{2014} \(verifier.name) \(Base64.encode(verifier.keyHash + line.bytes))\n"
    try shell.directory.write(Array(renamed.utf8), to: "renamed.txt")
    let ran = shell.run(
      "verify --checkpoint \(shell.directory.file("renamed.txt")) --public-key \(verifier.text) --json")
    #expect(ran.status == 1 && ran.json["faults"]?.array?.map { $0["id"] } == ["checkpoint.signature"])
  }

  // MARK: - The last head of a key

  @Test func `one key signs no two heads of one size, wherever they are written`() throws {
    let shell = try ProofTests.shell()
    let (key, copy) = (shell.directory.file("key"), shell.directory.file("copy.db"))
    try shell.done("checkpoint --new-key \(key)")
    try shell.done("backup \(copy)")
    try shell.done("publish taxi 1.1")
    try shell.done("publish taxi 2.0 --ledger \(copy)")
    let first = try shell.done("checkpoint --key \(key) --out \(shell.directory.file("one.txt"))").out
    #expect(try readFile(key + ".head", limit: 9_999) == Array(first.utf8))
    #expect(try FileStatus(of: key + ".head").rights == 0o600)
    for arguments in [
      "--out \(shell.directory.file("two.txt"))", "", "--previous \(shell.directory.file("one.txt"))",
    ] {
      let second = shell.run("checkpoint --ledger \(copy) --key \(key) --json \(arguments)")
      #expect(second.status == 1 && second.errorID == "checkpoint.inconsistent" && second.out.isEmpty)
    }
    #expect(!shell.directory.exists("two.txt"))
    // Past that size it is no better, and neither is another name.
    try shell.done("publish taxi 2.1 --ledger \(copy)")
    #expect(shell.run("checkpoint --ledger \(copy) --key \(key) --json").errorID == "checkpoint.inconsistent")
    #expect(
      shell.run("checkpoint --ledger \(copy) --key \(key) --origin else --json").errorID
        == "checkpoint.origin")
    #expect(try readFile(key + ".head", limit: 9_999) == Array(first.utf8))
    // What follows from it is signed, and what is the same.
    #expect(try shell.done("checkpoint --key \(key)").out == first)
    try shell.done("publish taxi 1.2")
    try shell.done("checkpoint --key \(key)")
  }

  @Test func `a smaller head is signed only by a key that has signed no greater one`() throws {
    let shell = try ProofTests.shell()
    let (key, copy) = (shell.directory.file("key"), shell.directory.file("copy.db"))
    try shell.done("checkpoint --new-key \(key)")
    try shell.done("backup \(copy)")
    try shell.done("publish taxi 1.1")
    try shell.done("checkpoint --key \(key)")
    let refused = shell.run("checkpoint --ledger \(copy) --key \(key) --json")
    #expect(refused.errorID == "checkpoint.inconsistent")
    #expect(refused.error["hint"]?.string?.contains("new key") == true)
    try shell.done("checkpoint --new-key \(key)2")
    try shell.done("checkpoint --ledger \(copy) --key \(key)2")
  }

  @Test func `what is not remembered is not signed`() throws {
    let shell = try ProofTests.shell()
    let key = shell.directory.file("key")
    try shell.done("checkpoint --new-key \(key)")
    // The name is taken by what cannot be replaced.
    try shell.directory.directory("key.head")
    let ran = shell.run("checkpoint --key \(key) --out \(shell.directory.file("head.txt")) --json")
    #expect(ran.status == 65 && ran.errorID == "checkpoint.malformed" && ran.out.isEmpty)
    #expect(!shell.directory.exists("head.txt"))
    // That of another key is no memory of this one.
    let other = shell.directory.file("other")
    try shell.done("checkpoint --new-key \(other)")
    let note = try shell.done("checkpoint --key \(other)").out
    try shell.done("checkpoint --new-key \(other)2")
    try shell.directory.write(Array(note.utf8), to: "other2.head")
    #expect(shell.run("checkpoint --key \(other)2 --json").errorID == "checkpoint.malformed")
  }

  @Test func `two who sign with one key take turns`() throws {
    let shell = try ProofTests.shell()
    let key = shell.directory.file("key")
    try shell.done("checkpoint --new-key \(key)")
    let sign = shell.directory.file("taken")
    let other = BackgroundWork {
      let lock = try FileLock(reading: key)
      guard try lock.take(waiting: 0) else { return 0.0 }
      try createFile(sign, rights: 0o600)
      let until = secondsSinceStart() + 0.3
      while secondsSinceStart() < until {}
      let freed = secondsSinceStart()
      lock.release()
      return freed
    }
    while (try? FileStatus(of: sign)) == nil {}
    try shell.done("checkpoint --key \(key)")
    let done = secondsSinceStart()
    let freed = try #require(try other.finish())
    #expect(freed > 0 && freed < done)
  }

  // MARK: - Heads

  @Test func `a head that any log kept finds a cut tail, and a past written anew`() throws {
    let shell = try ProofTests.shell()
    let copy = shell.directory.file("copy.db")
    func head() throws -> String {
      let head = try shell.done("history --limit 1 --json").json["head"]
      return "\(head?["seq"]?.integer ?? 0):\(head?["hash"]?.string ?? "")"
    }
    let first = try head()
    try shell.done("backup \(copy)")
    try shell.done("publish taxi 1.1")
    let last = try head()
    let none = "0:" + String(repeating: "0", count: 64)
    try shell.done("verify --head \(first) --head \(last) --head \(none) --head \(last.uppercased())")
    let shorter = shell.run("verify --ledger \(copy) --head \(first) --head \(last) --json")
    #expect(shorter.status == 1 && shorter.json["ok"] == false)
    #expect(shorter.json["faults"]?.array?.map { $0["id"] } == ["head.shorter"])
    #expect(shorter.json["faults"]?.array?.first?["seq"]?.integer == 4)
    try shell.done("publish taxi 2.0 --ledger \(copy)")
    let differs = shell.run("verify --ledger \(copy) --head \(first) --head \(last) --json")
    #expect(differs.status == 1)
    #expect(differs.json["faults"]?.array?.map { $0["id"] } == ["head.differs"])
    #expect(differs.json["faults"]?.array?.first?["seq"]?.integer == 5)
    let other = "0:" + String(repeating: "1", count: 64)
    #expect(
      shell.run("verify --head \(other) --json").json["faults"]?.array?.map { $0["id"] } == ["head.differs"])
    for bad in ["", "5", "5:", "-1:\(none.dropFirst(2))", "05:\(none.dropFirst(2))", "5:\(none)", "5:abc"] {
      #expect(shell.run(["verify", "--head=\(bad)"]).status == 64, "\(bad)")
    }
  }

  // MARK: - Backups

  @Test func `a backup takes the place of no file but a copy of this ledger`() throws {
    let shell = try ProofTests.shell()
    let lock = try readFile(shell.ledger + "-lock", limit: 9_999)
    for suffix in ["-lock", "-journal", "-wal", "-shm", "-LOCK"] {
      for name in [shell.ledger + suffix, shell.directory.file("other.db" + suffix)] {
        let ran = shell.run("backup \(name) --replace --json")
        #expect(ran.status == 1 && ran.errorID == "backup.unsafe", "\(name): \(ran.err)")
      }
    }
    #expect(try readFile(shell.ledger + "-lock", limit: 9_999) == lock)
    try shell.directory.write("keep me", to: "authorized_keys")
    try shell.done("init --ledger \(shell.directory.file("theirs.db"))")
    try shell.directory.pipe("pipe")
    try shell.directory.link("link", to: shell.directory.file("authorized_keys"))
    for name in ["authorized_keys", "theirs.db", "pipe", "link"] {
      let before = name == "pipe" ? [] : try readFile(shell.directory.file(name), limit: 1 << 24)
      let ran = shell.run("backup \(shell.directory.file(name)) --replace --json")
      #expect(ran.status == 1 && ran.errorID == "backup.unsafe", "\(name): \(ran.err)")
      if name != "pipe" { #expect(try readFile(shell.directory.file(name), limit: 1 << 24) == before) }
    }
    // An older copy, a damaged one, and an empty file that was made for it go.
    let copy = shell.directory.file("copy.db")
    try shell.done("backup \(copy)")
    try shell.done("publish taxi 1.1")
    try shell.done("backup \(copy) --replace")
    let size = try FileStatus(of: copy).size
    for offset in stride(from: 4_096, to: Int(size), by: 512) {
      try shell.directory.write(0xFF, at: offset, of: "copy.db")
    }
    try shell.done("backup \(copy) --replace")
    try shell.directory.write("", to: "empty.db")
    try shell.done("backup \(shell.directory.file("empty.db")) --replace")
    try shell.done("verify --ledger \(copy)")
  }

  @Test func `a dash names no file to write`() throws {
    let shell = try ProofTests.shell()
    let key = shell.directory.file("key")
    try shell.done("checkpoint --new-key \(key)")
    for line in [
      "backup -", "backup - --replace", "checkpoint --new-key -", "checkpoint --key \(key) --out -",
    ] {
      let ran = shell.run(line)
      #expect(ran.status == 64 && ran.out.isEmpty, "\(line): \(ran.err)")
    }
    #expect((try? FileStatus(of: "-")) == nil && (try? FileStatus(of: "-.head")) == nil)
  }

  @Test func `a backup that everybody could replace is refused`() throws {
    let shell = try ProofTests.shell()
    try shell.directory.directory("open")
    try shell.directory.directory("open/own")
    try shell.directory.setRights(0o777, of: "open")
    let ran = shell.run("backup \(shell.directory.file("open/own/copy.db")) --json")
    #expect(ran.status == 77 && ran.errorID == "file.unsafe-directory", "\(ran.err)")
    try shell.directory.setRights(0o1777, of: "open")
    try shell.done("backup \(shell.directory.file("open/own/copy.db"))")
  }

  // MARK: - Printing

  @Test func `nothing that is printed drives a terminal, and the record keeps its bytes`() throws {
    let shell = try ProofTests.shell()
    let note = "a\u{9B}31mb\u{202E}c\u{2028}d"
    #expect(shell.run(["publish", "taxi", "1.1", "--note=en=\(note)", "--reason=\(note)"]).status == 0)
    try shell.done("mark taxi 1.1 live --visible-now --yes")
    for line in [
      "history --json", "show 5 --json", "check taxi 1.0 --json", "history", "blame taxi 1.1 --json",
      "check taxi 1.0",
    ] {
      let ran = try shell.done(line)
      #expect(
        !(ran.out + ran.err).unicodeScalars.contains { [0x9B, 0x202E, 0x2028].contains($0.value) }, "\(line)")
    }
    let event = try shell.done("show 5 --json")
    #expect(event.out.contains(#"a\u009b31mb\u202ec\u2028d"#) && event.json["reason"] == .string(note))
    let streamed = shell.run("check taxi --stdin", input: Array("1.0\n".utf8))
    #expect(streamed.out.contains(#"\u009b"#))
    let connection = try Connection(path: shell.ledger, mode: .readOnly)
    #expect(try connection.first("SELECT reason FROM event WHERE seq = 5") { try $0.text(0) } == note)
    try shell.done("verify")
    let refused = shell.run(["publish", "taxi", "0.9", "--json", "--note=en=\(note)"])
    #expect(refused.status == 1)
    #expect(!refused.err.unicodeScalars.contains { $0.value == 0x9B })
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

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
    try shell.tell("publish taxi 1.0\nmark taxi 1.0 live --yes")
    return shell
  }

  @Test func `a fault ends with 1 and is told on standard output`() throws {
    let shell = try ProofTests.shell()
    try shell.alter("UPDATE release SET build = '9'")
    #expect(shell.run("verify").err.isEmpty)
    try shell.tell(
      "verify → 1 ok=false faults.0.id=row.differs faults.0.seq=LAST \"faults.0.message=release 1: build is '9', the events say NULL\""
    )
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
    shell.environment["PAWL_KEY"] = key
    // Anybody can write a checkpoint; only a signature that is checked proves something.
    try shell.tell(
      """
      publish taxi 1.1
      verify --checkpoint @head.txt --public-key \(verifier.text)
      verify --checkpoint @head.txt → 1 ok=false faults.*.id=[checkpoint.unverified]
      checkpoint --out @head.txt → size=5 file=\(out)
      """)
  }

  @Test
  func
    `a cut tail, an older file and a chain written anew contradict a checkpoint, and another key signs none`()
    throws
  {
    let shell = try ProofTests.shell()
    let verifier = try shell.done("checkpoint --new-key \(shell.directory.file("key"))").out.dropLast()
    let copied = "verify --ledger @copy.db --public-key \(verifier) --checkpoint"
    // An attacker has no key but one of their own, of the same name.
    try shell.tell(
      """
      backup @copy.db
      publish taxi 1.1
      checkpoint --key @key --out @head.txt
      \(copied) @head.txt → 1 faults.0.id=checkpoint.shorter faults.0.seq=4
      publish taxi 2.0 --ledger @copy.db
      \(copied) @head.txt → 1 faults.*.id=[checkpoint.differs]
      checkpoint --ledger @copy.db --key @key --out @head.txt → 1 checkpoint.inconsistent
      checkpoint --ledger @copy.db --key @key --previous @head.txt → 1
      checkpoint --new-key @own
      checkpoint --ledger @copy.db --key @own --out @forged.txt
      \(copied) @forged.txt → 1 faults.*.id=[checkpoint.signature]
      """)
  }

  // MARK: - The last head of a key

  @Test func `one key signs no two heads of one size, wherever they are written`() throws {
    let shell = try ProofTests.shell()
    let key = shell.directory.file("key")
    try shell.tell(
      """
      checkpoint --new-key @key
      backup @copy.db
      backup @older.db
      publish taxi 1.1
      publish taxi 2.0 --ledger @copy.db
      """)
    let first = try shell.done("checkpoint --key \(key) --out \(shell.directory.file("one.txt"))").out
    #expect(try readFile(key + ".head", limit: 9_999) == Array(first.utf8))
    #expect(try FileStatus(of: key + ".head").rights == 0o600)
    // Past that size it is no better, nor is another name; a smaller head needs a key that signed no greater one.
    try shell.tell(
      """
      checkpoint --ledger @copy.db --key @key --out @two.txt → 1 checkpoint.inconsistent
      checkpoint --ledger @copy.db --key @key → 1 checkpoint.inconsistent
      checkpoint --ledger @copy.db --key @key --previous @one.txt → 1 checkpoint.inconsistent
      checkpoint --ledger @older.db --key @key → 1 checkpoint.inconsistent
      publish taxi 2.1 --ledger @copy.db
      checkpoint --ledger @copy.db --key @key → 1 checkpoint.inconsistent
      checkpoint --ledger @copy.db --key @key --origin else → 1 checkpoint.origin
      checkpoint --new-key @key2
      checkpoint --ledger @older.db --key @key2
      """)
    #expect(!shell.directory.exists("two.txt"))
    #expect(try readFile(key + ".head", limit: 9_999) == Array(first.utf8))
    // What follows from it is signed, and what is the same.
    #expect(try shell.done("checkpoint --key \(key)").out == first)
    try shell.tell("publish taxi 1.2\ncheckpoint --key @key")
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
    func head() throws -> String {
      let head = try shell.done("history --limit 1 --json").json["head"]
      return "\(head?["seq"]?.integer ?? 0):\(head?["hash"]?.string ?? "")"
    }
    let first = try head()
    try shell.tell("backup @copy.db\npublish taxi 1.1")
    let last = try head()
    let none = "0:" + String(repeating: "0", count: 64)
    try shell.tell(
      """
      verify --head \(first) --head \(last) --head \(none) --head \(last.uppercased())
      verify --ledger @copy.db --head \(first) --head \(last) → 1 ok=false faults.*.id=[head.shorter] faults.0.seq=4
      publish taxi 2.0 --ledger @copy.db
      verify --ledger @copy.db --head \(first) --head \(last) → 1 faults.*.id=[head.differs] faults.0.seq=5
      """)
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
    try shell.done("checkpoint --new-key \(shell.directory.file("key"))")
    let key = try readFile(shell.directory.file("key"), limit: 9_999)
    try shell.directory.write(key, to: "open")
    try shell.directory.setRights(0o644, of: "open")
    try createFile(shell.directory.file("empty"), rights: 0o600)
    try shell.tell(
      """
      checkpoint --new-key @key → key.exists
      checkpoint → 64 key.missing
      checkpoint --key @open → 77 key.rights
      checkpoint --key @empty → key.malformed
      verify --public-key @key → key.malformed
      verify --checkpoint @key → checkpoint.malformed
      checkpoint --key @key --out @open → checkpoint.malformed
      checkpoint --key @key --out @head.txt
      checkpoint --key @key --out @head.txt --origin else → checkpoint.origin
      checkpoint --new-key - → 64
      checkpoint --key @key --out - → 64
      backup - --replace → 64
      """)
    #expect(try readFile(shell.directory.file("key"), limit: 9_999) == key)
    try shell.alter("UPDATE app SET hold = 9")
    try shell.tell("checkpoint --key @key → checkpoint.faulty")
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
    try shell.directory.write([0], to: "other.db-journal")
    try shell.tell(
      """
      publish taxi 1.1
      backup @copy.db → 1 backup.exists
      backup @copy.db --replace
      history --limit 1 --ledger @copy.db → head.seq=5
      backup @pawl.db --replace → backup.unsafe
      backup @other.db → backup.unsafe
      backup @no/such.db → 66
      """)
    try shell.alter("UPDATE app SET hold = 9")
    try shell.tell("backup @copy.db --replace → 1 backup.faulty")
    #expect(
      try Set(fileNames(in: shell.directory.path)) == [
        "pawl.db", "pawl.db-lock", "copy.db", "other.db-journal",
      ])
  }
}

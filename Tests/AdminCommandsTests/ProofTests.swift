import Crypto
import JSON
import Ledger
import Platform
import SQLite
import TestSupport
import Testing

@Suite struct ProofTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("publish taxi 1.0 --yes\nmark taxi 1.0 live --yes")
  }

  // MARK: - Faults

  @Test func `a fault ends with 1 and is told on standard output`() throws {
    try shell.tell(
      """
      alter "UPDATE release SET build = '9'"
      verify → 1 ok=false faults.0.id=row.differs faults.0.seq=LAST "faults.0.message=release 1: build is '9', the events say NULL"
      """)
    #expect(shell.run("verify").err.isEmpty)
  }

  @Test func `an altered schema is a fault for verify and an end for all others`() throws {
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    try connection.run("DROP TRIGGER event_update")
    try connection.close()
    #expect(shell.run("status").status == 77)
    let ran = shell.run("verify --json")
    #expect(
      ran.status == 1 && ran.json["faults"]?.array?.first?["message"] == "trigger event_update is missing")
  }

  @Test func `a head that any log kept finds a cut tail, and a past written anew`() throws {
    func head() throws -> String {
      let head = try shell.done("history --limit 1 --json").json["head"]
      return "\(head?["seq"]?.integer ?? 0):\(head?["hash"]?.string ?? "")"
    }
    let first = try head()
    try shell.tell("backup @copy.db\npublish taxi 1.1 --yes")
    let last = try head()
    let none = "0:" + String(repeating: "0", count: 64)
    try shell.tell(
      """
      verify --head \(first) --head \(last) --head \(none) --head \(last.uppercased())
      verify --ledger @copy.db --head \(first) --head \(last) → 1 ok=false faults.*.id=[head.shorter] faults.0.seq=4
      publish taxi 2.0 --yes --ledger @copy.db
      verify --ledger @copy.db --head \(first) --head \(last) → 1 faults.*.id=[head.differs] faults.0.seq=5
      """)
    for bad in ["", "5", "5:", "-1:\(none.dropFirst(2))", "05:\(none.dropFirst(2))", "5:\(none)", "5:abc"] {
      try shell.tell("verify --head=\(bad) → 64")
    }
  }

  // MARK: - Checkpoints

  @Test func `a checkpoint is signed, and a ledger that went on from it agrees with it`() throws {
    let made = try shell.done("key new @key")
    let verifier = try #require(NoteVerifier(String(made.out.dropLast())))
    let note = try #require(SignedNote(shell.done("checkpoint --key @key --out @head.txt").out))
    let checkpoint = try #require(Checkpoint(note.text))
    #expect(note.isSigned(by: [verifier]) == true && checkpoint.size == 4)
    #expect(checkpoint.origin == verifier.name)
    #expect(verifier.name == "pawl-ledger/0123456789abcdef0123456789abcdef")
    #expect(try FileStatus(of: shell.directory.file("key")).rights == 0o600)
    try shell.tell(
      """
      publish taxi 1.1 --yes
      verify --checkpoint @head.txt --public-key \(verifier.text)
      set PAWL_KEY=@key
      checkpoint --out @head.txt → size=5
      """)
  }

  @Test func `a chain written anew contradicts a checkpoint, and another key signs none`() throws {
    let verifier = try shell.done("key new @key").out.dropLast()
    let copied = "verify --ledger @copy.db --public-key \(verifier) --checkpoint"
    // An attacker has no key but one of their own, of the same name.
    try shell.tell(
      """
      backup @copy.db
      publish taxi 1.1 --yes
      checkpoint --key @key --out @head.txt
      \(copied) @head.txt → 1 faults.0.id=checkpoint.shorter faults.0.seq=4
      publish taxi 2.0 --yes --ledger @copy.db
      \(copied) @head.txt → 1 faults.*.id=[checkpoint.differs]
      key new @own
      checkpoint --ledger @copy.db --key @own --out @forged.txt
      \(copied) @forged.txt → 1 faults.*.id=[checkpoint.signature]
      """)
  }

  @Test func `one key signs no two heads of one size, wherever they are written`() throws {
    try shell.tell(
      """
      key new @key
      backup @copy.db
      backup @older.db
      publish taxi 1.1 --yes
      publish taxi 2.0 --yes --ledger @copy.db
      """)
    let first = try shell.done("checkpoint --key @key --out @one.txt").out
    #expect(try shell.bytes("key.head") == Array(first.utf8))
    #expect(try FileStatus(of: shell.directory.file("key.head")).rights == 0o600)
    // Past that size it is no better, nor is another name; a smaller head needs a key that signed no greater one.
    try shell.tell(
      """
      checkpoint --ledger @copy.db --key @key --out @two.txt → 1 checkpoint.inconsistent
      checkpoint --ledger @copy.db --key @key → 1 checkpoint.inconsistent
      checkpoint --ledger @copy.db --key @key --previous @one.txt → 1 checkpoint.inconsistent
      checkpoint --ledger @older.db --key @key → 1 checkpoint.inconsistent
      publish taxi 2.1 --yes --ledger @copy.db
      checkpoint --ledger @copy.db --key @key → 1 checkpoint.inconsistent
      checkpoint --ledger @copy.db --key @key --origin else → 1 checkpoint.origin
      key new @key2
      checkpoint --ledger @older.db --key @key2
      """)
    #expect(try !shell.directory.exists("two.txt") && shell.bytes("key.head") == Array(first.utf8))
    // What follows from it is signed, and what is the same.
    #expect(try shell.done("checkpoint --key @key").out == first)
    try shell.tell("publish taxi 1.2 --yes\ncheckpoint --key @key")
  }

  @Test func `what is not remembered is not signed`() throws {
    // The name is taken by what cannot be replaced; that of another key is no memory of this one.
    try shell.directory.directory("key.head")
    try shell.tell(
      """
      key new @key
      checkpoint --key @key --out @head.txt → 65 checkpoint.malformed
      key new @other
      key new @other2
      """)
    #expect(!shell.directory.exists("head.txt"))
    try shell.directory.write(try shell.done("checkpoint --key @other").out, to: "other2.head")
    try shell.tell("checkpoint --key @other2 → checkpoint.malformed")
  }

  @Test func `two who sign with one key take turns`() throws {
    let key = shell.directory.file("key")
    try shell.done("key new @key")
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
    try shell.done("checkpoint --key @key")
    let done = secondsSinceStart()
    let freed = try #require(try other.finish())
    #expect(freed > 0 && freed < done)
  }

  @Test func `what is wrong with keys and checkpoints is said`() throws {
    try shell.done("key new @key")
    let key = try shell.bytes("key")
    try shell.directory.write(key, to: "open")
    try shell.directory.setRights(0o644, of: "open")
    try createFile(shell.directory.file("empty"), rights: 0o600)
    try shell.tell(
      """
      key new @key → key.exists
      checkpoint --key @open → 77 key.rights
      checkpoint --key @empty → key.malformed
      verify --public-key @key → key.malformed
      verify --checkpoint @key → checkpoint.malformed
      checkpoint --key @key --out @open → checkpoint.malformed
      checkpoint --key @key --out @head.txt
      checkpoint --key @key --out @head.txt --origin else → checkpoint.origin
      key new - → 64
      checkpoint --key @key --out - → 64
      backup - --replace → 64
      alter "UPDATE app SET hold = 9"
      checkpoint --key @key → checkpoint.faulty
      """)
    #expect(try shell.bytes("key") == key)
  }

  // MARK: - Backups

  @Test func `a backup is the ledger, with its rights, and takes no other file's place`() throws {
    let ran = try shell.done("backup @copy.db --json")
    #expect(keys(ran.json) == ["events", "head", "file", "bytes"])
    let copy = try FileStatus(of: shell.directory.file("copy.db"))
    #expect(copy.rights == 0o640 && copy.size == ran.json["bytes"]?.integer)
    #expect(try shell.done("verify --json --ledger @copy.db").json == shell.done("verify --json").json)
    try shell.tell(
      """
      file other.db-journal x
      publish taxi 1.1 --yes
      backup @copy.db --replace
      history --limit 1 --ledger @copy.db → head.seq=5
      backup @pawl.db --replace → backup.unsafe
      backup @other.db → backup.unsafe
      alter "UPDATE app SET hold = 9"
      backup @copy.db --replace → 1 backup.faulty
      """)
    #expect(
      try Set(fileNames(in: shell.directory.path)) == [
        "pawl.db", "pawl.db-lock", "copy.db", "other.db-journal",
      ])
  }

  @Test func `a backup takes the place of no file but a copy of this ledger`() throws {
    let lock = try shell.bytes("pawl.db-lock")
    for suffix in ["-lock", "-journal", "-wal", "-shm", "-LOCK"] {
      try shell.tell(
        """
        backup @pawl.db\(suffix) --replace → 1 backup.unsafe
        backup @other.db\(suffix) --replace → 1 backup.unsafe
        """)
    }
    #expect(try shell.bytes("pawl.db-lock") == lock)
    try shell.directory.pipe("pipe")
    try shell.directory.link("link", to: shell.directory.file("authorized_keys"))
    try shell.tell(
      "file authorized_keys \"keep me\"\ninit --ledger @theirs.db\nbackup @pipe --replace → 1 backup.unsafe")
    for name in ["authorized_keys", "theirs.db", "link"] {
      let before = try shell.bytes(name)
      try shell.tell("backup @\(name) --replace → 1 backup.unsafe")
      #expect(try shell.bytes(name) == before)
    }
    // An older copy, a damaged one, and an empty file that was made for it go.
    try shell.tell("backup @copy.db\npublish taxi 1.1 --yes\nbackup @copy.db --replace\nfile empty.db \"\"")
    for offset in stride(from: 4_096, to: try shell.bytes("copy.db").count, by: 512) {
      try shell.directory.write(0xFF, at: offset, of: "copy.db")
    }
    try shell.tell("backup @copy.db --replace\nbackup @empty.db --replace\nverify --ledger @copy.db")
  }

  @Test func `a backup that everybody could replace is refused`() throws {
    try shell.directory.directory("open")
    try shell.directory.directory("open/own")
    try shell.directory.setRights(0o777, of: "open")
    try shell.tell("backup @open/own/copy.db → 77 file.unsafe-directory")
    try shell.directory.setRights(0o1777, of: "open")
    try shell.tell("backup @open/own/copy.db")
  }

  // MARK: - Printing

  @Test func `nothing that is printed drives a terminal, and the record keeps its bytes`() throws {
    let note = "a\u{202E}b\u{2028}c"
    try shell.tell(
      "publish taxi 1.1 --yes \"--note=en=\(note)\" \"--reason=\(note)\"\nmark taxi 1.1 live --visible-now --yes"
    )
    func isClean(_ text: String) -> Bool {
      !text.unicodeScalars.contains { [0x202E, 0x2028].contains($0.value) }
    }
    for line in [
      "history --json", "show 5 --json", "check taxi 1.0 --json", "history", "show taxi 1.1 --blame --json",
      "check taxi 1.0",
    ] {
      let ran = try shell.done(line)
      #expect(isClean(ran.out + ran.err), "\(line)")
    }
    let streamed = shell.run("check taxi --stdin", input: Array("1.0\n".utf8))
    #expect(isClean(streamed.out) && streamed.lines.first?["notes"] == .string(note))
    #expect(try shell.done("show 5 --json").json["reason"] == .string(note))
    let connection = try Connection(path: shell.ledger, mode: .readOnly)
    #expect(try connection.first("SELECT reason FROM event WHERE seq = 5") { try $0.text(0) } == note)
    try shell.done("verify")
    #expect(isClean(shell.run("publish taxi 0.9 --json \"--note=en=\(note)\"").err))
  }
}

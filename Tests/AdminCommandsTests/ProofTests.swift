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

  @Test func `verify reports an altered schema as a fault, and other commands end with 77`() throws {
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    try connection.run("DROP TRIGGER event_update")
    try connection.close()
    #expect(shell.run("status").status == 77)
    let ran = shell.run("verify --json")
    #expect(
      ran.status == 1 && ran.json["faults"]?.array?.first?["message"] == "trigger event_update is missing")
  }

  // MARK: - Checkpoints

  @Test func `a checkpoint is signed by the key, and only the owner may read the key's files`() throws {
    let made = try shell.done("key new @key")
    let verifier = try #require(NoteVerifier(String(made.out.dropLast())))
    let note = try #require(SignedNote(shell.done("checkpoint --key @key --out @head.txt").out))
    let checkpoint = try #require(Checkpoint(note.text))
    #expect(note.isSigned(by: [verifier]) == true && checkpoint.size == 4)
    #expect(checkpoint.origin == verifier.name)
    #expect(verifier.name == "pawl-ledger/0123456789abcdef0123456789abcdef")
    for name in ["key", "key.head"] {
      #expect(try FileStatus(of: shell.directory.file(name)).rights == 0o600)
    }
  }

  @Test func `signing a checkpoint waits while another process has locked the key`() throws {
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

  // MARK: - Backups

  @Test func `a backup equals the ledger, has its rights and leaves no other file`() throws {
    let ran = try shell.done("backup @copy.db --json")
    #expect(keys(ran.json) == ["events", "head", "ledgerHead", "file", "bytes"])
    #expect(ran.json["ledgerHead"] == ran.json["head"])
    let copy = try FileStatus(of: shell.directory.file("copy.db"))
    #expect(copy.rights == 0o640 && copy.size == ran.json["bytes"]?.integer)
    #expect(try shell.done("verify --json --ledger @copy.db").json == shell.done("verify --json").json)
    #expect(try Set(fileNames(in: shell.directory.path)) == ["pawl.db", "pawl.db-lock", "copy.db"])
  }

  // MARK: - Printing

  @Test func `characters that could drive a terminal are not printed, but kept in the ledger`() throws {
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

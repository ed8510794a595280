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

  @Test func `a checkpoint says where the ledger ends, and is what ssh-keygen signed`() throws {
    let ran = try shell.done("checkpoint --key ada --out @head.txt")
    #expect(try shell.text("head.txt") == ran.out)
    let signed = try #require(SignedCheckpoint(json: ran.json))
    #expect(signed.checkpoint.ledger == "0123456789abcdef0123456789abcdef" && signed.checkpoint.events == 4)
    let (ada, ben) = (try Signer.three()[0], try Signer.three()[1])
    #expect(signed.keys == [ada.line])
    // The answer in JSON is a file, too.
    try shell.directory.write(shell.done("checkpoint --key ada --json").out, to: "kept.json")
    try shell.done("verify --checkpoint @kept.json --signer \"\(ada.line)\"")
    // What is signed for another purpose, and the signature of somebody else, is none.
    let bytes = signed.checkpoint.bytes
    #expect(SignedCheckpoint(signed.checkpoint, signature: try ada.signature(over: bytes)) == nil)
    let other = try ben.signature(over: bytes, namespace: Checkpoint.namespace)
    let forged: JSON = ["key": .string(ada.line), "signature": .string(other)]
    #expect(SignedCheckpoint(json: ran.json.adding(["signatures": [forged]]))?.keys == [])
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

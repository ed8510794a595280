import JSON
import Platform
import TestSupport
import Testing

@Suite struct CompletionTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell(
      """
      app add van --bundle-id com.example.van --name Van
      past taxi 1.9.0 1.10.0
      publish taxi 2.0.0 --yes
      remind taxi below:1.10 --yes
      setting taxi map-key free-1234
      trust host downloads.example.com
      """)
  }

  private func answer(_ words: [String]) -> Ran {
    shell.run(["--complete", "\(words.count - 1)", "--"] + words)
  }

  private func offered(_ line: String) -> [String] {
    let words = line.split(separator: " ").map { $0 == "_" ? "" : String($0) }
    let ran = answer(words)
    #expect(ran.status == 0 && ran.err.isEmpty, "\(line): \(ran.err)")
    let lines = ran.out.split(separator: "\n").map(String.init)
    #expect(lines.first == "words", "\(line)")
    return Array(lines.dropFirst())
  }

  @Test func `parked evidence is offered by its number`() throws {
    try shell.directory.write(Array("Subject: Hello\r\n\r\nBody\r\n".utf8), to: "mail.eml")
    try shell.done("ingest mail \(shell.directory.file("mail.eml"))")
    #expect(offered("inbox show _").count == (shell.run("inbox --json").json["inbox"]?.array ?? []).count)
  }

  @Test func `completion reads the ledger that the line names`() throws {
    let other = try Shell()
    try other.done("app add plane --bundle-id com.example.plane")
    #expect(offered("check --ledger \(other.ledger) _") == ["plane\tcom.example.plane"])
    #expect(offered("--ledger=\(other.ledger) check _") == ["plane\tcom.example.plane"])
    shell.environment["HOME"] = other.directory.path
    #expect(offered("check --ledger ~/pawl.db _") == ["plane\tcom.example.plane"])
    #expect(offered("check --ledger ~x/pawl.db _") == [])
  }

  @Test func `without a usable ledger completion offers nothing from it and prints no error`() throws {
    let folder = shell.directory
    try folder.write([], to: "empty.db")
    try folder.write(Array("not a database, and longer than its header would be".utf8), to: "text.db")
    // The schema is whole, and the pages behind it are not.
    var image = try shell.bytes("pawl.db")
    for index in image.indices.dropFirst(8_192) { image[index] = 0x5A }
    try folder.write(image, to: "damaged.db")
    try folder.link("linked.db", to: shell.ledger)
    for name in ["missing.db", "empty.db", "text.db", "damaged.db", "linked.db", "no/folder.db", "."] {
      #expect(offered("check --ledger \(folder.file(name)) _") == [], "\(name)")
      #expect(offered("check taxi --ledger \(folder.file(name)) 1") == [], "\(name)")
    }
    // What needs no ledger is offered all the same.
    #expect(offered("check --ledger \(folder.file("text.db")) --ex").count == 1)
  }

  @Test func `completion writes nothing and leaves the journal of a crash alone`() throws {
    let before = try shell.bytes("pawl.db")
    for line in [
      "check _", "check taxi _", "lift taxi _", "undo _", "inbox show _", "init --yes --ledger new.db _",
    ] {
      _ = answer(line.split(separator: " ").map { $0 == "_" ? "" : String($0) })
    }
    #expect(try shell.bytes("pawl.db") == before)
    #expect(try Set(fileNames(in: shell.directory.path)) == ["pawl.db", "pawl.db-lock"])
    // What a crash left is rolled back by the next command, never by a glance.
    try shell.directory.write(Array("half a journal".utf8), to: "pawl.db-journal")
    _ = answer(["check", ""])
    #expect(try shell.text("pawl.db-journal") == "half a journal")
  }

  @Test(arguments: [[], ["1"], ["x", "--", ""], ["0", "--"], ["-1", "--", "\u{0}"]])
  func `an invalid completion request ends with 0 and prints no error`(words: [String]) {
    let ran = shell.run(["--complete"] + words)
    #expect(ran.status == 0 && ran.err.isEmpty && ran.out.hasPrefix("words\n"))
  }
}

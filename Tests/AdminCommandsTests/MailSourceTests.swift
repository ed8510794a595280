import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct MailSourceTests {
  private static let lunch = #""From: x@example.net\n\nx\n""#

  /// A ledger whose release is on its way, with Apple's mail about it in the file `live`.
  private func room(_ state: ReleaseState = .approved, _ believing: Believing = .signatures) throws -> Shell {
    let room = try Mailroom.open("7.3.0", state, believing)
    try room.directory.write(room.signed().bytes, to: "live")
    return room
  }

  @Test func `a mail on standard input ends with 0, and one beyond 1 MiB with 65`() throws {
    let room = try room()
    let applied = try room.run("ingest mail - --json", input: room.bytes("live"))
    #expect(applied.status == 0 && applied.json["results"]?.array?.first?["source"] == "-")
    let head = Array("From: x@example.net\n\n".utf8)
    let full = head + [UInt8](repeating: 0x61, count: (1 << 20) - head.count)
    for input in [
      try room.bytes("live"), Array("From: x@example.net\n\nx\n".utf8), [], [0xFF, 0, 0x0D], full,
    ] {
      #expect(room.run("ingest mail -", input: input).status == 0)
    }
    let over = room.run("ingest mail - --json", input: full + [0x61])
    #expect(over.status == 65 && over.json["results"]?.array?.first?["reason"] == "mail.too-large")
    #expect(try room.number("SELECT count(*) FROM evidence WHERE outcome = 'refused' AND body IS NULL") == 1)
    #expect(try room.state("7.3.0") == .live)
  }

  @Test func `a mail on standard input ends with 75 if a retry may help, and for usage errors`() throws {
    let room = try room()
    try room.tell("file other.db \"not a ledger\"")
    for words in [
      "- --ledger @missing.db", "- --ledger @", "- --ledger @other.db", "- no-such-file.eml",
      "- --maildir @missing", "- --expect-head 1", "- --no-such-option", "--json - --ledger", "- --maildir",
      "-- - gone.eml",
    ] { #expect(try room.run("ingest mail \(words)", input: room.bytes("live")).status == 75, "\(words)") }
    for words in [
      "ingest mial -", "--ledger @missing.db ingest mail -", "--reason publish ingest mail -",
      "--x y ingest -",
    ] {
      #expect(try room.run(words, input: room.bytes("live")).status == 75, "\(words)")
    }
    // Without standard input errors are what they are elsewhere.
    try room.tell("ingest mail no-such-file.eml → 66\ningest mail → 64")
    #expect(try room.state("7.3.0") == .approved)
  }

  @Test(arguments: [
    "publish ingest 0.9 --yes --notes -", "publish taxi 0.9 --yes --reason ingest --notes -",
    "--actor ingest publish taxi 0.9 --yes --notes -",
    "publish --reason ingest taxi mail --notes - --no-such", "ingest lookup van -",
    "--json ingest usage van -",
    "publish -- ingest mail -", "inbox apply 9 --reason ingest -",
  ])
  func `commands other than ingest mail do not ask for a retry with 75`(line: String) throws {
    let room = try room()
    let status = room.run(line, input: Array("x".utf8)).status
    #expect([1, 64, 65, 66].contains(status), "\(line): \(status)")
  }

  @Test func `--strict fails unless every mail was applied, known already or overtaken`() throws {
    let room = try room(.inReview)
    let forged = Mail(fields: Letter().unsigned().fields, body: Letter().unsigned().body)
    try room.directory.write(room.status("Waiting For Review", ["id": "w"]).bytes, to: "waiting")
    try room.directory.write(forged.bytes, to: "forged")
    try room.directory.write("From: x@example.net\n\n" + String(repeating: "a", count: 1 << 20), to: "large")
    try room.tell(
      """
      file lunch \(Self.lunch)
      ingest mail --strict @waiting
      ingest mail --strict @live @live
      ingest mail --strict @live
      """)
    for (words, status) in [("@live @forged", 1), ("@lunch", 1), ("@large", 65)] as [(String, Int32)] {
      #expect(room.run("ingest mail --strict \(words)").status == status, "\(words)")
    }
    // A mail server tries again what was refused, and it is known the second time.
    let again = Mail(fields: ["X: 1"] + Letter().unsigned().fields, body: Letter().unsigned().body).bytes
    #expect(room.run("ingest mail - --strict", input: again).status == 75)
    #expect(room.run("ingest mail - --strict", input: again).status == 0)
  }

  @Test func `a later batch that fails says that the earlier ones are recorded`() throws {
    let room = try room()
    for number in 0..<200 { try room.directory.write("From: x@example.net\n\n\(number)\n", to: "\(number)") }
    let ran = room.run("ingest mail --json \((0..<200).map { "@\($0)" }.joined(separator: " ")) @missing")
    #expect(ran.status == 66 && ran.errorID == "ingest.broken-off")
    #expect(
      ran.error["message"]?.string?.hasPrefix("the first 200 of 201 mails are recorded, then: ") == true)
    #expect(try room.number("SELECT count(*) FROM evidence") == 200)
  }
}

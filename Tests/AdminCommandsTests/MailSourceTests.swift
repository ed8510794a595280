import JSON
import Ledger
import MailCorpus
import Platform
import ReleaseModel
import SQLite
import TestSupport
import Testing

/// The ways in for mails, and what a mail server is told.
@Suite struct MailSourceTests {
  @Test func `standard input that is stored or not for us is 0`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let mail = room.signed().bytes
    let applied = room.shell.run("ingest mail - --json", input: mail)
    #expect(applied.status == 0 && applied.json["results"]?.array?.first?["source"] == "-")
    #expect(room.shell.run("ingest mail -", input: mail).status == 0)
    #expect(room.shell.run("ingest mail -", input: Array("From: x@example.net\n\nx\n".utf8)).status == 0)
    #expect(room.shell.run("ingest mail -", input: []).status == 0)
    #expect(room.shell.run("ingest mail -", input: [0xFF, 0, 0x0D]).status == 0)
    #expect(try room.state("7.3.0") == .live)
  }

  @Test func `standard input beyond 1 MiB is 65, at the limit it is not`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let head = Array("From: x@example.net\n\n".utf8)
    let full = head + [UInt8](repeating: 0x61, count: (1 << 20) - head.count)
    #expect(full.count == 1 << 20)
    #expect(room.shell.run("ingest mail -", input: full).status == 0)
    let over = room.shell.run("ingest mail - --json", input: full + [0x61])
    #expect(over.status == 65)
    #expect(over.json["results"]?.array?.first?["outcome"] == "refused")
    #expect(over.json["results"]?.array?.first?["reason"] == "mail.too-large")
    #expect(try room.number("SELECT count(*) FROM evidence WHERE outcome = 'refused' AND body IS NULL") == 1)
  }

  @Test func `standard input is 75 for everything that another try may mend`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let mail = room.signed().bytes
    let missing = room.shell.directory.file("missing.db")
    #expect(room.shell.run("--ledger \(missing) ingest mail -", input: mail).status != 0)
    #expect(room.shell.run("ingest mail - --ledger \(missing)", input: mail).status == 75)
    #expect(room.shell.run("ingest mail - --ledger \(room.shell.directory.path)", input: mail).status == 75)
    try room.shell.directory.write(Array("not a ledger".utf8), to: "other.db")
    #expect(
      room.shell.run("ingest mail - --ledger \(room.shell.directory.file("other.db"))", input: mail).status
        == 75)
    #expect(room.shell.run("ingest mail - no-such-file.eml", input: mail).status == 75)
    #expect(room.shell.run("ingest mail - --maildir \(missing)", input: mail).status == 75)
    #expect(room.shell.run("ingest mail - --expect-head 1", input: mail).status == 75)
    #expect(try room.state("7.3.0") == .approved)
    // Without standard input errors are what they are elsewhere.
    #expect(room.shell.run("ingest mail no-such-file.eml").status == 66)
    #expect(room.shell.run("ingest mail").status == 64)
  }

  @Test func `a request id stands for the mails, not only for where they came from`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let other = Array("From: x@example.net\n\nx\n".utf8)
    let first = room.shell.run("ingest mail - --json --request-id r1", input: other)
    #expect(first.status == 0)
    let head = room.shell.head()
    let again = room.shell.run("ingest mail - --json --request-id r1", input: other)
    #expect(again.status == 0 && again.out == first.out)
    #expect(room.shell.head() == head)
    // Another mail under the same id is not swallowed: the mail server tries again.
    #expect(room.shell.run("ingest mail - --request-id r1", input: room.signed().bytes).status == 75)
    #expect(room.shell.head() == head)
    let answer = Array(#"{"resultCount":0,"results":[]}"#.utf8)
    #expect(room.shell.run("ingest lookup taxi - --request-id r2", input: answer).status == 0)
    let refused = room.shell.run("ingest lookup taxi - --request-id r2", input: answer + [0x0A])
    #expect(refused.status == 1, "\(refused.out)\(refused.err)")
  }

  @Test func `strict is 1 unless all was applied, there already or overtaken`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    func strict(_ mails: Mail...) throws -> Int32 {
      room.shell.run(["ingest", "mail", "--strict"] + (try mails.map { try room.file($0.bytes) })).status
    }
    let live = room.signed()
    let waiting = room.status("Waiting For Review") { $0.messageID = "<w@email.apple.com>" }
    #expect(try strict(waiting) == 0)
    #expect(try strict(live, live) == 0)
    #expect(try strict(live) == 0)
    let (fields, body) = Letter().unsigned()
    #expect(try strict(live, Mail(fields: fields, body: body)) == 1)
    #expect(try strict(Mail(fields: ["From: x@example.net"], body: [0x61])) == 1)
    #expect(
      try strict(Mail(fields: ["From: x@example.net"], body: [UInt8](repeating: 0x61, count: 1 << 20))) == 65)
  }

  /// Letters of one release through its review.
  private func life(_ room: Mailroom) -> [(name: String, mail: Mail)] {
    [("Waiting For Review", 17), ("In Review", 18), ("Ready for Sale", 19)].map { name, day in
      let mail = room.status(name) {
        $0.date = "\(day) Nov 2026 11:00:00 +0000"
        $0.messageID = "<\(day)@email.apple.com>"
      }
      return (name, mail)
    }
  }

  @Test func `a Maildir is read in the order of Date and never altered`() throws {
    let room = try Mailroom("7.3.0", .prepared)
    // The release is made known before the first letter.
    let letters = life(room)
    for folder in ["Maildir", "Maildir/new", "Maildir/cur", "Maildir/tmp"] {
      try room.shell.directory.directory(folder)
    }
    let places = ["Maildir/new/1", "Maildir/cur/3:2,S", "Maildir/cur/2:2,"]
    for (place, letter) in zip(places, [letters[2], letters[0], letters[1]]) {
      try room.shell.directory.write(letter.mail.bytes.filter { $0 != 0x0D }, to: place)
    }
    try room.shell.directory.write(letters[2].mail.bytes, to: "Maildir/tmp/4")
    let path = room.shell.directory.file("Maildir")
    let ran = room.shell.run("ingest mail --maildir \(path) --json")
    let results = ran.json["results"]?.array ?? []
    #expect(results.map { $0["to"]?.string } == ["waiting", "in-review", "live"], "\(ran.out)")
    #expect(results.map { $0["outcome"]?.string } == ["applied", "applied", "applied"], "\(ran.out)")
    for (place, letter) in zip(places, [letters[2], letters[0], letters[1]]) {
      #expect(
        try readFile(room.shell.directory.file(place), limit: 1 << 20)
          == letter.mail.bytes.filter { $0 != 0x0D })
    }
    #expect(room.shell.directory.exists("Maildir/tmp/4"))
    let head = room.shell.head()
    let again = room.shell.run("ingest mail --maildir \(path) --json --strict")
    #expect(again.status == 0)
    #expect(
      again.json["results"]?.array?.map { $0["outcome"]?.string } == ["duplicate", "duplicate", "duplicate"])
    #expect(room.shell.head() == head)
    let none = room.shell.run("ingest mail --maildir \(room.shell.directory.path) --json")
    #expect(none.status == 65 && none.errorID == "ingest.not-a-maildir")
    #expect(room.shell.run("ingest mail --maildir \(room.shell.directory.file("nowhere"))").status == 66)
    try room.expectReplay()
  }

  @Test func `an mbox is read with its quoted lines as they were`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let mail = room.signed {
      $0.subject = #"The status of your (iOS) app, Taxi, is now "Ready for Sale""#
      $0.body = .plain(
        Letter.rows(sentence: "The following app is ready for distribution:")
          + "\nFrom here on it is sold.\n>From there on, too.\n")
    }
    let quoted = String(decoding: mail.bytes.filter { $0 != 0x0D }, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == ">" }.hasPrefix("From ") ? ">\($0)" : String($0) }.joined(separator: "\n")
    #expect(quoted.contains("\n>From here") && quoted.contains("\n>>From there"))
    let mbox = "From a Fri Nov 20 11:11:21 2026\n\(quoted)\nFrom b c\nFrom: x@example.net\n\nx\n"
    let path = try room.file(Array(mbox.utf8), name: "mail.mbox")
    let ran = room.shell.run("ingest mail --mbox \(path) --json")
    let results = ran.json["results"]?.array ?? []
    #expect(results.map { $0["outcome"]?.string } == ["applied", "ignored"], "\(ran.out)\(ran.err)")
    #expect(results.map { $0["source"]?.string } == ["\(path)#1", "\(path)#2"])
    #expect(try room.state("7.3.0") == .live)
  }

  @Test func `a later batch that fails says that the earlier ones are recorded`() throws {
    let room = try Mailroom("7.3.0", .approved)
    var words = ["ingest", "mail", "--json"]
    for number in 0..<200 {
      words.append(try room.file(Array("From: x@example.net\n\n\(number)\n".utf8), name: "mail-\(number)"))
    }
    let ran = room.shell.run(words + [room.shell.directory.file("missing.eml")])
    #expect(ran.status == 66 && ran.errorID == "ingest.broken-off")
    #expect(
      ran.error["message"]?.string?.hasPrefix("the first 200 of 201 mails are recorded, then: ") == true)
    #expect(try room.number("SELECT count(*) FROM evidence") == 200)
  }

  @Test func `a mail within the body of another proves nothing by the server's word`() throws {
    let room = try Mailroom("7.3.0", .approved, .server)
    // What a stranger sends: a body with an empty line, a From line, and all that the server would write.
    let inner = String(
      decoding: World.receivedFromApple(room.signed()).bytes.filter { $0 != 0x0D }, as: UTF8.self)
    let box =
      "From x@example.net Fri Nov 20 11:11:21 2026\nFrom: x@example.net\n\nhello\n\nFrom y z\n\(inner)"
    let path = try room.file(Array(box.utf8), name: "box")
    let results = room.shell.run("ingest mail --mbox \(path) --json").json["results"]?.array ?? []
    #expect(results.map { $0["outcome"]?.string } == ["ignored", "parked"], "\(results.map { $0.text() })")
    #expect(try room.state("7.3.0") == .approved)
    // Nor later, when nobody knows any more where it came from.
    let again = room.shell.run("inbox retry --json").json["results"]?.array
    #expect(again?.map { $0["outcome"]?.string } == ["parked"], "\(again?.map { $0.text() } ?? [])")
    #expect(try room.state("7.3.0") == .approved)
    // A mail that the server itself hands over is another matter, also where its bytes were parked.
    let ran = room.shell.run("ingest mail - --json", input: Array(inner.utf8))
    #expect(ran.json["results"]?.array?.first?["outcome"] == "applied", "\(ran.out)")
    #expect(try room.state("7.3.0") == .live)
    try room.expectReplay()
  }

  @Test
  func `a mail that its server vouched for is retried by that word, until the server is trusted no more`()
    throws
  {
    for isTrusted in [true, false] {
      let room = try Mailroom(.server)
      room.shell.clock = World.now
      #expect(try room.feed(World.receivedFromApple(room.signed()))["reason"] == "mail.unknown-version")
      try room.shell.done("publish taxi 7.3.0")
      if !isTrusted { try room.shell.done("trust remove mx \(World.server)") }
      let again = room.shell.run("inbox retry --json").json["results"]?.array?.first
      #expect(again?["outcome"]?.string == (isTrusted ? "applied" : "parked"), "\(again?.text() ?? "")")
      try room.expectReplay()
    }
  }

  @Test func `standard input is 75 for usage errors, closed pipes and what strict refuses`() throws {
    let room = try Mailroom("7.3.0", .approved)
    let mail = room.signed().bytes
    let forged = Mail(fields: Letter().unsigned().fields, body: Letter().unsigned().body).bytes
    for words in [
      "ingest mail - --no-such-option", "ingest mail --json - --ledger",
      "ingest mial -", "ingest mail - --maildir", "ingest mail -- - gone.eml",
    ] { #expect(room.shell.run(words, input: mail).status == 75, "\(words)") }
    let strict = room.shell.run("ingest mail - --strict", input: forged)
    #expect(strict.status == 75, "\(strict.out)")
    #expect(
      room.shell.run("ingest mail - --strict", input: forged).status == 0, "stored, and known the second time"
    )
    #expect(room.shell.run("ingest mail - --strict", input: mail).status == 0)
  }
}

import JSON
import MailCorpus
import ReleaseModel
import Testing

/// Mails whose From claims Apple in a header that is broken: none of them is dropped.
@Suite struct MailClaimTests {
  private static let names = [
    "no_reply@email.apple.com", "\"App Store Connect\" <x@example.net>", "iTunes Connect <x@example.net>",
    "App Review <x@example.net>",
  ]

  private func expectKept(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let room = try Mailroom("7.3.0", .approved)
    let bytes = Array(text.utf8)
    let result = try room.feed(bytes)
    let what: Comment = "\(text.prefix(80).debugDescription): \(result.text())"
    #expect(result["outcome"] == "parked", what, sourceLocation: sourceLocation)
    #expect(try room.bodySize(1) == Int64(bytes.count), what, sourceLocation: sourceLocation)
    #expect(try room.state("7.3.0") == .approved)
  }

  @Test(arguments: names) func `a broken header`(name: String) throws {
    for text in [
      "From: \(name)\u{0}\n\nx\n", "Fr\u{0}om: \(name)\n\nx\n", "X: a\rFrom: \(name)\n\nx\n",
      "From: \(name)\r\r\n\nx\n", "from : \(name)\n\nx\n", "From\n : \(name)\nno field\n\nx\n",
      "\nFrom: \(name)\n\nx\n", "From: \(name)\n\nbody\r", "X: y\n \nFrom: \(name)\n\nx\n",
      "FROM:\n\t\(name)\nno field\n\nx\n", "From: x@example.net\nFrom: \(name)\n\nx\n",
    ] { try expectKept(text) }
  }

  @Test(arguments: names) func `a header that is too large`(name: String) throws {
    let long = String(repeating: "a", count: 70_000)
    let many = String(repeating: "X: y\n", count: 501)
    for text in [
      "From: \(long) \(name)\n\nx\n", "X: \(long)\nFrom: \(name)\n\nx\n", "\(many)From: \(name)\n\nx\n",
    ] { try expectKept(text) }
  }

  @Test func `a From that is folded within Apple's name`() throws {
    try expectKept("From: no_reply@email.ap\n ple.com\n\nx\n")
    try expectKept("From: =?utf-8?B?QXBw?=\n =?utf-8?B?bGU=?= <x@example.net>\n\nx\n")
    try expectKept("From: no_reply@email.ap\r ple.com\n\nx\n")
    try expectKept("From: App\n Store <x@example.net>\n\nx\n")
  }

  @Test func `what claims nothing is not kept, broken or not`() throws {
    for text in [
      "From: x@example.net\u{0}\n\nx\n", "From: x@example.net\n\nFrom: no_reply@email.apple.com\n",
      "From: snap please <x@example.net>\n\nx\n", "X-From: apple\u{0}\n\nx\n",
    ] {
      let room = try Mailroom("7.3.0", .approved)
      #expect(try room.feed(Array(text.utf8))["outcome"] == "ignored", "\(text)")
      #expect(try room.bodySize(1) == nil)
    }
  }
}

/// A proved letter that takes long to read.
@Suite struct LongLetterTests {
  @Test(arguments: [
    "App Version Number: 1.", "App Name: Taxi ", "App SKU: T", "Apple ID: ", "Submission ID: ",
  ])
  func `a proved mail of nearly 1 MiB is read in a moment`(row: String) throws {
    let room = try Mailroom("7.3.0", .approved)
    var text = ""
    var number = 100_000
    while text.utf8.count < 900_000 {
      text += "\(row)\(number)\n"
      number += 1
    }
    let mail = room.signed {
      $0.body = .raw(type: "text/plain; charset=UTF-8", encoding: "8bit", bytes: text)
    }
    let path = try room.file(mail.bytes)
    var ran: Ran?
    let time = ContinuousClock().measure { ran = room.shell.run(["ingest", "mail", path, "--json"]) }
    #expect(ran?.json["results"]?.array?.first?["outcome"] == "parked", "\(ran?.out ?? "")")
    // Without optimisation reading takes a second or two; looking through all rows for each took minutes.
    #expect(time < .seconds(20), "\(row): \(time)")
  }
}

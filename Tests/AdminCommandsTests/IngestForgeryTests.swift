import JSON
import Ledger
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestForgeryTests {
  private static func claimsApple(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
      let text = line.lowercased()
      return text.hasPrefix("from:") && (text.contains("apple") || text.contains("app store"))
    }
  }

  @Test(arguments: Forgeries.all, [Believing.signatures, .server])
  func `no forgery changes a release, whatever is believed`(forgery: Forgery, believing: Believing) throws {
    let bytes = believing == .server ? forgery.received : forgery.bytes
    let room = try Mailroom.open(believing)
    try room.publish("7.2.0", .live)
    for version in ["7.3.0", "7.4.0", "9.9"] { try room.publish(version, .prepared) }
    room.clock = World.now
    let before = try room.reading { try $0.line("taxi") }
    try room.directory.write(bytes, to: "mail")
    var ran: Ran?
    let time = ContinuousClock().measure { ran = room.run("ingest mail @mail --json") }
    #expect(time < .seconds(20))
    let result = try #require(ran?.json["results"]?.array?.first)
    let outcome = try #require(result["outcome"]?.string)
    #expect(["parked", "ignored", "refused"].contains(outcome), "\(result.text())")
    #expect(ran?.status == (outcome == "refused" ? 65 : 0))
    #expect(result["reason"]?.string?.hasPrefix("mail.") == true, "\(result.text())")
    #expect(try room.reading { try $0.line("taxi") } == before)
    let size = try room.bodySize()
    if IngestForgeryTests.claimsApple(bytes), outcome != "refused" {
      #expect(size == Int64(bytes.count), "kept, since From claims Apple: \(result.text())")
    } else if outcome != "parked" {
      #expect(size == nil, "not kept: \(result.text())")
    }
    if let why = forgery.why, believing == .signatures, outcome == "parked" {
      #expect(result["reason"]?.string?.hasPrefix("mail.\(why)") == true, "\(result.text())")
    }
    try room.done("verify")
  }

}

@Suite struct MailClaimTests {
  private static let names = [
    "no_reply@email.apple.com", "\"App Store Connect\" <x@example.net>", "iTunes Connect <x@example.net>",
    "App Review <x@example.net>",
  ]

  private func expectKept(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let room = try Mailroom.open("7.3.0", .approved)
    let bytes = Array(text.utf8)
    let result = try room.feed(bytes)
    let what: Comment = "\(text.prefix(80).debugDescription): \(result.text())"
    #expect(result["outcome"] == "parked", what, sourceLocation: sourceLocation)
    #expect(try room.bodySize() == Int64(bytes.count), what, sourceLocation: sourceLocation)
    #expect(try room.state("7.3.0") == .approved)
  }

  @Test(arguments: names)
  func `a mail that claims to be Apple's is kept despite a broken header`(name: String) throws {
    for text in [
      "From: \(name)\u{0}\n\nx\n", "Fr\u{0}om: \(name)\n\nx\n", "X: a\rFrom: \(name)\n\nx\n",
      "From: \(name)\r\r\n\nx\n", "from : \(name)\n\nx\n", "From\n : \(name)\nno field\n\nx\n",
      "\nFrom: \(name)\n\nx\n", "From: \(name)\n\nbody\r", "X: y\n \nFrom: \(name)\n\nx\n",
      "FROM:\n\t\(name)\nno field\n\nx\n", "From: x@example.net\nFrom: \(name)\n\nx\n",
    ] { try expectKept(text) }
  }

  @Test(arguments: names)
  func `a mail that claims to be Apple's is kept despite too large a header`(name: String) throws {
    let long = String(repeating: "a", count: 70_000)
    let many = String(repeating: "X: y\n", count: 501)
    for text in [
      "From: \(long) \(name)\n\nx\n", "X: \(long)\nFrom: \(name)\n\nx\n", "\(many)From: \(name)\n\nx\n",
    ] { try expectKept(text) }
  }

  @Test func `a mail that claims to be Apple's is kept even if Apple's name is folded`() throws {
    try expectKept("From: no_reply@email.ap\n ple.com\n\nx\n")
    try expectKept("From: =?utf-8?B?QXBw?=\n =?utf-8?B?bGU=?= <x@example.net>\n\nx\n")
    try expectKept("From: no_reply@email.ap\r ple.com\n\nx\n")
    try expectKept("From: App\n Store <x@example.net>\n\nx\n")
  }

  @Test func `a mail that does not claim to be Apple's is not kept, broken or not`() throws {
    for text in [
      "From: x@example.net\u{0}\n\nx\n", "From: x@example.net\n\nFrom: no_reply@email.apple.com\n",
      "From: snap please <x@example.net>\n\nx\n", "X-From: apple\u{0}\n\nx\n",
    ] {
      let room = try Mailroom.open("7.3.0", .approved)
      #expect(try room.feed(Array(text.utf8))["outcome"] == "ignored", "\(text)")
      #expect(try room.bodySize() == nil)
    }
  }
}

@Suite struct LongLetterTests {
  @Test(arguments: [
    "App Version Number: 1.", "App Name: Taxi ", "App SKU: T", "Apple ID: ", "Submission ID: ",
  ])
  func `a proved mail of nearly 1 MiB is read within 20 seconds`(row: String) throws {
    let room = try Mailroom.open("7.3.0", .approved)
    var text = ""
    var number = 100_000
    while text.utf8.count < 900_000 {
      text += "\(row)\(number)\n"
      number += 1
    }
    let mail = try room.signed {
      $0.body = .raw(type: "text/plain; charset=UTF-8", encoding: "8bit", bytes: text)
    }
    var result: JSON?
    let time = try ContinuousClock().measure { result = try room.feed(mail) }
    #expect(result?["outcome"] == "parked")
    // Without optimisation reading takes a second or two; looking through all rows for each took minutes.
    #expect(time < .seconds(20), "\(row): \(time)")
  }
}

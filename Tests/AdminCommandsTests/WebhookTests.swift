import Crypto
import JSON
import MailCorpus
import Platform
import ReleaseModel
import Testing

/// Webhooks of App Store Connect.
@Suite struct WebhookTests {
  private let secret = "This is my secret"

  private func body(
    _ state: String, id: String = "n-1", type: String = "appStoreVersionAppVersionStateUpdated",
    at moment: String = "2026-11-20T11:11:21.000Z"
  ) -> String {
    """
    {"data":{"type":"\(type)","id":"\(id)","version":1,"attributes":{"oldValue":"IN_REVIEW",\
    "newValue":"\(state)","timestamp":"\(moment)"},"relationships":{"instance":{"data":\
    {"type":"appStoreVersions","id":"30dd1a94"}}}}}
    """
  }

  private func signature(_ body: String, secret: String? = nil) -> String {
    "hmacsha256="
      + hexadecimalText(
        HMACSHA256.code(for: Array(body.utf8), key: Array((secret ?? self.secret).utf8)))
  }

  @discardableResult
  private func run(_ room: Mailroom, _ body: String, signature: String? = nil) throws -> Ran {
    let path = try room.file(Array("\(secret)\n".utf8), name: "hook")
    return room.shell.run(
      [
        "ingest", "webhook", "taxi", "-", "--signature", signature ?? self.signature(body), "--secret-file",
        path, "--json",
      ], input: Array(body.utf8))
  }

  private func feed(_ room: Mailroom, _ body: String) throws -> JSON {
    let ran = try run(room, body)
    #expect(ran.status == 0, "\(ran.err)")
    return try #require(ran.json["results"]?.array?.first)
  }

  @Test func `the code of App Store Connect's documentation is the one a signature is held against`() {
    #expect(
      signature("Hello, World!")
        == "hmacsha256=7f062172b01cb00b53ca068614674a3d982a34062a0f5d37687d5e3377e54657")
  }

  @Test func `a proved notification moves the only release on its way`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    let head = try #require(room.shell.head())
    let result = try feed(room, body("PENDING_DEVELOPER_RELEASE"))
    #expect(result["outcome"] == "applied" && result["app"] == "taxi" && result["version"] == "7.3.0")
    #expect(result["from"] == "in-review" && result["to"] == "approved")
    #expect(try room.state("7.3.0") == .approved)
    #expect(room.events(2).map { $0["kind"]?.string } == ["release.mark", "evidence.add"])
    #expect(room.events(2).allSatisfy { $0["evidence"] == 1 })
    #expect(room.shell.head() == head + 2)
    // The same again is a replay, another one is taken.
    #expect(try feed(room, body("PENDING_DEVELOPER_RELEASE"))["outcome"] == "duplicate")
    #expect(try feed(room, body("REJECTED"))["outcome"] == "duplicate", "the id counts")
    #expect(room.shell.head() == head + 2)
    #expect(try feed(room, body("READY_FOR_DISTRIBUTION", id: "n-2"))["outcome"] == "applied")
    let release = try #require(try room.release("7.3.0"))
    #expect(release.state == .live && release.liveAt?.text == "2026-11-20T11:11:21Z")
    #expect(release.visibleAt?.text == "2026-11-21T11:11:21Z")
    try room.expectReplay()
  }

  @Test func `a wrong signature is refused and leaves nothing`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    let head = room.shell.head()
    let body = body("ACCEPTED")
    let good = signature(body)
    for bad in [
      signature(body + " "), signature(body, secret: "another"), "hmacsha256=", String(good.dropLast()),
      good + "0", "hmacsha256=" + String(repeating: "0", count: 64), "sha256=" + good.dropFirst(11),
      "hmacsha256=" + String(repeating: "zz", count: 32), "hmacsha256=+" + good.dropFirst(12),
    ] {
      let ran = try run(room, body, signature: bad)
      #expect(ran.status == 1 && ran.errorID == "webhook.bad-signature", "\(bad)")
    }
    let empty = try room.file(Array("\n".utf8), name: "empty")
    let ran = room.shell.run(
      [
        "ingest", "webhook", "taxi", "-", "--signature", signature(body, secret: ""), "--secret-file", empty,
        "--json",
      ], input: Array(body.utf8))
    #expect(ran.status == 1 && ran.errorID == "webhook.bad-signature", "a secret that is none")
    #expect(room.shell.head() == head)
    #expect(try room.evidenceCount() == 0)
    #expect(try room.state("7.3.0") == .inReview)
  }

  @Test func `a body that is no notification is refused, though it is signed`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    for body in ["Hello, World!", "{}", #"{"data":{}}"#, #"{"data":{"id":"","type":"x"}}"#] {
      let ran = try run(room, body)
      #expect(ran.status == 65 && ran.errorID == "webhook.malformed", "\(body)")
    }
    #expect(try room.evidenceCount() == 0)
  }

  @Test func `pings and what is not known are ignored`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    for (index, (body, reason)) in [
      (body("x", id: "a", type: "webhookPingCreated"), "webhook.other-type"),
      (body("READY_FOR_DISTRIBUTION", id: "b", type: "buildUploadStateUpdated"), "webhook.other-type"),
      (body("SOMETHING_NEW", id: "c"), "webhook.other-state"),
      (#"{"data":{"type":"appStoreVersionAppVersionStateUpdated","id":"d"}}"#, "webhook.other-state"),
    ].enumerated() {
      let result = try feed(room, body)
      #expect(result["outcome"] == "ignored" && result["reason"]?.string == reason)
      #expect(result["evidence"]?.integer == Int64(index + 1))
    }
    #expect(try room.state("7.3.0") == .inReview)
    #expect(room.shell.run("inbox --json").json["inbox"]?.array?.isEmpty == true)
  }

  @Test func `where several releases or none can be meant it is parked`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    try room.publish("7.4.0", .prepared)
    let several = try feed(room, body("ACCEPTED"))
    #expect(several["outcome"] == "parked" && several["reason"] == "webhook.ambiguous")
    let empty = try Mailroom()
    try empty.publish("7.2.0", .live)
    empty.shell.clock = World.now
    let none = try feed(empty, body("ACCEPTED"))
    #expect(none["outcome"] == "parked" && none["reason"] == "webhook.no-candidate")
    let removed = try feed(empty, body("REMOVED_FROM_SALE", id: "n-2"))
    #expect(removed["outcome"] == "applied" && removed["version"] == "7.2.0")
    #expect(try room.state("7.3.0") == .inReview)
    #expect(try room.state("7.4.0") == .prepared)
  }

  @Test func `a stale notification, one of the future and one without a time are parked`() throws {
    for (moment, reason) in [
      ("2026-11-06T11:19:59Z", "webhook.stale"), ("2026-11-20T11:30:01Z", "webhook.stale"),
      ("soon", "webhook.stale"), ("2026-11-20T11:30:00Z", nil),
    ] as [(String, String?)] {
      let room = try Mailroom("7.3.0", .inReview)
      let result = try feed(room, body("ACCEPTED", at: moment))
      #expect(result["reason"]?.string == reason, "\(moment)")
      #expect(try room.state("7.3.0") == (reason == nil ? .approved : .inReview))
    }
  }

  @Test func `an older notification never undoes what is newer`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    let old = "2026-11-16T11:11:21Z"
    #expect(try feed(room, body("REJECTED", id: "a", at: old))["reason"] == "webhook.older")
    #expect(try feed(room, body("WAITING_FOR_REVIEW", id: "b", at: old))["reason"] == "webhook.overtaken")
    #expect(try room.state("7.3.0") == .inReview)
  }

  @Test func `the secret is never told`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    let good = try run(room, body("ACCEPTED"))
    let bad = try run(room, body("ACCEPTED"), signature: "hmacsha256=00")
    let history = room.shell.run("history --json")
    let shown = room.shell.run("inbox show 1 --json")
    for ran in [good, bad, history, shown] {
      #expect(!ran.out.contains(secret) && !ran.err.contains(secret))
    }
    let file = try readFile(room.shell.ledger, limit: 1 << 24)
    #expect(file.firstRange(of: Array("ACCEPTED".utf8)) != nil)
    #expect(file.firstRange(of: Array(secret.utf8)) == nil)
  }
}

extension Array where Element == UInt8 {
  /// Where a text stands in the bytes first.
  fileprivate func firstRange(of text: [UInt8]) -> Int? {
    guard let first = text.first else { return nil }
    return indices.first { self[$0] == first && self[$0...].starts(with: text) }
  }
}

import Crypto
import JSON
import Ledger
import MailCorpus
import Platform
import ReleaseModel
import Testing

/// Webhooks of App Store Connect.
@Suite struct IngestWebhookTests {
  private let secret = "This is my secret"

  private func body(
    _ state: String, id: String = "n-1", type: String = "appStoreVersionAppVersionStateUpdated",
    at moment: String = "2026-11-20T11:11:21.000Z", from old: String = "IN_REVIEW",
    version: String = "30dd1a94", ping: Bool = false
  ) -> String {
    """
    {"data":{"type":"\(type)","id":"\(id)","version":1,"attributes":{"oldValue":"\(old)",\
    "newValue":"\(state)","timestamp":"\(moment)","ping":\(ping)},"relationships":{"instance":{"data":\
    {"type":"appStoreVersions","id":"\(version)"}}}}}
    """
  }

  /// A ledger with a release that is on its way, and the secret pinned.
  private func pinned(
    _ version: String, _ state: ReleaseState, _ more: String = "--single-platform"
  ) throws -> Mailroom {
    let room = try Mailroom(version, state)
    try pin(room, more)
    return room
  }

  private func pin(_ room: Mailroom, _ more: String = "--single-platform") throws {
    let path = try room.file(Array("\(secret)\n".utf8), name: "hook")
    try room.shell.done("trust webhook taxi --secret-file \(path) \(more)")
  }

  /// Says by which id App Store Connect knows a release, as an answer of it would.
  private func name(_ room: Mailroom, _ version: String, _ id: String, app: String = "taxi") throws {
    let ledger = try Ledger.open(room.shell.ledger, for: .writing, now: room.shell.clock)
    defer { ledger.close() }
    let wanted = try Version(version)
    _ = try ledger.record(
      Recording(actor: ["user": "engineer"], clock: room.shell.clock), confirm: { _ in },
      body: { draft in
        try draft.change(app, "amend \(version)") { line, _ throws(LawViolation) in
          guard let before = line.release(wanted) else { return nil }
          var after = before
          after.ascID = id
          return .amended(before: before, after: after)
        }
      }, answer: { _ in [] })
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

  @Test func `a proved notification moves the only release on its way`() throws {
    let room = try pinned("7.3.0", .inReview)
    let head = try #require(room.shell.head())
    let result = try feed(room, body("PENDING_DEVELOPER_RELEASE"))
    #expect(result["outcome"] == "applied" && result["app"] == "taxi" && result["version"] == "7.3.0")
    #expect(result["from"] == "in-review" && result["to"] == "approved")
    #expect(try room.state("7.3.0") == .approved)
    #expect(room.events(2).map { $0["kind"]?.string } == ["release.mark", "release.amend"])
    #expect(room.events(3).allSatisfy { $0["evidence"] == 1 })
    #expect(try room.release("7.3.0")?.ascID == "30dd1a94")
    #expect(room.shell.head() == head + 3)
    // The same again is a replay, another one is taken.
    #expect(try feed(room, body("PENDING_DEVELOPER_RELEASE"))["outcome"] == "duplicate")
    #expect(try feed(room, body("REJECTED"))["outcome"] == "duplicate", "the id counts")
    #expect(room.shell.head() == head + 3)
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
    #expect(ran.status == 1 && ran.errorID == "webhook.bad-signature", "an invalid secret")
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
    let room = try pinned("7.3.0", .inReview)
    for (index, (body, reason)) in [
      (body("x", id: "a", type: "webhookPingCreated"), "webhook.other-type"),
      (body("READY_FOR_DISTRIBUTION", id: "b", type: "buildUploadStateUpdated"), "webhook.other-type"),
      (body("SOMETHING_NEW", id: "c"), "webhook.other-state"),
      (#"{"data":{"type":"appStoreVersionAppVersionStateUpdated","id":"d"}}"#, "webhook.other-state"),
      (body("READY_FOR_DISTRIBUTION", id: "e", ping: true), "webhook.ping"),
    ].enumerated() {
      let result = try feed(room, body)
      #expect(result["outcome"] == "ignored" && result["reason"]?.string == reason)
      #expect(result["evidence"]?.integer == Int64(index + 1))
    }
    #expect(try room.state("7.3.0") == .inReview)
    #expect(room.shell.run("inbox --json").json["inbox"]?.array?.isEmpty == true)
  }

  @Test func `where several releases or none can be meant it is parked`() throws {
    let room = try pinned("7.3.0", .inReview)
    try room.publish("7.4.0", .prepared)
    let several = try feed(room, body("ACCEPTED"))
    #expect(several["outcome"] == "parked" && several["reason"] == "webhook.ambiguous")
    let empty = try Mailroom()
    try empty.publish("7.2.0", .live)
    empty.shell.clock = World.now
    try pin(empty)
    let none = try feed(empty, body("ACCEPTED"))
    #expect(none["outcome"] == "parked" && none["reason"] == "webhook.no-candidate")
    let removed = try feed(empty, body("REMOVED_FROM_SALE", id: "n-2", from: "READY_FOR_SALE"))
    #expect(removed["outcome"] == "applied" && removed["version"] == "7.2.0")
    #expect(try room.state("7.3.0") == .inReview)
    #expect(try room.state("7.4.0") == .prepared)
  }

  @Test func `the id of a webhook that was applied is its release's from then on`() throws {
    let room = try pinned("7.3.0", .prepared)
    let waiting = body("WAITING_FOR_REVIEW", from: "READY_FOR_REVIEW", version: "a-1")
    #expect(try feed(room, waiting)["outcome"] == "applied")
    try room.shell.done("void taxi 7.3.0 --reason typing")
    try room.shell.done("publish taxi 8.0.0")
    try room.shell.done("mark taxi 8.0.0 in-review")
    let live = try feed(room, body("READY_FOR_DISTRIBUTION", id: "n-2", version: "a-1"))
    #expect(live["outcome"] == "parked" && live["reason"] == "webhook.law.release.void", "\(live.text())")
    #expect(try room.state("8.0.0") == .inReview)
    // What has an id of its own is meant by no other.
    #expect(try feed(room, body("ACCEPTED", id: "n-3", version: "b-2"))["outcome"] == "applied")
    let other = try feed(
      room, body("READY_FOR_DISTRIBUTION", id: "n-4", from: "ACCEPTED", version: "c-3"))
    #expect(other["outcome"] == "parked" && other["reason"] == "webhook.no-candidate", "\(other.text())")
    #expect(try room.state("8.0.0") == .approved)
    let own = try feed(
      room, body("READY_FOR_DISTRIBUTION", id: "n-5", from: "ACCEPTED", version: "b-2"))
    #expect(own["outcome"] == "applied" && own["version"] == "8.0.0", "\(own.text())")
    #expect(room.shell.run("verify").status == 0)
    try room.expectReplay()
  }

  @Test func `the first webhook of an id proves nothing that would ask`() throws {
    let signers = try Signer.three()
    for (older, outcome) in [("6.0.0", "parked"), ("7.2.0", "applied")] {
      let room = try Mailroom()
      try room.publish(older, .live)
      try room.publish("7.3.0", .inReview)
      try pin(room)
      try room.shell.demand(signers)
      room.shell.clock = World.now
      let first = try feed(room, body("READY_FOR_DISTRIBUTION"))
      #expect(first["outcome"]?.string == outcome, "\(older): \(first.text())")
      #expect(first["reason"]?.string == (outcome == "parked" ? "webhook.unagreed" : nil))
      #expect(try room.release("7.3.0")?.ascID == (outcome == "parked" ? nil : "30dd1a94"))
      guard outcome == "parked" else { continue }
      // What moves nobody binds it, and then it is proof.
      let accepted = body("ACCEPTED", id: "n-2", at: "2026-11-20T11:11:20.000Z")
      #expect(try feed(room, accepted)["outcome"] == "applied")
      let again = room.shell.run("inbox retry --json").json["results"]?.array?.first
      #expect(again?["outcome"] == "applied", "\(again?.text() ?? "")")
      #expect(try room.state("7.3.0") == .live)
      #expect(room.shell.run("verify").status == 0)
    }
  }

  @Test func `what is stale, of the future, without a time or older than what it would undo moves nothing`()
    throws
  {
    for (state, moment, reason) in [
      ("ACCEPTED", "2026-11-06T11:19:59Z", "webhook.stale"),
      ("ACCEPTED", "2026-11-20T11:30:01Z", "webhook.stale"), ("ACCEPTED", "soon", "webhook.stale"),
      ("REJECTED", "2026-11-16T11:11:21Z", "webhook.older"),
      ("WAITING_FOR_REVIEW", "2026-11-16T11:11:21Z", "webhook.overtaken"),
      ("ACCEPTED", "2026-11-20T11:30:00Z", nil),
    ] as [(String, String, String?)] {
      let room = try pinned("7.3.0", .inReview)
      #expect(try feed(room, body(state, at: moment))["reason"]?.string == reason, "\(moment)")
      #expect(try room.state("7.3.0") == (reason == nil ? .approved : .inReview))
    }
  }

  @Test func `without a pin or a known id it moves nothing and is parked`() throws {
    for (index, room) in try [
      Mailroom("7.3.0", .inReview), pinned("7.3.0", .inReview, ""), pinned("7.3.0", .inReview),
    ].enumerated() {
      let result = try feed(room, body("ACCEPTED"))
      #expect(result["outcome"]?.string == (index == 2 ? "applied" : "parked"), "\(index): \(result.text())")
      if index < 2 { #expect(result["reason"] == "webhook.unknown-id") }
      #expect(try room.state("7.3.0") == (index == 2 ? .approved : .inReview))
      let proof = room.shell.run("inbox show 1 --json").json["proof"]?.string
      #expect(proof?.hasPrefix(index == 0 ? "hmac " : "webhook ") == true, "\(proof ?? "none")")
    }
  }

  @Test func `it is bound by the version's id, whatever platform that is of`() throws {
    let room = try pinned("7.3.0", .inReview, "")
    room.shell.clock = Mailroom.before
    try room.shell.done(
      "app add taxi-mac --bundle-id com.example.taxi --apple-id \(World.appleID) --platform macos")
    try room.publish("5.1", .inReview, app: "taxi-mac")
    room.shell.clock = World.now
    try name(room, "7.3.0", "ios-7")
    try name(room, "5.1", "mac-5", app: "taxi-mac")
    let mac = try feed(room, body("READY_FOR_DISTRIBUTION", version: "mac-5"))
    #expect(
      mac["outcome"] == "applied" && mac["app"] == "taxi-mac" && mac["version"] == "5.1", "\(mac.text())")
    #expect(try room.state("7.3.0") == .inReview)
    let ios = try feed(room, body("ACCEPTED", id: "n-2", version: "ios-7"))
    #expect(ios["app"] == "taxi" && ios["to"] == "approved", "\(ios.text())")
    #expect(try room.state("7.3.0") == .approved)
    try room.expectReplay()
  }

  @Test func `an unknown id is parked until a later source names it`() throws {
    let room = try pinned("7.3.0", .inReview, "")
    #expect(try feed(room, body("ACCEPTED", version: "ios-7"))["reason"] == "webhook.unknown-id")
    let head = room.shell.head()
    #expect(room.shell.run("inbox retry --json").json["results"]?.array?.first?["outcome"] == "parked")
    // Delivered again, it is still the one that is parked.
    #expect(try feed(room, body("ACCEPTED", version: "ios-7"))["outcome"] == "duplicate")
    #expect(room.shell.head() == head)
    try name(room, "7.3.0", "ios-7")
    let taken = room.shell.run("inbox retry --json").json["results"]?.array?.first
    #expect(taken?["outcome"] == "applied" && taken?["version"] == "7.3.0", "\(taken?.text() ?? "")")
    #expect(try room.state("7.3.0") == .approved)
    #expect(try feed(room, body("ACCEPTED", version: "ios-7"))["outcome"] == "duplicate")
    try room.expectReplay()
  }

  @Test func `the only release has to be where the webhook says it was`() throws {
    for (state, old, new, isApplied) in [
      (.inReview, "WAITING_FOR_REVIEW", "PENDING_DEVELOPER_RELEASE", true),
      (.prepared, "IN_REVIEW", "READY_FOR_DISTRIBUTION", false),
      (.rejected, "IN_REVIEW", "ACCEPTED", false),
      (.prepared, "READY_FOR_REVIEW", "WAITING_FOR_REVIEW", true),
      (.rejected, "PREPARE_FOR_SUBMISSION", "WAITING_FOR_REVIEW", true),
      (.inReview, "PREPARE_FOR_SUBMISSION", "REJECTED", false),
    ] as [(ReleaseState, String, String, Bool)] {
      let room = try pinned("7.3.0", state)
      let result = try feed(room, body(new, from: old))
      let what: Comment = "\(state) \(old) \(new): \(result.text())"
      #expect(result["outcome"]?.string == (isApplied ? "applied" : "parked"), what)
      if !isApplied {
        #expect(result["reason"] == "webhook.other-old-state", what)
        #expect(try room.state("7.3.0") == state, what)
      }
    }
  }

  @Test func `pinning keeps the hash, records nothing the second time, and never shows the secret`() throws {
    let room = try pinned("7.3.0", .inReview)
    let head = room.shell.head()
    try pin(room)
    #expect(room.shell.head() == head)
    let list = room.shell.run("trust list --json")
    #expect(list.out.contains(SHA256.hexadecimal(of: Array(secret.utf8))) && !list.out.contains(secret))
    _ = try room.file([0x0A], name: "none")
    try room.shell.tell(
      "trust webhook taxi --secret-file @none → trust.secret-empty\ntrust remove webhook taxi")
    #expect(try feed(room, body("ACCEPTED"))["reason"] == "webhook.unknown-id")
  }

  @Test func `the secret is never told`() throws {
    let room = try Mailroom("7.3.0", .inReview)
    for ran in [
      try run(room, body("ACCEPTED")), try run(room, body("ACCEPTED"), signature: "hmacsha256=00"),
      room.shell.run("history --json"), room.shell.run("inbox show 1 --json"),
    ] { #expect(!ran.out.contains(secret) && !ran.err.contains(secret)) }
    let file = try readFile(room.shell.ledger, limit: 1 << 24)
    #expect(file.contains(Array("ACCEPTED".utf8)) && !file.contains(Array(secret.utf8)))
  }
}

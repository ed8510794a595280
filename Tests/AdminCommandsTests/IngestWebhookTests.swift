import Crypto
import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestWebhookTests {
  private func pinned(_ state: ReleaseState = .inReview, _ more: String = "--single-platform") throws -> Shell
  {
    let room = try Mailroom.open("7.3.0", state)
    try room.tell("pin \(more)")
    return room
  }

  @Test func `a proved notification moves the only release on its way`() throws {
    try pinned().tell(
      """
      hook PENDING_DEVELOPER_RELEASE at=2026-11-20T11:11:21.000Z → outcome=applied app=taxi version=7.3.0 from=in-review to=approved
      history --limit 3 → events.*.kind=[release.mark,release.amend,evidence.add] events.*.evidence=[1,1,1]
      show taxi 7.3.0 → release.state=approved release.ascID=30dd1a94
      hook PENDING_DEVELOPER_RELEASE at=2026-11-20T11:11:21.000Z → same outcome=duplicate
      hook REJECTED → same outcome=duplicate
      hook READY_FOR_DISTRIBUTION id=n-2 at=2026-11-20T11:11:21.000Z → outcome=applied
      show taxi 7.3.0 → release.state=live release.liveAt=2026-11-20T11:11:21Z release.visibleAt=2026-11-21T11:11:21Z
      verify
      """)
  }

  @Test func `a wrong signature is refused and leaves nothing`() throws {
    let room = try Mailroom.open("7.3.0", .inReview)
    let body = room.notification("ACCEPTED")
    let good = Shell.signature(body)
    for (name, text) in [
      ("body", body), ("hook", String(decoding: Shell.secret, as: UTF8.self)), ("empty", "\n"),
    ] {
      try room.directory.write(text, to: name)
    }
    for bad in [
      Shell.signature(body + " "), Shell.signature(body, Array("another".utf8)), "hmacsha256=",
      String(good.dropLast()), good + "0", "hmacsha256=" + String(repeating: "0", count: 64),
      "sha256=" + good.dropFirst(11), "hmacsha256=" + String(repeating: "zz", count: 32),
      "hmacsha256=+" + good.dropFirst(12),
    ] {
      try room.tell(
        "ingest webhook taxi @body --signature \(bad) --secret-file @hook → 1 webhook.bad-signature")
    }
    let unkeyed = Shell.signature(body, [])
    try room.tell(
      "ingest webhook taxi @body --signature \(unkeyed) --secret-file @empty → 1 webhook.bad-signature")
  }

  @Test(arguments: ["Hello, World!", "{}", #"{"data":{}}"#, #"{"data":{"id":"","type":"x"}}"#])
  func `a body that is no notification is refused, though it is signed`(body: String) throws {
    let room = try pinned()
    try room.directory.write(body, to: "body")
    let signature = Shell.signature(body)
    try room.tell(
      "ingest webhook taxi @body --signature \(signature) --secret-file @hook → 65 webhook.malformed")
  }

  @Test func `pings and what is not known are ignored`() throws {
    try pinned().tell(
      """
      hook x id=a type=webhookPingCreated → outcome=ignored reason=webhook.other-type
      hook READY_FOR_DISTRIBUTION id=b type=buildUploadStateUpdated → outcome=ignored reason=webhook.other-type
      hook SOMETHING_NEW id=c → outcome=ignored reason=webhook.other-state
      hook READY_FOR_DISTRIBUTION id=e ping=true → outcome=ignored reason=webhook.ping evidence=4
      show taxi 7.3.0 → release.state=in-review
      inbox → inbox=[]
      """)
  }

  @Test func `where several releases or none can be meant it is parked`() throws {
    try pinned().tell("publish taxi 7.4.0\nhook ACCEPTED → outcome=parked reason=webhook.ambiguous")
    try pinned(.live).tell(
      """
      hook ACCEPTED → outcome=parked reason=webhook.no-candidate
      hook READY_FOR_DISTRIBUTION id=n-2 at=\(Mailroom.before.text) of=a-1 → outcome=ignored version=7.3.0
      live taxi 8.0.0
      hook REMOVED_FROM_SALE id=n-3 from=READY_FOR_SALE of=a-1 → version=7.3.0
      hook REMOVED_FROM_SALE id=n-4 from=READY_FOR_SALE → outcome=applied version=8.0.0
      verify
      """)
  }

  @Test(
    arguments: [
      (.prepared, "hook WAITING_FOR_REVIEW from=READY_FOR_REVIEW of=a-1 → outcome=applied"),
      (.inReview, "hook IN_REVIEW from=WAITING_FOR_REVIEW of=a-1 → outcome=ignored reason=webhook.overtaken"),
      (
        .waiting,
        "hook IN_REVIEW from=LIVE of=a-1\ninbox apply 1 --app taxi --version 7.3.0 --state in-review"
      ),
    ] as [(ReleaseState, String)])
  func `the id of a webhook that was applied is its release's from then on`(state: ReleaseState, line: String)
    throws
  {
    // What has an id of its own is meant by no other.
    try pinned(state).tell(
      """
      \(line)
      verify
      void taxi 7.3.0 --reason typing
      publish taxi 8.0.0
      mark taxi 8.0.0 in-review
      hook READY_FOR_DISTRIBUTION id=n-2 of=a-1 → outcome=parked reason=webhook.law.release.void
      show taxi 8.0.0 → release.state=in-review
      hook ACCEPTED id=n-3 of=b-2 → outcome=applied
      hook READY_FOR_DISTRIBUTION id=n-4 from=ACCEPTED of=c-3 → outcome=parked reason=webhook.no-candidate
      show taxi 8.0.0 → release.state=approved
      hook READY_FOR_DISTRIBUTION id=n-5 from=ACCEPTED of=b-2 → outcome=applied version=8.0.0
      verify
      """)
  }

  @Test func `a webhook gives no release an id whose going live would ask`() throws {
    for (older, says) in [
      ("6.0.0", "outcome=parked reason=webhook.unagreed"), ("7.2.0", "outcome=applied reason=null"),
    ] {
      let room = try Mailroom.open()
      try room.tell(
        "live taxi \(older)\npublish taxi 7.3.0\nmark taxi 7.3.0 in-review\npin --single-platform")
      try room.demand()
      room.clock = World.now
      // Being accepted moves nobody, but what comes next with the same id would be proof.
      try room.tell(
        """
        hook ACCEPTED at=2026-11-20T11:11:20.000Z → \(says)
        hook READY_FOR_DISTRIBUTION id=n-2 → \(says)
        show taxi 7.3.0 → release.state=\(older == "6.0.0" ? "in-review" : "live")
        verify
        """)
    }
  }

  @Test(
    arguments: [
      ("ACCEPTED", "2026-11-06T11:19:59Z", "webhook.stale"),
      ("ACCEPTED", "2026-11-20T11:30:01Z", "webhook.stale"), ("ACCEPTED", "soon", "webhook.stale"),
      ("REJECTED", "2026-11-16T11:11:21Z", "webhook.older"),
      ("WAITING_FOR_REVIEW", "2026-11-16T11:11:21Z", "webhook.overtaken"),
      ("ACCEPTED", "2026-11-20T11:30:00Z", nil),
    ] as [(String, String, String?)])
  func `what is stale, of the future, without a time or older than what it would undo moves nothing`(
    state: String, moment: String, reason: String?
  ) throws {
    try pinned().tell(
      """
      hook \(state) at=\(moment) → reason=\(reason ?? "null")
      show taxi 7.3.0 → release.state=\(reason == nil ? "approved" : "in-review")
      """)
  }

  @Test(
    arguments: [(nil, "hmac "), ("", "webhook "), ("--single-platform", "webhook ")] as [(String?, String)])
  func `without a pin or a known id it moves nothing and is parked`(pin: String?, proof: String) throws {
    let room = try pin.map { try pinned(.inReview, $0) } ?? Mailroom.open("7.3.0", .inReview)
    try room.directory.write(Shell.secret, to: "hook")
    try room.tell(
      "hook ACCEPTED → "
        + (pin == "--single-platform" ? "outcome=applied" : "outcome=parked reason=webhook.unknown-id"))
    let shown = try room.done("inbox show 1 --json").json["proof"]?.string
    #expect(shown?.hasPrefix(proof) == true, "\(shown ?? "none")")
  }

  @Test func `it is bound by the version's id, whatever platform that is of`() throws {
    let room = try pinned(.inReview, "")
    try room.tell(
      """
      app add taxi-mac --bundle-id com.example.taxi --apple-id \(World.appleID) --platform macos
      publish taxi-mac 5.1
      asc taxi 7.3.0=IN_REVIEW,id:ios-7 5.1=IN_REVIEW,platform:MAC_OS,id:mac-5
      hook READY_FOR_DISTRIBUTION of=mac-5 → outcome=applied app=taxi-mac version=5.1
      show taxi 7.3.0 → release.state=in-review
      hook ACCEPTED id=n-2 of=ios-7 → app=taxi to=approved
      hook ACCEPTED id=n-3 of=ios-8 → reason=webhook.unknown-id
      inbox retry → outcome=parked
      hook ACCEPTED id=n-3 of=ios-8 → same outcome=duplicate
      verify
      """)
  }

  @Test(
    arguments: [
      (.inReview, "WAITING_FOR_REVIEW", "PENDING_DEVELOPER_RELEASE", true),
      (.prepared, "IN_REVIEW", "READY_FOR_DISTRIBUTION", false), (.rejected, "IN_REVIEW", "ACCEPTED", false),
      (.prepared, "READY_FOR_REVIEW", "WAITING_FOR_REVIEW", true),
      (.rejected, "PREPARE_FOR_SUBMISSION", "WAITING_FOR_REVIEW", true),
      (.inReview, "PREPARE_FOR_SUBMISSION", "REJECTED", false),
    ] as [(ReleaseState, String, String, Bool)])
  func `the only release has to be where the webhook says it was`(
    state: ReleaseState, old: String, new: String, isApplied: Bool
  ) throws {
    let parked = "outcome=parked reason=webhook.other-old-state"
    let room = try pinned(state)
    try room.tell("hook \(new) from=\(old) → \(isApplied ? "outcome=applied" : parked)")
    #expect(try (room.state("7.3.0") == state) != isApplied)
  }

  @Test func `pinning keeps the hash, records nothing the second time, and the secret is never told`() throws
  {
    let room = try pinned()
    try room.tell("pin --single-platform → same changed=false")
    let hash = JSON.string(SHA256.hexadecimal(of: Shell.secret))
    #expect(try room.done("trust list --json").json["trust"]?.array?.contains { $0["key"] == hash } == true)
    try room.tell(
      """
      hook ACCEPTED
      file none "\\n"
      trust webhook taxi --secret-file @none → trust.secret-empty
      app add van --bundle-id com.example.van --apple-id 111
      trust webhook van --secret-file @hook → 1 trust.secret-taken
      app add taxi-mac --bundle-id com.example.taxi --apple-id \(World.appleID) --platform macos
      trust webhook taxi-mac --secret-file @hook
      trust remove webhook taxi
      hook READY_FOR_DISTRIBUTION id=n-2 of=x → reason=webhook.unknown-id
      """)
    let secret = String(decoding: Shell.secret, as: UTF8.self)
    for line in ["history --json", "inbox show 1 --json", "trust list --json"] {
      #expect(try !room.done(line).out.contains(secret))
    }
    let file = try room.bytes("pawl.db")
    #expect(file.contains(Array("ACCEPTED".utf8)) && !file.contains(Shell.secret))
  }
}

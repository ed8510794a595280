import Crypto
import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestWebhookTests {
  /// A ledger that trusts the secret, and knows the id of its release.
  private func pinned(_ state: ReleaseState = .inReview) throws -> Shell {
    let room = try Mailroom.open("7.3.0", state)
    try room.tell("pin\nasc taxi 7.3.0=PREPARE_FOR_SUBMISSION,id:30dd1a94")
    return room
  }

  @Test func `a proved notification moves the release whose id it names`() throws {
    try pinned().tell(
      """
      hook PENDING_DEVELOPER_RELEASE at=2026-11-20T11:11:21.000Z → outcome=applied app=taxi version=7.3.0 from=in-review to=approved
      history --limit 2 → events.*.kind=[release.mark,evidence.add] events.*.evidence=[2,2]
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
      hook READY_FOR_DISTRIBUTION id=e ping=true → outcome=ignored reason=webhook.ping evidence=5
      show taxi 7.3.0 → release.state=in-review
      inbox → inbox=[]
      """)
  }

  @Test func `an id that nothing has named moves no release, even if only one could be meant`() throws {
    try pinned().tell(
      """
      hook ACCEPTED of=a-1 → outcome=parked reason=webhook.unknown-id
      inbox apply 2 --app taxi --version 7.3.0 --state approved
      hook READY_FOR_DISTRIBUTION id=n-2 of=a-1 → outcome=parked reason=webhook.unknown-id
      show taxi 7.3.0 → release.state=approved release.ascID=30dd1a94
      verify
      """)
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

  @Test(arguments: [(false, "hmac "), (true, "webhook ")])
  func `without a known id it is parked, whether the secret is pinned or not`(isPinned: Bool, proof: String)
    throws
  {
    let room = try isPinned ? pinned() : Mailroom.open("7.3.0", .inReview)
    try room.directory.write(Shell.secret, to: "hook")
    try room.tell("hook ACCEPTED of=a-1 → outcome=parked reason=webhook.unknown-id")
    let shown = try room.done("inbox show \(isPinned ? 2 : 1) --json").json["proof"]?.string
    #expect(shown?.hasPrefix(proof) == true, "\(shown ?? "none")")
  }

  @Test func `it is bound by the version's id, whatever platform that is of`() throws {
    let room = try pinned()
    try room.tell(
      """
      app add taxi-mac --bundle-id com.example.taxi --apple-id \(World.appleID) --platform macos
      publish taxi-mac 5.1 --yes
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

  @Test func `pinning keeps the hash, records nothing the second time, and the secret is never told`() throws
  {
    let room = try pinned()
    try room.tell("pin → same changed=false")
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
      trust webhook taxi-mac --secret-file @hook → 1 trust.secret-taken
      trust remove webhook taxi
      trust webhook taxi-mac --secret-file @hook
      hook READY_FOR_DISTRIBUTION id=n-2 of=x → reason=webhook.unknown-id
      """)
    let secret = String(decoding: Shell.secret, as: UTF8.self)
    for line in ["history --json", "inbox show 2 --json", "trust list --json"] {
      #expect(try !room.done(line).out.contains(secret))
    }
    let file = try room.bytes("pawl.db")
    #expect(file.contains(Array("ACCEPTED".utf8)) && !file.contains(Shell.secret))
  }
}

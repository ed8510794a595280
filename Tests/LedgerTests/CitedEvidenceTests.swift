internal import Testing

@testable internal import Ledger
@testable internal import ReleaseModel

/// Events that name evidence, some of them put into the file by somebody who knows docs/schema.md: evidence excuses
/// nothing but what it says.
@Suite struct CitedEvidenceTests {
  private static let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIlizSIN3DQV78VPNjVvvwjgf+P5HqbPYCYu3BOMdjAE"

  private static let proofs: [Evidence.Kind: String] = [
    .mail: "dkim email.apple.com s1", .webhook: "webhook aa", .asc: "asc KEY", .lookup: "lookup US",
  ]

  typealias Case = Named<@Sendable (Altered) throws -> Void>

  /// Evidence about the app, and changes that name it.
  private static func cited(
    _ name: String, _ evidence: Evidence, _ changes: @Sendable (Altered) throws -> Change...
  ) -> Case {
    Case(name) { altered in
      try altered.append(.evidenceAdded(evidence), app: evidence.app)
      for change in changes { try altered.append(try change(altered), app: "taxi", evidence: evidence.id) }
    }
  }

  /// 7.3.0 live, 8.0 approved, whose going live forces; approvals of one; a proved webhook that moves nothing.
  private static func book() throws -> Book {
    let book = try Book.taxi()
    try book.add("van", appleID: 7)
    try book.importPast("7.2.0", at: later(-900_000))
    try book.importPast("7.3.0", at: later(-800_000))
    try book.publish("8.0")
    try book.mark("8.0", .approved)
    for trust in [
      Trust(kind: .signer, value: "ada", key: key),
      Trust(kind: .webhook, value: "taxi", key: "aa"),
      Trust(kind: .dkim, value: "email.apple.com", selector: "s1", key: "v=DKIM1; p=AAAA"),
    ] { try book.record { _ = $0.trust(trust, true) } }
    try book.record { _ = $0.trust(Trust(kind: .approvals, value: "1"), true) }
    let ping = said(1, .webhook) { ($0.outcome, $0.version, $0.state) = (.ignored, nil, nil) }
    try book.record { $0.add(ping, body: []) }
    return book
  }

  private static func said(
    _ id: Int64 = 2, _ kind: Evidence.Kind = .mail, _ change: (inout Evidence) -> Void = { _ in }
  ) -> Evidence {
    var evidence = Evidence(
      id: id, kind: kind, sha256: Recording.digest(of: []), size: 0, receivedAt: noon, outcome: .applied)
    (evidence.app, evidence.state, evidence.proof) = ("taxi", .live, proofs[kind])
    evidence.version = try? Version("8.0")
    if kind == .lookup { evidence.country = "US" }
    change(&evidence)
    return evidence
  }

  private static func marked(
    _ altered: Altered, _ state: ReleaseState = .live, _ text: String = "8.0", isVisibleNow: Bool = false
  ) throws -> Change {
    let line = try altered.ledger.line("taxi")
    return try #require(
      try line.mark(
        try Version(text), state, at: nil, isVisibleNow: isVisibleNow,
        notBefore: isVisibleNow ? nil : later(3_600), now: noon))
  }

  private static func amended(
    _ altered: Altered, _ text: String = "8.0", _ change: (inout Release) -> Void
  ) throws -> Change {
    let line = try altered.ledger.line("taxi")
    let before = try #require(line.release(try Version(text)))
    var after = before
    change(&after)
    return .amended(before: before, after: after)
  }

  private static let force = Change.ruleMade(Rule(number: 1, range: .all, action: .force, reason: "x"))

  static let broken = [
    Case("a rule by a webhook that moves nothing") { try $0.append(force, app: "taxi", evidence: 1) },
    Case("going live by a webhook that moves nothing") {
      try $0.append(try marked($0), app: "taxi", evidence: 1)
    },
    Case("going live by evidence that is not there") {
      try $0.append(try marked($0), app: "taxi", evidence: 99)
    },
    Case("going live by less than no evidence") {
      try $0.append(try marked($0), app: "taxi", evidence: .min)
    },
    cited("another state than the mail says", said { $0.state = .waiting }, { try marked($0) }),
    cited(
      "another version than the mail says", said { $0.state = .removed },
      { try marked($0, .removed, "7.3.0") }),
    cited("another app than the mail says", said { $0.app = "van" }, { try marked($0) }),
    cited("visible at once by a mail", said(), { try marked($0, isVisibleNow: true) }),
    cited(
      "the end of a hold by the mail that began it", said(), { try marked($0) },
      { try marked($0, isVisibleNow: true) }),
    Case("a mail that was heard of some time ago") {
      try $0.append(.evidenceAdded(said()), app: "taxi")
      try $0.appendRequest()
      try $0.append(try marked($0), app: "taxi", evidence: 2)
    },
    cited("a mail that amends", said(), { try amended($0) { $0.ascID = "id" } }),
    cited(
      "App Store Connect makes a release mandatory", said(2, .asc),
      { try amended($0) { $0.isMandatory = true } }),
    cited(
      "a lookup alters a page", said(2, .lookup),
      { try amended($0) { $0.url = "https://apps.apple.com/app/id1" } }),
    cited(
      "a count of devices marks", said(2, .usage) { $0.state = .rejected }, { try marked($0, .rejected) }),
    cited("a webhook whose id no release has", said(2, .webhook), { try marked($0) }),
    cited("a webhook that names an id", said(2, .webhook), { try amended($0) { $0.ascID = "id" } }),
    cited(
      "a person's word that settles nothing", said { $0.outcome = .parked }, { try marked($0, .rejected) }),
  ]

  @Test(arguments: broken) func `an event beyond what its evidence says breaks a law`(_ one: Case) throws {
    let altered = try Altered(try CitedEvidenceTests.book().ledger)
    try #require(try altered.faults() == [])
    try one.act(altered)
    let last = try altered.ledger.head().seq
    let faults = try altered.faults()
    #expect(Set(faults.filter { $0.id == "law.broken" }.map(\.seq)) == [last], "\(faults)")
  }

  static let lawful = [
    cited("a mail", said(), { try marked($0) }),
    cited(
      "App Store Connect, with details", said(2, .asc),
      { try amended($0) { ($0.phase, $0.remindAt, $0.build) = (.active, later(9), try? Build("5")) } },
      { try marked($0) }),
    cited(
      "notes by a lookup that is no other news",
      said(2, .lookup) { ($0.outcome, $0.state) = (.ignored, nil) },
      { try amended($0) { $0.notes = [Note(locale: "und", text: "new")] } }),
    Case("parked, and settled later") {
      let parked = said { ($0.outcome, $0.reason, $0.app) = (.parked, "mail.unknown-app", nil) }
      try $0.append(.evidenceAdded(parked))
      try $0.appendRequest()
      try $0.append(.evidenceSettled(before: parked, after: said()), app: "taxi")
      try $0.append(try marked($0), app: "taxi", evidence: 2)
    },
    Case("what a person read in it") {
      let parked = said { ($0.outcome, $0.proof, $0.version, $0.state) = (.parked, nil, nil, nil) }
      try $0.append(.evidenceAdded(parked), app: "taxi")
      try $0.append(try marked($0, .rejected), app: "taxi", evidence: 2)
      let settled = said { ($0.proof, $0.reason, $0.state) = (nil, "inbox.applied", .rejected) }
      try $0.append(.evidenceSettled(before: parked, after: settled), app: "taxi")
    },
  ]

  @Test(arguments: lawful) func `an event that its evidence says needs no agreement`(_ one: Case) throws {
    let altered = try Altered(try CitedEvidenceTests.book().ledger)
    try one.act(altered)
    let faults = try altered.faults()
    #expect(!faults.contains { $0.id == "law.broken" || $0.id.hasPrefix("event.") }, "\(faults)")
  }

  @Test(arguments: [(ReleaseState.rejected, ReleaseState.live), (.live, .live)])
  func `what a person reads in evidence must match its settlement, and is no proof`(
    read: ReleaseState, settled: ReleaseState
  ) throws {
    let altered = try Altered(try CitedEvidenceTests.book().ledger)
    let parked = CitedEvidenceTests.said { $0.outcome = .parked }
    try altered.append(.evidenceAdded(parked), app: "taxi")
    try altered.append(try CitedEvidenceTests.marked(altered, read), app: "taxi", evidence: 2)
    let seq = try altered.ledger.head().seq
    let after = CitedEvidenceTests.said { ($0.reason, $0.state) = ("inbox.applied", settled) }
    try altered.append(.evidenceSettled(before: parked, after: after), app: "taxi")
    let faults = try altered.faults()
    #expect(faults.filter { $0.id == "law.broken" }.map(\.seq) == [seq], "\(faults)")
  }

  @Test func `a change that a command records from evidence verifies`() throws {
    let book = try CitedEvidenceTests.book()
    try book.record { draft in
      draft.add(CitedEvidenceTests.said(), body: [])
      try draft.change("8.0", evidence: 2, isProved: true) { line, wanted, _, now throws(Refusal) in
        try line.mark(
          wanted, .live, at: now, isVisibleNow: false, notBefore: now + TimeSpan(seconds: 3_600), now: now)
      }
    }
    #expect(try book.state("8.0") == .live)
    #expect(try book.ledger.verify().faults == [])
  }
}

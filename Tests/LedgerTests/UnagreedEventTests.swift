internal import JSON
internal import SQLite
internal import Testing

@testable internal import Ledger
@testable internal import ReleaseModel

@Suite struct UnagreedEventTests {
  static let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIlizSIN3DQV78VPNjVvvwjgf+P5HqbPYCYu3BOMdjAE"

  /// 7.2.0 and 7.3.0 live one after the other, a setting, a force that silences nobody, and approvals of one.
  private func book() throws -> Book {
    let book = try Book.taxi()
    try book.importPast("7.2.0", at: later(-900_000))
    try book.importPast("7.3.0", at: later(-800_000))
    try book.publish("8.0")
    try book.record { _ = $0.trust(Trust(kind: .signer, value: "ada", key: UnagreedEventTests.key), true) }
    try book.record { _ = $0.trust(Trust(kind: .approvals, value: "1"), true) }
    return book
  }

  private func faults(_ changes: [(app: String?, change: Change)], in book: Book) throws -> [Fault] {
    let altered = try Altered(book.ledger)
    try #require(try altered.faults() == [])
    for (app, change) in changes { try altered.append(change, app: app, at: later(0)) }
    return try altered.faults().filter { $0.id != "answer.differs" }
  }

  private func plan(
    _ changes: [(app: String?, change: Change)] = [], signatures: [AppliedPlan.Signature] = []
  ) -> AppliedPlan {
    let rows = changes.map { app, change -> JSON in
      [
        "kind": .string(change.kind.rawValue), "app": .optional(app),
        "version": .optional(change.version?.text), "before": change.before(app: app) ?? .null,
        "after": change.after(app: app) ?? .null,
      ]
    }
    return AppliedPlan(
      plan: [
        "ledger": "0123456789abcdef0123456789abcdef", "made": .string(noon.text),
        "expires": .string(later(Plan.lifetime.seconds).text), "rows": .array(rows),
      ], signatures: signatures)
  }

  private var force: Change {
    .ruleMade(Rule(number: 1, range: .exactly(version("7.2.0")), action: .force, reason: "x"))
  }

  private func version(_ text: String) -> Version { (try? Version(text)) ?? .zero }

  @Test func `an event without the agreement it needs breaks a law, and no other does`() throws {
    let book = try book()
    let line = try book.ledger.line("taxi")
    var harsh = line.app
    harsh.policy = try #require(SegmentPolicy("force"))
    var short = line.app
    short.hold = .zero
    var mild = line.app
    mild.policy = try #require(SegmentPolicy("none"))
    let trusted = try book.ledger.trusts()
    let approvals = try #require(trusted.first { $0.kind == .approvals })
    let mandatory = try #require(line.release(version("8.0")))
    var forcing = mandatory
    forcing.isMandatory = true
    let cases: [(String, String?, Change, Bool)] = [
      ("force", "taxi", force, true),
      ("policy", "taxi", .appSet(before: line.app, after: harsh), true),
      ("hold", "taxi", .appSet(before: line.app, after: short), true),
      ("milder", "taxi", .appSet(before: line.app, after: mild), false),
      ("mandatory", "taxi", .amended(before: mandatory, after: forcing), true),
      ("approvals", nil, .distrusted(approvals), true),
      ("host", nil, .trusted(Trust(kind: .host, value: "dl.example.com")), true),
      ("allow", "taxi", .ruleMade(Rule(number: 1, range: .all, action: .none)), false),
    ]
    for (name, app, change, isBroken) in cases {
      let faults = try faults([(app, change)], in: book)
      #expect(faults.map(\.id) == (isBroken ? ["law.broken"] : []), "\(name): \(faults)")
    }
  }

  @Test func `a plan without rows, good signatures or its own ledger is no agreement`() throws {
    let book = try book()
    let bad = AppliedPlan.Signature(key: UnagreedEventTests.key, signature: "nonsense")
    #expect(try faults([(nil, .planApplied(plan()))], in: book).map(\.id) == ["law.broken"])
    let unsigned = try faults([(nil, .planApplied(plan([("taxi", force)]))), ("taxi", force)], in: book)
    // Nor does the plan say what that does to clients.
    #expect(unsigned.map(\.id) == ["law.broken", "law.broken"])
    let forged = try faults(
      [(nil, .planApplied(plan([("taxi", force)], signatures: [bad]))), ("taxi", force)], in: book)
    #expect(forged.map(\.id) == ["law.broken", "law.broken"])
    let foreign = AppliedPlan(plan: ["ledger": "another", "rows": []], signatures: [])
    #expect(try faults([(nil, .planApplied(foreign))], in: book).map(\.id) == ["law.broken"])
  }

  @Test func `verify reports a plan that is applied twice`() throws {
    let book = try book()
    let altered = try Altered(book.ledger)
    for _ in 0..<2 { try altered.append(.planApplied(plan([("taxi", force)])), at: later(0), hasRows: false) }
    #expect(try altered.faults().contains { $0.message.contains("the plan was applied before") })
  }
}

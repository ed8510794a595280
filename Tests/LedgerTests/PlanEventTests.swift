internal import JSON
internal import SQLite
internal import TestSupport
internal import Testing

@testable internal import Ledger
@testable internal import ReleaseModel

@Suite struct PlanEventTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func book() throws -> Book {
    let book = try Book.taxi(at: "\(directory.path)/pawl.db")
    try book.add("van", appleID: 7)
    try book.importPast("7.2.0", at: later(-900_000))
    try book.importPast("7.3.0", at: later(-800_000))
    try book.publish("7.4.0")
    try book.mark("7.4.0", .approved)
    return book
  }

  private func plan(_ book: Book, _ body: (inout ChangeSet) throws -> Void) throws -> Plan {
    var recording = Recording(actor: Book.actor, isDryRun: true, clock: book.clock)
    recording.isPlanned = true
    var plan = try #require(try book.ledger.record(recording, body: body).planned)
    (plan.command, plan.author) = (["stop", "taxi"], Book.actor)
    return plan
  }

  private func apply(_ plan: Plan, _ book: Book, _ body: (inout ChangeSet) throws -> Void) throws {
    var recording = Recording(actor: Book.actor, reason: "x", clock: book.clock)
    recording.plan = SignedPlan(plan)
    _ = try book.ledger.record(recording, body: body)
  }

  private func force(_ text: String = "7.2.0", _ action: Action = .force) throws -> Change {
    .ruleMade(Rule(number: 1, range: .exactly(try Version(text)), action: action, reason: "x"))
  }

  private func forcing(_ book: Book) throws -> Plan {
    let force = try force()
    return try plan(book) { draft in try draft.change("taxi") { _ in force } }
  }

  private func planned(_ plan: Plan, _ alter: (inout JSON.Object) -> Void = { _ in }) -> Change {
    var object = plan.json.object ?? JSON.Object()
    alter(&object)
    return .planApplied(AppliedPlan(plan: .object(object), signatures: []))
  }

  private func broken(_ book: Book, _ steps: (Altered) throws -> Void) throws -> [Int64] {
    let altered = try Altered(book.ledger)
    let head = try altered.ledger.head().seq
    try steps(altered)
    let faults = try altered.faults()
    #expect(!faults.contains { $0.id.hasPrefix("event.") || $0.id.hasPrefix("chain.") }, "\(faults)")
    return faults.filter { $0.id == "law.broken" }.compactMap { $0.seq.map { $0 - head } }
  }

  /// What is broken where a change follows a plan.
  private func broken(
    _ book: Book, _ plan: Change, then change: Change, app: String = "taxi",
    _ moments: (Int64, Int64) = (0, 0)
  ) throws -> [Int64] {
    try broken(book) {
      try $0.append(plan, at: later(moments.0)) { ($0.schedules, $0.command) = (nil, nil) }
      try $0.append(change, app: app, at: later(moments.1))
    }
  }

  @Test func `the events after a plan must be those that it says`() throws {
    let book = try book()
    let plan = try forcing(book)
    #expect(try broken(book, planned(plan), then: force()) == [])
    for change in [try force("7.3.0"), try force("7.2.0", .remind)] {
      #expect(try broken(book, planned(plan), then: change) == [1])
    }
    #expect(try broken(book, planned(plan), then: force(), app: "van") == [1], "under another app")
    #expect(try broken(book) { try $0.append(planned(plan)) } == [1], "nothing follows")
    #expect(try broken(book, planned(plan), then: force(), (0, 5)) == [1], "some time later")
    let nothing = try broken(book) { try $0.append(planned(plan) { $0["rows"] = [] }) }
    #expect(nothing == [1], "a plan of nothing")
  }

  @Test(arguments: [(-300, true), (-301, false), (604_799, true), (604_800, false)])
  func `a plan is applied from when it was made until it expires`(after: Int64, isFair: Bool) throws {
    let book = try book()
    book.clock = later(1_000)
    let plan = try forcing(book)
    let moment = 1_000 + after
    #expect(try broken(book, planned(plan), then: force(), (moment, moment)) == (isFair ? [] : [1]))
  }

  @Test func `a plan must name its own ledger, and when it was made and expires`() throws {
    let book = try book()
    let plan = try forcing(book)
    for (member, value) in [("ledger", "other"), ("ledger", nil), ("made", "soon"), ("expires", nil)]
      as [(String, String?)]
    {
      let altered = planned(plan) { $0[member] = value.map(JSON.string) }
      #expect(try broken(book, altered, then: force()) == [1], "\(member)")
    }
  }

  @Test func `a plan may be applied only once, even without the index that says so`() throws {
    let book = try book()
    let plan = try forcing(book)
    let force = try force()
    try apply(plan, book) { draft in try draft.change("taxi") { _ in force } }
    try book.record { draft in try draft.change("taxi") { $0.rules.first.map(Change.ruleLifted) } }
    let found = try broken(book) { altered in
      try altered.connection.run("DROP INDEX event_plan")
      try altered.append(planned(plan))
      try altered.append(
        .ruleMade(Rule(number: 2, range: .exactly(try Version("7.2.0")), action: .force, reason: "x")),
        app: "taxi")
    }
    #expect(found == [1])
  }

  @Test func `an event with the greatest number is reported as a gap`() throws {
    let book = try book()
    let altered = try Altered(book.ledger)
    try altered.append(planned(try forcing(book))) { $0.seq = .max }
    #expect(try altered.faults().contains { $0.id == "sequence.gap" && $0.seq == .max })
  }

  @Test func `a plan whose moments count from when it is applied verifies`() throws {
    let book = try book()
    func goLive(_ draft: inout ChangeSet) throws { try draft.mark("7.4.0", .live) }
    let plan = try plan(book, goLive)
    book.clock = later(3_600)
    // Its own number is taken by somebody else meanwhile.
    try book.publish("1.0", app: "van")
    try apply(plan, book, goLive)
    #expect(try book.ledger.line("taxi").live?.visibleAt == later(3_600 + 86_400))
    #expect(try book.ledger.verify().faults == [])
  }

  @Test func `a new row's number is the next when the plan is applied`() throws {
    let book = try book()
    func publish(_ draft: inout ChangeSet) throws { try draft.publish("7.5.0") }
    let plan = try plan(book, publish)
    book.clock = later(60)
    try book.publish("1.0", app: "van")
    try apply(plan, book, publish)
    #expect(try book.ledger.verify().faults == [])
  }
}

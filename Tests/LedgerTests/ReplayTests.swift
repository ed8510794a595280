import JSON
import Ledger
import ReleaseModel
import Testing

@Suite struct ReplayTests {
  @Test(arguments: [1, 3, 1_000])
  func `replaying the events gives exactly the tables, in slices of any length`(slice: Int64) throws {
    let book = try Book.full()
    book.ledger.sliceOfEvents = slice
    let head = try book.ledger.head()
    let past = try book.ledger.asOf(.event(head.seq))
    #expect(try past.head() == head)
    for app in try book.ledger.apps() { #expect(try book.ledger.line(app.slug) == past.line(app.slug)) }
    #expect(try book.ledger.trusts() == past.trusts())
    #expect(try book.ledger.snapshot("taxi") == past.snapshot("taxi"))
    // Of one app, with those it leads to, the same comes out at every event.
    for seq in 1...head.seq {
      let (all, one) = try (book.ledger.asOf(.event(seq)), book.ledger.asOf(.event(seq), of: ["taxi"]))
      let (told, wanted) = (try? one.snapshot("taxi"), try? all.snapshot("taxi"))
      #expect(try one.head().seq == seq && one.head() == all.head() && told == wanted, "event \(seq)")
    }
  }

  @Test func `the ledger as of an event equals the ledger at that time`() throws {
    let book = try Book.taxi()
    try book.add("van", appleID: 7)
    var were: [(Int64, Snapshot)] = []
    let rule = Rule(number: 1, range: .all, action: .remind)
    let steps: [() throws -> Void] = [
      { try book.importPast("1.0", at: later(-900_000)) }, { try book.publish("1.1") },
      { try book.mark("1.1", .live) },
      { try book.record { draft in try draft.change("taxi") { $0.make(rule, now: noon) } } },
      { try book.record { draft in try draft.change("taxi") { $0.set { $0.isStopped = true } } } },
    ]
    for step in steps {
      try step()
      were.append((try book.ledger.head().seq, try book.ledger.snapshot("taxi")))
    }
    for (seq, snapshot) in were {
      #expect(try book.ledger.asOf(.event(seq)).snapshot("taxi") == snapshot, "event \(seq)")
    }
  }

  @Test func `every event reads back as the change that it was made of`() throws {
    for event in try Book.full().events() {
      let (change, moved) = try event.decoded()
      #expect(change.kind.rawValue == event.kind)
      #expect(change.before(app: event.app)?.text() == event.before, "\(event.kind)")
      #expect(change.after(app: event.app, moved)?.text() == event.after, "\(event.kind)")
    }
  }

  @Test func `events of the asked moment count, later ones do not`() throws {
    let book = try Book.full()
    #expect(try book.ledger.asOf(.moment(later(19))).snapshot("taxi").line.rules == [])
    #expect(try book.ledger.asOf(.moment(later(20))).snapshot("taxi").line.rules.map(\.number) == [1])
    #expect(try book.ledger.asOf(.moment(later(39))).trusts().count == 3)
    #expect(try book.ledger.asOf(.moment(later(40))).trusts().count == 2)
    #expect(try book.ledger.asOf(.event(0)).apps().isEmpty)
    #expect(throws: LedgerError.self) { try book.ledger.asOf(.event(10_000)) }
  }

  @Test func `undoing restores a rule or redirect under its own number`() throws {
    let book = try Book.full()
    #expect(try book.ledger.line("taxi").redirects.map(\.number) == [1], "replaced, and given back")
    // No undo gives back a page whose host is not trusted.
    try book.record { _ = $0.trust(Trust(kind: .host, value: "dl.example.com"), true) }
    for number in [2, 1] as [Int64] {
      let last = try #require(try book.events().last { $0.kind == "redirect.set" && $0.app == "taxi" })
      try book.undo(last.seq)
      let line = try book.ledger.line("taxi")
      #expect(line.redirects.map(\.number) == [number])
      #expect(try book.ledger.asOf(.event(book.ledger.head().seq)).line("taxi") == line)
    }
    #expect(try book.ledger.line("taxi").rules.map(\.number) == [1], "lifted, and given back")
    let made = try #require(try book.events().last { $0.kind == "rule.force" })
    try book.undo(made.seq)
    #expect(try book.ledger.line("taxi").rules.isEmpty, "what was lifted and given back is as it was made")
  }
}

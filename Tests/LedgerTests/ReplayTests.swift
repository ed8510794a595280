import JSON
import Ledger
import ReleaseModel
import TestSupport
import Testing

@Suite struct ReplayTests {
  /// A ledger with every kind of change in it.
  private func full() throws -> Book {
    let book = try Book.taxi()
    try book.add("van", appleID: 7)
    let host = Trust(kind: .host, value: "dl.example.com")
    try book.record { _ = $0.trust(host, true) }
    try book.importPast("1.0", at: later(-900_000))
    try book.importPast("1.1", at: later(-800_000))
    try book.importPast("5.0", app: "van", at: later(-800_000))
    try book.publish("1.2")
    book.clock = later(10)
    try book.mark("1.2", .live)
    try book.unmark("1.2")
    try book.publish("999")
    try book.void("999")
    book.clock = later(20)
    let all = VersionRange.all
    try book.record(reason: "moved") { draft in
      try draft.change("taxi") {
        $0.make(
          Rule(number: 1, range: all, action: .force, destination: .app("van"), reason: "moved"), now: noon)
      }
    }
    try book.record { draft in
      try draft.change("taxi") { line in line.rules.first.map(Change.ruleLifted) }
    }
    for number in [1, 2] as [Int64] {
      let redirect = Redirect(
        number: number, range: all, destination: .url("https://dl.example.com/\(number)"))
      try book.record { draft in try draft.change("taxi") { $0.redirect(redirect) } }
    }
    let setting = Setting(number: 1, key: "map-key", range: all, phase: .review, value: "free")
    try book.record { draft in try draft.change("taxi") { $0.set(setting) } }
    try book.record { draft in try draft.change("taxi") { $0.stop(true) } }
    book.clock = later(30)
    try book.record { _ = $0.trust(host, false) }
    return book
  }

  @Test(arguments: [1, 3, 1_000])
  func `replaying the events gives exactly the tables, in slices of any length`(slice: Int64) throws {
    let book = try full()
    book.ledger.sliceOfEvents = slice
    let head = try book.ledger.head()
    let state = try book.ledger.state(asOf: .event(head.seq))
    #expect(state.seq == head.seq && state.at == head.at)
    for app in try book.ledger.apps() { #expect(try book.ledger.line(app.slug) == state.lines[app.slug]) }
    #expect(try book.ledger.trusts() == state.trusts)
    #expect(try book.ledger.snapshot("taxi") == state.snapshot("taxi"))
    // Of one app, with those it leads to, the same comes out at every event.
    for seq in 1...head.seq {
      let (all, one) = try (
        book.ledger.state(asOf: .event(seq)), book.ledger.state(asOf: .event(seq), of: ["taxi"])
      )
      let (told, wanted) = (try? one.snapshot("taxi"), try? all.snapshot("taxi"))
      #expect(one.seq == seq && one.at == all.at && told == wanted, "event \(seq)")
    }
  }

  @Test func `the ledger as it was is what it was then`() throws {
    let book = try Book.taxi()
    try book.add("van", appleID: 7)
    var were: [(Int64, Snapshot)] = []
    let rule = Rule(number: 1, range: .all, action: .remind)
    let steps: [() throws -> Void] = [
      { try book.importPast("1.0", at: later(-900_000)) }, { try book.publish("1.1") },
      { try book.mark("1.1", .live) },
      { try book.record { draft in try draft.change("taxi") { $0.make(rule, now: noon) } } },
      { try book.record { draft in try draft.change("taxi") { $0.stop(true) } } },
    ]
    for step in steps {
      try step()
      were.append((try book.ledger.head().seq, try book.ledger.snapshot("taxi")))
    }
    for (seq, snapshot) in were {
      #expect(try book.ledger.state(asOf: .event(seq)).snapshot("taxi") == snapshot, "event \(seq)")
    }
  }

  @Test func `events of the asked moment count, later ones do not`() throws {
    let book = try full()
    #expect(try book.ledger.state(asOf: .moment(later(19))).snapshot("taxi").line.rules == [])
    #expect(try book.ledger.state(asOf: .moment(later(20))).snapshot("taxi").line.app.isStopped)
    #expect(try book.ledger.state(asOf: .moment(later(20))).trusts.count == 1)
    #expect(try book.ledger.state(asOf: .moment(later(30))).trusts.isEmpty)
    #expect(try book.ledger.state(asOf: .event(0)).lines.isEmpty)
    #expect(throws: LedgerError.self) { try book.ledger.state(asOf: .event(10_000)) }
  }

  @Test func `a reverted redirect comes back under its own number`() throws {
    let book = try full()
    let events = try book.events()
    let replaced = try #require(events.last { $0.kind == "redirect.set" })
    try book.record { try $0.revert(replaced.seq) }
    let line = try book.ledger.line("taxi")
    #expect(line.redirects.map(\.number) == [1])
    let head = try book.ledger.head()
    #expect(try book.ledger.state(asOf: .event(head.seq)).lines["taxi"] == line)
    try book.record { try $0.revert(head.seq) }
    #expect(try book.ledger.line("taxi").redirects.map(\.number) == [2])
  }

  @Test func `a lifted rule that is given back keeps its number`() throws {
    let book = try full()
    let lifted = try #require(try book.events().last { $0.kind == "rule.lift" })
    try book.record { try $0.revert(lifted.seq) }
    let line = try book.ledger.line("taxi")
    #expect(line.rules.map(\.number) == [1])
    let made = try #require(try book.events().last { $0.kind == "rule.force" })
    #expect(throws: LedgerError.self, "lifted and given back since") {
      try book.record { try $0.revert(made.seq) }
    }
  }
}

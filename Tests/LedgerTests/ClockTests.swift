import ReleaseModel
import Testing

@testable import Ledger

@Suite struct ClockTests {
  private static let jump: Int64 = 73 * 365 * 86_400

  private func record(
    _ book: Book, _ check: ClockCheck, _ body: (inout ChangeSet) throws -> Void
  ) throws {
    var recording = Recording(actor: Book.actor, clock: book.clock)
    recording.clockCheck = check
    _ = try book.ledger.record(recording, confirm: { _ in }, body: body, answer: { _ in [] })
  }

  private func publish(_ book: Book, _ text: String, _ check: ClockCheck) throws {
    try record(book, check) { try $0.publish(text) }
  }

  @Test func `a change after a rest of more than 400 days waits until somebody accepts the clock`() throws {
    let book = try Book.taxi()
    book.clock = later(400 * 86_400)
    try publish(book, "1.0", ClockCheck())
    book.clock = later(800 * 86_400 + 1)
    #expect(throws: LedgerError.self) { try publish(book, "1.1", ClockCheck()) }
    #expect(try book.ledger.head().seq == 3)
    try publish(book, "1.1", ClockCheck(isAccepted: true))
    #expect(try book.ledger.head().at == book.clock)
  }

  @Test func `a clock before the program was made is not believed`() throws {
    let book = try Book.taxi()
    #expect(throws: LedgerError.self) { try publish(book, "1.0", ClockCheck(earliest: later(1))) }
    try publish(book, "1.0", ClockCheck(earliest: later(0)))
  }

  @Test func `stopping waits for no clock, and keeps the last event's moment`() throws {
    let book = try Book.taxi()
    book.clock = later(ClockTests.jump)
    try record(book, ClockCheck(isUrgent: true)) { draft in
      try draft.change("taxi") { line in line.stop(true) }
    }
    #expect(try book.ledger.app("taxi").isStopped)
    #expect(try book.ledger.head().at == noon)
  }

  private func jumped() throws -> Book {
    let book = try Book.taxi()
    try book.importPast("7.3.0", at: later(-900_000))
    try publish(book, "7.4.0", ClockCheck())
    book.clock = later(ClockTests.jump)
    let accepted = ClockCheck(isAccepted: true)
    try record(book, accepted) { try $0.mark("7.4.0", .live) }
    book.clock = later(ClockTests.jump + 60)
    try record(book, accepted) { draft in
      let now = draft.now
      let rule = Rule(
        number: try draft.nextNumber(of: .rule), range: .all, action: .remind, from: nil,
        until: now + TimeSpan(seconds: 7 * 86_400))
      try draft.change("taxi") { line in line.make(rule, now: now) }
    }
    book.clock = later(600)
    return book
  }

  private func correct(_ book: Book) throws {
    let clock = book.clock
    try record(book, ClockCheck()) { draft in
      let correction = try draft.correctClock(clock)
      #expect(correction != nil)
    }
  }

  @Test
  func `a correction moves what was set since, keeps the last moment, and time goes on from the right one`()
    throws
  {
    let book = try jumped()
    try correct(book)
    let line = try book.ledger.line("taxi")
    // What the wrong clock said last is now: sixty seconds after 7.4.0 went live.
    #expect(line.live?.liveAt == later(540))
    #expect(line.live?.visibleAt == later(540 + 86_400))
    #expect(line.rules.first?.until == later(600 + 7 * 86_400))
    #expect(line.releases.first { $0.state == .superseded }?.since == later(540))
    let head = try book.ledger.head()
    #expect(head.at == later(600))
    #expect(try book.ledger.event(head.seq).at == later(ClockTests.jump + 60).text)
    book.clock = later(700)
    try publish(book, "7.5.0", ClockCheck())
    #expect(try book.ledger.event(head.seq + 1).at == later(700).text)
    #expect(try book.ledger.verify().faults == [])
  }

  @Test func `what the wrong clock struck out or lifted moves, too`() throws {
    let book = try jumped()
    book.clock = later(ClockTests.jump + 60)
    try publish(book, "7.5.0", ClockCheck(isAccepted: true))
    book.clock = later(ClockTests.jump + 70)
    try record(book, ClockCheck(isAccepted: true)) { draft in
      try draft.change("7.5.0") { line, version, _, now throws(LawViolation) in
        try line.void(version, now: now)
      }
      try draft.change("taxi") { $0.rules.first.map(Change.ruleLifted) }
    }
    book.clock = later(600)
    try correct(book)
    let line = try book.ledger.line("taxi")
    #expect(line.releases.last?.since == later(600))
    #expect(try book.ledger.verify().faults == [])
  }

  @Test func `the past is found by the right time, before and after a correction`() throws {
    let book = try jumped()
    try correct(book)
    book.clock = later(700)
    try publish(book, "7.5.0", ClockCheck())
    let state = try book.ledger.state(asOf: .event(try book.ledger.head().seq))
    #expect(try book.ledger.line("taxi") == state.lines["taxi"])
    let earlier = try book.ledger.state(asOf: .moment(later(300)))
    #expect(earlier.lines["taxi"]?.live?.version == (try version("7.3.0")))
    let at = try book.ledger.state(asOf: .moment(later(650)))
    #expect(at.lines["taxi"]?.live?.version == (try version("7.4.0")))
    #expect(at.lines["taxi"]?.release(try version("7.5.0")) == nil)
    var filter = HistoryFilter()
    filter.since = later(650)
    #expect(try book.ledger.history(filter).map(\.kind) == ["release.publish"])
  }

  @Test func `where no clock was ahead there is nothing to correct`() throws {
    let book = try Book.taxi()
    book.clock = later(10)
    #expect(try book.ledger.correction(clock: book.clock) == nil)
  }
}

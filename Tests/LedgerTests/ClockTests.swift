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
    _ = try book.ledger.record(recording, body: body)
  }

  private func publish(_ book: Book, _ text: String, _ check: ClockCheck) throws {
    try record(book, check) { try $0.publish(text) }
  }

  @Test func `a change after more than 180 days is refused until the clock is accepted`() throws {
    let book = try Book.taxi()
    book.clock = later(180 * 86_400)
    try publish(book, "1.0", ClockCheck())
    book.clock = later(360 * 86_400 + 1)
    #expect(throws: LedgerError.self) { try publish(book, "1.1", ClockCheck()) }
    #expect(try book.ledger.head().seq == 3)
    try publish(book, "1.1", ClockCheck(isAccepted: true))
    #expect(try book.ledger.head().at == book.clock)
  }

  @Test func `a clock before the program was built is refused`() throws {
    let book = try Book.taxi()
    #expect(throws: LedgerError.self) { try publish(book, "1.0", ClockCheck(earliest: later(1))) }
    try publish(book, "1.0", ClockCheck(earliest: later(0)))
  }

  @Test func `a stop is recorded whatever the clock says, at the last event's moment`() throws {
    let book = try Book.taxi()
    book.clock = later(ClockTests.jump)
    try record(book, ClockCheck(isUrgent: true)) { draft in
      try draft.change("taxi") { line in line.set { $0.isStopped = true } }
    }
    #expect(try book.ledger.app("taxi").isStopped)
    #expect(try book.ledger.head().at == noon)
  }
}

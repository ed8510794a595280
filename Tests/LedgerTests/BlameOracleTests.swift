import JSON
import Ledger
import ReleaseModel
import TestSupport
import Testing

@Suite struct BlameOracleTests {
  /// A life of a few hundred seconds.
  private func life(seed: UInt64) throws -> Book {
    var random = Seeded(seed)
    let book = try Book.life(&random, changes: 60, past: 2, pace: 6)
    book.clock = later(400)
    return book
  }

  private struct Seen: Equatable {
    let at: Timestamp
    let event: Int64?
    let before: String?
    let after: String
  }

  private func bySeconds(_ book: Book, _ client: Client) throws -> [Seen] {
    func text(_ snapshot: Snapshot?, _ moment: Timestamp) -> String? {
      snapshot.map { ToldAnswer($0, client, at: moment).json.text() }
    }
    var seen: [Seen] = []
    var last: String?
    let head = try book.ledger.head().seq
    for seq in 1...head {
      let past = try book.ledger.asOf(.event(seq))
      let at = try #require(try past.head().at)
      let snapshot = try? past.snapshot("taxi")
      func note(_ new: String?, _ moment: Timestamp, _ event: Int64?) {
        guard let new, new != last else { return }
        seen.append(Seen(at: moment, event: event, before: last, after: new))
        last = new
      }
      note(text(snapshot, at), at, seq)
      let end = seq == head ? book.clock : try Timestamp(book.ledger.event(seq + 1).at)
      guard at < end else { continue }
      for second in at.seconds + 1...end.seconds {
        let moment = Timestamp(seconds: second)
        note(text(snapshot, moment), moment, nil)
      }
    }
    return seen.reversed()
  }

  @Test(arguments: 0..<16 as Range<UInt64>)
  func `every change of an answer is found, at its second, and no other`(seed: UInt64) throws {
    let book = try life(seed: seed)
    for (name, slice) in [("1.0", 1_000), ("1.0.1", 3)] as [(String, Int64)] {
      let client = Client(version: try version(name))
      book.ledger.sliceOfEvents = slice
      let blame = try book.ledger.blame("taxi", client, clock: book.clock, limit: 10_000)
      let found = blame.changes.map {
        Seen(at: $0.at, event: $0.event?.seq, before: $0.before?.json.text(), after: $0.after.json.text())
      }
      let wanted = try bySeconds(book, client)
      #expect(found == wanted, "\(name)")
      // By time alone, but never without a reason.
      #expect(blame.changes.allSatisfy { ($0.event == nil) == !$0.causes.isEmpty })
      for limit in [1, 2, 5] {
        let fewer = try book.ledger.blame("taxi", client, clock: book.clock, limit: limit)
        #expect(fewer.changes == Array(blame.changes.prefix(limit)) && fewer.told == blame.told)
      }
      #expect(blame.snapshot.line == (try book.ledger.line("taxi")))
    }
  }

  @Test func `the lives are lively`() throws {
    var byTime = 0
    var byEvent = 0
    for seed in 0..<16 as Range<UInt64> {
      let book = try life(seed: seed)
      let client = Client(version: try version("1.0"))
      for change in try book.ledger.blame("taxi", client, clock: book.clock, limit: 10_000).changes {
        if change.event == nil { byTime += 1 } else { byEvent += 1 }
      }
    }
    #expect(byTime > 20 && byEvent > 60, "\(byTime) by time, \(byEvent) by events")
  }
}

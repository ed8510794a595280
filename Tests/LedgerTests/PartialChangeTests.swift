import JSON
import Ledger
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import Ledger

/// What schedules depend on, which is read of all apps at once, held against everything.
@Suite struct PartialChangeTests {
  private func life(_ random: inout Seeded) throws -> Book {
    let book = try Book.life(&random, changes: 4 + random.below(14), past: 60 + random.below(120))
    if random.oneIn(4) { try count(book, &random) }
    return book
  }

  private func count(_ book: Book, _ random: inout Seeded) throws {
    var text = "version,devices\n"
    for number in 0..<40 where random.oneIn(2) {
      text += "\(Book.text(number))\(random.oneIn(5) ? ".7" : ""),\(1 + random.below(900))\n"
    }
    let bytes = Array(text.utf8)
    try book.record { draft in
      var evidence = Evidence(
        id: draft.nextEvidenceID, kind: .usage, sha256: Recording.digest(of: bytes), size: Int64(bytes.count),
        receivedAt: draft.now, outcome: .applied)
      evidence.app = "taxi"
      draft.add(evidence, body: bytes)
    }
  }

  @Test func `answers about all apps are the same if only what they depend on is read`() throws {
    var left = 0
    for seed in 0..<environmentNumber("PAWL_SEQUENCES", else: 3_000) / 50 {
      var random = Seeded(UInt64(seed))
      let ledger = try life(&random).ledger
      let whole = try ledger.snapshot("taxi")
      func answers(_ snapshot: Snapshot, _ now: Timestamp) throws -> [String] {
        let newest = ReleaseState.allCases.map { state in
          snapshot.line.releases.last { $0.isOnLine && $0.state == state }
        }
        return try [
          "\(Schedule(snapshot, from: now).rows)", "\(newest)",
          "\(snapshot.expiryFindings(now: now).map { "\($0.key) \($0.values.sorted { $0.key < $1.key })" })",
          "\(snapshot.generalLead(at: now) as Any)", "\(ledger.sourceWords(of: snapshot.line, now: now))",
          "\(ledger.storedSchedule(of: snapshot).rows)", "\(ledger.answerFault(in: snapshot) as Any)",
        ]
      }
      let present = try ledger.present("taxi")
      for pause in [0, 200, 2_000] {
        let now = try #require(try ledger.head().at) + TimeSpan(seconds: Int64(random.below(pause + 1)))
        left += try whole.line.releases.count - ledger.snapshot("taxi", from: now).line.releases.count
        #expect(try answers(present, now) == answers(whole, now), "seed \(seed), \(pause)")
        let coming = try Schedule(ledger.snapshot("taxi", from: now), from: now).rows
        #expect(coming == Schedule(whole, from: now).rows, "seed \(seed), \(pause)")
      }
    }
    #expect(left > 0)
  }
}

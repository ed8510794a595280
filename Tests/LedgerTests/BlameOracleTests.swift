import JSON
import Ledger
import ReleaseModel
import TestSupport
import Testing

/// Blame against asking the ledger as it was, for every event and every second between.
@Suite struct BlameOracleTests {
  /// A life of two apps in a few hundred seconds: releases, rules, redirects, stops, hosts, all at random.
  private func life(seed: UInt64) throws -> Book {
    let book = try Book.taxi()
    var random = Seeded(seed)
    func pick(_ count: UInt64) -> Int64 { Int64(random.next() % count) }
    try book.set { $0.hold = TimeSpan(seconds: 7) }
    try book.add("van", appleID: 7) { $0.hold = TimeSpan(seconds: 5) }
    try book.importPast("1.0", at: later(-500))
    let host = Trust(kind: .host, value: "dl.example.com")
    var minor = 0
    var number: Int64 = 0
    for _ in 0..<40 {
      book.clock = Timestamp(seconds: book.clock.seconds + pick(6))
      let slug = pick(3) == 0 ? "van" : "taxi"
      // Much of it is refused, which is a life as well.
      switch pick(9) {
      case 0, 1:
        minor += 1
        _ = try? book.publish("1.\(minor)", app: slug, details { $0.isMandatory = pick(5) == 0 })
        _ = try? book.mark("1.\(minor)", .live, app: slug, visibleNow: pick(3) == 0)
      case 2: _ = try? book.unmark("1.\(minor)", app: slug)
      case 3: _ = try? book.mark("1.\(minor)", .removed, app: slug)
      case 4:
        number += 1
        let start = Timestamp(seconds: book.clock.seconds + pick(9))
        let rule = Rule(
          number: number, range: pick(2) == 0 ? .all : try VersionRange("1.0"),
          action: [.remind, .force, .none][Int(pick(3))], from: start,
          until: Timestamp(seconds: start.seconds + 1 + pick(9)),
          destination: pick(3) == 0 ? .app("van") : nil, reason: "drill")
        do {
          try book.record(reason: "drill") { draft in
            try draft.change("taxi") { $0.make(rule, now: book.clock) }
          }
        } catch {
          number -= 1
        }
      case 5:
        let taken =
          (try book.events().last { $0.kind == "redirect.set" }?.subject?.split(separator: "/").last)
        let next = (taken.flatMap { Int64($0) } ?? 0) + 1
        let url = "https://dl.example.com/\(next)"
        let redirect = Redirect(
          number: next, range: .all, destination: pick(2) == 0 ? .app("van") : .url(url))
        _ = try? book.record { draft in try draft.change("taxi") { $0.redirect(redirect) } }
      case 6: try book.record { _ = $0.trust(host, pick(2) == 0) }
      case 7: _ = try? book.set(slug) { $0.storeURL = pick(2) == 0 ? nil : "https://dl.example.com/page" }
      default:
        let isStopped = pick(2) == 0
        _ = try? book.record { draft in try draft.change(slug) { $0.stop(isStopped) } }
      }
    }
    book.clock = later(400)
    return book
  }

  /// Moment, event if one made it, and the answers as texts.
  private struct Seen: Equatable {
    let at: Timestamp
    let event: Int64?
    let before: String?
    let after: String
  }

  private func bySeconds(_ book: Book, _ client: Client) throws -> [Seen] {
    func text(_ state: LedgerState, _ moment: Timestamp) -> String? {
      (try? state.snapshot("taxi")).map { ToldAnswer($0, client, at: moment).json.text() }
    }
    var seen: [Seen] = []
    var last: String?
    let head = try book.ledger.head().seq
    for seq in 1...head {
      let state = try book.ledger.state(asOf: .event(seq))
      let at = try #require(state.at)
      func note(_ new: String?, _ moment: Timestamp, _ event: Int64?) {
        guard let new, new != last else { return }
        seen.append(Seen(at: moment, event: event, before: last, after: new))
        last = new
      }
      note(text(state, at), at, seq)
      let end = seq == head ? book.clock : try #require(try book.ledger.state(asOf: .event(seq + 1)).at)
      guard at < end else { continue }
      for second in at.seconds + 1...end.seconds {
        let moment = Timestamp(seconds: second)
        note(text(state, moment), moment, nil)
      }
    }
    return seen.reversed()
  }

  @Test(arguments: 0..<16 as Range<UInt64>)
  func `every change of an answer is found, at its second, and no other`(seed: UInt64) throws {
    let book = try life(seed: seed)
    for (name, slice) in [("1.0", 1_000), ("1.1", 3)] as [(String, Int64)] {
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
      #expect(blame.snapshot == (try book.ledger.snapshot("taxi")))
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

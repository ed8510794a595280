import Ledger
import ReleaseModel
import Testing

@Suite struct HistoryTests {
  private func book() throws -> Book {
    let book = try Book.taxi()
    try book.add("van")
    for minor in 1...6 {
      book.clock = later(Int64(minor) * 10)
      try book.publish("1.\(minor)")
      try book.record(reason: "Sprint \(minor)") { try $0.mark("1.\(minor)", .inReview) }
      try book.set("van") { $0.name = "Van \(minor)" }
    }
    return book
  }

  private func seqs(_ book: Book, _ change: (inout HistoryFilter) throws -> Void) throws -> [Int64] {
    var filter = HistoryFilter()
    try change(&filter)
    return try book.ledger.history(filter).map(\.seq)
  }

  @Test(arguments: [1, 2, 3, 7, 1_000] as [Int64])
  func `history is the same for slices of any size`(slice: Int64) throws {
    let book = try book()
    book.ledger.sliceOfEvents = slice
    let all = Array((1...21 as ClosedRange<Int64>).reversed())
    #expect(try seqs(book) { _ in } == all)
    #expect(try seqs(book) { $0.limit = 4 } == [21, 20, 19, 18])
    #expect(try seqs(book) { $0.app = "van" } == [21, 18, 15, 12, 9, 6, 3])
    #expect(try seqs(book) { ($0.kind, $0.limit) = ("release", 3) } == [20, 19, 17])
    #expect(try seqs(book) { $0.kind = "release.mark" } == [20, 17, 14, 11, 8, 5])
    #expect(try seqs(book) { ($0.first, $0.last) = (5, 7) } == [7, 6, 5])
    #expect(try seqs(book) { $0.first = 20 } == [21, 20])
    #expect(try seqs(book) { $0.last = 0 } == [])
    #expect(try seqs(book) { $0.first = .max } == [])
    #expect(try seqs(book) { ($0.first, $0.last) = (9, 8) } == [])
    #expect(try seqs(book) { ($0.since, $0.app) = (later(50), "taxi") } == [20, 19, 17, 16])
    #expect(try seqs(book) { ($0.since, $0.until) = (later(41), later(60)) } == [18, 17, 16])
    #expect(try seqs(book) { $0.until = later(-1) } == [])
    #expect(try seqs(book) { $0.since = later(61) } == [])
    #expect(try seqs(book) { $0.version = try version("1.2.0") } == [8, 7])
    #expect(try seqs(book) { ($0.by, $0.limit) = ("engineer", 1) } == [21])
    #expect(try seqs(book) { $0.by = "nobody" } == [])
  }

  @Test func `changes may be recorded while history is read, and are not shown`() throws {
    let book = try book()
    book.ledger.sliceOfEvents = 2
    var seen: [Int64] = []
    try book.ledger.eachEvent(HistoryFilter()) { event in
      // What is recorded meanwhile is newer than what was asked for.
      if event.seq == 21 { try book.set("van") { $0.name = "Other" } }
      seen.append(event.seq)
      return event.seq > 15
    }
    #expect(seen == [21, 20, 19, 18, 17, 16, 15])
    #expect(try book.ledger.head().seq == 22)
  }
}

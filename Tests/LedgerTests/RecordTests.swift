import JSON
import Ledger
import ReleaseModel
import Testing

@Suite struct RecordTests {
  let book: Book

  init() throws { book = try Book.taxi() }

  @Test func `the chain of hashes is as the documentation says, computed independently`() throws {
    let book = try Book.full()
    var previous = String(repeating: "0", count: 64)
    let events = try book.events()
    #expect(events.map(\.seq) == Array(1...Int64(events.count)))
    func hash(_ event: EventRecord, after previous: String) -> String {
      let fields: [String?] = [
        "pawl event", previous, String(event.seq), event.at, String(event.format), event.kind, event.app,
        event.version, event.subject, event.before, event.after, event.impact, event.actor, event.reason,
        event.evidence.map { String($0) }, event.requestID, event.request, event.answer,
        event.schedules, event.command, event.also,
      ]
      return Recording.digest(
        of: fields.flatMap { field -> [UInt8] in
          guard let field else { return [0] }
          let count = field.utf8.count
          return [1] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) } + Array(field.utf8)
        })
    }
    for event in events {
      previous = hash(event, after: previous)
      #expect(event.hash == previous, "event \(event.seq)")
    }
    #expect(try book.ledger.head().hash == previous)
    // No text, and one without a letter, are two things.
    for text in ["", "ab"] {
      var event = events[8]
      (event.app, event.reason, event.request, event.schedules) = (text, text, text, text)
      #expect(event.chainedHash(after: text) == hash(event, after: text))
    }
  }

  @Test func `time does not go back when the clock does`() throws {
    book.clock = later(500)
    try book.publish("1.0")
    book.clock = later(100)
    try book.publish("1.1")
    book.clock = later(-100_000)
    try book.mark("1.1", .live)
    #expect(try book.events().suffix(3).map(\.at) == Array(repeating: later(500).text, count: 3))
    #expect(try book.ledger.line("taxi").release(try version("1.1"))?.liveAt == later(500))
    #expect(try book.ledger.now(clock: book.clock) == later(500))
    book.clock = later(501)
    try book.publish("1.2")
    #expect(try book.ledger.head().at == later(501))
  }

  // MARK: Requests

  let request = Recording.Request(id: "r-1", words: ["publish", "taxi", "1.0"])

  @Test func `a repeated request gets the same answer, whatever was recorded in between`() throws {
    let first = try book.publish("1.0", request: request)
    try book.publish("2.0")
    try book.void("1.0")
    let head = try book.ledger.head()
    let again = try book.publish("1.0", request: request)
    #expect(again.answer == first.answer)
    #expect(again.isRepeated && !first.isRepeated)
    #expect(try book.ledger.head() == head)
  }

  @Test func `a request id with other words is refused`() throws {
    try book.publish("1.0", request: request)
    let head = try book.ledger.head()
    let other = Recording.Request(id: "r-1", words: ["publish", "taxi", "2.0"])
    do {
      try book.publish("2.0", request: other)
      Issue.record("it was let through")
    } catch LedgerError.unusable(let refusal) {
      #expect(refusal.details == ["requestId": "r-1", "event": .integer(head.seq)])
    }
    #expect(try book.ledger.head() == head)
    // Where one word ends and the next begins is part of what is said.
    #expect(Recording.Request(id: "r", words: ["a", "b"]) != Recording.Request(id: "r", words: ["ab"]))
    #expect(Recording.Request(id: "r", words: ["a", ""]) != Recording.Request(id: "r", words: ["a"]))
  }

  @Test func `a request that changes nothing leaves an event all the same`() throws {
    try book.publish("1.0")
    let head = try book.ledger.head().seq
    let answer = try book.publish("1.0", request: request)
    #expect(!answer.isChanged)
    #expect(answer.answer["event"] == .integer(head + 1))
    let event = try book.ledger.event(head + 1)
    #expect(event.kind == "request" && event.requestID == "r-1")
    #expect(try book.publish("1.0", request: request).isRepeated)
    #expect(try book.ledger.head().seq == head + 1)
  }

  @Test func `a refused request may be tried again`() throws {
    try book.publish("2.0")
    #expect(throws: Refusal.self) { try book.publish("1.0", request: request) }
    try book.void("2.0")
    #expect(try book.publish("1.0", request: request).isChanged)
  }

  // MARK: Conditions

  @Test func `a change is refused if the head is not the expected one`() throws {
    let head = try book.ledger.head()
    try book.record(expectedHead: head.seq) { _ = $0.trust(Trust(kind: .host, value: "a.example.com"), true) }
    for expected in [head.seq, 0, head.seq + 2] {
      do {
        try book.record(expectedHead: expected) {
          _ = $0.trust(Trust(kind: .host, value: "b.example.com"), true)
        }
        Issue.record("it was let through")
      } catch LedgerError.unusable(let refusal) {
        #expect(refusal.details == ["expected": .integer(expected), "found": .integer(head.seq + 1)])
      }
    }
    #expect(try book.ledger.head().seq == head.seq + 1)
  }

  @Test func `a dry run answers and appends nothing`() throws {
    let head = try book.ledger.head()
    let line = try book.ledger.line("taxi")
    let answer = try book.record(request: request, isDryRun: true) { try $0.publish("1.0") }
    #expect(answer.isChanged)
    #expect(answer.answer["event"] == .null)
    #expect(try book.ledger.head() == head)
    #expect(try book.ledger.line("taxi") == line)
    #expect(try book.publish("1.0", request: request).isChanged)
  }

  struct Stop: Error {}

  @Test func `an error within a change leaves nothing`() throws {
    let head = try book.ledger.head()
    #expect(throws: Stop.self) {
      try book.record { draft in
        _ = draft.trust(Trust(kind: .host, value: "a.example.com"), true)
        throw Stop()
      }
    }
    #expect(throws: Stop.self) {
      _ = try book.ledger.record(
        Recording(actor: Book.actor, clock: noon), confirm: { _ in },
        body: { _ = $0.trust(Trust(kind: .host, value: "a.example.com"), true) },
        answer: { _ in throw Stop() })
    }
    #expect(throws: LedgerError.self) {
      try book.record { draft in
        _ = draft.trust(Trust(kind: .host, value: "a.example.com"), true)
        _ = try draft.line("nowhere")
      }
    }
    #expect(try book.ledger.head() == head)
    #expect(try book.ledger.trusts().hosts == StoreURL.storeHosts)
    // The ledger goes on as if nothing had been.
    try book.publish("1.0")
    #expect(try book.ledger.head().seq == head.seq + 1)
  }

  @Test func `several changes of one command are recorded all or not at all`() throws {
    let head = try book.ledger.head()
    func publish(_ versions: String...) throws {
      try book.record { draft in for version in versions { try draft.publish(version) } }
    }
    #expect(throws: Refusal.self) { try publish("1.0", "2.0", "0.9") }
    #expect(try book.ledger.head() == head)
    try publish("1.0", "2.0")
    #expect(try book.ledger.head().seq == head.seq + 2)
    #expect(try book.ledger.line("taxi").releases.map(\.version.text) == ["1.0", "2.0"])
  }
}

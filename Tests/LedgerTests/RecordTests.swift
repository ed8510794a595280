import JSON
import Ledger
import ReleaseModel
import Testing

@Suite struct RecordTests {
  let book: Book

  init() throws {
    book = try Book.taxi()
  }

  /// Every kind of change once.
  func fill() throws {
    try book.add("van", channel: .enterprise)
    try book.record { _ = $0.trust(Trust(kind: .host, value: "downloads.example.com"), true) }
    try book.importPast("1.0", at: later(-900_000))
    try book.importPast("1.1", at: later(-800_000), details { $0.notes = [Note(locale: "und", text: "x")] })
    try book.publish(
      "2.0",
      details { $0.notes = [Note(locale: "en", text: "\"Fast\"\nstart"), Note(locale: "de", text: "粉猪")] })
    try book.amend(
      "2.0",
      details {
        $0.isMandatory = true; $0.build = try Version("5"); $0.minOS = try Version("17.0")
      })
    book.clock = later(100)
    try book.mark("2.0", .inReview)
    try book.mark("2.0", .approved)
    try book.publish("2.1")
    try book.mark("2.0", .live)
    try book.mark("2.0", .live, visibleNow: true)
    try book.mark("2.1", .live)
    try book.unmark("2.1")
    try book.publish("999")
    try book.void("999")
    try book.publish("2.2")
    try book.mark("2.2", .live, visibleNow: true)
    try book.mark("2.2", .removed)
    try book.mark("2.2", .live)
    try book.unmark("2.2")
    try book.set {
      $0.hold = TimeSpan(seconds: 3_600); $0.name = "Taxi"
    }
    try book.record { _ = $0.trust(Trust(kind: .host, value: "downloads.example.com"), false) }
    try book.record(request: Recording.Request(id: "r1", words: ["publish"])) { _ in }
  }

  @Test func `the chain of hashes is what §7 and the code's page say, computed by hand`() throws {
    try fill()
    var previous = String(repeating: "0", count: 64)
    let events = try book.events()
    #expect(events.map(\.seq) == Array(1...Int64(events.count)))
    for event in events {
      let fields: [String?] = [
        "pawl event", previous, String(event.seq), event.at, String(event.format), event.kind, event.app,
        event.version, event.subject, event.before, event.after, event.impact, event.actor, event.reason,
        event.evidence.map { String($0) }, event.requestID, event.request, event.answer,
        event.schedules,
      ]
      var bytes: [UInt8] = []
      for field in fields {
        guard let field else {
          bytes.append(0)
          continue
        }
        let count = field.utf8.count
        bytes += [1] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) } + Array(field.utf8)
      }
      previous = Recording.digest(of: bytes)
      #expect(event.hash == previous, "event \(event.seq)")
    }
    #expect(try book.ledger.head().hash == previous)
  }

  @Test func `any altered field gives another hash`() throws {
    try fill()
    let event = try book.ledger.event(9)
    var others: Set<String> = [event.chainedHash(after: "")]
    let changes: [(inout EventRecord) -> Void] = [
      { $0.seq += 1 }, { $0.at = "2020-01-01T00:00:00Z" }, { $0.kind += "x" }, { $0.app = nil },
      { $0.app = "" },
      { $0.version = nil }, { $0.subject = nil }, { $0.before = nil }, { $0.after = nil },
      { $0.impact = "[]" },
      { $0.actor = "" }, { $0.reason = "" }, { $0.evidence = 1 }, { $0.requestID = "" }, { $0.request = "" },
      { $0.answer = "" }, { $0.format = 2 },
      // The same letters in other fields.
      {
        $0.reason = "a"; $0.answer = "b"
      },
      {
        $0.reason = "ab"; $0.answer = ""
      },
    ]
    for change in changes {
      var altered = event
      change(&altered)
      #expect(others.insert(altered.chainedHash(after: "")).inserted)
    }
    #expect(others.insert(event.chainedHash(after: "x")).inserted)
  }

  @Test func `the events replay into the lines that are stored`() throws {
    try fill()
    var lines: [String: ReleaseLine] = [:]
    var hosts: Set<String> = StoreURL.storeHosts
    for event in try book.events() {
      let change = try event.change()
      switch change {
      case .appAdded(var app):
        app.event = event.seq
        lines[app.slug] = ReleaseLine(app: app)
      case .trusted(let trust): hosts.insert(trust.value)
      case .distrusted(let trust): hosts.remove(trust.value)
      default: if let app = event.app { lines[app]?.apply(change, event: event.seq) }
      }
      #expect(change.kind.rawValue == event.kind)
      #expect(change.before(app: event.app)?.text() == event.before)
      #expect(change.after(app: event.app)?.text() == event.after)
    }
    for app in ["taxi", "van"] { #expect(try book.ledger.line(app) == lines[app]) }
    #expect(try book.ledger.trusts().hosts == hosts)
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

  @Test func `a request asked again gets the same answer, whatever happened in between`() throws {
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
    } catch LedgerError.requestReused(let id, let event) {
      #expect(id == "r-1" && event == head.seq)
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
    #expect(throws: LedgerError.self) { try book.publish("1.0", request: request) }
    try book.void("2.0")
    #expect(try book.publish("1.0", request: request).isChanged)
  }

  // MARK: Conditions

  @Test func `an expected head that has moved on is refused`() throws {
    let head = try book.ledger.head()
    try book.record(expectedHead: head.seq) { _ = $0.trust(Trust(kind: .host, value: "a.example.com"), true) }
    for expected in [head.seq, 0, head.seq + 2] {
      do {
        try book.record(expectedHead: expected) {
          _ = $0.trust(Trust(kind: .host, value: "b.example.com"), true)
        }
        Issue.record("it was let through")
      } catch LedgerError.headMoved(let wanted, let found) {
        #expect(wanted == expected && found == head.seq + 1)
      }
    }
    #expect(try book.ledger.head().seq == head.seq + 1)
  }

  @Test func `a dry run answers and appends nothing`() throws {
    let head = try book.ledger.head()
    let line = try book.ledger.line("taxi")
    let answer = try book.record(request: request, isDryRun: true) { draft in
      let now = draft.now
      try draft.change("taxi", "publish") { line, id throws(LawViolation) in
        try line.publish(
          (try? Version("1.0")) ?? line.releases[0].version, ReleaseDetails(), id: id, now: now)
      }
    }
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

  @Test func `several changes of one command are all there or none`() throws {
    let head = try book.ledger.head()
    let (one, two, low) = (try version("1.0"), try version("2.0"), try version("0.9"))
    func publish(_ versions: [Version]) throws {
      try book.record { draft in
        let now = draft.now
        for version in versions {
          try draft.change("taxi", "publish") { line, id throws(LawViolation) in
            try line.publish(version, ReleaseDetails(), id: id, now: now)
          }
        }
      }
    }
    #expect(throws: LedgerError.self) { try publish([one, two, low]) }
    #expect(try book.ledger.head() == head)
    try publish([one, two])
    #expect(try book.ledger.head().seq == head.seq + 2)
    #expect(try book.ledger.line("taxi").releases.map(\.version) == [one, two])
  }
}

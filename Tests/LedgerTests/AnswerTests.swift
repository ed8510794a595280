import Ledger
import ReleaseModel
import SQLite
import Testing

@testable import Ledger

@Suite struct AnswerTests {
  private static func book() throws -> Book {
    let book = try Book.taxi()
    try book.add("van", appleID: 7)
    try book.importPast("1.0", at: later(-900_000))
    try book.importPast("1.1", at: later(-800_000))
    try book.publish("999.0.0")
    try book.void("999.0.0")
    try book.importPast("2.0", at: later(-700_000))
    try book.importPast("5.0", app: "van", at: later(-700_000))
    try book.publish("2.1")
    try book.mark("2.1", .live)
    try book.publish("2.2")
    try book.rule("below:1.1", .force, from: later(3_600), until: later(90_000))
    try book.redirect("1.1", to: "van")
    try book.setting("map", "all", .review, "free")
    return book
  }

  private func stored(_ book: Book, _ slug: String) throws -> (schedule: Schedule, event: Int64) {
    let stored = try book.ledger.storedSchedule(of: book.ledger.snapshot(slug))
    return (try #require(Schedule(app: slug, rows: stored.rows)), stored.generation)
  }

  private func expectAgreement(_ book: Book) throws {
    for app in try book.ledger.apps() {
      let snapshot = try book.ledger.snapshot(app.slug)
      let schedule = try stored(book, app.slug).schedule
      let moments = snapshot.momentsOfChange(after: book.clock).flatMap {
        [$0, Timestamp(seconds: $0.seconds - 1)]
      }
      let others = try ["0.1", "1.0.5", "1.1.0.1", "2.0.9", "3", "999999999"].map { try Version($0) }
      for moment in [book.clock] + moments where moment >= book.clock {
        let decider = Decider(snapshot, at: moment)
        for version in snapshot.line.everRecorded.map(\.version) + others {
          let (answer, wanted) = (
            schedule.answer(to: version, at: moment).answer, decider.decide(Client(version: version))
          )
          #expect(
            answer.decision.isSeen(as: wanted) && answer.decision.decidedBy == wanted.decidedBy
              && answer.settings == decider.settings(of: version, inReview: wanted.review),
            "\(app.slug) \(version.text) at \(moment.text)")
        }
      }
    }
  }

  @Test func `an app has no more answers than its limit`() throws {
    let book = try Book.taxi()
    try book.importPast("999.0", at: later(-900_000))
    /// Makes rules of single versions, and as many that count for an hour each: the answers are those of a grid.
    func cross(_ count: Int64) throws {
      try book.record { draft in
        for number in 1...count {
          let start = later(number * 7_200)
          let rules = [
            Rule(number: 2 * number - 1, range: try VersionRange("\(number).1"), action: .none),
            Rule(
              number: 2 * number, range: .all, action: .none, from: start,
              until: start + TimeSpan(seconds: 3_600)),
          ]
          for rule in rules { try draft.change("taxi") { $0.make(rule, now: book.clock) } }
        }
      }
    }
    let refusal = #expect(throws: Refusal.self) { try cross(102) }
    #expect(refusal?.values["rules"] == "rule 200, rule 202, rule 204")
    try cross(90)
    #expect(try stored(book, "taxi").schedule.tiles.count > 16_000)
  }

  @Test func `the stored schedule agrees with the decision function at every moment`() throws {
    let book = try AnswerTests.book()
    try expectAgreement(book)
    let (schedule, event) = try stored(book, "taxi")
    #expect(
      schedule.tiles.contains {
        $0.from == later(3_600) && $0.told.decision.action == .force
      })
    #expect(try event == book.ledger.head().seq)
  }

  @Test func `a version struck out and published again has the answers of the later release`() throws {
    let book = try AnswerTests.book()
    try book.publish("2.3")
    try book.void("2.3")
    try book.publish("2.3")
    try expectAgreement(book)
  }

  @Test func `a generation changes exactly if an app's clients are told something else`() throws {
    let book = try AnswerTests.book()
    func generations() throws -> [String: Int64] {
      Dictionary(try book.ledger.generations().map { ($0.slug, $0.generation) }, uniquingKeysWith: { $1 })
    }
    let before = try generations()
    // Nobody is told of a release on its way.
    try book.publish("5.1", app: "van")
    try book.publish("2.9")
    try book.mark("2.9", .waiting)
    #expect(try generations() == before)
    // The clients that are sent to the van get its new release.
    try book.mark("5.1", .live, app: "van")
    let head = try book.ledger.head().seq
    #expect(try generations() == ["taxi": head, "van": head])
    #expect(try book.ledger.event(head).schedules == "taxi,van")
    try book.record { _ = $0.trust(Trust(kind: .host, value: "dl.example.com"), true) }
    try book.record { _ = $0.trust(Trust(kind: .recipient, value: "apps@example.com"), true) }
    #expect(try generations() == ["taxi": head, "van": head])
    try expectAgreement(book)
    #expect(try book.ledger.verify().faults.isEmpty)
  }

  @Test func `the view has no notes of a release that was struck out`() throws {
    let book = try AnswerTests.book()
    try book.publish("9.0")
    try book.amend("9.0", details { $0.notes = [Note(locale: "en", text: "typed by mistake")] })
    try book.void("9.0")
    try book.publish("9.0")
    try book.mark("9.0", .live)
    book.clock = later(100 * 86_400)
    try book.record { _ = $0.trust(Trust(kind: .host, value: "later.example.com"), true) }
    let notes = try book.ledger.connection.query(
      "SELECT notes FROM client_decision WHERE target = '9.0' AND app = 'taxi'"
    ) { try $0.optionalText(0) }
    #expect(!notes.isEmpty && notes.allSatisfy { $0 == nil })
  }

  @Test func `adjacent versions told the same share a row`() throws {
    let book = try Book.taxi()
    for minor in 0..<50 { try book.importPast("1.\(minor)", at: later(-900_000 + Int64(minor))) }
    let rows = try book.ledger.storedSchedule(of: book.ledger.snapshot("taxi")).rows
    #expect(rows.count < 6, "\(rows.map { $0.lo.text })")
  }

  @Test func `the view agrees with the decision function for every known version`() throws {
    let book = try AnswerTests.book()
    let rows = try book.ledger.connection.query(
      "SELECT app, version, action, review, target, url, hasNewVersion, needUpgrade, downloadUrl FROM client_decision"
    ) { row in
      (
        app: try row.text(0), version: try row.text(1),
        facts: [
          try row.text(2), String(try row.integer(3)), try row.optionalText(4), try row.optionalText(5),
          String(try row.integer(6)), String(try row.integer(7)), try row.optionalText(8),
        ]
      )
    }
    // Every test is in the future of the system's clock, so the view's moment is that of the last event.
    var count = 0
    for app in try book.ledger.apps() {
      let snapshot = try book.ledger.snapshot(app.slug)
      for release in snapshot.line.everRecorded {
        let answer = Decider(snapshot, at: book.clock).decide(Client(version: release.version))
        let found = rows.filter { $0.app == app.slug && $0.version == release.version.text }
        #expect(
          found.map(\.facts) == [
            [
              answer.action.rawValue, answer.review ? "1" : "0", answer.target?.version.text, answer.url,
              answer.action == .none ? "0" : "1", answer.action == .force ? "1" : "0", answer.url,
            ]
          ], "\(app.slug) \(release.version.text)")
        count += 1
      }
    }
    #expect(rows.count == count)
  }

  @Test func `the directory for documents is kept, replaced, cleared, and replayed`() throws {
    let book = try Book.taxi()
    let documents = Publication(directory: "/srv/documents", formats: [])
    let other = Publication(directory: "/srv/other", formats: ["v1", "flags"])
    #expect(try book.ledger.publication() == nil)
    #expect(try book.record { try $0.publish(to: documents) }.isChanged)
    #expect(try !book.record { try $0.publish(to: documents) }.isChanged)
    try book.record { try $0.publish(to: other) }
    #expect(try book.ledger.publication() == other)
    let seq = try book.ledger.head().seq
    #expect(try book.ledger.asOf(.event(seq)).publication() == other)
    try book.record { try $0.publish(to: nil) }
    #expect(try book.ledger.publication() == nil)
    #expect(try book.ledger.asOf(.event(seq + 1)).publication() == nil)
  }

  @Test(arguments: [
    "UPDATE answer SET action = 'none', target = NULL, target_app = NULL, url = NULL WHERE action <> 'none'",
    "DELETE FROM answer", "DELETE FROM generation",
    "UPDATE generation SET event_seq = event_seq - 1",
    "UPDATE generation SET digest = 'x'", "UPDATE answer SET settings = '{\"a\":\"b\"}'",
    "INSERT INTO publication VALUES (1, '/srv/documents', '', 0, (SELECT max(seq) FROM event))",
  ])
  func `verify finds every alteration of what clients are told`(sql: String) throws {
    #expect(try RawLedger().refuses(sql).isEmpty)
  }
}

extension Book {
  fileprivate func rule(_ range: String, _ action: Action, from: Timestamp? = nil, until: Timestamp? = nil)
    throws
  {
    try record(reason: "because") { draft in
      let rule = Rule(
        number: try draft.nextNumber(of: .rule), range: try VersionRange(range), action: action, from: from,
        until: until, reason: "because")
      try draft.change("taxi") { _ in .ruleMade(rule) }
    }
  }

  fileprivate func redirect(_ range: String, to app: String) throws {
    try record { draft in
      let redirect = Redirect(
        number: try draft.nextNumber(of: .redirect), range: try VersionRange(range), destination: .app(app))
      try draft.change("taxi") { _ in .redirectSet(before: nil, after: redirect) }
    }
  }

  fileprivate func setting(_ key: String, _ range: String, _ phase: Setting.Phase?, _ value: String) throws {
    try record { draft in
      let setting = Setting(
        number: try draft.nextNumber(of: .setting), key: key, range: try VersionRange(range), phase: phase,
        value: value)
      try draft.change("taxi") { _ in .settingSet(before: nil, after: setting) }
    }
  }
}

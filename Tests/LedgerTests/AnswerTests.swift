import JSON
import Ledger
import ReleaseModel
import SQLite
import TestSupport
import Testing

@testable import Ledger

@Suite struct AnswerTests {
  /// A ledger with a hold, rules with times, a void release, a redirect to another app, settings.
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

  /// What the stored answers say of a release at a moment.
  private func told(_ book: Book, _ slug: String, _ id: Int64, _ moment: Timestamp) throws -> [Told] {
    try book.ledger.answers(ofApp: slug).filter { answer in
      answer.run.first <= id && id <= answer.run.last && answer.run.from <= moment
        && answer.run.until.map { moment < $0 } ?? true
    }.map(\.run.told)
  }

  private func expectAgreement(_ book: Book) throws {
    for app in try book.ledger.apps() {
      let snapshot = try book.ledger.snapshot(app.slug)
      let moments = snapshot.momentsOfChange(after: book.clock).flatMap { [$0, $0 + TimeSpan(seconds: -1)] }
      for moment in [book.clock] + moments where moment >= book.clock {
        let decider = Decider(snapshot, at: moment)
        for release in snapshot.line.releases {
          let isKnown = snapshot.line.release(release.version)?.id == release.id
          let wanted = isKnown ? [Told(decider, Client(version: release.version))] : []
          #expect(
            try told(book, app.slug, release.id, moment) == wanted,
            "\(app.slug) \(release.version.text) at \(moment.text)")
        }
      }
    }
  }

  @Test func `what is kept is what the decision function says, now and at every later moment`() throws {
    let book = try AnswerTests.book()
    try expectAgreement(book)
    let answers = try book.ledger.answers(ofApp: "taxi")
    #expect(answers.contains { $0.run.told.action == .force && $0.run.from == later(3_600) })
    #expect(Set(answers.map(\.event)) == [try book.ledger.head().seq])
  }

  @Test func `a number that was struck out and used again has the answer of the later release`() throws {
    let book = try AnswerTests.book()
    try book.publish("2.3")
    try book.void("2.3")
    try book.publish("2.3")
    try expectAgreement(book)
  }

  @Test func `an app that leads to a changed one gets its answers and generation with the same event`() throws
  {
    let book = try AnswerTests.book()
    let head = try book.ledger.head().seq
    try book.publish("5.1", app: "van")
    let after = Dictionary(
      try book.ledger.generations().map { ($0.slug, $0.generation) }, uniquingKeysWith: { $1 })
    #expect(after == ["taxi": head + 1, "van": head + 1])
    try book.publish("2.9")
    let last = try book.ledger.generations()
    #expect(last.map(\.generation) == [head + 2, head + 1])
    try expectAgreement(book)
  }

  @Test func `trusting a host concerns every app, evidence concerns none`() throws {
    let book = try AnswerTests.book()
    try book.record { _ = $0.trust(Trust(kind: .host, value: "dl.example.com"), true) }
    let head = try book.ledger.head().seq
    #expect(try book.ledger.generations().map(\.generation) == [head, head])
    try book.record { _ = $0.trust(Trust(kind: .recipient, value: "apps@example.com"), true) }
    #expect(try book.ledger.generations().map(\.generation) == [head, head])
  }

  @Test func `neighbours told alike share a row`() throws {
    let book = try Book.taxi()
    for minor in 0..<50 { try book.importPast("1.\(minor)", at: later(-900_000 + Int64(minor))) }
    #expect(try book.ledger.answers(ofApp: "taxi").count == 2)
  }

  @Test func `the view says of every known version what the decision function says`() throws {
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
      for release in snapshot.line.releases {
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
    let documents = Publication(directory: "/srv/documents", formats: nil)
    let other = Publication(directory: "/srv/other", formats: ["v1", "flags"])
    #expect(try book.ledger.publication() == nil)
    #expect(try book.record { try $0.publish(to: documents) }.isChanged)
    #expect(try !book.record { try $0.publish(to: documents) }.isChanged)
    try book.record { try $0.publish(to: other) }
    #expect(try book.ledger.publication() == other)
    let seq = try book.ledger.head().seq
    #expect(try book.ledger.state(asOf: .event(seq)).publication == other)
    try book.record { try $0.publish(to: nil) }
    #expect(try book.ledger.publication() == nil)
    #expect(try book.ledger.state(asOf: .event(seq + 1)).publication == nil)
  }

  @Test(arguments: [
    "UPDATE answer SET action = 'none', target = NULL, url = NULL", "DELETE FROM answer",
    "DELETE FROM generation",
    "UPDATE generation SET event_seq = event_seq - 1",
    """
    INSERT INTO answer SELECT app_id, first_release, last_release, '2027-01-01T00:00:00Z', NULL, 'force', 1,
      'rule', NULL, last_release, 'https://apps.apple.com/', '{}', event_seq FROM answer LIMIT 1
    """,
    "INSERT INTO publication VALUES (1, '/srv/documents', (SELECT max(seq) FROM event))",
  ])
  func `the schema refuses to bend what clients are told`(sql: String) throws {
    let raw = try RawLedger()
    #expect(throws: SQLiteError.self) { try raw.connection.run(sql) }
  }
}

extension Book {
  /// Makes a rule past the guards, as the ledger would record it.
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

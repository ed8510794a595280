internal import ReleaseModel
internal import SQLite
internal import TestSupport
internal import Testing

@testable internal import Ledger

struct Altered {
  let ledger: Ledger
  private let directory: TemporaryDirectory?
  var connection: Connection { ledger.connection }

  init(_ original: Ledger, inFile: Bool = false) throws {
    directory = inFile ? try TemporaryDirectory() : nil
    let path = directory?.file("pawl.db") ?? ":memory:"
    let connection = try directory == nil ? .inMemory() : Connection(path: path, mode: .create)
    // Nobody reads this file after a crash.
    _ = try connection.setPragma("synchronous", to: 0)
    try original.connection.copy(to: connection)
    ledger = Ledger(connection: connection, path: path)
  }

  func alter(_ statements: String...) throws {
    try withoutTriggers { for statement in statements { try connection.run(statement) } }
  }

  func withoutTriggers(_ body: () throws -> Void) throws {
    let triggers = try connection.query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") {
      (try $0.text(0), try $0.text(1))
    }
    for (name, _) in triggers { try connection.run("DROP TRIGGER \(name)") }
    _ = try connection.setPragma("ignore_check_constraints", to: 1)
    _ = try connection.setPragma("foreign_keys", to: 0)
    defer { for (_, sql) in triggers { try? connection.run(sql) } }
    try body()
  }

  func faults() throws -> [Fault] { try ledger.verify().faults }

  /// Gives every event from one on the hash that it would have, as somebody would who knows docs/schema.md.
  func rehash(from seq: Int64) throws {
    try withoutTriggers {
      for event in try ledger.history(HistoryFilter()).reversed() where event.seq >= seq {
        let before = event.seq == 1 ? EventRecord.genesis : try ledger.event(event.seq - 1).hash
        try connection.run(
          "UPDATE event_row SET hash = ? WHERE seq = ?", .text(event.chainedHash(after: before)),
          .integer(event.seq))
      }
    }
  }
}

extension Book {
  static func full() throws -> Book {
    let book = try Book.taxi()
    try book.add("van", appleID: 7)
    try book.add("corp", platform: .macOS, channel: .enterprise) {
      $0.name = "Corp “α”"
      $0.storeURL = "https://apps.apple.com/app/id7"
      $0.countries = ["DE", "FR"]
      $0.liveBy = .lookup
      $0.asksSince = try? Version("1.0")
      ($0.sku, $0.remindEvery, $0.remindAfter) = ("S-1", .always, .phase)
      $0.policy = SegmentPolicy("remind,none") ?? .standard
    }
    let host = Trust(kind: .host, value: "dl.example.com")
    let key = Trust(kind: .dkim, value: "email.apple.com", selector: "s1", key: "v=DKIM1; p=AAAA")
    for trust in [host, key, Trust(kind: .recipient, value: "team@example.com")] {
      try book.record { _ = $0.trust(trust, true) }
    }
    try book.importPast("1.0", at: later(-900_000))
    try book.importPast("1.1", at: later(-800_000))
    try book.importPast("5.0", app: "van", at: later(-800_000))
    let noted = try details {
      $0.notes = [Note(locale: "en", text: "A \"quoted\"\nline"), Note(locale: "de", text: "Grüße")]
      $0.build = try Build("5")
      $0.minOS = try Version("17.0")
      $0.isMandatory = true
      $0.url = "https://apps.apple.com/app/%E9%9F%B3"
      $0.expires = later(9_000_000)
    }
    try book.publish("1.2", noted, request: Recording.Request(id: "one", words: ["publish"]))
    try book.amend("1.2", try details { $0.build = try Build("6") })
    book.clock = later(10)
    try book.mark("1.2", .approved)
    try book.mark("1.2", .live)
    try book.unmark("1.2")
    try book.publish("999")
    try book.void("999")
    try book.publish("1.3", noted)
    try book.mark("1.3", .waiting)
    try book.undo(try book.ledger.head().seq)
    try book.mark("1.3", .live, visibleNow: true)
    try book.mark("1.3", .removed)
    try book.mark("1.3", .live)
    book.clock = later(20)
    let all = VersionRange.all
    let force = Rule(number: 1, range: all, action: .force, destination: .app("van"), reason: "moved")
    try book.record(reason: "moved") { draft in try draft.change("taxi") { $0.make(force, now: noon) } }
    try book.record { draft in try draft.change("taxi") { $0.rules.first.map(Change.ruleLifted) } }
    try book.undo(try book.ledger.head().seq)
    for number in [1, 2] as [Int64] {
      let redirect = Redirect(
        number: number, range: all, destination: .url("https://dl.example.com/\(number)"))
      try book.record { draft in try draft.change("taxi") { $0.placing(redirect, now: .distantPast) } }
    }
    try book.undo(try book.ledger.head().seq)
    for (number, value) in [(1, "free"), (2, "paid")] as [(Int64, String)] {
      let setting = Setting(number: number, key: "map-key", range: all, phase: .review, value: value)
      try book.record { draft in try draft.change("taxi") { $0.placing(setting, now: .distantPast) } }
    }
    try book.record { draft in try draft.change("taxi") { $0.set { $0.isStopped = true } } }
    try book.record { draft in try draft.change("taxi") { $0.set { $0.isStopped = false } } }
    try book.set("van") { $0.hold = TimeSpan(seconds: 90) }
    book.clock = later(30)
    try book.take("one", .parked)
    try book.take("two", .ignored)
    let parked = try book.ledger.evidence(1).evidence
    try book.record { draft in
      var settled = parked
      settled.outcome = .dismissed
      draft.settle(parked, as: settled)
    }
    book.clock = later(40)
    try book.record { _ = $0.trust(host, false) }
    book.clock = later(50)
    try book.record { _ = $0.trust(Trust(kind: .mx, value: "mx.example.com"), true) }
    try book.record { _ = try $0.publish(to: Publication(directory: "/srv/www", formats: [])) }
    try book.record { _ = try $0.publish(to: nil) }
    try book.record { _ = try $0.publish(to: Publication(directory: "/srv/web", formats: ["v1", "lookup"])) }
    try book.add("typo")
    try book.record { _ = try $0.void("typo") }
    try book.record { draft in try draft.change("corp") { $0.set { $0.isRetired = true } } }
    try book.undo(try book.ledger.head().seq)
    for action in [Action.remind, .none] {
      try book.record { draft in
        let rule = Rule(number: try draft.nextNumber(of: .rule), range: all, action: action)
        try draft.change("corp") { $0.make(rule, now: noon) }
      }
    }
    let page = Redirect(number: 3, range: all, destination: .url("https://apps.apple.com/app/id3"))
    let setting = Setting(number: 3, key: "x", range: all, phase: nil, value: "y")
    try book.record { draft in
      for change in [
        Change.redirectSet(before: nil, after: page), .redirectSet(before: page, after: nil),
        .settingSet(before: nil, after: setting), .settingSet(before: setting, after: nil),
      ] { try draft.change("corp") { _ in change } }
    }
    try book.record(request: Recording.Request(id: "two", words: ["nothing"])) { _ in }
    return book
  }

  private func take(_ text: String, _ outcome: Evidence.Outcome) throws {
    let bytes = Array(text.utf8)
    try record { draft in
      var evidence = Evidence(
        id: draft.nextEvidenceID, kind: .mail, sha256: Recording.digest(of: bytes), size: Int64(bytes.count),
        receivedAt: draft.now)
      (evidence.outcome, evidence.reason, evidence.state) = (outcome, "mail.unclear", .inReview)
      (evidence.subject, evidence.sender) = ("Subject of \(text) \"", "no_reply@email.apple.com")
      (evidence.messageID, evidence.sentAt) = ("\(text)@example.com", noon)
      (evidence.app, evidence.version) = ("taxi", try Version("1.2"))
      if outcome != .ignored { evidence.proof = "dkim email.apple.com s1" }
      evidence.country = "CN"
      draft.add(evidence, body: outcome == .ignored ? nil : bytes)
    }
  }
}

import JSON
import ReleaseModel
import SQLite
import Testing

@testable import Ledger

@Suite struct VerifyTests {
  @Test func `a ledger with every kind of event is clean`() throws {
    let book = try Book.full()
    let kinds = Set(try book.events().map(\.kind))
    #expect(
      Set(EventKind.names).subtracting(kinds).isSubset(of: [
        "rule.none", "rule.remind", "redirect.clear", "setting.clear",
        "plan.apply", "ledger.take-over", "release.void.never-shipped",
      ]))
    let found = try book.ledger.verify()
    #expect(found.faults == [])
    #expect(found.events == Int64(try book.events().count))
    #expect(found.head == (try book.ledger.head()))
  }

  @Test func `a ledger without events, and one with its first event only, are clean`() throws {
    let ledger = try Ledger.inMemory(now: noon)
    #expect(try ledger.verify().faults == [])
    try Book(ledger).record { $0.make(ledger: "0123456789abcdef0123456789abcdef") }
    #expect(try ledger.verify() == Verification(events: 1, head: try ledger.head()))
  }

  @Test func `changes recorded during verification are no faults`() throws {
    var slices = 1
    var slice = 0
    while slice < slices {
      let book = try Book.full()
      var seen = 0
      let found = try book.ledger.verify {
        // Two changes, so that one is neither the first nor the last.
        if seen == slice || seen == slice + 1 {
          for (place, slug) in ["taxi", "van"].enumerated() {
            try book.set(slug) { $0.remindEvery = $0.remindEvery == .always ? .once : .always }
            if place == 0 { try book.set(slug) { $0.name = "Changed \(seen)" } }
          }
        }
        seen += 1
      }
      #expect(found.faults == [], "at slice \(slice)")
      (slice, slices) = (slice + 1, max(slices, seen))
    }
    #expect(slices > 10)
  }

  private static let alterations: [(String, String, Int64?)] = [
    ("UPDATE event_row SET reason = 'other' WHERE seq = 5", "chain.broken", 5),
    ("UPDATE event_row SET hash = replace(hash, substr(hash, 1, 1), 'z') WHERE seq = 4", "chain.broken", 4),
    ("UPDATE event_row SET at = '2020-01-01T00:00:00Z' WHERE seq = 9", "time.backwards", 9),
    ("UPDATE event_row SET at = '2027-99-99T00:00:00Z' WHERE seq = 3", "event.unreadable", 3),
    ("UPDATE event_row SET format = 9 WHERE seq = 3", "event.unreadable", 3),
    ("UPDATE event_row SET kind = 'release.fly' WHERE seq = 8", "event.unreadable", 8),
    ("UPDATE event_row SET after = '{\"app\":' WHERE seq = 8", "event.unreadable", 8),
    ("UPDATE event_row SET after = NULL WHERE seq = 8", "event.unreadable", 8),
    ("DELETE FROM event_row WHERE seq IN (6, 7)", "sequence.gap", 8),
    ("UPDATE event_row SET seq = 9223372036854775807 WHERE seq = 12", "sequence.gap", .max),
    ("UPDATE event_row SET seq = -9223372036854775807 WHERE seq = 12", "sequence.gap", -.max),
    ("UPDATE app_row SET hold = 9 WHERE slug = 'van'", "row.differs", nil),
    ("UPDATE app_row SET id = 90 WHERE slug = 'van'", "row.missing", nil),
    ("UPDATE release_row SET build = '99' WHERE version = '1.1'", "row.differs", nil),
    ("UPDATE release_row SET state = 'superseded' WHERE version = '1.3'", "row.differs", nil),
    ("UPDATE release_row SET superseded_by = 1 WHERE version = '1.0'", "row.differs", nil),
    ("UPDATE release_row SET key = replace(key, '1', '7') WHERE version = '1.1'", "row.differs", nil),
    ("UPDATE release_row SET event_seq = 2 WHERE version = '1.1'", "row.differs", nil),
    ("DELETE FROM release_row WHERE version = '999'", "row.missing", nil),
    (
      "INSERT INTO redirect_row SELECT 77, app_id, range, url, to_app, NULL, NULL, 0, NULL, event_seq FROM redirect LIMIT 1",
      "row.unexpected", nil
    ),
    ("UPDATE note_row SET text = 'other' WHERE position = 1", "row.differs", nil),
    // Swift calls equal what Unicode calls equivalent; a client gets other bytes.
    ("UPDATE note_row SET text = replace(text, 'ü', 'u' || char(0x308))", "row.differs", nil),
    ("UPDATE note_row SET event_seq = 1", "row.differs", nil),
    ("DELETE FROM note_row", "row.missing", nil),
    ("INSERT INTO note_row VALUES (1, 0, 'en', 'new', 5)", "row.unexpected", 5),
    ("UPDATE rule_row SET active = 0", "row.differs", nil),
    ("UPDATE rule_row SET made_by = 2", "row.differs", nil),
    ("UPDATE redirect_row SET replaced_by = NULL", "row.differs", nil),
    ("UPDATE redirect_row SET active = 1", "row.differs", nil),
    ("UPDATE setting_row SET value = value || ' ' WHERE active = 0", "row.differs", nil),
    ("UPDATE trust_row SET key = 'v=DKIM1; p=BBBB' WHERE kind = 'dkim'", "row.differs", nil),
    ("UPDATE trust_row SET id = id + 20", "row.missing", nil),
    ("UPDATE evidence_row SET subject = CAST(x'ff' AS TEXT) WHERE id = 1", "row.differs", nil),
    ("UPDATE evidence_row SET body = x'00' WHERE id = 1", "evidence.hash", nil),
    ("UPDATE evidence_row SET body = NULL", "evidence.hash", nil),
    ("UPDATE evidence_row SET body = x'00' WHERE id = 2", "evidence.hash", nil),
    ("UPDATE publication_row SET directory = '/elsewhere'", "row.differs", nil),
    ("DELETE FROM publication_row", "row.missing", nil),
    ("UPDATE migration SET sha256 = 'x'", "schema.migration", nil),
    ("DELETE FROM migration", "schema.migration", nil),
    ("UPDATE answer_row SET action = 'force' WHERE app_id = 1", "answer.differs", nil),
    ("DELETE FROM answer_row WHERE app_id = 1", "answer.differs", nil),
    ("UPDATE generation_row SET event_seq = 3 WHERE app_id = 1", "answer.differs", nil),
    ("UPDATE generation_row SET app_id = 9 WHERE app_id = 1", "answer.differs", nil),
  ]

  @Test(arguments: alterations)
  func `every alteration is found, with its event`(statement: String, id: String, seq: Int64?) throws {
    let original = try VerifyTests.original.get().ledger
    for isInFile in [false, true] {
      let altered = try Altered(original, inFile: isInFile)
      try altered.alter(statement)
      let faults = try altered.faults()
      let found = faults.first { $0.id == id }
      #expect(found != nil, "\(faults)")
      if let seq { #expect(faults.contains { $0.id == id && $0.seq == seq }, "\(faults)") }
      // What names a row names its event, too.
      if id.hasPrefix("row.") || id.hasPrefix("evidence.") { #expect(found?.seq != nil) }
    }
  }

  @Test func `an index that does not match its table is a fault`() throws {
    let altered = try Altered(VerifyTests.original.get().ledger, inFile: true)
    _ = try altered.connection.setPragma("writable_schema", to: 1)
    try altered.connection.run(
      """
      UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'release_live')
      WHERE name = 'setting_app'
      """)
    // The connection that altered it still knows the schema as it was.
    let ledger = try Ledger.open(altered.ledger.path, for: .verifying, now: noon)
    #expect(try ledger.verify().faults.map(\.id).contains("file.damaged"))
  }

  @Test(arguments: [
    ("Tree 2 page 3: unable to get the page. error code=266", true),
    ("Tree 2 page 3: btreeInitPage() returns error code 7", true),
    ("Freelist: failed to get page 12", true),
    ("Tree 2 page 3: btreeInitPage() returns error code 11", false),
    ("Tree 2 page 3 cell 0: 2nd reference to page 4", false),
    ("row 7 missing from index event_app", false),
    ("error code", false),
    ("ok", false),
  ]) func `a page that cannot be read is a failure of the disk, not a fault`(line: String, isFailure: Bool) {
    #expect(Verifier.isReadFailure(line) == isFailure)
  }

  private static var original: Result<Book, any Error> { Result { try Book.full() } }

  @Test(arguments: [
    "DROP TRIGGER event_update", "DROP INDEX event_app", "CREATE TABLE other (x)",
    "DROP VIEW client_decision", "DROP VIEW event", "CREATE VIEW mine AS SELECT 1",
    "CREATE TRIGGER sly AFTER INSERT ON app_row BEGIN SELECT 1; END",
    "ALTER TABLE evidence_row RENAME TO evidence_of_old",
    "DROP TABLE note_row",
  ])
  func `an altered schema is a fault, and verify goes on`(statement: String) throws {
    let altered = try Altered(try Book.full().ledger, inFile: true)
    try altered.connection.run(statement)
    try altered.alter("UPDATE app_row SET hold = 9 WHERE slug = 'van'")
    let ids = Set(try altered.faults().map(\.id))
    #expect(ids.isSuperset(of: ["schema.altered", "row.differs"]), "\(ids)")
  }

  @Test func `one altered event is one fault, whatever follows it`() throws {
    let altered = try Altered(try Book.full().ledger)
    try altered.alter("UPDATE event_row SET reason = 'other' WHERE seq = 5")
    #expect(try altered.faults().map(\.id) == ["chain.broken"])
  }

  @Test func `a fault names the row, the column, the value found and the one expected`() throws {
    let altered = try Altered(try Book.full().ledger)
    try altered.alter("UPDATE app_row SET hold = 9, name = 'Cab' WHERE slug = 'van'")
    let messages = try altered.faults().map(\.message)
    #expect(messages.contains("app 2: hold is 9, the events say 90"), "\(messages)")
    #expect(messages.contains("app 2: name is 'Cab', the events say NULL"), "\(messages)")
  }

  @Test func `faults beyond those listed are counted`() throws {
    var found = Verification()
    for number in 0..<1_007 { found.add(Fault("chain.broken", seq: Int64(number), "")) }
    #expect(found.faults.count == 1_000 && found.unlisted == 7 && !found.isClean)
    #expect(found.json["unlisted"]?.integer == 7)
  }
}

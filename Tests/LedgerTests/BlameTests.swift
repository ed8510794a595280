import JSON
import Ledger
import ReleaseModel
import Testing

@Suite struct BlameTests {
  private func line(_ fields: [FieldBlame], _ name: String) -> String? {
    fields.first { $0.field == name }.map { field in
      "\(field.was.map { $0.text() } ?? "new") > \(field.value.text()) by \(field.event.seq)"
    }
  }

  private func told(_ book: Book, _ text: String, os: String? = nil, limit: Int = 100) throws -> [String] {
    let client = Client(version: try version(text), os: try os.map { try version($0) })
    let blame = try book.ledger.blame("taxi", client, clock: book.clock, limit: limit)
    return blame.changes.map { change in
      let cause = change.causes.map { "\($0.text) (\($0.event))" }.joined(separator: ", ")
      let who = change.event.map { "event \($0.seq)" } ?? "+\(change.at.seconds - noon.seconds): \(cause)"
      func short(_ told: ToldAnswer?) -> String {
        guard let decision = told?.decision else { return "nothing" }
        return decision.action.rawValue + (decision.target.map { " \($0.version.text)" } ?? "")
      }
      return "\(who): \(short(change.before)) > \(short(change.after))"
    }
  }

  @Test func `a field of an app is blamed on the event that last changed it`() throws {
    let book = try Book.taxi()
    try book.set { $0.name = "Taxi" }
    try book.set { $0.hold = TimeSpan(seconds: 0) }
    try book.set { $0.name = "Taxi 2" }
    try book.record { draft in try draft.change("taxi") { $0.stop(true) } }
    let fields = try book.ledger.blame(app: "taxi")
    #expect(line(fields, "name") == "\"Taxi\" > \"Taxi 2\" by 5")
    #expect(line(fields, "hold") == "\"24h\" > \"0\" by 4")
    #expect(line(fields, "stopped") == "false > true by 6")
    #expect(line(fields, "policy") == "new > \"force,remind,none\" by 2")
    #expect(line(fields, "sku") == "new > null by 2")
    #expect(line(fields, "slug") == nil)
    #expect(fields.map(\.field) == fields.map(\.field).sorted())
  }

  @Test(arguments: [1, 2, 1_000] as [Int64])
  func `a field of a release can be blamed on a change of another one`(slice: Int64) throws {
    let book = try Book.taxi()
    book.ledger.sliceOfEvents = slice
    try book.publish(
      "1.0", details { $0.notes = [Note(locale: "en", text: "a"), Note(locale: "de", text: "b")] })
    try book.mark("1.0", .live)
    try book.amend("1.0", details { $0.notes = [Note(locale: "en", text: "c")] })
    try book.publish("2.0")
    try book.mark("2.0", .live)
    func field(_ name: String) throws -> String? {
      line(try book.ledger.blame(app: "taxi", try version("1.0.0")), name)
    }
    #expect(try field("state") == "\"live\" > \"superseded\" by 7")
    #expect(try field("notes.en") == "\"a\" > \"c\" by 5")
    #expect(try field("mandatory") == "new > false by 3")
    #expect(try field("visibleAt") == "null > \"\(later(86_400).text)\" by 4")
    try book.unmark("2.0")
    #expect(try field("state") == "\"superseded\" > \"live\" by 8")
    #expect(try field("supersededBy") == "2 > null by 8")
    #expect(try book.ledger.blame(app: "taxi", try version("3")).isEmpty)
  }

  @Test func `of a number used again, the release that counts is meant`() throws {
    let book = try Book.taxi()
    try book.publish("9.0", details { $0.isMandatory = true })
    try book.void("9.0")
    #expect(
      line(try book.ledger.blame(app: "taxi", try version("9")), "state") == "\"prepared\" > \"void\" by 4")
    try book.publish("9.0.0")
    let fields = try book.ledger.blame(app: "taxi", try version("9.0"))
    #expect(line(fields, "state") == "new > \"prepared\" by 5")
    #expect(line(fields, "mandatory") == "new > false by 5")
  }

  @Test func `an answer that changes by itself names the moment and who had set it`() throws {
    let book = try Book.taxi()
    try book.importPast("1.0", at: later(-900_000))
    try book.publish("1.1")
    try book.mark("1.1", .live)
    book.clock = later(86_399)
    #expect(try told(book, "1.0", limit: 1) == ["event 3: none > none"])
    book.clock = later(86_400)
    #expect(try told(book, "1.0", limit: 1) == ["+86400: the hold of taxi 1.1 ended (5): none > remind 1.1"])
    let rule = Rule(
      number: 1, range: .all, action: .force, from: later(90_000), until: later(95_000), reason: "drill")
    try book.record(reason: "drill") { draft in
      try draft.change("taxi") { $0.make(rule, now: later(86_400)) }
    }
    book.clock = later(100_000)
    #expect(
      try told(book, "1.0") == [
        "+95000: rule 1 ended (6): force 1.1 > remind 1.1",
        "+90000: rule 1 started (6): remind 1.1 > force 1.1",
        "+86400: the hold of taxi 1.1 ended (5): none > remind 1.1", "event 3: none > none",
        "event 2: nothing > none",
      ])
  }

  @Test func `the end of a hold is laid to who went live, not to who amended later`() throws {
    let book = try Book.taxi()
    try book.importPast("1.0", at: later(-900_000))
    try book.publish("1.1")
    try book.mark("1.1", .live)
    try book.amend("1.1", details { $0.notes = [Note(locale: "en", text: "a")] })
    book.clock = later(90_000)
    #expect(try told(book, "1.0", limit: 1) == ["+86400: the hold of taxi 1.1 ended (5): none > remind 1.1"])
  }

  @Test func `another app and a trusted host change an answer as well`() throws {
    let book = try Book.taxi()
    try book.add("van", appleID: 7, channel: .enterprise)
    let host = Trust(kind: .host, value: "dl.example.com")
    try book.record { _ = $0.trust(host, true) }
    try book.importPast("1.0", at: later(-900_000))
    try book.importPast("5.0", app: "van", at: later(-900_000))
    let other = Redirect(number: 1, range: .all, destination: .app("van"))
    try book.record { draft in try draft.change("taxi") { $0.redirect(other) } }
    #expect(try told(book, "1.0", limit: 1) == ["event 7: none > remind 5.0"])
    try book.publish("5.1", app: "van")
    try book.mark("5.1", .live, app: "van")
    #expect(try told(book, "1.0", limit: 1) == ["event 9: remind 5.0 > remind 5.1"])
    try book.set("van") { $0.storeURL = "https://dl.example.com/van" }
    try book.record { draft in try draft.change("van") { $0.stop(true) } }
    try book.record { draft in try draft.change("van") { $0.stop(false) } }
    try book.record { _ = $0.trust(host, false) }
    #expect(
      try told(book, "1.0", limit: 4) == [
        "event 13: remind 5.1 > none", "event 12: none > remind 5.1", "event 11: remind 5.1 > none",
        "event 10: remind 5.1 > remind 5.1",
      ])
    // What concerns neither app is passed over.
    try book.add("bus")
    try book.importPast("9.0", app: "bus", at: later(-10))
    #expect(try told(book, "1.0", limit: 1) == ["event 13: remind 5.1 > none"])
  }

  @Test func `the client's system counts, and settings are told too`() throws {
    let book = try Book.taxi()
    try book.importPast("1.0", at: later(-900_000))
    try book.publish("1.1", details { $0.minOS = try version("17.0") })
    try book.mark("1.1", .live, visibleNow: true)
    #expect(try told(book, "1.0", os: "16.4", limit: 1) == ["event 3: none > none"])
    #expect(try told(book, "1.0", os: "17.1", limit: 1) == ["event 5: none > remind 1.1"])
    let setting = Setting(number: 1, key: "map", range: .all, phase: nil, value: "free")
    try book.record { draft in try draft.change("taxi") { $0.set(setting) } }
    #expect(try told(book, "1.0", limit: 1) == ["event 6: remind 1.1 > remind 1.1"])
  }
}

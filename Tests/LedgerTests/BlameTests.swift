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

  @Test func `a field of an app is blamed on the event that last changed it`() throws {
    let book = try Book.taxi()
    try book.set { $0.name = "Taxi" }
    try book.set { $0.hold = TimeSpan(seconds: 0) }
    try book.set { $0.name = "Taxi 2" }
    try book.record { draft in try draft.change("taxi") { $0.set { $0.isStopped = true } } }
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

  @Test func `for a version published again, the release that counts is blamed`() throws {
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
}

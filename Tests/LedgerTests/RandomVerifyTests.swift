import Platform
import ReleaseModel
import SQLite
import TestSupport
import Testing

@testable import Ledger

private struct Unseen: Error, CustomStringConvertible {
  let description: String
}

@Suite struct RandomVerifyTests {
  private static let tables = [
    "event_row", "app_row", "release_row", "note_row", "rule_row", "redirect_row", "setting_row", "trust_row",
    "evidence_row", "publication_row", "answer_row", "generation_row", "migration",
  ]
  private static let values: [Value] = [
    .null, .integer(0), .integer(1), .integer(2), .integer(-1), .integer(.max), .integer(.min), .text(""),
    .text("live"), .text("superseded"), .text("1.1"), .text("2027-01-15T12:00:00Z"), .text("{}"),
    .text("none"),
    .text("https://apps.apple.com/app/id1"), .text("\u{0}"), .blob([0]), .blob(Array("live".utf8)),
  ]

  @Test func `random alterations of a ledger are all found`() throws {
    let count = environment("PAWL_ALTERATIONS").flatMap(Int.init) ?? 400
    let seed = environment("PAWL_SEED").flatMap { UInt64($0) } ?? 1
    let book = try Book.full()
    let older = try Altered(book.ledger).ledger
    try book.publish("2.0")
    try book.mark("2.0", .live)
    let clean = try Altered(book.ledger)
    let found = try clean.ledger.verify()
    let checkpoint = try clean.ledger.checkpoint(of: found)
    #expect(found.isClean)
    var kinds: [String: Int] = [:]
    // The last one made `verify` end with an error once: the mark that a later event takes back could not be read.
    for seed in (0..<count).map({ seed &+ UInt64($0) }) + [2434] {
      var random = Seeded(seed)
      let kind: String, faults: [Fault]?
      do {
        (kind, faults) = try RandomVerifyTests.alter(book.ledger, older, checkpoint, &random)
      } catch {
        throw Unseen(description: "PAWL_SEED=\(seed) PAWL_ALTERATIONS=1: \(error) is thrown")
      }
      guard let faults else { continue }
      kinds[kind, default: 0] += 1
      if faults.isEmpty {
        throw Unseen(description: "PAWL_SEED=\(seed) PAWL_ALTERATIONS=1: \(kind) went unseen")
      }
    }
    // Alterations that alter nothing would be found by nobody.
    #expect(count < 100 || kinds.values.reduce(0, +) > count * 6 / 10 && kinds.count >= 7, "\(kinds)")
  }

  /// - Returns: What was done, and the faults; nil where it came to nothing.
  private static func alter(
    _ original: Ledger, _ older: Ledger, _ checkpoint: Checkpoint, _ random: inout Seeded
  ) throws -> (String, [Fault]?) {
    let kind = random.next() % 20
    if kind == 0 {
      let restored = try Altered(older)
      guard try restored.faults().isEmpty else { return ("older file", nil) }
      return ("older file", try restored.ledger.verify(against: checkpoint).faults)
    }
    let copy = try Altered(original)
    let last = try copy.ledger.head().seq
    let seq = Int64(random.next() % UInt64(last)) + 1
    switch kind {
    case 1:
      // Each event as it would have been, had somebody else done it.
      try copy.withoutTriggers {
        try copy.connection.run("UPDATE event_row SET reason = 'since' WHERE seq = ?", .integer(seq))
      }
      try copy.rehash(from: seq)
      guard try copy.faults().isEmpty else { return ("chain anew", nil) }
      return ("chain anew", try copy.ledger.verify(against: checkpoint).faults)
    case 2:
      try copy.withoutTriggers {
        try copy.connection.run("DELETE FROM event_row WHERE seq >= ?", .integer(seq))
      }
      return ("tail cut", try copy.ledger.verify(against: checkpoint).faults)
    default:
      let table = tables[Int(random.next() % UInt64(tables.count))]
      let before = try image(copy, table)
      let what = try alterRow(of: table, copy, kind, &random)
      guard try image(copy, table) != before else { return (what, nil) }
      let faults = try copy.faults()
      if faults.isEmpty { return ("\(what) of \(table): \(before) is \(try image(copy, table))", faults) }
      return (what, faults)
    }
  }

  private static func alterRow(
    of table: String, _ copy: Altered, _ kind: UInt64, _ random: inout Seeded
  ) throws -> String {
    let connection = copy.connection
    // When a step of the schema was applied is in no event.
    let columns = try connection.query("SELECT name FROM pragma_table_info('\(table)')") { try $0.text(0) }
      .filter { !(table == "migration" && $0 == "at") }
    let column = columns[Int(random.next() % UInt64(columns.count))]
    let rows = try connection.query("SELECT count(*) FROM \(table)") { try $0.integer(0) }.first ?? 0
    guard rows > 0 else { return "nothing" }
    func one() -> String {
      let keys =
        table == "note_row"
        ? "release_id, position" : table == "answer_row" ? "app_id, lo, valid_from" : "rowid"
      let place = random.next() % UInt64(rows)
      return "(\(keys)) = (SELECT \(keys) FROM \(table) ORDER BY \(keys) LIMIT 1 OFFSET \(place))"
    }
    var what = ""
    try copy.withoutTriggers {
      switch kind {
      case 3..<6:
        what = "dropped row"
        try connection.run("DELETE FROM \(table) WHERE \(one())")
      case 6..<9:
        what = "swapped cells"
        let (first, second) = (one(), one())
        let cells = try connection.query(
          "SELECT (SELECT \"\(column)\" FROM \(table) WHERE \(first)), (SELECT \"\(column)\" FROM \(table) WHERE \(second))"
        ) { (try $0.value(0), try $0.value(1)) }
        guard let (left, right) = cells.first else { return }
        // Where a number is unique, or the type is another's, the swap comes to nothing.
        try? connection.run("UPDATE \(table) SET \"\(column)\" = ? WHERE \(first)", right)
        try? connection.run("UPDATE \(table) SET \"\(column)\" = ? WHERE \(second)", left)
      case 9..<11:
        what = "row twice"
        let copied = columns.enumerated().map { index, name in
          index == 0 ? "\"\(name)\" + 1000" : "\"\(name)\""
        }
        guard table != "migration" else { return }
        try? connection.run(
          "INSERT INTO \(table) SELECT \(copied.joined(separator: ", ")) FROM \(table) WHERE \(one())")
      case 11..<14:
        what = "edited text"
        try? connection.run(
          "UPDATE \(table) SET \"\(column)\" = substr(\"\(column)\", 1, length(\"\(column)\") / 2) || ? WHERE \(one())",
          .text(String(random.next() % 10)))
      default:
        what = "edited cell"
        let value = values[Int(random.next() % UInt64(values.count))]
        try? connection.run("UPDATE \(table) SET \"\(column)\" = ? WHERE \(one())", value)
      }
    }
    return what
  }

  /// All that a table holds; of a generation the moment of its event, since nobody can tell which of the events of one
  /// moment were one command.
  private static func image(_ copy: Altered, _ table: String) throws -> [[Value]] {
    let columns = table == "generation" ? "app_id, (SELECT at FROM event WHERE seq = event_seq)" : "*"
    return try copy.connection.query("SELECT \(columns) FROM \(table) ORDER BY 1, 2") { row in
      try (0..<row.columnCount).map { try row.value($0) }
    }
  }
}

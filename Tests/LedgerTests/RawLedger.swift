internal import JSON
internal import Platform
internal import ReleaseModel
internal import SQLite
internal import TestSupport
internal import Testing

@testable internal import Ledger

/// A ledger with a release in every state, as a colleague finds it who opens it with the `sqlite3` shell.
final class RawLedger {
  let directory: TemporaryDirectory
  let connection: Connection

  var path: String { directory.file("pawl.db") }

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(try RawLedger.image.get(), to: "pawl.db")
    // Not hardened: foreign keys and recursive triggers off, the schema trusted, as the shell has it.
    connection = try Connection(path: directory.file("pawl.db"), mode: .readWrite)
  }

  /// The bytes of the ledger, made once: filling it flushes the disk at each change.
  private static let image: Result<[UInt8], any Error> = Result {
    let directory = try TemporaryDirectory()
    let book = try Book.taxi(at: directory.file("made.db"))
    try book.add("van", channel: .enterprise)
    try book.record { _ = $0.trust(Trust(kind: .host, value: "downloads.example.com"), true) }
    try book.importPast("1.0", at: later(-900_000))
    try book.importPast("1.1", at: later(-800_000))
    try book.importPast("1.2", at: later(-700_000))
    try book.mark("1.2", .removed)
    try book.importPast("2.0", at: later(-600_000))
    let noted = try details {
      $0.notes = [Note(locale: "en", text: "Faster start"), Note(locale: "de", text: "Startet schneller")]
      $0.build = try Build("5")
    }
    try book.publish("2.1", noted)
    try book.mark("2.1", .rejected)
    try book.publish("2.2")
    try book.mark("2.2", .approved)
    try book.publish("999.0.0")
    try book.void("999.0.0")
    try book.publish("2.3", noted)
    try book.publish("2.4")
    try book.publish("2.5")
    try book.mark("2.5", .inReview)
    try book.publish("2.6")
    try book.mark("2.6", .withdrawn)
    try book.publish("1.0.0.1", app: "van")
    try book.mark("1.0.0.1", .live, app: "van")
    book.clock = later(60)
    // The last event flips a state of 2.3 and nothing else: nobody may hang another change on it.
    try book.mark("2.3", .waiting)
    book.ledger.close()
    return try readFile(directory.file("made.db"), limit: 1 << 24)
  }

  static let versions: [ReleaseState: String] = [
    .prepared: "2.4", .waiting: "2.3", .inReview: "2.5", .approved: "2.2", .live: "2.0", .rejected: "2.1",
    .withdrawn: "2.6", .superseded: "1.1", .removed: "1.2", .void: "999.0.0",
  ]

  static let head = "(SELECT max(seq) FROM event)"

  static func fresh(_ version: String) -> String {
    """
    {"build":null,"expires":null,"former":null,"liveAt":null,"locales":[],"mandatory":false,"minOS":null,\
    "past":false,"remindAt":null,"removedAt":null,"since":"2027-01-15T12:00:00Z","state":"prepared",\
    "url":null,"version":"\(version)","visibleAt":null}
    """
  }

  static let live = """
    {"build":null,"expires":null,"former":null,"liveAt":"2027-01-15T12:00:00Z","locales":[],"mandatory":false,\
    "minOS":null,"past":false,"remindAt":null,"removedAt":null,"since":"2027-01-15T12:00:00Z","state":"live",\
    "superseded":"2.0","url":null,"version":"2.2","visibleAt":"2027-01-15T12:00:00Z"}
    """

  /// Lets pawl record something at a moment.
  func record(at moment: Timestamp = later(120), _ body: (Book) throws -> Void) throws {
    let book = Book(try Ledger.open(path, for: .writing, now: moment), clock: moment)
    try body(book)
    book.ledger.close()
  }

  /// Why the schema refuses a script, which names the views, for the tables behind them; empty where it lets it through,
  /// and verify finds what it did. With the familiar names no statement changes anything.
  func refuses(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
    let before = try readFile(path, limit: 1 << 24)
    for statement in script.split(separator: ";") { try? connection.execute(String(statement)) }
    #expect(try readFile(path, limit: 1 << 24) == before, "\(script)", sourceLocation: sourceLocation)
    let script = behind(script)
    var message = ""
    do {
      try connection.execute("BEGIN; \(script)")
      try connection.execute("ROLLBACK")
      let copy = try Altered(Ledger(connection: connection, path: path))
      try copy.connection.execute(script)
      let faults = try copy.faults()
      // That the hash of an event is made up is no finding.
      let ids = Set(faults.map(\.id)).subtracting(["chain.broken", "event.unreadable"])
      // Nor is there anything to find where the rows are as they were.
      let isSame = try ComparedTable.all(in: connection).allSatisfy { table in
        try table.rows(in: connection, after: nil) == table.rows(in: copy.connection, after: nil)
      }
      #expect(!ids.isEmpty || isSame, "nobody finds \(script)", sourceLocation: sourceLocation)
    } catch let error as SQLiteError {
      message = error.message
    }
    if connection.isInTransaction { try connection.execute("ROLLBACK") }
    #expect(try readFile(path, limit: 1 << 24) == before, sourceLocation: sourceLocation)
    return message
  }
}

/// A script that does to the tables what it says of the views.
func behind(_ script: String) -> String {
  let tables = "event|app|release|note|rule|redirect|setting|evidence|trust|publication|generation|answer"
  guard
    let written = try? Regex(
      "(INTO |UPDATE |UPDATE OR [A-Z]+ |DELETE FROM |ON )(main\\.)?(\(tables))\\b(?!\\.)"),
    let qualified = try? Regex("main\\.(\(tables))\\.")
  else { return "" }
  return script.replacing(written) { "\(script[$0.range])_row" }
    .replacing(qualified) { $0.output[0].substring.map { $0.dropLast() + "_row." } ?? "" }
}

func event(
  _ kind: String, _ subject: String, app: String? = "taxi", version: String? = nil, before: String? = nil,
  after: String? = nil, also: String? = nil, seq: String = "(SELECT max(seq) + 1 FROM event)",
  at: String = "2027-01-16T00:00:00Z"
) -> String {
  func quoted(_ text: String?) -> String { text.map { "'\($0)'" } ?? "NULL" }
  return """
    INSERT INTO event (seq, at, format, kind, app, version, subject, before, after, schedules, command, also, actor, hash) VALUES (\(seq), '\(at)', 1,
      '\(kind)', \(quoted(app)), \(quoted(version)), \(subject), \(quoted(before)), \(quoted(after)), '', 'raw', \(quoted(also)),
      '\(Book.actor.text())', '\(EventRecord.genesis)');
    """
}

func subject(_ version: String) -> String {
  "(SELECT 'release/' || id FROM release WHERE app_id = 1 AND version = '\(version)')"
}

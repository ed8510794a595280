import Ledger
import Platform
import ReleaseModel
import SQLite
import TestSupport
import Testing

@Suite struct HostileFileTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try make("pawl.db")
  }

  private func make(_ name: String, _ changes: Int = 1) throws {
    let book = try Book.taxi(at: directory.file(name))
    for change in 0..<changes { try book.publish("\(change + 1).0") }
    book.ledger.close()
  }

  private func bytes(_ name: String = "pawl.db") throws -> [UInt8] {
    try readFile(directory.file(name), limit: 1 << 24)
  }

  /// Opens the ledger for reading and for writing, makes it anew, and looks whether file and journal stayed as they were.
  private func open(sourceLocation: SourceLocation = #_sourceLocation) throws -> Set<String> {
    let (before, journal) = (try? bytes(), try? bytes("pawl.db-journal"))
    let path = directory.file("pawl.db")
    let outcomes = [
      outcome { _ = try Ledger.open(path, for: .reading, now: noon).history(HistoryFilter()) },
      outcome { try Book(try Ledger.open(path, for: .writing, now: noon, waiting: 0)).publish("99.0") },
      outcome { _ = try Ledger.create(path, now: noon).ledger.history(HistoryFilter()) },
    ]
    #expect((try? bytes()) == before, sourceLocation: sourceLocation)
    #expect((try? bytes("pawl.db-journal")) == journal, sourceLocation: sourceLocation)
    return Set(outcomes)
  }

  @Test func `a world-writable folder is refused, unless it has the sticky bit`() throws {
    try directory.setRights(0o777, of: ".")
    #expect(try open() == ["ledger.world-writable/folder"])
    try directory.setRights(0o1777, of: ".")
    #expect(
      outcome { _ = try Ledger.open(directory.file("pawl.db"), for: .reading, now: noon).head() } == "opened")
    try directory.setRights(0o700, of: ".")
  }

  @Test func `a world-writable folder further up is refused, too`() throws {
    try directory.directory("open")
    try directory.directory("open/closed")
    try directory.directory("open/closed/own")
    try make("open/closed/own/pawl.db")
    let path = directory.file("open/closed/own/pawl.db")
    func opened() -> (String?, String) {
      do {
        _ = try Ledger.open(path, for: .reading, now: noon).head()
        return (nil, "opened")
      } catch LedgerError.unusable(let refusal) {
        return (refusal.values["folder"], "refused")
      } catch {
        return (nil, "\(error)")
      }
    }
    for (name, rights) in [("open", 0o777 as UInt32), ("open", 0o703), ("open/closed", 0o777)] {
      try directory.setRights(rights, of: name)
      #expect(opened() == (directory.file(name), "refused"))
      // There nobody but the owner puts something else in its place.
      try directory.setRights(rights | 0o1000, of: name)
      #expect(opened() == (nil, "opened"))
      try directory.setRights(0o700, of: name)
    }
  }

  @Test func `the tables of ANALYZE are ignored, even if they were altered`() throws {
    let before = try Ledger.open(directory.file("pawl.db"), for: .reading, now: noon).history(HistoryFilter())
    do {
      let connection = try Connection(path: directory.file("pawl.db"), mode: .readWrite)
      try connection.execute("ANALYZE")
      // As somebody writes it who wants each look-up to read a whole table.
      try connection.execute(
        "UPDATE sqlite_stat1 SET stat = '1000000000 1000000000 1000000000 1000000000 unordered noskipscan'")
      #expect(try connection.query("SELECT tbl FROM sqlite_stat1") { try $0.text(0) }.isEmpty == false)
      try connection.close()
    }
    let path = directory.file("pawl.db")
    for access in [Ledger.Access.reading, .glancing, .writing] {
      let ledger = try Ledger.open(path, for: access, now: noon)
      #expect(try ledger.history(HistoryFilter()) == before)
      #expect(try ledger.line("taxi").releases.map(\.version.text) == ["1.0"])
      #expect(try ledger.verify().isClean)
      ledger.close()
    }
    try Book(try Ledger.open(path, for: .writing, now: noon)).publish("99.0")
  }

  @Test(arguments: [
    "CREATE TABLE sqlite_statx(tbl,idx,stat)", "CREATE TABLE sqlite_stat1(tbl,idx,stat,more)",
    "CREATE VIEW sqlite_stat1 AS SELECT 1",
  ])
  func `a statistics table that ANALYZE does not make is refused`(sql: String) throws {
    let connection = try Connection(path: directory.file("pawl.db"), mode: .readWrite)
    try connection.execute("ANALYZE")
    _ = try connection.setPragma("writable_schema", to: 1)
    let type = sql.contains("VIEW") ? "view" : "table"
    try connection.run(
      "UPDATE sqlite_schema SET sql = ?, type = '\(type)' WHERE name = 'sqlite_stat1'", .text(sql))
    try connection.close()
    #expect(outcome { _ = try Ledger.open(directory.file("pawl.db"), for: .reading, now: noon) } != "opened")
  }

  @Test func `a write-ahead log is refused, by the file's header and by the log beside it`() throws {
    var image = try bytes()
    image[18] = 2
    image[19] = 2
    try directory.write(image, to: "pawl.db")
    #expect(try open() == ["ledger.write-ahead-log"])
    #expect(!directory.exists("pawl.db-wal") && !directory.exists("pawl.db-shm"))
    image[18] = 1
    image[19] = 1
    try directory.write(image, to: "pawl.db")
    try directory.write("", to: "pawl.db-wal")
    #expect(try open() == ["ledger.write-ahead-log"])
  }

  @Test func `a ledger cut off at any sector is refused`() throws {
    let image = try bytes()
    for length in stride(from: 0, to: image.count, by: 512) {
      try directory.write(Array(image.prefix(length)), to: "pawl.db")
      let outcomes = length == 0 ? ["ledger.not-a-ledger"] : try Array(open())
      #expect(
        Set(outcomes).isSubset(of: ["ledger.not-a-ledger", "storage notADatabase"]), "\(length): \(outcomes)")
    }
  }

  @Test func `a pipe and a device are refused at once`() throws {
    try directory.pipe("pipe.db")
    for path in [directory.file("pipe.db"), "/dev/null"] {
      for access in [Ledger.Access.reading, .writing] {
        #expect(outcome { _ = try Ledger.open(path, for: access, now: noon) } == "it is not a regular file")
      }
    }
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: RecordTable.allCases.map(\.rows)
      + ["event_row", "note_row", "answer_row", "generation_row", "migration"])
  func `an endless view in the place of a table is reported, and not read`(table: String) throws {
    let path = directory.file("pawl.db")
    let connection = try Connection(path: path, mode: .readWrite)
    let columns = try connection.query("SELECT name FROM pragma_table_info('\(table)')") { try $0.text(0) }
    try #require(!columns.isEmpty)
    let triggers = try connection.query("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      try $0.text(0)
    }
    for name in triggers { try connection.run("DROP TRIGGER \(name)") }
    try connection.run("DROP TABLE \(table)")
    // Any `max` or `ORDER BY` of it would go on for ever.
    try connection.run(
      """
      CREATE VIEW \(table) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT \(columns.map { "i AS \($0)" }.joined(separator: ", ")) FROM n
      """)
    try connection.close()
    let ledger = try Ledger.open(path, for: .verifying, now: noon)
    let messages = try ledger.verify().faults.filter { $0.id == "schema.altered" }.map(\.message)
    #expect(messages.contains("view \(table) is not pawl's"), "\(messages)")
    #expect(messages.contains("table \(table) is missing"), "\(messages)")
    for access in [Ledger.Access.reading, .writing] {
      #expect(outcome { _ = try Ledger.open(path, for: access, now: noon) } == "alteredSchema")
    }
  }

  // MARK: - Journals

  private static let otherFile = "it is the journal of another file"
  private static let notOneFile = "it is not a regular file with one name"

  /// The journal of a transaction that writes a file and is not done: what a crash at that moment leaves, and the file.
  private func crash(_ name: String) throws -> (journal: [UInt8], file: [UInt8]) {
    let connection = try Connection(path: directory.file(name), mode: .readWrite)
    try connection.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
    // More than the cache holds, so that pages are written before the commit.
    try connection.execute(
      """
      INSERT INTO event_row (seq, at, format, kind, actor, reason, hash)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      SELECT (SELECT max(seq) FROM event) + i, '2027-02-01T00:00:00Z', 1, 'request', '{}', hex(zeroblob(400)),
        '\(EventRecord.genesis)' FROM n
      """)
    let left = (try bytes(name + "-journal"), try bytes(name))
    try connection.execute("ROLLBACK")
    try connection.close()
    return left
  }

  @Test func `a transaction that a crash left unfinished is undone`() throws {
    let before = try bytes()
    let left = try crash("pawl.db")
    #expect(left.file != before)
    try directory.write(left.file, to: "pawl.db")
    try directory.write(left.journal, to: "pawl.db-journal")
    #expect(
      outcome { _ = try Ledger.open(directory.file("pawl.db"), for: .reading, now: noon).head() } == "opened")
    #expect(try bytes() == before && !directory.exists("pawl.db-journal"))
  }

  @Test func `the journal of another ledger is refused`() throws {
    try make("other.db", 4)
    try directory.write(try crash("other.db").journal, to: "pawl.db-journal")
    try directory.setRights(0o640, of: "pawl.db-journal")
    #expect(try open() == [HostileFileTests.otherFile])
  }

  @Test(arguments: [4_096, 1_024])
  func `the journal of another program's file is refused`(pageSize: Int) throws {
    let other = try Connection(path: directory.file("other.db"), mode: .create)
    try other.execute("PRAGMA page_size = \(pageSize); CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    try other.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
    try other.execute(
      """
      INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      SELECT zeroblob(3000) FROM n
      """)
    let journal = try bytes("other.db-journal")
    try other.execute("ROLLBACK")
    try directory.write(journal, to: "pawl.db-journal")
    try directory.setRights(0o640, of: "pawl.db-journal")
    #expect(try open() == [HostileFileTests.otherFile])
  }

  @Test func `a journal that is a link, has two names or is world-writable is refused`() throws {
    try make("other.db", 4)
    try directory.write(try crash("other.db").journal, to: "planted")
    try directory.link("pawl.db-journal", to: directory.file("planted"))
    #expect(try open() == [HostileFileTests.notOneFile])
    removeFile(directory.file("pawl.db-journal"))
    try directory.hardLink("pawl.db-journal", to: "planted")
    #expect(try open() == [HostileFileTests.notOneFile])
    removeFile(directory.file("planted"))
    try directory.setRights(0o646, of: "pawl.db-journal")
    #expect(try open() == ["ledger.world-writable"])
    removeFile(directory.file("pawl.db-journal"))
    try directory.directory("pawl.db-journal")
    #expect(try open() == [HostileFileTests.notOneFile])
  }
}

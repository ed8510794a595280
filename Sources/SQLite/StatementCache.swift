internal import CSQLite

struct StatementCache {
  /// The number of statements at which idle ones are dropped: far more than a program with fixed SQL has, and
  /// a limit for one that composes its SQL.
  private static let capacity = 512

  /// More than one where a text was in use when it was wanted again.
  private var byText: [String: [PreparedStatement]] = [:]
  private var count = 0
  private var uncached: [PreparedStatement] = []
  /// The statement given back last: a loop over one statement then compares two pointers instead of hashing.
  private var recent: PreparedStatement?

  /// An idle statement of the text, marked as in use; compiled now if there is none.
  mutating func take(_ sql: String, on database: OpaquePointer) throws(SQLiteError) -> PreparedStatement {
    var idle = recent
    if idle?.isInUse != false || idle?.sql != sql { idle = byText[sql]?.first { !$0.isInUse } }
    let statement = if let idle { idle } else { try add(sql, on: database) }
    statement.isInUse = true
    return statement
  }

  private mutating func add(
    _ sql: String, on database: OpaquePointer
  ) throws(SQLiteError) -> PreparedStatement {
    guard Self.isCacheable(sql) else {
      let statement = try PreparedStatement(sql, flags: 0, on: database)
      uncached.append(statement)
      return statement
    }
    if count >= Self.capacity { dropIdle() }
    let statement = try PreparedStatement(sql, flags: SQLITE_PREPARE_PERSISTENT, on: database)
    byText[sql, default: []].append(statement)
    count += 1
    return statement
  }

  /// Takes a statement back, reset, so that it holds no lock and no value.
  mutating func giveBack(_ statement: PreparedStatement) {
    statement.clear()
    statement.isInUse = false
    if let index = uncached.firstIndex(where: { $0 === statement }) {
      uncached.remove(at: index)
      statement.finalize()
    } else {
      recent = statement
    }
  }

  mutating func finalizeAll() {
    for statement in byText.values.joined() { statement.finalize() }
    for statement in uncached { statement.finalize() }
    self = StatementCache()
  }

  private mutating func dropIdle() {
    recent = nil
    byText = byText.filter { $0.value.contains(where: \.isInUse) }
    count = byText.values.joined().count
  }

  /// Whether a statement may be compiled now and run later: a PRAGMA may act, or fix its answer, while it is
  /// compiled (<https://sqlite.org/pragma.html>), so one that was compiled earlier cannot be relied on.
  private static func isCacheable(_ sql: String) -> Bool {
    let start = sql.utf8.drop { $0 == 0x20 || (0x09...0x0d).contains($0) || $0 == 0x3b }
    return !start.prefix(6).elementsEqual("pragma".utf8) { $0 | 0x20 == $1 }
  }
}

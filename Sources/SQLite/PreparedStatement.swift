internal import CSQLite

/// One `sqlite3_stmt`, and whether it may be used.
///
/// It holds no reference to its connection, so that neither keeps the other alive; `finalize` takes the C
/// object away, and whatever still refers to it then gets an error. A statement of the cache is used by one
/// caller at a time.
final class PreparedStatement {
  let sql: String
  let parameterCount: Int32
  var isInUse = false
  /// Counts everything that ends the current row; a `Row` is valid for one count only.
  private(set) var generation: UInt64 = 0
  /// How many columns the current row has.
  private(set) var width: Int32 = 0
  private var handle: OpaquePointer?

  init(_ sql: String, flags: Int32, on database: OpaquePointer) throws(SQLiteError) {
    var handle: OpaquePointer?
    let (code, used) = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(database, text, -1, UInt32(bitPattern: flags), &handle, &tail)
      return (code, tail.map { $0 - text })
    }
    guard code == SQLITE_OK else { throw SQLiteError(code, on: database, sql: sql) }
    guard let handle, used == sql.utf8.count else {
      sqlite3_finalize(handle)
      throw .misuse("there is not exactly one statement in the text", sql: sql)
    }
    self.handle = handle
    self.sql = sql
    parameterCount = sqlite3_bind_parameter_count(handle)
  }

  deinit {
    // Its result code would only repeat the failure of the last step, which was reported then.
    sqlite3_finalize(handle)
  }

  func finalize() {
    generation &+= 1
    sqlite3_finalize(handle)
    handle = nil
  }

  func bind(_ values: [Value]) throws(SQLiteError) {
    guard values.count == Int(parameterCount) else {
      throw SQLiteError(
        code: .range, message: "\(values.count) values for \(parameterCount) parameters", sql: sql)
    }
    let handle = try open()
    for (index, value) in zip(Int32(1)..., values) {
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .real(let number): sqlite3_bind_double(handle, index, number)
        // SQLite copies what it is lent: the pointers are valid only within the closures, not until the step.
        case .text(var text):
          text.withUTF8 { csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) }
        case .blob(let bytes):
          bytes.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
        }
      guard code == SQLITE_OK else { throw SQLiteError(code, on: sqlite3_db_handle(handle), sql: sql) }
    }
  }

  /// Goes to the next row, and says whether there is one.
  func step() throws(SQLiteError) -> Bool {
    let handle = try open()
    generation &+= 1
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW:
      width = sqlite3_data_count(handle)
      return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code, on: sqlite3_db_handle(handle), sql: sql)
    }
  }

  /// Gives up locks and values.
  func reset() {
    guard let handle else { return }
    generation &+= 1
    // Its result code would only repeat the failure of the last step, which was reported then.
    sqlite3_reset(handle)
    if parameterCount > 0 { sqlite3_clear_bindings(handle) }
  }

  var currentRow: Row { Row(statement: self) }

  /// The name of a column that was read, as the statement gives it.
  func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(clamping: column)).map { String(cString: $0) } ?? ""
  }

  /// The C object, for reading a column of a row that was current at `generation`, and the column as SQLite
  /// counts it.
  func cell(_ column: Int, at generation: UInt64) throws(SQLiteError) -> (OpaquePointer, Int32) {
    let handle = try open()
    guard generation == self.generation else {
      throw .misuse("the row is gone; the statement has moved on", sql: sql)
    }
    guard column >= 0, column < Int(width) else {
      throw SQLiteError(code: .range, message: "there is no column \(column), of \(width)", sql: sql)
    }
    return (handle, Int32(truncatingIfNeeded: column))
  }

  func noMemory() -> SQLiteError {
    SQLiteError(code: .noMemory, message: "out of memory", sql: sql)
  }

  private func open() throws(SQLiteError) -> OpaquePointer {
    guard let handle else { throw .closed(sql: sql) }
    return handle
  }
}

struct StatementCache {
  /// More than one where a text was in use when it was wanted again.
  private var byText: [String: [PreparedStatement]] = [:]
  private var uncached: [PreparedStatement] = []

  /// An idle statement of the text, marked as in use; compiled now if all are in use.
  mutating func take(_ sql: String, on database: OpaquePointer) throws(SQLiteError) -> PreparedStatement {
    let idle = byText[sql]?.first { !$0.isInUse }
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
    let statement = try PreparedStatement(sql, flags: SQLITE_PREPARE_PERSISTENT, on: database)
    byText[sql, default: []].append(statement)
    return statement
  }

  /// Takes a statement back, reset, so that it holds no lock and no value.
  mutating func giveBack(_ statement: PreparedStatement) {
    statement.reset()
    statement.isInUse = false
    if let index = uncached.firstIndex(where: { $0 === statement }) {
      uncached.remove(at: index)
      statement.finalize()
    }
  }

  mutating func finalizeAll() {
    for statement in byText.values.joined() { statement.finalize() }
    for statement in uncached { statement.finalize() }
    self = StatementCache()
  }

  /// Whether a statement may be compiled now and run later: a PRAGMA may act, or fix its answer, while it is
  /// compiled (<https://sqlite.org/pragma.html>), so one that was compiled earlier cannot be relied on.
  private static func isCacheable(_ sql: String) -> Bool {
    let start = sql.utf8.drop { $0 == 0x20 || (0x09...0x0d).contains($0) || $0 == 0x3b }
    return !start.prefix(6).elementsEqual("pragma".utf8) { $0 | 0x20 == $1 }
  }
}

internal import CSQLite

/// One `sqlite3_stmt`, and whether it may be used.
///
/// It holds no reference to its connection, so that neither keeps the other alive; `finalize` takes the C
/// object away, and whatever still refers to it then gets an error. A statement of the cache is used by one
/// caller at a time.
final class PreparedStatement {
  /// Where a statement stands between two calls.
  private enum State {
    case ready
    case row
    case done
  }

  let sql: String
  let parameterCount: Int32
  /// Whether a caller has it now.
  var isInUse = false
  /// The next statement of the same text, made because this one was in use.
  var next: PreparedStatement?
  /// Counts everything that ends the current row; a `Row` is valid for one count only.
  private(set) var generation: UInt64 = 0
  /// How many columns the current row has.
  private var width: Int32 = 0
  private var handle: OpaquePointer?
  private var state = State.ready

  /// Compiles the only statement of a text.
  init(_ sql: String, flags: Int32, on database: OpaquePointer) throws(SQLiteError) {
    let handle = try sql.utf8CString.withUnsafeBufferPointer { text throws(SQLiteError) in
      try Self.compile(text, flags: UInt32(bitPattern: flags), of: sql, on: database)
    }
    self.handle = handle
    self.sql = sql
    parameterCount = sqlite3_bind_parameter_count(handle)
  }

  deinit {
    // Its result code would only repeat the failure of the last step, which was reported then.
    sqlite3_finalize(handle)
  }

  private static func compile(
    _ text: UnsafeBufferPointer<CChar>, flags: UInt32, of sql: String, on database: OpaquePointer
  ) throws(SQLiteError) -> OpaquePointer {
    var rest = try ScriptCursor(text)
    guard let handle = try rest.next(flags: flags, on: database) else {
      throw .misuse("there is no statement in the text", sql: sql)
    }
    // The rest may be blank or a comment. If it does not compile, it is treated as a faulty second statement.
    var second: OpaquePointer?
    do throws(SQLiteError) {
      second = try rest.next(flags: 0, on: database)
    } catch {
      sqlite3_finalize(handle)
      throw error
    }
    guard second == nil else {
      sqlite3_finalize(second)
      sqlite3_finalize(handle)
      throw .misuse("there is more than one statement in the text", sql: sql)
    }
    return handle
  }

  /// Frees the C object; every later use throws.
  func finalize() {
    generation &+= 1
    sqlite3_finalize(handle)
    handle = nil
  }

  /// Binds all parameters in order.
  func bind(_ values: [Value]) throws(SQLiteError) {
    guard values.count == Int(parameterCount) else {
      throw SQLiteError(
        code: .range, message: "\(values.count) values for \(parameterCount) parameters", sql: sql)
    }
    var index: Int32 = 0
    for value in values {
      // Bounded by the parameter count.
      index &+= 1
      try bind(value, at: index)
    }
  }

  /// Binds one parameter, counted from 1.
  func bind(_ value: Value, at index: Int32) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(at: index)
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text, at: index)
    case .blob(let bytes): try bind(bytes, at: index)
    }
  }

  func bindNull(at index: Int32) throws(SQLiteError) {
    let handle = try open()
    try check(sqlite3_bind_null(handle, index))
  }

  func bind(_ number: Int64, at index: Int32) throws(SQLiteError) {
    let handle = try open()
    try check(sqlite3_bind_int64(handle, index, number))
  }

  func bind(_ number: Double, at index: Int32) throws(SQLiteError) {
    let handle = try open()
    try check(sqlite3_bind_double(handle, index, number))
  }

  func bind(_ text: String, at index: Int32) throws(SQLiteError) {
    let handle = try open()
    var text = text
    // SQLite copies the text: a pointer into a Swift string is valid only within this closure, not until the
    // step.
    try check(text.withUTF8 { csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) })
  }

  func bind(_ bytes: [UInt8], at index: Int32) throws(SQLiteError) {
    let handle = try open()
    try check(
      bytes.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) })
  }

  /// Goes to the next row, and says whether there is one. A failed step leaves the statement reset.
  func step() throws(SQLiteError) -> Bool {
    let handle = try open()
    // SQLite would begin again from the start, which for an INSERT would add a second row.
    guard state != .done else {
      throw .misuse("the statement is done; it must be reset before its next step", sql: sql)
    }
    generation &+= 1
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW:
      state = .row
      width = sqlite3_data_count(handle)
      return true
    case SQLITE_DONE:
      state = .done
      return false
    default:
      let error = SQLiteError(code, on: sqlite3_db_handle(handle), sql: sql)
      sqlite3_reset(handle)
      state = .ready
      throw error
    }
  }

  /// Goes back before the first row, giving up locks; bindings stay.
  func reset() {
    guard state != .ready, let handle else { return }
    generation &+= 1
    // Its result code would only repeat the failure of the last step, which was reported then.
    sqlite3_reset(handle)
    state = .ready
  }

  /// Resets the statement, and releases the bound values.
  func clear() {
    reset()
    guard parameterCount > 0, let handle else { return }
    sqlite3_clear_bindings(handle)
  }

  /// The row under the statement, valid after `step` returned true.
  var currentRow: Row { Row(statement: self) }

  var columnCount: Int { handle.map { Int(sqlite3_column_count($0)) } ?? 0 }

  func columnName(_ column: Int) throws(SQLiteError) -> String {
    let handle = try open()
    guard let index = Int32(exactly: column), index >= 0, index < sqlite3_column_count(handle) else {
      throw outOfRange(column)
    }
    guard let name = sqlite3_column_name(handle, index) else { throw noMemory() }
    return String(cString: name)
  }

  /// The C object, for reading a column of a row that was current at `generation`, and the column as SQLite
  /// counts it.
  func cell(_ column: Int, at generation: UInt64) throws(SQLiteError) -> (OpaquePointer, Int32) {
    let handle = try open()
    guard generation == self.generation else {
      throw .misuse("the row is gone; the statement has moved on", sql: sql)
    }
    guard column >= 0, column < Int(width) else { throw outOfRange(column) }
    return (handle, Int32(truncatingIfNeeded: column))
  }

  func outOfRange(_ column: Int) -> SQLiteError {
    SQLiteError(code: .range, message: "there is no column \(column), of \(columnCount)", sql: sql)
  }

  func noMemory() -> SQLiteError {
    SQLiteError(code: .noMemory, message: "out of memory", sql: sql)
  }

  private func open() throws(SQLiteError) -> OpaquePointer {
    guard let handle else { throw .closed(sql: sql) }
    return handle
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else {
      throw SQLiteError(code, on: handle.flatMap { sqlite3_db_handle($0) }, sql: sql)
    }
  }
}

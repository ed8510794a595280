internal import CSQLite

/// The row a statement is on, readable until the statement moves.
///
/// Columns count from 0. Nothing is converted: a column is read as the type it has, or the read throws. A row
/// also throws after its statement has moved, been given back or closed; it never shows another row's values.
package struct Row {
  private let statement: PreparedStatement
  private let generation: UInt64

  init(statement: PreparedStatement) {
    self.statement = statement
    generation = statement.generation
  }

  package var columnCount: Int { statement.columnCount }

  /// The name of a column, as the statement gives it.
  ///
  /// - Throws: `SQLiteError` when there is no such column, or the connection is closed.
  package func columnName(_ column: Int) throws(SQLiteError) -> String {
    try statement.columnName(column)
  }

  /// An INTEGER.
  ///
  /// - Throws: `SQLiteError`: `.mismatch` for any other type, `.range` for no such column, `.misuse` for a
  ///   row that is gone.
  package func integer(_ column: Int) throws(SQLiteError) -> Int64 {
    let (handle, index) = try cell(column)
    guard sqlite3_column_type(handle, index) == SQLITE_INTEGER else {
      throw mismatch(handle, index, "INTEGER")
    }
    return sqlite3_column_int64(handle, index)
  }

  /// An INTEGER, or nil for NULL.
  ///
  /// - Throws: `SQLiteError`, as `integer` does.
  package func optionalInteger(_ column: Int) throws(SQLiteError) -> Int64? {
    try isNull(column) ? nil : integer(column)
  }

  /// A TEXT, with any NUL inside; bytes that are not UTF-8 become U+FFFD.
  ///
  /// - Throws: `SQLiteError`, as `integer` does.
  package func text(_ column: Int) throws(SQLiteError) -> String {
    String(decoding: try textBytes(column), as: UTF8.self)
  }

  /// A TEXT, or nil for NULL.
  ///
  /// - Throws: `SQLiteError`, as `text` does.
  package func optionalText(_ column: Int) throws(SQLiteError) -> String? {
    try isNull(column) ? nil : text(column)
  }

  /// A BLOB.
  ///
  /// - Throws: `SQLiteError`, as `integer` does.
  package func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
    [UInt8](try blobBytes(column))
  }

  /// Whether a column is NULL.
  ///
  /// - Throws: `SQLiteError` when there is no such column or the row is gone.
  package func isNull(_ column: Int) throws(SQLiteError) -> Bool {
    let (handle, index) = try cell(column)
    return sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// A column of any type.
  ///
  /// - Throws: `SQLiteError` when there is no such column or the row is gone.
  package func value(_ column: Int) throws(SQLiteError) -> Value {
    let (handle, index) = try cell(column)
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT: return .text(try text(column))
    case SQLITE_BLOB: return .blob(try blob(column))
    default: return .null
    }
  }

  /// A column as it is stored, without copying text and blobs.
  ///
  /// The bytes are valid until the statement moves or the connection closes.
  ///
  /// - Throws: `SQLiteError` when there is no such column or the row is gone.
  package func lend(_ column: Int) throws(SQLiteError) -> LentValue {
    let (handle, index) = try cell(column)
    return try lend(handle, index)
  }

  /// Asks for the column once, and then for its type and content: asking the row each time takes twice as
  /// long. This is safe only if no other thread uses the connection (sqlite.org/c3ref/value.html), and none
  /// ever does.
  private func lend(_ handle: OpaquePointer, _ index: Int32) throws(SQLiteError) -> LentValue {
    let value = sqlite3_column_value(handle, index)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_TEXT:
      guard let start = sqlite3_value_text(value) else { throw statement.noMemory() }
      return .text(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    case SQLITE_FLOAT: return .real
    case SQLITE_BLOB: return .blob(try blobBytes(Int(index)))
    default: return .null
    }
  }

  /// Lends the first columns, in order, as `lend` does one by one.
  ///
  /// - Parameter cells: Receives the columns, as many as it has elements.
  /// - Throws: `SQLiteError` when there are fewer columns or the row is gone.
  package func lend(into cells: inout [LentValue]) throws(SQLiteError) {
    guard !cells.isEmpty else { return }
    let (handle, last) = try cell(cells.count - 1)
    for column in 0...last { cells[Int(column)] = try lend(handle, column) }
  }

  private func textBytes(_ column: Int) throws(SQLiteError) -> UnsafeRawBufferPointer {
    let (handle, index) = try cell(column)
    guard sqlite3_column_type(handle, index) == SQLITE_TEXT else { throw mismatch(handle, index, "TEXT") }
    return try lentText(handle, index)
  }

  private func lentText(_ handle: OpaquePointer, _ index: Int32) throws(SQLiteError) -> UnsafeRawBufferPointer
  {
    // First the text, then its length: the other way round may count the bytes of another encoding.
    // See <https://sqlite.org/c3ref/column_blob.html>.
    guard let start = sqlite3_column_text(handle, index) else { throw statement.noMemory() }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
  }

  private func blobBytes(_ column: Int) throws(SQLiteError) -> UnsafeRawBufferPointer {
    let (handle, index) = try cell(column)
    guard sqlite3_column_type(handle, index) == SQLITE_BLOB else { throw mismatch(handle, index, "BLOB") }
    let start = sqlite3_column_blob(handle, index)
    let count = Int(sqlite3_column_bytes(handle, index))
    // An empty blob has no address; any other has one, unless there was no memory for it.
    guard start != nil || count == 0 else { throw statement.noMemory() }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  private func cell(_ column: Int) throws(SQLiteError) -> (OpaquePointer, Int32) {
    try statement.cell(column, at: generation)
  }

  private func mismatch(_ handle: OpaquePointer, _ index: Int32, _ wanted: String) -> SQLiteError {
    let found =
      switch sqlite3_column_type(handle, index) {
      case SQLITE_INTEGER: "INTEGER"
      case SQLITE_FLOAT: "REAL"
      case SQLITE_TEXT: "TEXT"
      case SQLITE_BLOB: "BLOB"
      default: "NULL"
      }
    let name = sqlite3_column_name(handle, index).map { String(cString: $0) } ?? "?"
    return SQLiteError(
      code: .mismatch, message: "column \(index) (\(name)) is \(found), not \(wanted)", sql: statement.sql)
  }
}

/// A column of a row as SQLite holds it, lent until the statement moves.
package enum LentValue {
  case null
  case integer(Int64)
  case real
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)

  /// The bytes of a TEXT; nil for anything else.
  package var text: UnsafeRawBufferPointer? {
    if case .text(let bytes) = self { bytes } else { nil }
  }
}

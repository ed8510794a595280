internal import CSQLite

/// A value as SQLite stores it.
///
/// See <https://sqlite.org/datatype3.html>. Literals stand for themselves in a list of values:
/// `connection.run("INSERT INTO t VALUES (?, ?, ?)", 1, "one", nil)`.
package enum Value: Sendable {
  case null
  case integer(Int64)
  /// NaN is stored as NULL, by a rule of SQLite.
  case real(Double)
  /// Text, which may hold NUL characters.
  case text(String)
  case blob([UInt8])
}

extension Value: Equatable {
  /// Whether both are the same to SQLite, which compares texts by their bytes.
  package static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let one), .integer(let other)): one == other
    case (.real(let one), .real(let other)): one == other
    case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
    case (.blob(let one), .blob(let other)): one == other
    case (.null, _), (.integer, _), (.real, _), (.text, _), (.blob, _): false
    }
  }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(stringLiteral value: String) { self = .text(value) }

  /// Beware of a `nil` beside a `Value` where a `Value?` is wanted, as in `found ? value : nil`: it is this
  /// one.
  package init(nilLiteral: ()) { self = .null }
}

/// What may be missing, with NULL for nil.
extension Value {
  package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  package init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }
}

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

  package var columnCount: Int { Int(statement.width) }

  /// The name of a column that can be read, as the statement gives it.
  package func columnName(_ column: Int) -> String { statement.columnName(column) }

  /// An INTEGER.
  ///
  /// - Throws: `SQLiteError`: `.mismatch` for any other type, `.range` for no such column, `.misuse` for a
  ///   row that is gone.
  package func integer(_ column: Int) throws(SQLiteError) -> Int64 {
    guard case .integer(let number) = try lend(column) else { throw try mismatch(column, "INTEGER") }
    return number
  }

  /// An INTEGER, or nil for NULL; throws as `integer` does.
  package func optionalInteger(_ column: Int) throws(SQLiteError) -> Int64? {
    try isNull(column) ? nil : integer(column)
  }

  /// A TEXT, with any NUL inside; bytes that are not UTF-8 become U+FFFD; throws as `integer` does.
  package func text(_ column: Int) throws(SQLiteError) -> String {
    guard case .text(let bytes) = try lend(column) else { throw try mismatch(column, "TEXT") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A TEXT, or nil for NULL; throws as `integer` does.
  package func optionalText(_ column: Int) throws(SQLiteError) -> String? {
    try isNull(column) ? nil : text(column)
  }

  /// A BLOB; throws as `integer` does.
  package func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
    guard case .blob(let bytes) = try lend(column) else { throw try mismatch(column, "BLOB") }
    return [UInt8](bytes)
  }

  /// - Throws: `SQLiteError` when there is no such column or the row is gone.
  package func isNull(_ column: Int) throws(SQLiteError) -> Bool {
    if case .null = try lend(column) { true } else { false }
  }

  /// A column of any type; throws as `isNull` does.
  package func value(_ column: Int) throws(SQLiteError) -> Value {
    switch try lend(column) {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): .blob([UInt8](bytes))
    }
  }

  /// A column as it is stored; text and blobs are valid until the statement moves or the connection closes.
  package func lend(_ column: Int) throws(SQLiteError) -> LentValue {
    let (handle, index) = try statement.cell(column, at: generation)
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
      // First the text, then its length: the other way round may count the bytes of another encoding.
      // See <https://sqlite.org/c3ref/column_blob.html>.
      guard let start = sqlite3_value_text(value) else { throw statement.noMemory() }
      return .text(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      // An empty blob has no address; any other has one, unless there was no memory for it.
      guard start != nil || count == 0 else { throw statement.noMemory() }
      return .blob(UnsafeRawBufferPointer(start: start, count: count))
    default: return .null
    }
  }

  /// Lends the first columns, in order, as many as there are cells.
  package func lend(into cells: inout [LentValue]) throws(SQLiteError) {
    guard !cells.isEmpty else { return }
    let (handle, last) = try statement.cell(cells.count - 1, at: generation)
    for column in 0...last { cells[Int(column)] = try lend(handle, column) }
  }

  private func mismatch(_ column: Int, _ wanted: String) throws(SQLiteError) -> SQLiteError {
    let found =
      switch try lend(column) {
      case .integer: "INTEGER"
      case .real: "REAL"
      case .text: "TEXT"
      case .blob: "BLOB"
      case .null: "NULL"
      }
    let name = columnName(column)
    return SQLiteError(
      code: .mismatch, message: "column \(column) (\(name)) is \(found), not \(wanted)", sql: statement.sql)
  }
}

/// A column of a row as SQLite holds it, lent until the statement moves.
package enum LentValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)

  /// Nil for anything else.
  package var text: UnsafeRawBufferPointer? {
    if case .text(let bytes) = self { bytes } else { nil }
  }
}

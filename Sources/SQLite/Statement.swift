/// A statement taken out of a connection's cache, for a loop that runs it many times.
///
/// Nobody else gets it while this object lives; dropped, it goes back, reset. As long as it stands on a row
/// it holds a read lock on the file (<https://sqlite.org/lockingv3.html>): step it to the end or reset it
/// before going on to something else.
package final class Statement {
  private let connection: Connection
  private let prepared: PreparedStatement

  init(_ prepared: PreparedStatement, of connection: Connection) {
    self.prepared = prepared
    self.connection = connection
  }

  deinit {
    connection.giveBack(prepared)
  }

  /// The text, parameters unfilled.
  package var sql: String { prepared.sql }

  /// The number of parameters.
  package var parameterCount: Int { Int(prepared.parameterCount) }

  /// The number of columns of its rows; 0 for a statement that gives none, or after a close.
  package var columnCount: Int { prepared.columnCount }

  /// The name of a column, counted from 0.
  ///
  /// - Throws: `SQLiteError` when there is no such column, or the connection is closed.
  package func columnName(_ column: Int) throws(SQLiteError) -> String {
    try prepared.columnName(column)
  }

  /// Binds all parameters, in order.
  ///
  /// - Throws: `SQLiteError`: `.range` when there are more or fewer parameters, `.misuse` when the statement
  ///   has been stepped and not reset.
  package func bind(_ values: Value...) throws(SQLiteError) {
    try prepared.bind(values)
  }

  /// Binds a value to one parameter, counted from 1 as in `?1`; the others keep theirs.
  ///
  /// - Throws: `SQLiteError`: `.range` for no such parameter, `.misuse` when the statement has been stepped and
  ///   not reset.
  package func bind(_ value: Value, at parameter: Int) throws(SQLiteError) {
    try prepared.bind(value, at: index(parameter))
  }

  /// Binds an INTEGER to one parameter, counted from 1.
  ///
  /// - Throws: `SQLiteError`, as for a `Value`.
  package func bind(_ number: Int64, at parameter: Int) throws(SQLiteError) {
    try prepared.bind(number, at: index(parameter))
  }

  /// Binds an INTEGER to one parameter, counted from 1.
  ///
  /// - Throws: `SQLiteError`, as for a `Value`.
  package func bind(_ number: Int, at parameter: Int) throws(SQLiteError) {
    try prepared.bind(Int64(number), at: index(parameter))
  }

  /// Binds a TEXT to one parameter, counted from 1.
  ///
  /// - Throws: `SQLiteError`, as for a `Value`.
  package func bind(_ text: String, at parameter: Int) throws(SQLiteError) {
    try prepared.bind(text, at: index(parameter))
  }

  /// Binds a BLOB to one parameter, counted from 1.
  ///
  /// - Throws: `SQLiteError`, as for a `Value`.
  package func bind(_ bytes: [UInt8], at parameter: Int) throws(SQLiteError) {
    try prepared.bind(bytes, at: index(parameter))
  }

  /// Goes to the next row, and says whether there is one.
  ///
  /// A step that throws leaves the statement reset, its bindings kept.
  ///
  /// - Throws: `SQLiteError`: SQLite's own, or `.misuse` for a step after the last one without a reset.
  package func step() throws(SQLiteError) -> Bool {
    try prepared.step()
  }

  /// Goes back before the first row; bindings stay. Never fails, and may be called at any time.
  package func reset() {
    prepared.reset()
  }

  /// The row the statement is on.
  ///
  /// - Throws: `SQLiteError`: `.misuse` when it is on none.
  package var row: Row {
    get throws(SQLiteError) { try prepared.row() }
  }

  /// Resets, binds all parameters, steps to the end and resets.
  ///
  /// - Throws: `SQLiteError`.
  package func run(_ values: Value...) throws(SQLiteError) {
    prepared.reset()
    try prepared.bind(values)
    defer { prepared.reset() }
    while try prepared.step() {}
  }

  private func index(_ parameter: Int) throws(SQLiteError) -> Int32 {
    guard let index = Int32(exactly: parameter) else {
      throw SQLiteError(code: .range, message: "there is no parameter \(parameter)", sql: sql)
    }
    return index
  }
}

import ReleaseModel
import SQLite

/// Reads rows into records and writes them, by the one list of fields that each record has.
///
/// What a column holds was checked by the schema when it was written, so a value that does not read means that
/// somebody went around it; it is an error, never a guess.
extension Ledger {
  /// The records of a table, in the order of their numbers where nothing else is asked for.
  ///
  /// - Parameter condition: What follows `WHERE`, with its values.
  func records<Value: Record>(
    _ type: Value.Type, where condition: String, _ values: SQLite.Value..., order: String? = nil
  ) throws -> [Value] {
    var records: [Value] = []
    try forEachRecord(type, where: condition, values: values, order: order) { record, _ in
      records.append(record)
      return true
    }
    return records
  }

  /// The records of a table one by one with their rows, until the body says false.
  ///
  /// - Parameter extra: Columns to be read after those of the record.
  func forEachRecord<Value: Record>(
    _ type: Value.Type, where condition: String, values: [SQLite.Value], order: String? = nil,
    extra: [String] = [], _ body: (Value, Row) throws -> Bool
  ) throws {
    let columns = Columns(of: type)
    let order = order ?? "ORDER BY \(Value.table.key)"
    var reader = CellReader(count: columns.count)
    try connection.forEach(
      "SELECT \((columns.names + extra).joined(separator: ", ")) FROM \(Value.table.rawValue) WHERE \(condition) \(order)",
      values: values
    ) { row in
      let record: Value
      do {
        record = try reader.read(row)
      } catch let fault as FieldFault {
        throw LedgerError.unreadableRow(
          "column \(fault.name) of a row of table \(Value.table.rawValue) in \(path)")
      }
      return try body(record, row)
    }
  }

  /// Reads one column.
  func read<Value: FieldValue>(_ row: Row, _ column: Int) throws -> Value {
    guard let value = Value(cell: LentStoredValue(try row.lend(column))) else {
      throw LedgerError.unreadableRow("column \(try row.columnName(column)) of a row of \(path)")
    }
    return value
  }

  /// Inserts a record's row.
  ///
  /// - Parameters:
  ///   - app: The slug of the app it belongs to, for records that belong to one.
  ///   - extra: Columns that the record does not hold.
  func insert<Value: Record>(_ record: Value, app: String? = nil, extra: [(String, SQLite.Value)] = []) throws
  {
    let columns = Columns(of: Value.self)
    let marks = columns.all.map { $0.isOwner ? "(SELECT id FROM app WHERE slug = ?)" : "?" }
    try connection.run(
      """
      INSERT INTO \(Value.table.rawValue) (\((columns.names + extra.map(\.0)).joined(separator: ", "))) \
      VALUES (\((marks + extra.map { _ in "?" }).joined(separator: ", ")))
      """, values: record.cells(app: app) + extra.map(\.1))
  }

  /// Writes what an event may alter of a record into its row.
  ///
  /// - Parameter key: The column and value that tell the row; nil for the record's own number.
  func update<Value: Record>(_ record: Value, where key: (String, SQLite.Value)? = nil) throws {
    let columns = Columns(of: Value.self)
    let key = key ?? (Value.table.key, record.rowID.sqliteValue)
    var values: [SQLite.Value] = []
    var settings: [String] = []
    for (column, value) in zip(columns.all, record.cells(app: nil)) where column.kind != .fixed {
      settings.append("\(column.name) = ?")
      values.append(value)
    }
    try connection.run(
      "UPDATE \(Value.table.rawValue) SET \(settings.joined(separator: ", ")) WHERE \(key.0) = ?",
      values: values + [key.1])
  }
}

extension Record {
  /// The values of the record's columns.
  func cells(app: String?) -> [SQLite.Value] {
    var writer = CellWriter(app: app)
    var record = self
    // A visitor that writes meets nothing it cannot read.
    try? record.visit(&writer)
    return writer.values
  }

  /// A number that stands for all that the record's row should hold, spelling included.
  ///
  /// `Hasher` is keyed anew in each process, so that nobody can make up another record of the same number beforehand.
  var digest: Int {
    var digest = FieldDigest()
    var record = self
    try? record.visit(&digest)
    return digest.hasher.finalize()
  }
}

/// The columns of a record, in order.
struct Columns: FieldVisitor {
  struct Column {
    let name: String
    let kind: FieldKind
    var isOwner = false
  }

  private(set) var all: [Column] = []
  private var prefix = ""

  init<Value: Fields>(of type: Value.Type, prefix: String = "") {
    self.prefix = prefix
    var blank = Value.blank
    try? blank.visit(&self)
  }

  var names: [String] { all.map(\.name) }
  var count: Int { all.count }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if let column { all.append(Column(name: prefix + column, kind: kind)) }
  }

  mutating func owner(_ column: String, _ member: String) {
    all.append(Column(name: column, kind: .fixed, isOwner: true))
  }

  mutating func group<Group: Fields>(_ value: inout Group?, _ prefix: String, _ member: String) {
    all += Columns(of: Group.self, prefix: prefix).all
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    all.append(Column(name: column, kind: .changing))
  }
}

/// Writes the columns of a record.
private struct CellWriter: FieldVisitor {
  let app: String?
  var values: [SQLite.Value] = []

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    guard column != nil else { return }
    switch value.cell {
    case .null: values.append(.null)
    case .integer(let value): values.append(.integer(value))
    case .text(let text): values.append(.text(text))
    }
  }

  mutating func owner(_ column: String, _ member: String) { values.append(app.sqliteValue) }

  mutating func group<Group: Fields>(_ value: inout Group?, _ prefix: String, _ member: String) {
    guard var group = value else {
      values += Columns(of: Group.self).all.map { _ in .null }
      return
    }
    try? group.visit(&self)
  }

  mutating func notes(_ notes: inout [Note], _ column: String) { values.append(.integer(Int64(notes.count))) }
}

/// Reads the columns of records as rows lend them.
struct CellReader: FieldVisitor {
  private var cells: [LentValue]
  private var next = 0
  /// Whether a group that is not there is passed over.
  private var isPassing = false

  init(count: Int) { cells = Array(repeating: .null, count: count) }

  /// Reads the record that a row's first columns hold; the notes of a release are in another table.
  ///
  /// - Throws: `FieldFault` for what pawl never writes, `SQLiteError`.
  mutating func read<Value: Record>(_ row: Row) throws -> Value {
    try row.lend(into: &cells)
    next = 0
    var record = Value.blank
    try record.visit(&self)
    return record
  }

  private mutating func take() -> LentStoredValue {
    defer { next += 1 }
    return LentStoredValue(cells[next])
  }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault) {
    guard let column else { return }
    let cell = take()
    if isPassing {
      if case .null = cell { return }
      throw FieldFault(column)
    }
    guard let read = Value(cell: cell) else { throw FieldFault(column) }
    value = read
  }

  mutating func owner(_ column: String, _ member: String) { next += 1 }

  mutating func group<Group: Fields>(_ value: inout Group?, _ prefix: String, _ member: String)
    throws(FieldFault)
  {
    if case .null = cells[next] { isPassing = true }
    defer { isPassing = false }
    var group = Group.blank
    try group.visit(&self)
    value = isPassing ? nil : group
  }

  mutating func notes(_ notes: inout [Note], _ column: String) throws(FieldFault) {
    guard case .integer(0...) = take() else { throw FieldFault(column) }
  }
}

/// Boils the fields that a row holds down to one number.
private struct FieldDigest: FieldVisitor {
  var hasher = Hasher()

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if column != nil { value.hash(spelled: &hasher) }
  }

  mutating func owner(_ column: String, _ member: String) {}

  mutating func group<Group: Fields>(_ value: inout Group?, _ prefix: String, _ member: String) {
    hasher.combine(value == nil)
    if var group = value { try? group.visit(&self) }
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    for note in notes {
      hasher.combine(note.locale)
      hasher.combine(note.text)
    }
    hasher.combine(notes.count)
  }
}

extension LentStoredValue {
  fileprivate init(_ value: LentValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .text(let bytes): self = .text(bytes.bindMemory(to: UInt8.self))
    case .real, .blob: self = .other
    }
  }
}

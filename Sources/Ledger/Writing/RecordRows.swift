import ReleaseModel
import SQLite

/// Reads and writes records as rows, by the one list of fields that each record has.
///
/// pawl reads every value that it writes, so one that cannot be read was written by someone else. That is an error;
/// nothing is guessed.
extension Ledger {
  func records<Value: Record>(
    _ type: Value.Type, where condition: String, _ values: SQLite.Value..., order: String? = nil
  ) throws -> [Value] {
    var records: [Value] = []
    try forEachRecord(type, where: condition, values: values, order: order) { record in
      records.append(record)
      return true
    }
    return records
  }

  /// Passes the records that meet a condition to the body one by one until it returns false.
  func forEachRecord<Value: Record>(
    _ type: Value.Type, where condition: String, values: [SQLite.Value], order: String? = nil,
    _ body: (consuming Value) throws -> Bool
  ) throws {
    let columns = type.columns
    let order = order ?? "ORDER BY \(Value.table.key)"
    var reader = RowReader(count: columns.count)
    try forEach(
      "SELECT \(columns.list) FROM \(Value.table.rows) WHERE \(condition) \(order)",
      values: values
    ) { row in
      let record: Value
      do {
        record = try reader.read(row)
      } catch let fault as FieldFault {
        throw LedgerError.unreadableRow(
          "column \(fault.name) of a row of table \(Value.table.rawValue) in \(path)")
      }
      return try body(record)
    }
  }

  func insert<Value: Record>(_ record: Value, app: String? = nil, extra: [(String, SQLite.Value)] = []) throws
  {
    let names = [Value.columns.list] + extra.map(\.0)
    let marks = [Value.columns.marks] + extra.map { _ in "?" }
    try connection.run(
      """
      INSERT INTO \(Value.table.rows) (\(names.joined(separator: ", "))) \
      VALUES (\(marks.joined(separator: ", ")))
      """, values: record.cells(app: app) + extra.map(\.1))
  }

  func update<Value: Record>(
    _ record: Value, _ fate: TouchedRow.Fate, where key: (String, SQLite.Value)? = nil
  ) throws {
    let key = key ?? (Value.table.key, SQLite.Value(record.rowID))
    let values = zip(Value.columns.all, record.cells(app: nil)).lazy.filter { $0.0.isSet(by: fate) }.map(\.1)
    try connection.run(
      "UPDATE \(Value.table.rows) SET \(Value.columns.settings(by: fate)) WHERE \(key.0) = ?",
      values: values + [key.1])
  }
}

extension Ledger {
  func write(notesOf release: Release) throws {
    for (position, note) in release.notes.enumerated() {
      try connection.run(
        "INSERT INTO note_row (release_id, position, locale, text, event_seq) VALUES (?, ?, ?, ?, ?)",
        .integer(release.id), .integer(Int64(position)), .text(note.locale), .text(note.text),
        .integer(release.event))
    }
  }

  func insert(_ event: EventRecord) throws {
    try connection.run(
      "INSERT INTO event_row (\(Ledger.eventColumns)) VALUES (\(EventRecord.columns.marks))",
      values: event.cells)
  }
}

extension Fields {
  var cells: [SQLite.Value] { cells(app: nil) }

  func cells(app: String?) -> [SQLite.Value] {
    storedValues(app: app).map { value in
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .text(let text): .text(text)
      }
    }
  }
}

struct RowReader {
  private var lent: [LentValue]
  private var cells: [LentStoredValue]

  init(count: Int) {
    lent = Array(repeating: .null, count: count)
    cells = Array(repeating: .null, count: count)
  }

  /// - Throws: `FieldFault` for what pawl never writes, `SQLiteError`.
  mutating func read<Value: Fields>(_ row: Row) throws -> Value {
    try row.lend(into: &lent)
    for index in lent.indices { cells[index] = LentStoredValue(lent[index]) }
    return try Value.reading(cells: cells)
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

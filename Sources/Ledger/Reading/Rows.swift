import ReleaseModel
import SQLite

extension Ledger {
  func write(notesOf release: Release) throws {
    for (position, note) in release.notes.enumerated() {
      try connection.run(
        "INSERT INTO note (release_id, position, locale, text, event_seq) VALUES (?, ?, ?, ?, ?)",
        .integer(release.id), .integer(Int64(position)), .text(note.locale), .text(note.text),
        .integer(release.event))
    }
  }

  static let eventColumns = EventRecord.columns.list

  /// - Throws: `LedgerError.unreadableRow` for what pawl never writes.
  func event(from row: Row) throws -> EventRecord {
    var reader = RowReader(count: EventRecord.columns.count)
    do {
      return try reader.read(row)
    } catch let fault as FieldFault {
      throw LedgerError.unreadableRow("column \(fault.name) of a row of table event in \(path)")
    }
  }

  /// The same, but one without content for what pawl never writes.
  func anyEvent(from row: Row) throws -> EventRecord {
    do {
      return try event(from: row)
    } catch LedgerError.unreadableRow {
      return EventRecord(seq: try row.integer(0), at: "", kind: "", actor: "")
    }
  }

  func insert(_ event: EventRecord) throws {
    try connection.run(
      "INSERT INTO event (\(Ledger.eventColumns)) VALUES (\(EventRecord.columns.marks))", values: event.cells)
  }
}

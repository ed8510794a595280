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

  static let eventColumns = """
    seq, at, format, kind, app, version, subject, before, after, impact, actor, reason, evidence, request_id, \
    request, answer, schedules, hash
    """

  func event(from row: Row) throws -> EventRecord {
    EventRecord(
      seq: try row.integer(0), at: try row.text(1), format: try row.integer(2), kind: try row.text(3),
      app: try row.optionalText(4), version: try row.optionalText(5), subject: try row.optionalText(6),
      before: try row.optionalText(7), after: try row.optionalText(8), impact: try row.optionalText(9),
      actor: try row.text(10), reason: try row.optionalText(11), evidence: try row.optionalInteger(12),
      requestID: try row.optionalText(13), request: try row.optionalText(14),
      answer: try row.optionalText(15), schedules: try row.optionalText(16), hash: try row.text(17))
  }

  func insert(_ event: EventRecord) throws {
    let values = event.cells + [.text(event.hash)]
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    try connection.run("INSERT INTO event (\(Ledger.eventColumns)) VALUES (\(marks))", values: values)
  }
}

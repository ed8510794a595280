import ReleaseModel
import SQLite

/// The rows that are not records: notes, which belong to their release, and events.
extension Ledger {
  /// Replaces the stored notes of a release.
  func write(notesOf release: Release) throws {
    try connection.run("DELETE FROM note WHERE release_id = ?", .integer(release.id))
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
    try connection.run(
      """
      INSERT INTO event (seq, at, format, kind, app, version, subject, before, after, impact, actor, reason,
        evidence, request_id, request, answer, schedules, hash)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(event.seq), .text(event.at), .integer(event.format), .text(event.kind), event.app.sqliteValue,
      event.version.sqliteValue, event.subject.sqliteValue, event.before.sqliteValue, event.after.sqliteValue,
      event.impact.sqliteValue, .text(event.actor), event.reason.sqliteValue, event.evidence.sqliteValue,
      event.requestID.sqliteValue, event.request.sqliteValue, event.answer.sqliteValue,
      event.schedules.sqliteValue,
      .text(event.hash))
  }
}

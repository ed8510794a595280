import CSV
import JSON
import Ledger

/// Events as lines of CSV; columns may be added at the end, none is renamed or moved.
enum EventCSV {
  /// The names of the columns.
  static let header = CSVWriter.line([
    "seq", "at", "kind", "app", "version", "what", "user", "claimed", "host", "reason", "request_id",
    "evidence",
    "before", "after", "impact", "actor", "hash",
  ])

  /// One event; what is an object stands as its JSON.
  static func line(_ event: EventRecord, _ zone: Zone) -> String {
    let json = event.json
    let actor = json["actor"] ?? .null
    return CSVWriter.line([
      String(event.seq), zone.text(event.at), event.kind, event.app, event.version, EventText.what(json),
      actor["user"]?.string, actor["claimed"]?.string, actor["host"]?.string, event.reason, event.requestID,
      event.evidence.map { String($0) }, event.before, event.after, event.impact, event.actor, event.hash,
    ])
  }
}

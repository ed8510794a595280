import JSON
package import ReleaseModel
import SQLite

/// Which events are wanted.
package struct HistoryFilter: Sendable, Equatable {
  package var app: String?
  package var version: Version?
  package var since: Timestamp?
  package var until: Timestamp?
  /// A user's name, claimed or the system's.
  package var by: String?
  package var kind: String?
  package var limit: Int?

  package init() {}
}

extension Ledger {
  /// Events, newest first.
  ///
  /// - Throws: `LedgerError`.
  package func history(_ filter: HistoryFilter) throws -> [EventRecord] {
    var clauses: [String] = []
    var values: [Value] = []
    func add(_ clause: String, _ value: Value) {
      clauses.append(clause)
      values.append(value)
    }
    if let app = filter.app { add("app = ?", .text(app)) }
    if let since = filter.since { add("at >= ?", .text(since.text)) }
    if let until = filter.until { add("at < ?", .text(until.text)) }
    if let kind = filter.kind {
      // 'release' means every kind of change of a release.
      add("kind || '.' GLOB ? || '.*'", .text(kind))
    }
    let condition = clauses.isEmpty ? "" : "WHERE " + clauses.joined(separator: " AND ")
    var events: [EventRecord] = []
    try reading {
      try connection.forEach(
        "SELECT \(Ledger.eventColumns) FROM event \(condition) ORDER BY seq DESC", values: values
      ) { row in
        if let limit = filter.limit, events.count >= limit { return false }
        let event = try event(from: row)
        if let wanted = filter.version {
          guard let version = event.version.flatMap({ try? Version($0) }), version == wanted else {
            return true
          }
        }
        if let by = filter.by {
          let actor = try? JSON(parsing: event.actor.utf8)
          guard actor?["user"]?.string == by || actor?["claimed"]?.string == by else { return true }
        }
        events.append(event)
        return true
      }
    }
    return events
  }

  /// One event.
  ///
  /// - Throws: `LedgerError.noEvent`.
  package func event(_ seq: Int64) throws -> EventRecord {
    let found = try reading {
      try connection.first("SELECT \(Ledger.eventColumns) FROM event WHERE seq = ?", .integer(seq)) {
        try event(from: $0)
      }
    }
    guard let found else { throw LedgerError.noEvent(seq, last: try head().seq) }
    return found
  }
}

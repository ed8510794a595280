import JSON
package import ReleaseModel
import SQLite

/// Which events are wanted.
package struct HistoryFilter: Sendable, Equatable {
  package var app: String?
  /// The version that is wanted, with the rules, redirects and settings whose range contains it, and the stops of its app.
  package var version: Version?
  package var since: Timestamp?
  package var until: Timestamp?
  package var first: Int64?
  package var last: Int64?
  /// Of the system user, as claimed, of a forced ssh command's principal, or of the actor or system of a CI
  /// run.
  package var by: String?
  package var kind: String?
  package var subject: String?
  package var limit: Int?

  package init(
    app: String? = nil, kind: String? = nil, subject: String? = nil, first: Int64? = nil,
    last: Int64? = nil, limit: Int? = nil
  ) {
    (self.app, self.kind, self.subject) = (app, kind, subject)
    (self.first, self.last, self.limit) = (first, last, limit)
  }
}

extension Ledger {
  /// Passes events to `body` one by one, newest first, until it returns false; no lock is held while it runs.
  package func eachEvent(_ filter: HistoryFilter, _ body: (EventRecord) throws -> Bool) throws {
    var left = filter.limit ?? Int.max
    var range = try range(of: filter)
    let wanted = EventMatch(filter)
    while left > 0, let newest = range.newest {
      // Numbers that someone's SQL skipped, and other apps' events, cost one lookup, not the reading of
      // slices.
      let top = try number(
        "seq BETWEEN ? AND ?\(filter.app == nil ? "" : " AND app = ?") ORDER BY seq DESC",
        .integer(range.first),
        .integer(newest), filter.app.map(Value.text))
      guard let top else { return }
      let bottom = max(range.first, top - (sliceOfEvents - 1))
      range.last = bottom - 1
      for event in try slice(bottom...top, wanted, limit: left) {
        left -= 1
        guard try body(event) else { return }
      }
    }
  }

  /// Events, newest first.
  package func history(_ filter: HistoryFilter) throws -> [EventRecord] {
    var events: [EventRecord] = []
    try eachEvent(filter) {
      events.append($0)
      return true
    }
    return events
  }

  private func slice(_ numbers: ClosedRange<Int64>, _ wanted: EventMatch, limit: Int) throws -> [EventRecord]
  {
    var events: [EventRecord] = []
    try forEach(
      """
      SELECT \(Ledger.eventColumns) FROM event_row WHERE seq BETWEEN ? AND ?\(wanted.condition) ORDER BY seq DESC
      """, values: [.integer(numbers.lowerBound), .integer(numbers.upperBound)] + wanted.values
    ) { row in
      let event = try event(from: row)
      if wanted.matches(event) { events.append(event) }
      return events.count < limit
    }
    return events
  }

  private func range(of filter: HistoryFilter) throws -> SeqRange {
    var range = SeqRange(first: max(1, filter.first ?? 1), last: min(try head().seq, filter.last ?? .max))
    if let since = filter.since { range.first = max(range.first, try lastEvent(before: since) &+ 1) }
    if let until = filter.until { range.last = min(range.last, try lastEvent(before: until)) }
    return range
  }

  /// The last event before a moment, or 0: events are in order of time (the schema's `event.order`).
  func lastEvent(before moment: Timestamp) throws -> Int64 {
    var (low, high) = (Int64(0), try head().seq)
    while low < high {
      let middle = high - (high - low) / 2
      let at = try first(
        "SELECT at FROM event_row WHERE seq <= ? ORDER BY seq DESC LIMIT 1", .integer(middle)
      ) {
        try $0.text(0)
      }
      if at.map({ $0 < moment.text }) ?? true { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// The number of the first event that meets a condition, which may end with an order.
  func number(_ condition: String, _ values: Value?...) throws -> Int64? {
    try first("SELECT seq FROM event_row WHERE \(condition) LIMIT 1", values: values.compactMap(\.self)) {
      try $0.integer(0)
    }
  }

  /// The least number of an event that is greater than a number; nil if there is none.
  package func firstEvent(after seq: Int64) throws -> Int64? {
    try number("seq > ? ORDER BY seq", .integer(seq))
  }

  /// How many events there are after a number, and when the first of them was recorded.
  package func events(after seq: Int64) throws -> (count: Int64, since: Timestamp?) {
    try first("SELECT count(*), min(at) FROM event_row WHERE seq > ?", .integer(seq)) { row in
      let count = try row.integer(0)
      return (count, count > 0 ? try? Timestamp(row.text(1)) : nil)
    } ?? (0, nil)
  }

  /// - Throws: `LedgerError.noEvent`.
  package func event(_ seq: Int64) throws -> EventRecord {
    let found = try first("SELECT \(Ledger.eventColumns) FROM event_row WHERE seq = ?", .integer(seq)) {
      try event(from: $0)
    }
    guard let found else { throw LedgerError.noEvent(seq, last: try head().seq) }
    return found
  }

  /// The hash of an event; nil if there is no such event.
  package func hash(of seq: Int64) throws -> String? {
    do {
      return try event(seq).hash
    } catch LedgerError.noEvent {
      return nil
    }
  }
}

struct SeqRange {
  var first: Int64
  var last: Int64

  var newest: Int64? { first <= last ? last : nil }
}

private struct EventMatch {
  private(set) var condition = ""
  private(set) var values: [Value] = []
  private let version: Version?
  private let by: String?

  init(_ filter: HistoryFilter) {
    version = filter.version
    by = filter.by
    if let app = filter.app { add("app = ?", .text(app)) }
    // 'release' means every kind of change of a release.
    if let kind = filter.kind { add("(kind = ? OR kind GLOB ? || '.*')", .text(kind), .text(kind)) }
    if let subject = filter.subject { add("subject = ?", .text(subject)) }
    if filter.version != nil {
      add(
        "(version IS NOT NULL OR subject GLOB 'rule/*' OR subject GLOB 'redirect/*' OR subject GLOB 'setting/*' "
          + "OR kind IN ('\(EventKind.appStop.rawValue)', '\(EventKind.appResume.rawValue)'))"
      )
    }
  }

  private mutating func add(_ clause: String, _ value: Value...) {
    condition += " AND \(clause)"
    values += value
  }

  func matches(_ event: EventRecord) -> Bool {
    if let version, !event.isAbout(version) { return false }
    guard let by else { return true }
    let actor = try? JSON(parsing: event.actor.utf8)
    return ["user", "claimed", "principal"].contains { actor?[$0]?.string == by }
  }
}

extension EventRecord {
  fileprivate func isAbout(_ version: Version) -> Bool {
    if let own = self.version { return (try? Version(own)) == version }
    if [EventKind.appStop.rawValue, EventKind.appResume.rawValue].contains(kind) { return true }
    guard let text = after ?? before, let said = try? JSON(parsing: text.utf8) else { return false }
    let range = said["range"]?.string.flatMap { try? VersionRange($0) }
    return range?.contains(version) == true
  }
}

extension Ledger {
  /// The event of the plan that an event carries out, and the signers who agreed to it; nil without a plan.
  package func agreement(to event: EventRecord) throws -> (plan: Int64, signers: [String])? {
    let found = try first(
      "SELECT max(seq) FROM event_row WHERE kind = '\(EventKind.planApply.rawValue)' AND seq <= ?",
      .integer(event.seq)
    ) { try $0.optionalInteger(0) }
    guard let seq = found ?? nil else { return nil }
    let record = try self.event(seq)
    guard case .planApplied(let plan)? = try? record.change(), let at = try? Timestamp(record.at),
      event.seq == seq || SignedPlan(plan)?.plan.covered(after: seq)?.contains(event.seq) == true
    else { return nil }
    let trusts = try asOf(.event(seq), of: []).trusts()
    return (seq, trusts.names(signingWith: Set(plan.signatures.map(\.key)), at: at).sorted())
  }
}

import JSON
package import ReleaseModel
import SQLite

/// A ledger made of another one's events alone, by the functions that record: what its tables should be.
///
/// It has the same schema, and its readers are the ordinary ones. It lives in memory, or in a temporary file that has no
/// name.
struct Witness {
  let ledger: Ledger
  /// What the events add up to so far; the changes are those of the last command.
  var draft: ChangeSet

  init(_ connection: Connection) throws {
    ledger = try Ledger.empty(connection)
    draft = try ChangeSet(ledger: ledger, head: try ledger.head(), now: .distantPast)
  }

  /// Begins a command.
  mutating func begin(at moment: Timestamp, isJudged: Bool = false) {
    draft.beginRecorded(at: moment, isJudged: isJudged)
  }

  /// Adds a change to the command, whatever the laws say.
  mutating func take(_ change: Change, of event: EventRecord, isProved: Bool? = nil) throws {
    try draft.replay(change, of: event, isProved: isProved)
  }

  /// Writes an event, and the rows that its change makes.
  ///
  /// - Parameter change: Its place among the command's changes; nil if nobody can read it.
  /// - Returns: What a constraint, a trigger or the numbering of rows has against it; it is written all the same.
  func write(_ event: EventRecord, _ change: Int?) throws -> String? {
    // What is wrong with the event's own columns is for whoever checks the chain to say.
    _ = try trying { try ledger.insert(event) }
    guard let change else { return nil }
    let planned = draft.changes[change]
    var objection: String?
    let subject = try ledger.subject(of: planned.change)
    if planned.change.kind.traits.columns.contains(.subject), subject != event.subject {
      objection = "it is about \(subject ?? "no row")"
    }
    for row in planned.rows {
      let refused = try trying { try ledger.write(row, app: event.app ?? "", bodies: draft.bodies) }
      objection = objection ?? refused
    }
    return objection
  }

  /// Runs a body under the laws of the schema, and if they refuse it without them; returns why they did.
  private func trying(_ body: () throws -> Void) throws -> String? {
    do {
      try body()
      return nil
    } catch let error as SQLiteError where error.code.primary == .constraint {
      try ledger.connection.withoutConstraints {
        do {
          try body()
        } catch let error as SQLiteError where error.code.primary == .constraint {
          // Two rows cannot have one number; the comparison of rows tells them apart.
        }
      }
      return error.message
    }
  }
}

/// A point in the ledger's past.
package enum PastPoint: Sendable, Equatable {
  case event(Int64)
  case moment(Timestamp)
}

extension Ledger {
  /// The ledger as it was, for the ordinary readers: made of its events up to a point, which are read in slices; of some
  /// apps, those they lead to, and what belongs to no app. Its schedules and evidence are left out.
  ///
  /// - Throws: `LedgerError.noEvent` for a number that is not there, `unreadableEvent`.
  package func asOf(_ point: PastPoint, of slugs: Set<String>? = nil) throws -> Ledger {
    var last = try head().seq
    switch point {
    case .event(let seq):
      guard (0...max(0, last)).contains(seq) else { throw LedgerError.noEvent(seq, last: last) }
      last = seq
    case .moment(let moment):
      let range = SeqRange(first: 1, last: last)
      last = try firstEvent(notBefore: moment + TimeSpan(seconds: 1), in: range) - 1
    }
    var witness = try Witness(Connection.inMemory())
    let apps = try slugs.map { try everInvolved($0, upTo: last) }
    try witness.ledger.connection.withoutConstraints {
      try witness.ledger.connection.transaction(.deferred) {
        try eachEvent(of: apps, upTo: last, always: try number(atMost: last, from: 1)) { event in
          witness.begin(at: (try? Timestamp(event.at)) ?? .distantPast)
          try witness.take(event.change(), of: event)
          _ = try witness.write(event, 0)
        }
      }
    }
    return witness.ledger
  }

  /// Passes the events of some apps, or of all, and those that belong to none, but for evidence and requests, after one
  /// and up to another to the body, oldest first and in slices: no lock is held while it runs.
  ///
  /// - Parameter always: An event that is passed in any case.
  func eachEvent(
    of apps: Set<String>?, after first: Int64 = 0, upTo last: Int64, always: Int64? = nil,
    _ body: (EventRecord) throws -> Void
  ) throws {
    let marks = (apps ?? []).map { _ in "?" }.joined(separator: ", ")
    try eachEvent(
      after: first, upTo: last,
      where: """
        ((\(apps == nil ? "TRUE" : "app IN (\(marks)) OR app IS NULL")) AND kind NOT GLOB 'evidence.*' AND kind <> 'request'
          OR seq = ?)
        """,
      values: (apps ?? []).sorted().map { .text($0) } + [Value(always)], body)
  }

  private func eachEvent(
    after first: Int64, upTo last: Int64, where condition: String, values: [Value],
    _ body: (EventRecord) throws -> Void
  ) throws {
    // Read by number: with the index by app, SQLite would go through all events of each app for every slice.
    let sql = """
      SELECT \(Ledger.eventColumns) FROM event NOT INDEXED
      WHERE seq BETWEEN ? AND ? AND \(condition) ORDER BY seq
      """
    var done = first
    while let bottom = try number(after: done), bottom <= last {
      // The difference is never negative, so nothing overflows however far apart the numbers are.
      done = last - bottom < sliceOfEvents ? last : bottom + (sliceOfEvents - 1)
      let events = try query(sql, values: [.integer(bottom), .integer(done)] + values) { try event(from: $0) }
      for event in events { try body(event) }
    }
  }

  /// Some apps, and every app that one of their rules or redirects ever led to.
  func everInvolved(_ slugs: Set<String>, upTo last: Int64) throws -> Set<String> {
    var apps = slugs
    let marks = slugs.map { _ in "?" }.joined(separator: ", ")
    try eachEvent(
      after: 0, upTo: last, where: "app IN (\(marks)) AND (kind GLOB 'rule.*' OR kind GLOB 'redirect.*')",
      values: slugs.sorted().map { .text($0) }
    ) { event in
      if let other = event.json["after"]?["to"]?.string { apps.insert(other) }
    }
    return apps
  }
}

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

  private let keepsEvents: Bool

  /// - Parameter isAsked: Whether it will be asked as a ledger is, so that it has the events and indexes that its rows are
  ///   found by; the rows alone are made in half the time.
  init(_ connection: Connection, isAsked: Bool) throws {
    keepsEvents = isAsked
    ledger = try Ledger.empty(connection)
    // Chain and laws are asked of every event, so no trigger and no CHECK has more to say, and what was recorded is copied
    // as it is.
    try connection.leaveOutConstraints()
    if !isAsked {
      for name in ["state", "version", "mandatory", "system"] {
        try connection.run("DROP INDEX release_\(name)")
      }
    }
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
  /// - Parameter change: Its place among the command's changes; nil if no one can read it.
  /// - Returns: What a unique index or the numbering of rows has against it.
  func write(_ event: EventRecord, _ change: Int?) throws -> String? {
    // What is wrong with the event's own columns is for whoever checks the chain to say.
    if keepsEvents { _ = try trying { try ledger.insert(event) } }
    guard let change else { return nil }
    let planned = draft.changes[change]
    var objection: String?
    let subject = try ledger.subject(of: planned.change)
    if planned.change.kind.traits.columns.contains(.subject), subject != event.subject {
      objection = "it is about \(subject ?? "no row")"
    } else if try ledger.also(of: planned) != event.also {
      objection = "it does not say what it does to other rows"
    }
    for row in planned.rows {
      let refused = try trying { try ledger.write(row, app: event.app ?? "", bodies: draft.bodies) }
      objection = objection ?? refused
    }
    return objection
  }

  /// Runs a body; returns what a constraint has against it. Two rows cannot have one number; the comparison of rows tells
  /// them apart.
  private func trying(_ body: () throws -> Void) throws -> String? {
    do {
      try body()
      return nil
    } catch let error as SQLiteError where error.code.primary == .constraint {
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
      last = try lastEvent(before: moment + TimeSpan(seconds: 1))
    }
    var witness = try Witness(Connection.inMemory(), isAsked: true)
    let apps = try slugs.map(everInvolved)
    try witness.ledger.connection.transaction(.deferred) {
      let newest = try number("seq <= ? ORDER BY seq DESC", .integer(last))
      try eachEvent(of: apps, upTo: last, always: newest) { event in
        witness.begin(at: (try? Timestamp(event.at)) ?? .distantPast)
        try witness.take(event.change(), of: event)
        _ = try witness.write(event, 0)
      }
    }
    return witness.ledger
  }

  /// Passes the events of some apps, or of all, and those that belong to none, but for evidence and requests, up to one
  /// to the body, oldest first and in slices: no lock is held while it runs.
  ///
  /// - Parameter always: An event that is passed in any case.
  func eachEvent(
    of apps: Set<String>?, upTo last: Int64, always: Int64? = nil, _ body: (EventRecord) throws -> Void
  ) throws {
    let marks = (apps ?? []).map { _ in "?" }.joined(separator: ", ")
    // Read by number: with the index by app, SQLite would go through all events of each app for every slice.
    let sql = """
      SELECT \(Ledger.eventColumns) FROM event_row NOT INDEXED WHERE seq BETWEEN ? AND ? AND (seq = ?
        OR (\(apps == nil ? "TRUE" : "app IN (\(marks)) OR app IS NULL")) AND kind NOT GLOB 'evidence.*' AND kind <> 'request')
      ORDER BY seq
      """
    var done: Int64 = 0
    while let bottom = try number("seq > ? ORDER BY seq", .integer(done)), bottom <= last {
      // The difference is never negative, so nothing overflows however far apart the numbers are.
      done = last - bottom < sliceOfEvents ? last : bottom + (sliceOfEvents - 1)
      let values =
        [.integer(bottom), .integer(done), Value(always)] + (apps ?? []).sorted().map { Value.text($0) }
      for event in try query(sql, values: values, row: event(from:)) { try body(event) }
    }
  }

  /// Some apps, and every app that one of their rules or redirects ever led to.
  func everInvolved(_ slugs: Set<String>) throws -> Set<String> {
    try slugs.reduce(into: slugs) { apps, slug in
      apps.formUnion(
        try query(
          """
          SELECT to_app FROM app_row JOIN rule_row ON app_id = id WHERE slug = ?1 AND to_app IS NOT NULL
            UNION SELECT to_app FROM app_row JOIN redirect_row ON app_id = id WHERE slug = ?1 AND to_app IS NOT NULL
          """, .text(slug)
        ) { try $0.text(0) })
    }
  }
}

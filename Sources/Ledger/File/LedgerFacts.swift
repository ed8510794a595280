package import Platform
package import ReleaseModel
import SQLite

/// Facts about a ledger's file and about what reads it.
package struct LedgerFacts: Sendable, Equatable {
  package let sqliteVersion: String
  package let sqliteSource: String
  package let journalMode: String
  package let schemaVersion: Int
  package let status: FileStatus
  package let folder: FileStatus
  package let fileSystem: FileSystem
  package let head: Head
  package let events: Int64
  package let recentEvents: Int64
  package let inbox: Int64
  /// How many force rules are in effect now, or will be.
  package let armedForces: Int64
}

extension Ledger {
  /// When the first event beyond a checkpoint of this many events was recorded, or nil.
  package func moment(afterEvents count: Int64) throws -> Timestamp? {
    try first("SELECT at FROM event_row ORDER BY seq LIMIT 1 OFFSET ?", .integer(count)) {
      try? Timestamp(try $0.text(0))
    } ?? nil
  }

  /// Looks at the ledger's file.
  package func facts(now: Timestamp) throws -> LedgerFacts {
    let folder = folder(of: path)
    func count(_ sql: String, _ values: Value...) throws -> Int64 {
      try connection.query(sql, values: values) { try $0.integer(0) }.first ?? 0
    }
    let head = try head()
    let month = try lastEvent(before: now - TimeSpan(seconds: 30 * 86_400))
    do {
      return try reading {
        LedgerFacts(
          sqliteVersion: Connection.libraryVersion, sqliteSource: Connection.sourceID,
          journalMode: try connection.first("PRAGMA journal_mode") { try $0.text(0) } ?? "",
          schemaVersion: Int(try connection.userVersion()), status: try FileStatus(of: path),
          folder: try FileStatus(of: folder), fileSystem: try FileSystem(holding: path), head: head,
          events: try count("SELECT count(*) FROM event_row"),
          recentEvents: try count("SELECT count(*) FROM event_row WHERE seq > ?", .integer(month)),
          inbox: Int64(try inbox().count),
          armedForces: try count(
            "SELECT count(*) FROM rule_row WHERE active = 1 AND action = 'force' AND (until_at IS NULL OR until_at > ?)",
            .text(now.text)))
      }
    } catch let error as SystemError {
      throw LedgerError.system(error)
    }
  }
}

/// Checks that every command makes, so that a write without pawl is noticed at once.
extension Ledger {
  /// - Throws: `LedgerError.headBroken` if the last event's hash does not match its bytes and its
  /// predecessor's hash.
  package func checkHead() throws { try checkHead(try head()) }

  func checkHead(_ head: Head) throws {
    guard head.seq > 0 else { return }
    let previous = try first(
      "SELECT hash FROM event_row WHERE seq < ? ORDER BY seq DESC LIMIT 1", .integer(head.seq)
    ) { try $0.text(0) }
    // Only the first event has no predecessor.
    guard let previous = head.seq == 1 ? EventRecord.genesis : previous,
      try event(head.seq).chainedHash(after: previous) == head.hash
    else { throw LedgerError.headBroken(head.seq) }
  }

  /// Compares the schedule stored for an app, which `client_decision` shows, with the decision function;
  /// returns what is wrong.
  ///
  /// - Parameter snapshot: From the last event on, or all of it.
  package func answerFault(in snapshot: Snapshot) throws -> Fault? {
    let slug = snapshot.line.app.slug
    func differs(_ what: String) -> Fault {
      Fault("answer.differs", seq: nil, "answer of \(slug): \(what)")
    }
    guard let now = try head().at else { return nil }
    do {
      let stored = try storedSchedule(of: snapshot)
      guard let schedule = Schedule(app: slug, rows: stored.rows) else {
        return differs("its ranges do not cover every version")
      }
      let moment = max(now, schedule.from)
      return Schedule(snapshot, from: moment).saysTheSame(as: schedule, since: moment)
        ? nil : differs("it is not what the decision function says")
    } catch LedgerError.unreadableRow(let why) {
      return differs(why)
    }
  }

  /// Reports that the answers kept for `client_decision` differ from the decision function; nil if they do not.
  package func alteredAnswers(in snapshot: Snapshot) throws -> Finding? {
    try answerFault(in: snapshot).map { fault in
      Finding("answers.altered/found", app: snapshot.line.app.slug, ["fault": fault.message])
    }
  }
}

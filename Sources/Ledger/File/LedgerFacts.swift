package import Platform
package import ReleaseModel
import SQLite

/// Facts about a ledger's file and about what reads it.
package struct LedgerFacts: Sendable, Equatable {
  package let status: FileStatus
  package let folder: FileStatus
  package let fileSystem: FileSystem
  package let head: Head
  package let events: Int64
  package let inbox: Int64
}

extension Ledger {
  /// Looks at the ledger's file.
  package func facts() throws -> LedgerFacts {
    let folder = folder(of: path)
    do {
      return LedgerFacts(
        status: try FileStatus(of: path), folder: try FileStatus(of: folder),
        fileSystem: try FileSystem(holding: path), head: try head(),
        events: try first("SELECT count(*) FROM event_row") { try $0.integer(0) } ?? 0,
        inbox: Int64(try inbox().count))
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

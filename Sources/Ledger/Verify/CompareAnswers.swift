import ReleaseModel
import SQLite

/// Compares the tables behind `client_decision` with the decision function.
extension Partition {
  /// Compares the app's stored answers with what the decision function says for the state that the events add
  /// up to.
  func compareAnswers() throws {
    guard let slug else { return try compareOwners() }
    try verifier.sliced {
      try catchUp()
      guard let line = state.lines[slug] else { return }
      do {
        guard
          let app = try connection.first(
            "SELECT id FROM app WHERE slug = ?", .text(slug), row: { try $0.integer(0) })
        else { return }
        guard let generation = try verifier.ledger.answerGeneration(ofApp: app) else {
          return differs(concerned, "generation of \(slug): it names no event")
        }
        if !generation.isClosed {
          differs(
            generation.seq, "generation of \(slug): its answers may still be written, which no command leaves"
          )
        }
        var others: [String: ReleaseLine] = [:]
        for other in line.leadsTo {
          others[other] = try verifier.ledger.line(other, withNotes: false, withRules: false)
        }
        let snapshot = Snapshot(line: line, others: others, hosts: state.trusts.hosts)
        try check(generation.seq, of: slug, leadsTo: Array(others.keys))
        if let fault = try verifier.ledger.answerDifference(of: slug, app, snapshot, generation) {
          verifier.report(fault)
        }
      } catch LedgerError.unreadableRow, LedgerError.noApp {
        // Somebody put a value there that the model does not know; the row itself is already reported as a
        // fault.
        differs(nil, "answer of \(slug): the rows it is made from cannot be read")
      }
    }
  }

  private func differs(_ seq: Int64?, _ message: String) {
    verifier.report(Fault("answer.differs", seq: seq, message))
  }

  private func compareOwners() throws {
    try verifier.sliced {
      try connection.forEach(
        """
        SELECT app_id FROM (SELECT app_id FROM answer UNION SELECT app_id FROM generation)
        WHERE app_id NOT IN (SELECT id FROM app)
        """
      ) { row in
        differs(nil, "answer of app \(try row.value(0).shown): there is no such app")
        return true
      }
    }
  }

  /// Checks that the answers were computed at the last event that concerns them.
  private func check(_ generation: Int64, of slug: String, leadsTo: [String]) throws {
    // The apps it leads to concern it, too: its answers are recomputed with each change of theirs.
    let others = try leadsTo.compactMap { try lastConcerning($0) }
    let newest = max(concerned, hostsChanged, others.max() ?? 0)
    if generation < newest {
      differs(newest, "generation of \(slug): it is \(generation), but event \(newest) concerns it")
    }
    if try generation > newest && !isOneCommand(newest, generation) {
      differs(
        newest, "generation of \(slug): it is \(generation), but event \(newest) is the last that concerns it"
      )
    }
  }

  /// The newest event that concerns the answers of another app.
  private func lastConcerning(_ slug: String) throws -> Int64? {
    try connection.first(
      "SELECT seq FROM event WHERE app = ? AND kind NOT GLOB 'evidence.*' ORDER BY seq DESC LIMIT 1",
      .text(slug)
    ) { try $0.integer(0) }
  }

  /// Whether a later event may belong to the same command as an earlier one; answers name their command's
  /// last event.
  ///
  /// The events of a command share their moment. Answers that were filled in when the schema was brought up
  /// to date name the event that was the last one then.
  private func isOneCommand(_ first: Int64, _ last: Int64) throws -> Bool {
    let found = try connection.first(
      """
      SELECT a.at = b.at OR b.at <= (SELECT max(at) FROM migration) FROM event a, event b
      WHERE a.seq = ? AND b.seq = ?
      """, .integer(first), .integer(last)
    ) { try $0.value(0) }
    return found == .integer(1)
  }
}

/// The event at which an app's answers were computed, and when it was recorded.
struct AnswerGeneration {
  let seq: Int64
  let at: Timestamp
  /// Whether the answers can no longer be altered, as every command leaves them.
  let isClosed: Bool
}

extension Ledger {
  /// The generation of an app's answers; nil if it names no event.
  func answerGeneration(ofApp app: Int64) throws -> AnswerGeneration? {
    let found = try connection.first(
      """
      SELECT generation.event_seq, at, open FROM generation LEFT JOIN event ON seq = generation.event_seq
      WHERE app_id = ?
      """, .integer(app)
    ) { (try $0.value(0), try $0.value(1), try $0.value(2)) }
    guard case .integer(let seq)? = found?.0, case .text(let moment)? = found?.1,
      let at = try? Timestamp(moment)
    else { return nil }
    return AnswerGeneration(
      seq: seq, at: try corrections().effective(at, of: seq), isClosed: found?.2 == .integer(0))
  }

  /// The first difference between the answers stored for an app and those of the decision function; nil if
  /// there is none.
  func answerDifference(
    of slug: String, _ app: Int64, _ snapshot: Snapshot, _ generation: AnswerGeneration
  ) throws -> Fault? {
    func differs(_ what: String) -> Fault {
      Fault("answer.differs", seq: generation.seq, "answer of \(slug)\(what)")
    }
    var wanted = snapshot.answerRuns(from: generation.at).sorted {
      ($0.first, $0.from) < ($1.first, $1.from)
    }[...]
    var fault: Fault?
    try connection.forEach(
      """
      SELECT first_release, last_release, from_at, until_at, action, review, decided_by, rule, target, url, settings,
        event_seq FROM answer WHERE app_id = ? ORDER BY first_release, from_at
      """, .integer(app)
    ) { row in
      guard let run = wanted.popFirst() else {
        fault = differs(": there are answers that the decision function does not give")
        return false
      }
      let told = run.told
      let cells: [Value] = [
        .integer(run.first), .integer(run.last), .text(run.from.text), (run.until?.text).sqliteValue,
        .text(told.action.rawValue), .integer(told.review ? 1 : 0), .text(told.decidedBy.rawValue),
        told.rule.sqliteValue, told.target.sqliteValue, told.url.sqliteValue,
        .text(Ledger.settingsText(told.settings)), .integer(generation.seq),
      ]
      for (column, cell) in cells.enumerated() where try row.value(column) != cell {
        fault = differs(
          ", release \(run.first): \(try row.columnName(column)) is \(try row.value(column).shown), "
            + "the decision function says \(cell.shown)")
        return false
      }
      return true
    }
    if fault == nil, let run = wanted.first { fault = differs(", release \(run.first): there is no answer") }
    return fault
  }
}

import ReleaseModel
import SQLite

/// Holding the tables behind `client_decision` against the decision function.
extension Verifier {
  /// Compares what is kept for each app, one app at a time, with what the decision function says of its rows.
  ///
  /// The rows were held against the events before; an app with a row that differs is asked all the same, and its answers
  /// are told as one fault more.
  ///
  /// - Parameter agreed: What was found to be as it should be already, by slug.
  func compareAnswers(agreed: [String: AgreedAnswers]) throws {
    for slug in walk.tables.apps.keys.sorted() {
      try sliced {
        try catchUp()
        do {
          try compareAnswers(of: slug, agreed: agreed[slug])
        } catch LedgerError.unreadableRow, LedgerError.noApp {
          // Somebody put a value there that the model has no word for; the row itself is a fault already.
          report(
            Fault("answer.differs", seq: nil, "answer of \(slug): the rows it is made from cannot be read"))
        }
      }
    }
    try guarded("answer") {
      try connection.forEach("SELECT DISTINCT app_id FROM answer UNION SELECT app_id FROM generation") {
        row in
        let id = try row.value(0)
        let isKnown = walk.tables.apps.values.contains { .integer($0) == id }
        if !isKnown {
          report(Fault("answer.differs", seq: nil, "answer of app \(id.shown): there is no such app"))
        }
        return true
      }
    }
  }

  private func compareAnswers(of slug: String, agreed: AgreedAnswers?) throws {
    guard let app = walk.tables.apps[slug] else { return }
    guard let generation = try ledger.answerGeneration(ofApp: app) else {
      let last = walk.tables.concerned[app]
      return report(Fault("answer.differs", seq: last, "generation of \(slug): it names no event"))
    }
    if let agreed, agreed.generation == generation.seq {
      return try check(generation.seq, of: slug, app, leadsTo: agreed.leadsTo)
    }
    let snapshot = try ledger.snapshot(slug, withNotes: false)
    try check(generation.seq, of: slug, app, leadsTo: Array(snapshot.others.keys))
    if let fault = try ledger.answerDifference(of: slug, app, snapshot, generation) { report(fault) }
  }

  /// Looks whether the answers were worked out when something last happened that concerns them.
  private func check(_ generation: Int64, of slug: String, _ app: Int64, leadsTo: [String]) throws {
    // The apps it leads to concern it too: what they are was told anew with each change of theirs.
    let others = leadsTo.compactMap { walk.tables.apps[$0].flatMap { walk.tables.concerned[$0] } }
    let newest = max(walk.tables.concerned[app] ?? 0, walk.tables.hostsChanged, others.max() ?? 0)
    if generation < newest {
      report(
        Fault(
          "answer.differs", seq: newest,
          "generation of \(slug): it is \(generation), but event \(newest) concerns it"))
    }
    if try generation > newest && !isOneCommand(newest, generation) {
      report(
        Fault(
          "answer.differs", seq: newest,
          "generation of \(slug): it is \(generation), but event \(newest) is the last that concerns it"))
    }
  }

  /// Whether an event may belong to the command of an earlier one, whose answers bear the number of its last event.
  ///
  /// The events of a command share their moment. Answers that were filled in when the schema was brought up to date
  /// bear the number of the event that was the last one then.
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

/// Which event an app's answers were worked out with, and when it was recorded.
struct AnswerGeneration {
  let seq: Int64
  let at: Timestamp
}

extension Ledger {
  /// The generation of an app's answers; nil where it names no event.
  func answerGeneration(ofApp app: Int64) throws -> AnswerGeneration? {
    let found = try connection.first(
      """
      SELECT generation.event_seq, at FROM generation LEFT JOIN event ON seq = generation.event_seq WHERE app_id = ?
      """, .integer(app)
    ) { (try $0.value(0), try $0.value(1)) }
    guard case .integer(let seq)? = found?.0, case .text(let moment)? = found?.1,
      let at = try? Timestamp(moment)
    else { return nil }
    return AnswerGeneration(seq: seq, at: at)
  }

  /// The first difference between the answers kept for an app and those of the decision function; nil where there is none.
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
        fault = differs(": there are others than the decision function gives")
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
    if fault == nil, let run = wanted.first { fault = differs(", release \(run.first): there is none") }
    return fault
  }
}

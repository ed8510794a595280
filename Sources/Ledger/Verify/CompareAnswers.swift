import ReleaseModel
import SQLite

/// Holding the tables behind `client_decision` against the decision function.
extension Verifier {
  /// Compares what is kept for each app, one app at a time, with what the decision function says of its rows.
  ///
  /// The rows were held against the events before; an app with a row that differs is asked all the same, and its answers
  /// are told as one fault more.
  func compareAnswers() throws {
    for slug in walk.tables.apps.keys.sorted() {
      try sliced {
        try catchUp()
        do {
          try compareAnswers(of: slug)
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

  private func compareAnswers(of slug: String) throws {
    guard let app = walk.tables.apps[slug] else { return }
    let found = try connection.first(
      """
      SELECT generation.event_seq, at FROM generation LEFT JOIN event ON seq = generation.event_seq WHERE app_id = ?
      """, .integer(app)
    ) { (try $0.value(0), try $0.value(1)) }
    guard case .integer(let generation)? = found?.0, case .text(let moment)? = found?.1,
      let from = try? Timestamp(moment)
    else {
      let last = walk.tables.concerned[app]
      return report(Fault("answer.differs", seq: last, "generation of \(slug): it names no event"))
    }
    let snapshot = try ledger.snapshot(slug)
    // The apps it leads to concern it too: what they are was told anew with each change of theirs.
    let others = snapshot.others.keys.compactMap {
      walk.tables.apps[$0].flatMap { walk.tables.concerned[$0] }
    }
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
    var wanted = snapshot.answerRuns(from: from).sorted { ($0.first, $0.from) < ($1.first, $1.from) }[...]
    var isSame = true
    try connection.forEach(
      """
      SELECT first_release, last_release, from_at, until_at, action, review, decided_by, rule, target, url, settings,
        event_seq FROM answer WHERE app_id = ? ORDER BY first_release, from_at
      """, .integer(app)
    ) { row in
      guard let run = wanted.popFirst() else {
        isSame = false
        return false
      }
      let told = run.told
      let cells: [Value] = [
        .integer(run.first), .integer(run.last), .text(run.from.text), (run.until?.text).sqliteValue,
        .text(told.action.rawValue), .integer(told.review ? 1 : 0), .text(told.decidedBy.rawValue),
        told.rule.sqliteValue, told.target.sqliteValue, told.url.sqliteValue,
        .text(Ledger.settingsText(told.settings)), .integer(generation),
      ]
      for (column, cell) in cells.enumerated() where try row.value(column) != cell {
        report(
          Fault(
            "answer.differs", seq: generation,
            "answer of \(slug), release \(run.first): \(try row.columnName(column)) is "
              + "\(try row.value(column).shown), the decision function says \(cell.shown)"))
        isSame = false
      }
      return isSame
    }
    if isSame, let run = wanted.first {
      report(
        Fault("answer.differs", seq: generation, "answer of \(slug), release \(run.first): there is none"))
    } else if !isSame, wanted.isEmpty {
      report(
        Fault(
          "answer.differs", seq: generation,
          "answer of \(slug): there are others than the decision function gives"))
    }
  }

  /// Whether an event may belong to the command of an earlier one, whose answers bear the number of its last event.
  ///
  /// The events of a command share their moment. Answers that were filled in when the schema was brought up to date
  /// bear the number of the event that was the last one then.
  private func isOneCommand(_ first: Int64, _ last: Int64) throws -> Bool {
    let found = try connection.first(
      """
      SELECT a.at = b.at OR b.at <= (SELECT at FROM migration WHERE name LIKE '%-create-answers') FROM event a, event b
      WHERE a.seq = ? AND b.seq = ?
      """, .integer(first), .integer(last)
    ) { try $0.value(0) }
    return found == .integer(1)
  }
}

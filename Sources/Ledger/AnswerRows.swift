import JSON
package import ReleaseModel
import SQLite

/// The tables behind `client_decision`: the results of the one decision function, stored for programs that
/// read the ledger themselves.
extension Ledger {
  /// Recomputes the answers for the clients of every app that a command's changes concern.
  func writeAnswers(_ draft: inout Draft, now: Timestamp) throws {
    let seq = try head().seq
    for slug in try draft.concerned() {
      try write(draft.snapshot(slug).answerRuns(from: now), app: slug, event: seq)
    }
  }

  /// Removes the answers for an app that is struck out.
  func removeAnswers(ofApp slug: String) throws {
    for table in ["answer", "generation"] {
      try connection.run(
        "DELETE FROM \(table) WHERE app_id = (SELECT id FROM app WHERE slug = ?)", .text(slug))
    }
  }

  private func write(_ runs: [AnswerRun], app slug: String, event: Int64) throws {
    guard
      let app = try connection.first(
        "SELECT id FROM app WHERE slug = ?", .text(slug), row: { Value.integer(try $0.integer(0)) })
    else { return }
    let isKnown = try connection.first("SELECT 1 FROM generation WHERE app_id = ?", app, row: { _ in true })
    try connection.run(
      isKnown == nil
        ? "INSERT INTO generation (event_seq, app_id, open) VALUES (?, ?, 1)"
        : "UPDATE generation SET event_seq = ?, open = 1 WHERE app_id = ?", .integer(event), app)
    try connection.run("DELETE FROM answer WHERE app_id = ?", app)
    for run in runs {
      let told = run.told
      try connection.run(
        """
        INSERT INTO answer (app_id, first_release, last_release, from_at, until_at, action, review, decided_by, rule,
          target, url, settings, event_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        app, .integer(run.first), .integer(run.last), .text(run.from.text), (run.until?.text).sqliteValue,
        .text(told.action.rawValue), .integer(told.review ? 1 : 0), .text(told.decidedBy.rawValue),
        told.rule.sqliteValue, told.target.sqliteValue, told.url.sqliteValue,
        .text(Ledger.settingsText(told.settings)), .integer(event))
    }
    // From here on, nobody can alter the answers without an event.
    try connection.run("UPDATE generation SET open = 0 WHERE app_id = ?", app)
  }

  static func settingsText(_ settings: [String: String]) -> String {
    JSON.object(JSON.Object(settings.map { ($0.key, .string($0.value)) })).text()
  }

  /// The answers stored for an app, by release and moment, and the event they were computed at.
  ///
  /// - Throws: `LedgerError`.
  package func answers(ofApp slug: String) throws -> [(run: AnswerRun, event: Int64)] {
    try reading {
      try connection.query(
        """
        SELECT first_release, last_release, from_at, until_at, action, review, decided_by, rule, target, url,
          settings, event_seq FROM answer
        WHERE app_id = (SELECT id FROM app WHERE slug = ?) ORDER BY first_release, from_at
        """, .text(slug)
      ) { row in
        let settings = try JSON(parsing: row.text(10).utf8).object ?? JSON.Object()
        return (
          AnswerRun(
            first: try row.integer(0), last: try row.integer(1), from: try read(row, 2),
            until: try read(row, 3),
            told: Told(
              action: try read(row, 4), review: try read(row, 5), decidedBy: try read(row, 6),
              rule: try read(row, 7), target: try read(row, 8), url: try read(row, 9),
              settings: Dictionary(
                settings.members.map { ($0.key, $0.value.string ?? "") }, uniquingKeysWith: { $1 }))),
          try row.integer(11)
        )
      }
    }
  }

  /// The newest event that concerns each app's answers, by slug; the ledger's last event if somebody deleted
  /// the app's row.
  ///
  /// - Throws: `LedgerError`.
  package func generations() throws -> [(slug: String, generation: Int64)] {
    try reading {
      try connection.query(
        """
        SELECT slug, coalesce(generation.event_seq, (SELECT max(seq) FROM event))
        FROM app LEFT JOIN generation ON app_id = id ORDER BY slug
        """
      ) { row in (slug: try row.text(0), generation: try row.integer(1)) }
    }
  }

  /// The newest event that concerns an app's answers, or the ledger's last event if somebody deleted the
  /// app's row; 0 if there is no such app.
  ///
  /// - Throws: `LedgerError`.
  package func generation(of slug: String) throws -> Int64 {
    try reading {
      try connection.first(
        """
        SELECT coalesce(generation.event_seq, (SELECT max(seq) FROM event))
        FROM app LEFT JOIN generation ON app_id = id WHERE slug = ?
        """, .text(slug)
      ) { try $0.integer(0) } ?? 0
    }
  }

  /// Where the documents are written after every change; nil if nobody has set it.
  ///
  /// - Throws: `LedgerError`.
  package func publication() throws -> Publication? {
    try reading {
      try records(Publication.self, where: "TRUE").first
    }
  }
}

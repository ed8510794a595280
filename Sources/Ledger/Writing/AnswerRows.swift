import ReleaseModel
import SQLite

extension Ledger {
  /// Keeps a schedule in the place of the app's last one.
  func write(_ schedule: Schedule, event: Int64) throws {
    let app = Value.integer(try id(ofApp: schedule.app))
    let rows = schedule.rows
    try removeAnswers(ofApp: app)
    let columns = ["app_id"] + Tile.members.map(\.column)
    let sql =
      "INSERT INTO answer_row (\(columns.joined(separator: ", "))) "
      + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    for row in rows {
      let values = Tile.members.map { member -> Value in
        guard let cell = member.cell(of: row) else { return .null }
        return member.isNumber ? Value(Int64(cell)) : .text(cell)
      }
      try connection.run(sql, values: [app] + values)
    }
    try connection.run(
      "INSERT INTO generation_row (app_id, event_seq, digest) VALUES (?, ?, ?)", app, .integer(event),
      .text(Schedule.digest(rows, notes: schedule.notes)))
  }

  /// The answers of an app can be written only while its generation is away.
  func removeAnswers(ofApp id: Value) throws {
    for table in ["generation_row", "answer_row"] {
      try connection.run("DELETE FROM \(table) WHERE app_id = ?", id)
    }
  }
}

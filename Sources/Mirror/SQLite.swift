import ReleaseModel

/// SQLite 3.37 or newer, by its shell. It has no functions of its own, and cannot hash: the rows that are there are
/// compared with those that were sent.
struct SQLite: SQLDialect {
  let prefix = "pawl_"
  let opening = ["PRAGMA busy_timeout = 5000"]
  let formatColumn = "version INTEGER PRIMARY KEY"
  let endings = (format: "", app: " STRICT", rows: " STRICT, WITHOUT ROWID")
  let otherwise = " OR ROLLBACK"
  let clock = "CAST(strftime('%s', 'now') AS INTEGER)"
  let lineFeed = "char(10)"

  func type(_ kind: ScheduleRow.Column.Kind) -> String {
    kind == .seconds || kind == .flag ? "INTEGER" : "TEXT"
  }

  func literal(hex: String) -> String { "CAST(X'\(hex)' AS TEXT)" }

  /// The digits of NULL are an empty text here, and no column holds an empty text.
  func hex(_ column: String) -> String { "nullif(lower(hex(\(column))), '')" }

  func lines(_ line: String, from rows: String, order: String) -> String {
    "(SELECT coalesce(group_concat(line, ''), '') FROM (SELECT \(line) AS line FROM \(rows) ORDER BY \(order)))"
  }

  func holds(_ text: String, _ app: MirroredApp) -> String {
    "\(text) = '\(app.lines.dropFirst().map { $0 + "\n" }.joined())'"
  }

  func access(_ told: SQLTold) -> String {
    """
    -- What versions are told, by app, key and moment; SQLite has no functions that a schema could bring.
    CREATE VIEW IF NOT EXISTS pawl_ask AS
    SELECT p.app, lo, hi, valid_from, not_before, \(told.selected)
    FROM pawl_app p
    JOIN pawl_answer a ON a.app = p.app AND a.generation = p.generation
    LEFT JOIN pawl_note n ON n.app = a.app AND n.generation = a.generation
      AND n.target_app = a.target_app AND n.version = a.target;

    -- A writer and a reader are accounts of the system: the folder and the file belong to the writer, and the reader is
    -- in its group:
    -- chmod 750 FOLDER
    -- chmod 640 FILE

    """
  }
}

import ReleaseModel

/// SQLite 3.37 or newer, by its shell. It has no functions of its own, and cannot hash: the rows that are there are
/// compared with those that were sent.
struct SQLite: SQLDialect {
  let prefix = "pawl_"
  let opening = ["PRAGMA busy_timeout = 5000"]
  let clock = "CAST(strftime('%s', 'now') AS INTEGER)"
  let lineFeed = "char(10)"

  func type(_ kind: ScheduleRow.Column.Kind) -> String {
    kind == .seconds || kind == .flag ? "INTEGER" : "TEXT"
  }

  func literal(hex: String) -> String { "CAST(X'\(hex)' AS TEXT)" }

  /// The digits of NULL are no text here, but an empty one, and no column has an empty text.
  func hex(_ column: String) -> String { "nullif(lower(hex(\(column))), '')" }

  func joined(_ parts: [String]) -> String { parts.joined(separator: " || ") }

  func lines(_ line: String, from rows: String, order: String) -> String {
    "(SELECT coalesce(group_concat(line, ''), '') FROM (SELECT \(line) AS line FROM \(rows) ORDER BY \(order)))"
  }

  func holds(_ text: String, _ app: MirroredApp) -> String {
    "\(text) = '\(app.lines.dropFirst().map { $0 + "\n" }.joined())'"
  }

  func flip(_ cells: [(column: String, literal: String)], where holds: String, old: String?) -> [String] {
    flipOrFail(cells, where: holds, old: old, " OR ROLLBACK")
  }

  func schema(_ tables: SQLTables) -> String {
    """
    CREATE TABLE IF NOT EXISTS pawl_format (version INTEGER PRIMARY KEY);

    INSERT INTO pawl_format SELECT \(MirrorKind.format) WHERE NOT EXISTS (SELECT 1 FROM pawl_format);

    -- Which schedule of an app counts, and whose it is. `stopped` is the backend's own switch: sync leaves it as it is.
    CREATE TABLE IF NOT EXISTS pawl_app (
    \(tables.app)
    ) STRICT;

    -- The versions with lo <= key < hi, from one moment until another, in seconds since 1970.
    CREATE TABLE IF NOT EXISTS pawl_answer (
    \(tables.answer)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS pawl_note (
    \(tables.note)
    ) STRICT, WITHOUT ROWID;

    -- What versions are told, by app, key and moment; SQLite has no functions that a schema could bring.
    CREATE VIEW IF NOT EXISTS pawl_ask AS
    SELECT p.app, lo, hi, valid_from, not_before, \(tables.selected)
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

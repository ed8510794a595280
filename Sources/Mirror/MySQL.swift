import ReleaseModel

/// MySQL 8.0.29 or MariaDB 10.5, or newer, by their own clients.
struct MySQL: SQLDialect {
  let prefix = "pawl_"
  let opening = [
    "SET NAMES utf8mb4", "SET SESSION sql_mode = 'STRICT_ALL_TABLES'",
    "SET SESSION group_concat_max_len = 1073741824",
  ]
  var beginning: String { opening.joined(separator: ";\n") + ";\n\n" }
  let formatColumn = "version INTEGER NOT NULL PRIMARY KEY"
  let nothing = " FROM DUAL"
  let endings = (format: " ENGINE = InnoDB", app: " ENGINE = InnoDB", rows: " ENGINE = InnoDB")
  let clock = "UNIX_TIMESTAMP()"
  let lineFeed = "CHAR(10)"

  func type(_ kind: ScheduleRow.Column.Kind) -> String {
    switch kind {
    case .key: "VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin"
    case .seconds: "BIGINT"
    case .flag: "TINYINT"
    case .word: "VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin"
    case .text: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    }
  }

  func literal(hex: String) -> String { "CONVERT(X'\(hex)' USING utf8mb4)" }

  func hex(_ column: String) -> String { "LOWER(HEX(CAST(\(column) AS CHAR)))" }

  func joined(_ parts: [String]) -> String { "CONCAT(\(parts.joined(separator: ", ")))" }

  func lines(_ line: String, from rows: String, order: String) -> String {
    "(SELECT coalesce(group_concat(\(line) ORDER BY \(order) SEPARATOR ''), '') FROM \(rows))"
  }

  func holds(_ text: String, _ app: MirroredApp) -> String {
    "SHA2(\(text), 256) = '\(app.head.digest)'"
  }

  /// An error leaves a transaction open here, and a client may go on after it, so that the end looks at what is
  /// there: only a transaction that did all it should is committed.
  func flip(_ cells: [(column: String, literal: String)], where holds: String, old: String?) -> [String] {
    let flip =
      if let old {
        "UPDATE pawl_app SET \(cells.dropFirst().map { "\($0) = \($1)" }.joined(separator: ", ")) "
          + "WHERE \(old) AND \(holds)"
      } else {
        "INSERT INTO pawl_app (\(cells.map(\.column).joined(separator: ", "))) "
          + "SELECT \(cells.map(\.literal).joined(separator: ", ")) FROM DUAL WHERE \(holds)"
      }
    let new = cells.map { "\($0) = \($1)" }.joined(separator: " AND ")
    return [
      flip,
      "SET @pawl = IF((SELECT count(*) FROM pawl_app WHERE \(new) AND \(holds)) = 1, 'COMMIT', 'DO 0')",
      "PREPARE pawl FROM @pawl", "EXECUTE pawl", "ROLLBACK",
    ]
  }

  func access(_ told: SQLTold) -> String {
    let key = (1...4).map { place in
      "LPAD(SUBSTRING_INDEX(SUBSTRING_INDEX(CONCAT(version, '.0.0.0'), '.', \(place)), '.', -1), 9, '0')"
    }
    let moment = "coalesce(asked_at, greatest(\(clock), p.not_before))"
    return """
      -- A version's key; null if the text is not a version.
      CREATE FUNCTION IF NOT EXISTS pawl_key(version VARCHAR(255) CHARACTER SET utf8mb4)
      RETURNS \(type(.key)) DETERMINISTIC NO SQL
      RETURN CASE WHEN version NOT REGEXP '[^0-9.]'
        AND version REGEXP '^(0|[1-9][0-9]{0,8})([.](0|[1-9][0-9]{0,8})){0,3}$'
        THEN CONCAT(\(key.joined(separator: ",\n    "))) END;

      -- What a version is told now, or at a moment that is not NULL: one row, or none if nobody knows.
      CREATE PROCEDURE IF NOT EXISTS pawl_ask(IN asked_app \(type(.word)),
        IN asked_version VARCHAR(255) CHARACTER SET utf8mb4, IN asked_at BIGINT)
      READS SQL DATA SQL SECURITY DEFINER
      SELECT \(told.selected)
      FROM (SELECT pawl_key(asked_version) AS wanted) k
      JOIN pawl_app p
      JOIN pawl_answer a ON a.app = p.app AND a.generation = p.generation
      LEFT JOIN pawl_note n ON n.app = a.app AND n.generation = a.generation
        AND n.target_app = a.target_app AND n.version = a.target
      WHERE p.app = asked_app AND a.lo <= wanted AND wanted < a.hi
        AND a.valid_from <= \(moment) AND \(moment) < a.valid_until;

      -- A writer that owns nothing, and a reader that may only ask:
      -- CREATE USER pawl_writer;
      -- GRANT SELECT ON pawl_format TO pawl_writer;
      -- GRANT SELECT, INSERT, DELETE, UPDATE (ledger, file, generation, hash, digest, not_before) ON pawl_app TO pawl_writer;
      -- GRANT SELECT, INSERT, DELETE ON pawl_answer TO pawl_writer;
      -- GRANT SELECT, INSERT, DELETE ON pawl_note TO pawl_writer;
      -- CREATE USER pawl_reader;
      -- GRANT EXECUTE ON PROCEDURE pawl_ask TO pawl_reader;

      """
  }
}

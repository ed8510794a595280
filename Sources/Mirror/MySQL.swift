import ReleaseModel

/// MySQL 8.0.29 or MariaDB 10.6, or newer, by their own clients.
struct MySQL: SQLDialect {
  let prefix = "pawl_"
  let opening = [
    "SET NAMES utf8mb4", "SET SESSION sql_mode = 'STRICT_ALL_TABLES'",
    "SET SESSION group_concat_max_len = 1073741824",
  ]
  var beginning: String { opening.joined(separator: ";\n") + ";\n\n" }
  let formatColumn = "version INTEGER NOT NULL PRIMARY KEY"
  /// A comment that MariaDB executes: grants outlive the replacement, which MySQL has not.
  private let orReplace = "/*M\u{21} OR REPLACE */"
  let nothing = " FROM DUAL"
  let endings = (format: " ENGINE = InnoDB", app: " ENGINE = InnoDB", rows: " ENGINE = InnoDB")
  let clock = "UNIX_TIMESTAMP()"
  let lineFeed = "CHAR(10)"
  let signs = (
    missing: ["ERROR 1146"],
    denied: [1044, 1045, 1142, 1143, 1227, 1370, 1698].map { "ERROR \($0)" }
  )
  let questions = [
    "SELECT 'pawl-asks' FROM information_schema.routines WHERE routine_schema = DATABASE() AND routine_name = 'pawl_ask'"
  ]

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

  /// What a replica executes computes nothing, since its limits are its own: the digest is in a variable by then.
  func holds(_ text: String, _ app: MirroredApp) -> String { "@pawl_digest = '\(app.head.digest)'" }

  func preparation(_ text: String) -> [String] { ["SELECT SHA2(\(text), 256) INTO @pawl_digest"] }

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

  /// The key of a version that is given as bytes: a text of another kind than expected would be an error.
  private func key(_ version: String) -> String {
    let text = "CONVERT(\(version) USING latin1)"
    let parts = (1...4).map { place in
      "LPAD(SUBSTRING_INDEX(SUBSTRING_INDEX(CONCAT(\(text), '.0.0.0'), '.', \(place)), '.', -1), 9, '0')"
    }
    return """
      CASE WHEN LENGTH(\(version)) <= 39 AND \(text) NOT REGEXP '[^0-9.]'
            AND \(text) REGEXP '^(0|[1-9][0-9]{0,8})([.](0|[1-9][0-9]{0,8})){0,3}$'
          THEN CONVERT(CONCAT(\(parts.joined(separator: ",\n            "))) USING ascii) END COLLATE ascii_bin
      """
  }

  var functions: String {
    """
    -- A version's key; null if the text is not a version. Nothing else needs this function: leave it out where the server
    -- refuses it (error 1419), because it keeps a binary log and does not trust who makes functions.
    /*!50700 DROP FUNCTION IF EXISTS pawl_key */;
    CREATE \(orReplace) FUNCTION pawl_key(version LONGBLOB) RETURNS \(type(.key)) DETERMINISTIC NO SQL
    RETURN \(key("version"));

    """
  }

  var access: String {
    let told = SQLStore.told
    let variables = told.map { "  DECLARE told_\($0.name) \(type($0.kind));" }.joined(separator: "\n")
    let fromRow = told.filter { $0.name != "notes" }
    let moment = "coalesce(asked_at, greatest(\(clock), \(head("not_before", of: "asked_slug"))))"
    let tier = membersOfTiers.map { "\($0) \($0 == "url" ? "LONGTEXT" : "VARCHAR(64)") PATH '$.\($1)'" }
    let name = "CONVERT(LOWER(REPLACE(k.name, '_', '-')) USING utf8mb4) COLLATE utf8mb4_bin"
    let likeness = likeness(of: name, to: "asked_language", "SUBSTRING_INDEX(asked_language, '-', 1)")
    return """
      -- What a version is told, now or at a moment, on a system or on whatever there is: one row, or none if no one knows.
      -- Its notes are of all languages, or those for a locale, and there are none where the client knows the tag. What is
      -- not given is NULL.
      DELIMITER //
      /*!50700 DROP PROCEDURE IF EXISTS pawl_ask */ //
      CREATE \(orReplace) PROCEDURE pawl_ask(IN asked_app LONGBLOB, IN asked_version LONGBLOB, IN asked_at BIGINT,
        IN asked_os LONGBLOB, IN asked_locale LONGBLOB, IN asked_tag LONGBLOB)
      READS SQL DATA SQL SECURITY DEFINER
      BEGIN
      \(variables)
        DECLARE asked_slug \(type(.word));
        DECLARE asked_key \(type(.key)) DEFAULT \(key("asked_version"));
        DECLARE asked_system \(type(.key)) DEFAULT \(key("asked_os"));
        DECLARE asked_language \(type(.text)) DEFAULT LOWER(REPLACE(CONVERT(asked_locale USING latin1), '_', '-'));
        DECLARE is_stopped TINYINT;
        DECLARE found_name VARCHAR(64) CHARACTER SET utf8mb4;
        DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
        SET asked_slug = IF(LENGTH(asked_app) <= 63 AND CONVERT(asked_app USING latin1) NOT REGEXP '[^a-z0-9-]',
          CONVERT(asked_app USING latin1), '');
        SELECT \(head("stopped", of: "asked_slug")), \(fromRow.map { "a.\($0.name)" }.joined(separator: ", "))
        INTO is_stopped, \(fromRow.map { "told_\($0.name)" }.joined(separator: ", "))
        FROM pawl_answer a
        WHERE a.app = asked_slug AND a.generation = \(head("generation", of: "asked_slug")) AND a.lo <= asked_key AND asked_key < a.hi
          AND (asked_os IS NULL OR asked_system IS NOT NULL)
          AND a.valid_from <= \(moment) AND \(moment) < a.valid_until
        ORDER BY a.lo DESC LIMIT 1;
        IF is_stopped THEN
          SET told_action = 'none', \(membersOfTiers.map { "told_\($0.0) = NULL" }.joined(separator: ", ")),
            told_tiers = '[]', told_tag = CONCAT('s', SUBSTR(told_tag, 2));
        ELSEIF asked_system IS NOT NULL AND told_tiers <> '[]' THEN
          SELECT t.action, \(membersOfTiers.map { "t.\($0.0)" }.joined(separator: ", "))
          INTO told_action, \(membersOfTiers.map { "told_\($0.0)" }.joined(separator: ", "))
          FROM JSON_TABLE(told_tiers, '$[*]' COLUMNS (place FOR ORDINALITY, os_below VARCHAR(64) PATH '$.osBelow',
            action VARCHAR(64) PATH '$.action', \(tier.joined(separator: ", ")))) t
          WHERE asked_system < \(key("t.os_below"))
          ORDER BY t.place LIMIT 1;
        END IF;
        IF told_target IS NOT NULL AND NOT told_tag <=> CONVERT(asked_tag USING latin1) THEN
          SELECT n.notes INTO told_notes FROM pawl_note n
          WHERE n.app = asked_slug AND n.generation = told_generation AND n.target_app = told_target_app
            AND n.version = told_target;
          IF asked_language IS NOT NULL AND told_notes IS NOT NULL THEN
            SELECT k.name INTO found_name
            FROM JSON_TABLE(JSON_KEYS(told_notes), '$[*]' COLUMNS (name VARCHAR(64) PATH '$')) k
            ORDER BY \(likeness),
              LOCATE(CAST(CONCAT('"', k.name, '":') AS BINARY), CAST(told_notes AS BINARY)) LIMIT 1;
            SET told_notes = JSON_UNQUOTE(JSON_EXTRACT(told_notes, CONCAT('$."', found_name, '"')));
          END IF;
        END IF;
        SELECT \(told.map { "told_\($0.name) AS \($0.name)" }.joined(separator: ", ")) FROM DUAL
        WHERE told_action IS NOT NULL;
      END //
      DELIMITER ;

      -- A writer that owns nothing, and a reader that may only ask:
      -- CREATE USER IF NOT EXISTS pawl_writer;
      -- GRANT SELECT ON pawl_format TO pawl_writer;
      -- GRANT SELECT, INSERT, DELETE, UPDATE (\(writable)) ON pawl_app TO pawl_writer;
      -- GRANT SELECT, INSERT, DELETE ON pawl_answer TO pawl_writer;
      -- GRANT SELECT, INSERT, DELETE ON pawl_note TO pawl_writer;
      -- GRANT EXECUTE ON PROCEDURE pawl_ask TO pawl_writer;
      -- CREATE USER IF NOT EXISTS pawl_reader;
      -- GRANT EXECUTE ON PROCEDURE pawl_ask TO pawl_reader;

      """
  }
}

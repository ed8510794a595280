import ReleaseModel

/// MySQL 8.0.29 or MariaDB 10.6, or newer, by their own clients.
struct MySQL: SQLDialect {
  let prefix = "pawl_"
  let opening = [
    "SET NAMES utf8mb4", "SET SESSION sql_mode = 'STRICT_ALL_TABLES'",
    "SET SESSION group_concat_max_len = 1073741824",
  ]
  var beginning: String { opening.joined(separator: ";\n") + ";\n\n" }
  /// A comment that MariaDB executes: grants outlive the replacement, which MySQL has not.
  private let orReplace = "/*M\u{21} OR REPLACE */"
  let nothing = " FROM DUAL"
  let endings = (format: " ENGINE = InnoDB", app: " ENGINE = InnoDB", rows: " ENGINE = InnoDB")
  let clock = "UNIX_TIMESTAMP()"
  let lineFeed = "CHAR(10)"
  let signs = [
    MirrorTrouble.noTables: ["ERROR 1146"], .account: ["ERROR 1045", "ERROR 1698"],
    .rights: [1044, 1142, 1143, 1227, 1370].map { "ERROR \($0)" },
  ]
  let questions = [
    "SELECT 'pawl-asks' FROM information_schema.routines WHERE routine_schema = DATABASE() AND routine_name = 'pawl_ask'"
  ]

  func type(_ kind: ColumnKind) -> String {
    switch kind {
    case .key: "VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin"
    case .integer: "BIGINT"
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
  private func key(_ version: String, isSystem: Bool = false) -> String {
    let text = "CONVERT(\(version) USING latin1)"
    let parts = (1...4).map { place in
      "LPAD(SUBSTRING_INDEX(SUBSTRING_INDEX(CONCAT(\(text), '.0.0.0'), '.', \(place)), '.', -1), 9, '0')"
    }
    return """
      CASE WHEN LENGTH(\(version)) <= 39 AND \(text) NOT REGEXP '[^0-9.]'
            AND \(text) REGEXP '\(isSystem ? Self.system : Self.version)'
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
    let told = Self.told
    let variables = told.map { "  DECLARE told_\($0.name) \(type($0.kind));" }.joined(separator: "\n")
    let fromRow = told.filter { $0.name != "notes" }
    let moment = "coalesce(asked_at, greatest(\(clock), \(head("not_before", of: "asked_slug"))))"
    let tier = membersOfTiers.map { "\($0) \($0 == "url" ? "LONGTEXT" : "VARCHAR(64)") PATH '$.\($1)'" }
    let name = "CONVERT(LOWER(REPLACE(k.name, '_', '-')) USING utf8mb4) COLLATE utf8mb4_bin"
    let likeness = likeness(of: name, to: "asked_language", "SUBSTRING_INDEX(asked_language, '-', 1)")
    func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }
    return filled(
      PackageResources.mysql_sql,
      [
        "variables": variables, "orReplace": orReplace, "word": type(.word), "key": type(.key),
        "text": type(.text),
        "versionKey": key("asked_version"), "systemKey": key("asked_os", isSystem: true),
        "tierKey": key("t.os_below"),
        "stopped": head("stopped", of: "asked_slug"), "generation": head("generation", of: "asked_slug"),
        "selected": list(fromRow.map { "a.\($0.name)" }), "found": list(fromRow.map { "told_\($0.name)" }),
        "moment": moment, "nothing": list(membersOfTiers.map { "told_\($0.0) = NULL" }),
        "tierMembers": list(membersOfTiers.map { "t.\($0.0)" }),
        "members": list(membersOfTiers.map { "told_\($0.0)" }), "tierColumns": list(tier),
        "likeness": likeness,
        "told": list(told.map { "told_\($0.name) AS \($0.name)" }), "writable": writable,
      ])
  }
}

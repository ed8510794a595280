import ReleaseModel

/// SQLite 3.37 or newer, by its shell. It has no functions of its own, and cannot hash: the rows that are there are
/// compared with those that were sent.
struct SQLiteShell: SQLDialect {
  let prefix = "pawl_"
  let opening = ["PRAGMA busy_timeout = 5000"]
  let endings = (format: "", app: " STRICT", rows: " STRICT, WITHOUT ROWID")
  let otherwise = " OR ROLLBACK"
  let clock = "CAST(strftime('%s', 'now') AS INTEGER)"
  let lineFeed = "char(10)"
  let signs = [
    MirrorTrouble.noTables: ["no such table: pawl_"], .rights: ["readonly database", "authorization denied"],
    .file: ["unable to open database", "file is not a database"],
  ]
  let questions = ["SELECT 'pawl-asks'"]
  let functions = ""

  func type(_ kind: ColumnKind) -> String {
    kind == .integer || kind == .flag ? "INTEGER" : "TEXT"
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

  /// The key of a version, whose components are found as those of a list in JSON; NULL for a malformed version.
  ///
  /// A number is one: 7.10 bound as a number would be asked as 7.1.
  private func key(_ version: String, isSystem: Bool = false) -> String {
    """
    (SELECT CASE WHEN count(*) <= \(isSystem ? 3 : 4) AND min(length(part.value) BETWEEN 1 AND 9\(isSystem ? " AND part.value NOT GLOB '0?*'" : ""))
          THEN substr(group_concat(substr('00000000' || part.value, -9), '') || '\(String(repeating: "0", count: 27))', 1, 36) END
        FROM json_each(CASE WHEN typeof(\(version)) = 'text' AND \(version) NOT GLOB '*[^0-9.]*' AND length(CAST(\(version) AS BLOB)) = length(\(version))
          THEN '["' || replace(\(version), '.', '","') || '"]' ELSE '[]' END) part)
    """
  }

  var access: String {
    let told: [String] = Self.told.map { column in
      let name = column.name
      if name == "notes" {
        return """
          CASE WHEN target IS NULL OR tag = :tag THEN NULL WHEN :locale IS NULL THEN notes ELSE
            (SELECT k.value FROM json_each(notes) k ORDER BY \(likeness), k.id LIMIT 1) END AS notes
          """
      }
      return name
    }
    let row: [String] = Self.told.filter { $0.name != "notes" }.map { column in
      let name = column.name
      let member = name == "action" ? name : membersOfTiers.first { $0.0 == name }?.1
      let silent = ["action": "'none'", "tiers": "'[]'", "tag": "'s' || substr(tag, 2)"][name]
      guard let silent = silent ?? (member == nil ? nil : "NULL") else { return name }
      let tier = member.map { " WHEN tier IS NOT NULL THEN json_extract(tier, '$.\($0)')" } ?? ""
      return "CASE WHEN stopped <> 0 THEN \(silent)\(tier) ELSE \(name) END AS \(name)"
    }
    let moment = "coalesce(:at, max(\(clock), \(head("not_before", of: ":app"))))"
    let query = """
      WITH asked AS MATERIALIZED (
        SELECT \(key(":version")) AS wanted,
        \(key(":os", isSystem: true)) AS system
      ), found AS MATERIALIZED (
        SELECT a.*, \(head("stopped", of: ":app")) AS stopped, (SELECT system FROM asked) AS system
        FROM pawl_answer a
        WHERE a.app = :app AND a.generation = \(head("generation", of: ":app"))
          AND a.lo <= (SELECT wanted FROM asked) AND (SELECT wanted FROM asked) < a.hi
          AND (:os IS NULL OR (SELECT system FROM asked) IS NOT NULL)
          AND a.valid_from <= \(moment) AND \(moment) < a.valid_until
        ORDER BY a.lo DESC LIMIT 1
      ), tiered AS MATERIALIZED (
        SELECT found.*, (SELECT t.value FROM json_each(tiers) t
          WHERE system < \(key("json_extract(t.value, '$.osBelow')")) ORDER BY t.id LIMIT 1) AS tier
        FROM found
      ), told AS MATERIALIZED (
        SELECT app, \(row.joined(separator: ", ")) FROM tiered
      ), noted AS MATERIALIZED (
        SELECT t.*, (SELECT n.notes FROM pawl_note n WHERE n.app = t.app AND n.generation = t.generation
          AND n.target_app = t.target_app AND n.version = t.target) AS notes
        FROM told t
      )
      SELECT \(told.joined(separator: ", ")) FROM noted
      """
    return """
      -- SQLite has no functions that a schema could bring. This query asks, with :app, :version, :at, :os, :locale and :tag;
      -- all but the first two may be NULL:
      \(query.split(separator: "\n").map { "-- ask: \($0)\n" }.joined())
      -- A writer and a reader are accounts of the system: the folder and the file belong to the writer, and the reader is
      -- in its group:
      -- chmod 750 FOLDER
      -- chmod 640 FILE

      """
  }

  private var likeness: String {
    let asked = "lower(replace(:locale, '_', '-'))"
    return likeness(
      of: "lower(replace(k.key, '_', '-'))", to: asked, "substr(\(asked), 1, instr(\(asked) || '-', '-') - 1)"
    )
  }
}

import ReleaseModel

/// PostgreSQL 11 or newer, by psql or anything else that reads its statements.
struct PostgreSQL: SQLDialect {
  let prefix = "pawl."
  let opening: [String] = []
  let beginning = "CREATE SCHEMA IF NOT EXISTS pawl;\n\n"
  let clock = "floor(extract(epoch FROM clock_timestamp()))::bigint"
  let lineFeed = "chr(10)"
  // A server may complain in any language, but these are from its catalogue.
  let signs = [
    MirrorTrouble.rights: ["permission denied"],
    .account: ["authentication failed", "no password supplied"],
  ]
  let questions = [
    """
    SELECT CASE WHEN c.oid IS NULL THEN 'pawl-none'
      WHEN NOT has_schema_privilege(n.oid, 'USAGE') OR NOT has_table_privilege(c.oid, 'SELECT') THEN 'pawl-denied' END
    FROM (SELECT 1) one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = 'pawl'
    LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = 'format'
    """,
    "SELECT 'pawl-asks' WHERE to_regprocedure('pawl.ask(text, text, bigint, text, text, text)') IS NOT NULL",
  ]

  func type(_ kind: ColumnKind) -> String {
    switch kind {
    case .key, .word: "text COLLATE \"C\""
    case .integer: "bigint"
    case .flag: "smallint"
    case .text: "text"
    }
  }

  func literal(hex: String) -> String { "convert_from(decode('\(hex)', 'hex'), 'UTF8')" }

  func hex(_ column: String) -> String { "encode(convert_to(\(column)::text, 'UTF8'), 'hex')" }

  func lines(_ line: String, from rows: String, order: String) -> String {
    "(SELECT coalesce(string_agg(\(line), '' ORDER BY \(order)), '') FROM \(rows))"
  }

  func holds(_ text: String, _ app: MirroredApp) -> String {
    "encode(sha256(convert_to(\(text), 'UTF8')), 'hex') = '\(app.head.digest)'"
  }

  let functions = ""

  var access: String {
    let told = Self.told
    let columns = told.map { "\($0.name) \(type($0.kind).prefix { $0 != " " })" }.joined(separator: ", ")
    let selected = told.map { $0.name == "notes" ? "NULL" : "a.\($0.name)" }.joined(separator: ", ")
    let tier = membersOfTiers.map { "told.\($0) := tier->>'\($1)';" }.joined(separator: " ")
    let nothing = membersOfTiers.map { "told.\($0.0) := NULL;" }.joined(separator: " ")
    let name = "(lower(replace(k.name, '_', '-') COLLATE \"C\"))"
    return filled(
      PackageResources.postgresql_sql,
      [
        "version": Self.version, "system": Self.system, "columns": columns, "clock": clock,
        "selected": selected, "nothing": nothing, "tier": tier,
        "likeness": likeness(of: name, to: "language", "split_part(language, '-', 1)"),
        "signature": "pawl.ask(text, text, bigint, text, text, text)", "writable": writable,
      ])
  }
}

import ReleaseModel

/// PostgreSQL 11 or newer, by psql or anything else that reads its statements.
struct PostgreSQL: SQLDialect {
  let prefix = "pawl."
  let opening: [String] = []
  let beginning = "CREATE SCHEMA IF NOT EXISTS pawl;\n\n"
  let formatColumn = "version integer PRIMARY KEY"
  let clock = "floor(extract(epoch FROM clock_timestamp()))::bigint"
  let lineFeed = "chr(10)"

  func type(_ kind: ScheduleRow.Column.Kind) -> String {
    switch kind {
    case .key, .word: "text COLLATE \"C\""
    case .seconds: "bigint"
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

  func access(_ told: SQLTold) -> String {
    """
    -- A version's key; null if the text is not a version.
    CREATE OR REPLACE FUNCTION pawl.key(version text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT CASE WHEN version ~ '^(0|[1-9][0-9]{0,8})([.](0|[1-9][0-9]{0,8})){0,3}$' THEN
        lpad(split_part(version, '.', 1), 9, '0') || lpad(split_part(version, '.', 2), 9, '0')
        || lpad(split_part(version, '.', 3), 9, '0') || lpad(split_part(version, '.', 4), 9, '0') END
    $$;

    -- What a version is told now, or at a moment: one row, or none if nobody knows.
    CREATE OR REPLACE FUNCTION pawl.ask(app text, version text, at bigint DEFAULT NULL)
    RETURNS TABLE (\(told.columns.map { "\($0.name) \(type($0.kind).prefix { $0 != " " })" }.joined(separator: ", ")))
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    #variable_conflict use_column
    DECLARE
      wanted text COLLATE "C" := pawl.key(ask.version);
      moment bigint := coalesce(ask.at, \(clock));
    BEGIN
      RETURN QUERY SELECT \(told.selected)
      FROM pawl.app p
      JOIN pawl.answer a ON a.app = p.app AND a.generation = p.generation
      LEFT JOIN pawl.note n ON n.app = a.app AND n.generation = a.generation
        AND n.target_app = a.target_app AND n.version = a.target
      WHERE p.app = ask.app AND a.lo <= wanted AND wanted < a.hi
        AND a.valid_from <= CASE WHEN ask.at IS NULL THEN greatest(moment, p.not_before) ELSE moment END
        AND CASE WHEN ask.at IS NULL THEN greatest(moment, p.not_before) ELSE moment END < a.valid_until;
    END $$;

    REVOKE ALL ON FUNCTION pawl.ask(text, text, bigint) FROM PUBLIC;

    -- A writer that owns nothing, and a reader that may only ask:
    -- CREATE ROLE pawl_writer LOGIN;
    -- GRANT USAGE ON SCHEMA pawl TO pawl_writer;
    -- GRANT SELECT ON ALL TABLES IN SCHEMA pawl TO pawl_writer;
    -- GRANT INSERT, DELETE ON pawl.app, pawl.answer, pawl.note TO pawl_writer;
    -- GRANT UPDATE (ledger, file, generation, hash, digest, not_before) ON pawl.app TO pawl_writer;
    -- CREATE ROLE pawl_reader LOGIN;
    -- GRANT USAGE ON SCHEMA pawl TO pawl_reader;
    -- GRANT EXECUTE ON FUNCTION pawl.ask(text, text, bigint) TO pawl_reader;

    """
  }
}

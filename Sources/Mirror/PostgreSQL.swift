import ReleaseModel

extension SQLDialect {
  /// Makes an app's row what its head says by a statement that fails unless a condition holds, and undoes with it
  /// whatever the transaction did: no digest is NULL.
  func flipOrFail(
    _ cells: [(column: String, literal: String)], where holds: String, old: String?, _ otherwise: String
  ) -> [String] {
    let condition = [old, holds].compactMap(\.self).joined(separator: " AND ")
    let set = cells.map { cell in
      (
        cell.column,
        cell.column == "digest" ? "CASE WHEN \(condition) THEN \(cell.literal) END" : cell.literal
      )
    }
    guard old != nil else {
      return [
        "INSERT\(otherwise) INTO \(prefix)app (\(set.map(\.0).joined(separator: ", "))) "
          + "VALUES (\(set.map(\.1).joined(separator: ", ")))",
        "COMMIT",
      ]
    }
    return [
      "UPDATE\(otherwise) \(prefix)app SET \(set.dropFirst().map { "\($0) = \($1)" }.joined(separator: ", ")) "
        + "WHERE app = \(cells[0].literal)",
      "COMMIT",
    ]
  }
}

/// PostgreSQL 11 or newer, by psql or anything else that reads its statements.
struct PostgreSQL: SQLDialect {
  let prefix = "pawl."
  let opening: [String] = []
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

  func joined(_ parts: [String]) -> String { parts.joined(separator: " || ") }

  func lines(_ line: String, from rows: String, order: String) -> String {
    "(SELECT coalesce(string_agg(\(line), '' ORDER BY \(order)), '') FROM \(rows))"
  }

  func holds(_ text: String, _ app: MirroredApp) -> String {
    "encode(sha256(convert_to(\(text), 'UTF8')), 'hex') = '\(app.head.digest)'"
  }

  func flip(_ cells: [(column: String, literal: String)], where holds: String, old: String?) -> [String] {
    flipOrFail(cells, where: holds, old: old, "")
  }

  func schema(_ tables: SQLTables) -> String {
    """
    CREATE SCHEMA IF NOT EXISTS pawl;

    CREATE TABLE IF NOT EXISTS pawl.format (version integer PRIMARY KEY);

    INSERT INTO pawl.format SELECT \(MirrorKind.format) WHERE NOT EXISTS (SELECT 1 FROM pawl.format);

    -- Which schedule of an app counts, and whose it is. `stopped` is the backend's own switch: sync leaves it as it is.
    CREATE TABLE IF NOT EXISTS pawl.app (
    \(tables.app)
    );

    -- The versions with lo <= key < hi, from one moment until another, in seconds since 1970.
    CREATE TABLE IF NOT EXISTS pawl.answer (
    \(tables.answer)
    );

    CREATE TABLE IF NOT EXISTS pawl.note (
    \(tables.note)
    );

    -- A version's key; null for what is no version.
    CREATE OR REPLACE FUNCTION pawl.key(version text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT CASE WHEN version ~ '^(0|[1-9][0-9]{0,8})([.](0|[1-9][0-9]{0,8})){0,3}$' THEN
        lpad(split_part(version, '.', 1), 9, '0') || lpad(split_part(version, '.', 2), 9, '0')
        || lpad(split_part(version, '.', 3), 9, '0') || lpad(split_part(version, '.', 4), 9, '0') END
    $$;

    -- What a version is told now, or at a moment: one row, or none if nobody knows.
    CREATE OR REPLACE FUNCTION pawl.ask(app text, version text, at bigint DEFAULT NULL)
    RETURNS TABLE (\(tables.told.map { "\($0.name) \(type($0.kind).prefix { $0 != " " })" }.joined(separator: ", ")))
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    #variable_conflict use_column
    DECLARE
      wanted text COLLATE "C" := pawl.key(ask.version);
      moment bigint := coalesce(ask.at, \(clock));
    BEGIN
      RETURN QUERY SELECT \(tables.selected)
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

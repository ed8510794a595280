-- A version's key; null if the text is not a version.
CREATE OR REPLACE FUNCTION pawl.key(version text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN version ~ '@version@' THEN
    lpad(split_part(version, '.', 1), 9, '0') || lpad(split_part(version, '.', 2), 9, '0')
    || lpad(split_part(version, '.', 3), 9, '0') || lpad(split_part(version, '.', 4), 9, '0') END
$$;

DO $$ BEGIN
  CREATE TYPE pawl.told AS (@columns@);
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;

-- What a version is told, now or at a moment, on a system or on whatever there is: one row, or none if no one knows.
-- Its notes are of all languages, or those for a locale, and there are none where the client knows the tag.
CREATE OR REPLACE FUNCTION pawl.ask(app text, version text, at bigint DEFAULT NULL, os text DEFAULT NULL,
  locale text DEFAULT NULL, tag text DEFAULT NULL)
RETURNS SETOF pawl.told LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  wanted text COLLATE "C" := pawl.key(ask.version);
  system text COLLATE "C" := CASE WHEN ask.os ~ '@system@' THEN pawl.key(ask.os) END;
  language text COLLATE "C" := lower(replace(ask.locale, '_', '-') COLLATE "C");
  held bigint;
  moment bigint;
  silent boolean;
  tier json;
  told pawl.told;
BEGIN
  SELECT p.generation, coalesce(ask.at, greatest(@clock@, p.not_before)), p.stopped <> 0
  INTO held, moment, silent FROM pawl.app p WHERE p.app = ask.app;
  IF ask.os IS NOT NULL AND system IS NULL THEN RETURN; END IF;
  SELECT @selected@ INTO told FROM pawl.answer a
  WHERE a.app = ask.app AND a.generation = held AND a.lo <= wanted AND wanted < a.hi
    AND a.valid_from <= moment AND moment < a.valid_until
  ORDER BY a.lo DESC LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  IF silent THEN
    told.action := 'none'; @nothing@
    told.tiers := '[]'; told.tag := 's' || substr(told.tag, 2);
  ELSIF system IS NOT NULL AND told.tiers <> '[]' THEN
    FOR tier IN SELECT json_array_elements(told.tiers::json) LOOP
      CONTINUE WHEN system >= pawl.key(tier->>'osBelow');
      told.action := tier->>'action'; @tier@
      EXIT;
    END LOOP;
  END IF;
  IF told.target IS NOT NULL AND told.tag IS DISTINCT FROM ask.tag THEN
    SELECT n.notes INTO told.notes FROM pawl.note n
    WHERE n.app = ask.app AND n.generation = held AND n.target_app = told.target_app AND n.version = told.target;
    IF language IS NOT NULL THEN
      told.notes := told.notes::json->>(SELECT k.name FROM json_object_keys(told.notes::json)
        WITH ORDINALITY k(name, place) ORDER BY @likeness@,
        k.place LIMIT 1);
    END IF;
  END IF;
  RETURN NEXT told;
END $$;

REVOKE ALL ON FUNCTION @signature@ FROM PUBLIC;

-- The owner of all this needs CREATE on the database, and for the roles CREATEROLE.
-- A writer that owns nothing, and a reader that may only ask. Each <WORD> stands for a password in quotes:
-- CREATE ROLE pawl_writer LOGIN PASSWORD <WRITER_PASSWORD>;
-- GRANT USAGE ON SCHEMA pawl TO pawl_writer;
-- GRANT SELECT ON ALL TABLES IN SCHEMA pawl TO pawl_writer;
-- GRANT INSERT, DELETE ON pawl.app, pawl.answer, pawl.note TO pawl_writer;
-- GRANT UPDATE (@writable@) ON pawl.app TO pawl_writer;
-- CREATE ROLE pawl_reader LOGIN PASSWORD <READER_PASSWORD>;
-- GRANT USAGE ON SCHEMA pawl TO pawl_reader;
-- GRANT EXECUTE ON FUNCTION @signature@ TO pawl_reader;

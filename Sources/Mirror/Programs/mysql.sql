-- What a version is told, now or at a moment, on a system or on whatever there is: one row, or none if no one knows.
-- Its notes are of all languages, or those for a locale, and there are none where the client knows the tag. What is
-- not given is NULL.
DELIMITER //
/*!50700 DROP PROCEDURE IF EXISTS pawl_ask */ //
CREATE @orReplace@ PROCEDURE pawl_ask(IN asked_app LONGBLOB, IN asked_version LONGBLOB, IN asked_at BIGINT,
  IN asked_os LONGBLOB, IN asked_locale LONGBLOB, IN asked_tag LONGBLOB)
READS SQL DATA SQL SECURITY DEFINER
BEGIN
@variables@
  DECLARE asked_slug @word@;
  DECLARE asked_key @key@ DEFAULT @versionKey@;
  DECLARE asked_system @key@ DEFAULT @systemKey@;
  DECLARE asked_language @text@ DEFAULT LOWER(REPLACE(CONVERT(asked_locale USING latin1), '_', '-'));
  DECLARE is_stopped TINYINT;
  DECLARE found_name VARCHAR(64) CHARACTER SET utf8mb4;
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  SET asked_slug = IF(LENGTH(asked_app) <= 63 AND CONVERT(asked_app USING latin1) NOT REGEXP '[^a-z0-9-]',
    CONVERT(asked_app USING latin1), '');
  SELECT @stopped@, @selected@
  INTO is_stopped, @found@
  FROM pawl_answer a
  WHERE a.app = asked_slug AND a.generation = @generation@ AND a.lo <= asked_key AND asked_key < a.hi
    AND (asked_os IS NULL OR asked_system IS NOT NULL)
    AND a.valid_from <= @moment@ AND @moment@ < a.valid_until
  ORDER BY a.lo DESC LIMIT 1;
  IF is_stopped THEN
    SET told_action = 'none', @nothing@,
      told_tiers = '[]', told_tag = CONCAT('s', SUBSTR(told_tag, 2));
  ELSEIF asked_system IS NOT NULL AND told_tiers <> '[]' THEN
    SELECT t.action, @tierMembers@
    INTO told_action, @members@
    FROM JSON_TABLE(told_tiers, '$[*]' COLUMNS (place FOR ORDINALITY, os_below VARCHAR(64) PATH '$.osBelow',
      action VARCHAR(64) PATH '$.action', @tierColumns@)) t
    WHERE asked_system < @tierKey@
    ORDER BY t.place LIMIT 1;
  END IF;
  IF told_target IS NOT NULL AND NOT told_tag <=> CONVERT(asked_tag USING latin1) THEN
    SELECT n.notes INTO told_notes FROM pawl_note n
    WHERE n.app = asked_slug AND n.generation = told_generation AND n.target_app = told_target_app
      AND n.version = told_target;
    IF asked_language IS NOT NULL AND told_notes IS NOT NULL THEN
      SELECT k.name INTO found_name
      FROM JSON_TABLE(JSON_KEYS(told_notes), '$[*]' COLUMNS (name VARCHAR(64) PATH '$')) k
      ORDER BY @likeness@,
        LOCATE(CAST(CONCAT('"', k.name, '":') AS BINARY), CAST(told_notes AS BINARY)) LIMIT 1;
      SET told_notes = JSON_UNQUOTE(JSON_EXTRACT(told_notes, CONCAT('$."', found_name, '"')));
    END IF;
  END IF;
  SELECT @told@ FROM DUAL
  WHERE told_action IS NOT NULL;
END //
DELIMITER ;

-- The owner of all this needs, on its database, CREATE, CREATE ROUTINE, ALTER ROUTINE, SELECT, INSERT, UPDATE, DELETE and
-- EXECUTE, WITH GRANT OPTION, and for the accounts CREATE USER on *.*.
-- A writer that owns nothing, and a reader that may only ask. Each <WORD> stands for a text in quotes: a password, or the
-- host that the account comes from:
-- CREATE USER IF NOT EXISTS pawl_writer@<HOST> IDENTIFIED BY <WRITER_PASSWORD>;
-- GRANT SELECT ON pawl_format TO pawl_writer@<HOST>;
-- GRANT SELECT, INSERT, DELETE, UPDATE (@writable@) ON pawl_app TO pawl_writer@<HOST>;
-- GRANT SELECT, INSERT, DELETE ON pawl_answer TO pawl_writer@<HOST>;
-- GRANT SELECT, INSERT, DELETE ON pawl_note TO pawl_writer@<HOST>;
-- GRANT EXECUTE ON PROCEDURE pawl_ask TO pawl_writer@<HOST>;
-- CREATE USER IF NOT EXISTS pawl_reader@<HOST> IDENTIFIED BY <READER_PASSWORD>;
-- GRANT EXECUTE ON PROCEDURE pawl_ask TO pawl_reader@<HOST>;

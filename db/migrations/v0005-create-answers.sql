-- What clients are told, for programs that read the ledger themselves. The decision is made by the program alone: with
-- every event that concerns an app, what its known versions are told from then on is worked out and kept here, and the
-- view below only picks what holds now.

-- The newest event that concerns an app's answers: its own, one of an app it sends clients to, or of the trusted hosts.
CREATE TABLE generation (
  app_id    INTEGER PRIMARY KEY REFERENCES app (id),
  event_seq INTEGER NOT NULL REFERENCES event (seq)
) STRICT;

CREATE TRIGGER generation_insert BEFORE INSERT ON generation BEGIN
  SELECT RAISE(ABORT, 'generation.event: a generation is the event that was recorded last')
  WHERE NEW.event_seq <> (SELECT max(seq) FROM event);
END;

CREATE TRIGGER generation_update BEFORE UPDATE ON generation BEGIN
  SELECT RAISE(ABORT, 'generation.event: a generation grows, with the event that was recorded last')
  WHERE NEW.app_id <> OLD.app_id OR NEW.event_seq < OLD.event_seq
     OR NEW.event_seq <> (SELECT max(seq) FROM event);
END;

CREATE TRIGGER generation_delete BEFORE DELETE ON generation BEGIN
  SELECT RAISE(ABORT, 'generation.delete: a generation is never deleted');
END;

-- One answer to the releases of an app from one row number to another, from one moment to another.
CREATE TABLE answer (
  app_id        INTEGER NOT NULL REFERENCES app (id),
  first_release INTEGER NOT NULL REFERENCES release (id),
  last_release  INTEGER NOT NULL REFERENCES release (id),
  from_at       TEXT    NOT NULL CHECK (from_at  GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  until_at      TEXT    CHECK (until_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  action        TEXT    NOT NULL CHECK (action IN ('none', 'remind', 'force')),
  review        INTEGER NOT NULL CHECK (review IN (0, 1)),
  decided_by    TEXT    NOT NULL CHECK (decided_by IN (
    'stopped', 'unreleased', 'rule', 'mandatory', 'policy', 'current', 'no-target')),
  rule          INTEGER REFERENCES rule (number),
  target        INTEGER REFERENCES release (id),
  url           TEXT,
  settings      TEXT    NOT NULL,
  event_seq     INTEGER NOT NULL REFERENCES event (seq),
  PRIMARY KEY (app_id, first_release, from_at),
  CHECK (first_release <= last_release),
  CHECK (from_at < until_at),
  -- Laws 4 and 5.
  CHECK ((action = 'none') = (target IS NULL)),
  CHECK ((action = 'none') = (url IS NULL)),
  CHECK (review = 0 OR action = 'none')
) STRICT, WITHOUT ROWID;

CREATE TRIGGER answer_insert BEFORE INSERT ON answer BEGIN
  SELECT RAISE(ABORT, 'answer.event: answers are worked out with the event that was recorded last')
  WHERE NEW.event_seq <> (SELECT max(seq) FROM event);
END;

CREATE TRIGGER answer_update BEFORE UPDATE ON answer BEGIN
  SELECT RAISE(ABORT, 'answer.update: an answer is replaced, never altered');
END;

CREATE TRIGGER answer_delete BEFORE DELETE ON answer BEGIN
  SELECT RAISE(ABORT, 'answer.event: an answer goes when a newer event is recorded')
  WHERE OLD.event_seq >= (SELECT max(seq) FROM event);
END;

-- The public contract, described in db/README.md: what each known version of each app is told now. The moment is that
-- of the last event where the system's clock is behind it.
CREATE VIEW client_decision AS
WITH clock (now) AS MATERIALIZED (
  SELECT max(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), coalesce((SELECT at FROM event ORDER BY seq DESC LIMIT 1), ''))
)
SELECT
  app.slug AS app,
  release.version AS version,
  answer.action AS action,
  answer.review AS review,
  told.version AS target,
  told_app.slug AS target_app,
  told.min_os AS min_os,
  answer.url AS url,
  (SELECT text FROM note WHERE release_id = told.id ORDER BY position LIMIT 1) AS notes,
  answer.decided_by AS decided_by,
  answer.rule AS rule,
  answer.settings AS settings,
  app.remind_every AS remind_every,
  answer.action <> 'none' AS hasNewVersion,
  answer.action = 'force' AS needUpgrade,
  answer.url AS downloadUrl,
  answer.from_at AS valid_from,
  answer.until_at AS valid_until,
  answer.event_seq AS generation
FROM clock
CROSS JOIN app
JOIN answer ON answer.app_id = app.id
  AND answer.from_at <= clock.now AND (answer.until_at IS NULL OR clock.now < answer.until_at)
JOIN release ON release.app_id = app.id AND release.id BETWEEN answer.first_release AND answer.last_release
LEFT JOIN release AS told ON told.id = answer.target
LEFT JOIN app AS told_app ON told_app.id = told.app_id;

-- Where the documents for clients are written after every change; no row where nobody said so.
CREATE TABLE publication (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  directory TEXT    NOT NULL CHECK (directory GLOB '/*'),
  event_seq INTEGER NOT NULL REFERENCES event (seq)
) STRICT;

CREATE TRIGGER publication_insert BEFORE INSERT ON publication BEGIN
  SELECT RAISE(ABORT, 'publication.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event) AND kind = 'export.set');
END;

CREATE TRIGGER publication_update BEFORE UPDATE ON publication BEGIN
  SELECT RAISE(ABORT, 'publication.event: a change names the event that records it')
  WHERE NEW.id <> OLD.id OR NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event) AND kind = 'export.set');
END;

CREATE TRIGGER publication_delete BEFORE DELETE ON publication BEGIN
  SELECT RAISE(ABORT, 'publication.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = (SELECT max(seq) FROM event) AND kind = 'export.clear');
END;

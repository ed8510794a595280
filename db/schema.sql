CREATE UNIQUE INDEX app_apple_id ON app (apple_id, platform) WHERE apple_id IS NOT NULL;

CREATE INDEX event_app ON event (app, seq);

CREATE UNIQUE INDEX event_plan ON event (subject) WHERE kind = 'plan.apply';

CREATE UNIQUE INDEX event_request ON event (request_id) WHERE request_id IS NOT NULL;

CREATE INDEX evidence_app ON evidence (app, kind, id) WHERE app IS NOT NULL;

CREATE INDEX evidence_message ON evidence (message_id) WHERE message_id IS NOT NULL;

CREATE INDEX evidence_parked ON evidence (id) WHERE outcome = 'parked';

CREATE INDEX evidence_sha256 ON evidence (sha256);

CREATE UNIQUE INDEX note_locale ON note (release_id, locale);

CREATE INDEX redirect_app ON redirect (app_id) WHERE active = 1;

CREATE INDEX redirect_to ON redirect (to_app) WHERE to_app IS NOT NULL;

CREATE UNIQUE INDEX release_live ON release (app_id) WHERE state = 'live';

CREATE INDEX release_mandatory ON release (app_id, major, minor, patch, fourth) WHERE mandatory = 1;

CREATE INDEX release_state ON release (app_id, past, state);

CREATE INDEX release_version ON release (app_id, major, minor, patch, fourth);

CREATE INDEX rule_app ON rule (app_id) WHERE active = 1;

CREATE INDEX rule_to ON rule (to_app) WHERE to_app IS NOT NULL;

CREATE INDEX setting_app ON setting (app_id) WHERE active = 1;

CREATE UNIQUE INDEX trust_value ON trust (kind, value, selector);

CREATE TABLE answer (
  app_id        INTEGER NOT NULL REFERENCES app (id),
  first_release INTEGER NOT NULL REFERENCES release (id),
  last_release  INTEGER NOT NULL REFERENCES release (id),
  from_at       TEXT    NOT NULL CHECK (from_at  GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  until_at      TEXT    CHECK (until_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  action        TEXT    NOT NULL CHECK (action IN ('none', 'remind', 'force')),
  review        INTEGER NOT NULL CHECK (review IN (0, 1)),
  decided_by    TEXT    NOT NULL CHECK (decided_by IN (
    'stopped', 'unreleased', 'rule', 'mandatory', 'policy', 'phased', 'current', 'no-target')),
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

CREATE TABLE app (
  id           INTEGER PRIMARY KEY,
  slug         TEXT    NOT NULL UNIQUE CHECK (
    length(slug) BETWEEN 1 AND 63 AND slug NOT GLOB '*[^a-z0-9-]*' AND slug NOT GLOB '-*'),
  bundle_id    TEXT    NOT NULL CHECK (length(bundle_id) BETWEEN 1 AND 155 AND bundle_id NOT GLOB '*[^A-Za-z0-9.-]*'),
  apple_id     INTEGER CHECK (apple_id > 0),
  name         TEXT,
  sku          TEXT,
  platform     TEXT    NOT NULL CHECK (platform IN ('ios', 'macos', 'tvos', 'visionos', 'watchos')),
  channel      TEXT    NOT NULL CHECK (channel IN ('app-store', 'enterprise')),
  store_url    TEXT,
  policy       TEXT    NOT NULL CHECK (policy NOT GLOB '*[^a-z,]*'),
  hold         INTEGER NOT NULL CHECK (hold >= 0),
  remind_every TEXT    NOT NULL CHECK (remind_every IN ('once', '1d', 'always')),
  asks_since   TEXT,
  stopped      INTEGER NOT NULL CHECK (stopped IN (0, 1)),
  countries    TEXT    NOT NULL DEFAULT '' CHECK (countries NOT GLOB '*[^A-Z,]*'),
  live_by      TEXT    NOT NULL DEFAULT 'mail' CHECK (live_by IN ('mail', 'lookup')),
  event_seq    INTEGER NOT NULL REFERENCES event (seq)
, retired INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0, 1)), remind_after TEXT NOT NULL DEFAULT 'visible' CHECK (remind_after IN ('visible', 'phase')), expect TEXT NOT NULL DEFAULT '' CHECK (expect NOT GLOB '*[^a-z,]*')) STRICT;

CREATE TABLE event (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  at         TEXT    NOT NULL CHECK (at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  format     INTEGER NOT NULL CHECK (format >= 1),
  kind       TEXT    NOT NULL,
  app        TEXT,
  version    TEXT,
  subject    TEXT,
  before     TEXT,
  after      TEXT,
  impact     TEXT,
  actor      TEXT    NOT NULL,
  reason     TEXT,
  evidence   INTEGER,
  request_id TEXT,
  request    TEXT,
  answer     TEXT,
  hash       TEXT    NOT NULL CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
  CHECK ((request_id IS NULL) = (request IS NULL) AND (request_id IS NULL) = (answer IS NULL))
) STRICT;

CREATE TABLE evidence (
  id          INTEGER PRIMARY KEY,
  kind        TEXT    NOT NULL CHECK (kind IN ('mail', 'lookup', 'webhook', 'asc', 'usage')),
  sha256      TEXT    NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
  size        INTEGER NOT NULL CHECK (size >= 0),
  message_id  TEXT,
  received_at TEXT    NOT NULL CHECK (received_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  sent_at     TEXT    CHECK (sent_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  sender      TEXT,
  subject     TEXT,
  outcome     TEXT    NOT NULL CHECK (outcome IN ('applied', 'ignored', 'parked', 'refused', 'dismissed')),
  reason      TEXT,
  proof       TEXT,
  app         TEXT,
  version     TEXT,
  state       TEXT,
  country     TEXT,
  body        BLOB,
  event_seq   INTEGER NOT NULL REFERENCES event (seq)
) STRICT;

CREATE TABLE generation (
  app_id    INTEGER PRIMARY KEY REFERENCES app (id),
  event_seq INTEGER NOT NULL REFERENCES event (seq),
  -- Whether its answers may be written: from the event on until they all are.
  open      INTEGER NOT NULL CHECK (open IN (0, 1))
) STRICT;

CREATE TABLE migration (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, at TEXT NOT NULL
) STRICT;

CREATE TABLE note (
  release_id INTEGER NOT NULL REFERENCES release (id),
  position   INTEGER NOT NULL CHECK (position >= 0),
  locale     TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  event_seq  INTEGER NOT NULL REFERENCES event (seq),
  PRIMARY KEY (release_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE publication (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  directory TEXT    NOT NULL CHECK (directory GLOB '/*'),
  event_seq INTEGER NOT NULL REFERENCES event (seq)
, formats TEXT CHECK (formats NOT GLOB '*[^a-z0-9,-]*')) STRICT;

CREATE TABLE redirect (
  number      INTEGER PRIMARY KEY,
  app_id      INTEGER NOT NULL REFERENCES app (id),
  range       TEXT    NOT NULL CHECK (length(range) > 0),
  url         TEXT,
  to_app      TEXT    REFERENCES app (slug),
  from_at     TEXT    CHECK (from_at  GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  until_at    TEXT    CHECK (until_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  active      INTEGER NOT NULL CHECK (active IN (0, 1)),
  replaced_by INTEGER,
  event_seq   INTEGER NOT NULL REFERENCES event (seq),
  CHECK (from_at IS NULL OR until_at IS NULL OR from_at < until_at),
  CHECK ((url IS NULL) <> (to_app IS NULL))
) STRICT;

CREATE TABLE release (
  id                INTEGER PRIMARY KEY,
  app_id            INTEGER NOT NULL REFERENCES app (id),
  version           TEXT    NOT NULL,
  major             INTEGER NOT NULL CHECK (major  BETWEEN 0 AND 999999999),
  minor             INTEGER NOT NULL CHECK (minor  BETWEEN 0 AND 999999999),
  patch             INTEGER NOT NULL CHECK (patch  BETWEEN 0 AND 999999999),
  fourth            INTEGER NOT NULL CHECK (fourth BETWEEN 0 AND 999999999),
  build             TEXT    CHECK (build NOT GLOB '*[^0-9.]*' AND build GLOB '[0-9]*'),
  state             TEXT    NOT NULL CHECK (state IN (
    'prepared', 'waiting', 'in-review', 'approved', 'live', 'rejected', 'withdrawn', 'superseded', 'removed', 'void')),
  since             TEXT    NOT NULL CHECK (since GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  notes             INTEGER NOT NULL CHECK (notes >= 0),
  min_os            TEXT    CHECK (min_os NOT GLOB '*[^0-9.]*' AND min_os GLOB '[0-9]*'),
  url               TEXT,
  mandatory         INTEGER NOT NULL CHECK (mandatory IN (0, 1)),
  approved_at       TEXT    CHECK (approved_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  live_at           TEXT    CHECK (live_at     GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  visible_at        TEXT    CHECK (visible_at  GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  removed_at        TEXT    CHECK (removed_at  GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  former_state      TEXT,
  former_since      TEXT,
  former_live_at    TEXT,
  former_visible_at TEXT,
  former_removed_at TEXT,
  former_superseded INTEGER,
  superseded_by     INTEGER,
  past              INTEGER NOT NULL DEFAULT 0 CHECK (past IN (0, 1)),
  asc_id            TEXT    CHECK (length(asc_id) BETWEEN 1 AND 64 AND asc_id NOT GLOB '*[^0-9a-zA-Z-]*'),
  shown_at          TEXT    CHECK (shown_at    GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  event_seq         INTEGER NOT NULL REFERENCES event (seq), expires_at TEXT
  CHECK (expires_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'), remind_at TEXT
  CHECK (remind_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'), phase TEXT CHECK (phase IN ('inactive', 'active', 'paused', 'complete')),
  CHECK (
       version = major || ''                                              AND minor = 0 AND patch = 0 AND fourth = 0
    OR version = major || '.' || minor                                                  AND patch = 0 AND fourth = 0
    OR version = major || '.' || minor || '.' || patch                                                AND fourth = 0
    OR version = major || '.' || minor || '.' || patch || '.' || fourth),
  -- What was never on the line has been on the store all the same, and clients are never pointed at it.
  CHECK (past = 0 OR state IN ('superseded', 'void') AND visible_at IS NULL AND superseded_by IS NULL),
  CHECK (state NOT IN ('live', 'superseded', 'removed') OR (live_at IS NOT NULL AND (visible_at IS NOT NULL OR past = 1))),
  CHECK (state IN ('live', 'superseded', 'removed') OR (live_at IS NULL AND visible_at IS NULL)),
  CHECK (visible_at >= live_at),
  CHECK ((state = 'removed') = (removed_at IS NOT NULL)),
  CHECK (state <> 'superseded' OR superseded_by IS NOT NULL OR past = 1)
) STRICT;

CREATE TABLE rule (
  number    INTEGER PRIMARY KEY,
  app_id    INTEGER NOT NULL REFERENCES app (id),
  range     TEXT    NOT NULL CHECK (length(range) > 0),
  action    TEXT    NOT NULL CHECK (action IN ('none', 'remind', 'force')),
  from_at   TEXT    CHECK (from_at  GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  until_at  TEXT    CHECK (until_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  url       TEXT,
  to_app    TEXT    REFERENCES app (slug),
  reason    TEXT,
  active    INTEGER NOT NULL CHECK (active IN (0, 1)),
  made_by   INTEGER NOT NULL REFERENCES event (seq),
  event_seq INTEGER NOT NULL REFERENCES event (seq),
  CHECK (url IS NULL OR to_app IS NULL),
  CHECK (from_at IS NULL OR until_at IS NULL OR from_at < until_at),
  CHECK (action <> 'force' OR reason IS NOT NULL)
) STRICT;

CREATE TABLE setting (
  number      INTEGER PRIMARY KEY,
  app_id      INTEGER NOT NULL REFERENCES app (id),
  key         TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 64 AND key NOT GLOB '*[^A-Za-z0-9._-]*'),
  range       TEXT    NOT NULL CHECK (length(range) > 0),
  during      TEXT    CHECK (during IN ('review', 'released')),
  value       TEXT    NOT NULL,
  from_at     TEXT    CHECK (from_at  GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  until_at    TEXT    CHECK (until_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'),
  active      INTEGER NOT NULL CHECK (active IN (0, 1)),
  replaced_by INTEGER,
  event_seq   INTEGER NOT NULL REFERENCES event (seq),
  CHECK (from_at IS NULL OR until_at IS NULL OR from_at < until_at)
) STRICT;

CREATE TABLE trust (
  id        INTEGER PRIMARY KEY,
  kind      TEXT    NOT NULL CHECK (kind IN (
    'host', 'dkim', 'mx', 'recipient', 'webhook', 'signer', 'approvals')),
  value     TEXT    NOT NULL CHECK (length(value) > 0),
  selector  TEXT    NOT NULL CHECK ((kind = 'dkim') = (selector <> '')),
  key       TEXT    CHECK ((kind IN ('dkim', 'webhook', 'signer')) = (key IS NOT NULL)),
  single_platform INTEGER CHECK ((kind = 'webhook') = (single_platform IS NOT NULL AND single_platform IN (0, 1))),
  event_seq INTEGER NOT NULL REFERENCES event (seq)
, until_at TEXT CHECK (
  until_at IS NULL OR kind = 'signer'
    AND until_at GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z')) STRICT;

CREATE TRIGGER answer_delete BEFORE DELETE ON answer BEGIN
  SELECT RAISE(ABORT, 'answer.event: an answer goes when a newer event is recorded')
  WHERE NOT EXISTS (
      SELECT 1 FROM generation WHERE app_id = OLD.app_id AND event_seq > OLD.event_seq AND open = 1)
    AND (SELECT kind FROM event ORDER BY seq DESC LIMIT 1) IS NOT 'app.void';
END;

CREATE TRIGGER answer_insert BEFORE INSERT ON answer BEGIN
  SELECT RAISE(ABORT, 'answer.event: answers are worked out once, with the event that concerns them')
  WHERE NOT EXISTS (
      SELECT 1 FROM generation WHERE app_id = NEW.app_id AND event_seq = NEW.event_seq AND open = 1)
    OR EXISTS (
      SELECT 1 FROM answer
      WHERE app_id = NEW.app_id AND first_release = NEW.first_release AND from_at = NEW.from_at);
END;

CREATE TRIGGER answer_update BEFORE UPDATE ON answer BEGIN
  SELECT RAISE(ABORT, 'answer.update: an answer is replaced, never altered');
END;

CREATE TRIGGER app_delete BEFORE DELETE ON app BEGIN
  SELECT RAISE(ABORT, 'app.delete: only an app with nothing recorded under it is struck out')
  WHERE NOT EXISTS (
      SELECT 1 FROM event
      WHERE seq = (SELECT max(seq) FROM event) AND kind = 'app.void' AND subject = 'app/' || OLD.id)
    OR EXISTS (SELECT 1 FROM release WHERE app_id = OLD.id)
    OR EXISTS (SELECT 1 FROM rule WHERE app_id = OLD.id OR to_app = OLD.slug)
    OR EXISTS (SELECT 1 FROM redirect WHERE app_id = OLD.id OR to_app = OLD.slug)
    OR EXISTS (SELECT 1 FROM setting WHERE app_id = OLD.id);
  DELETE FROM answer WHERE app_id = OLD.id;
  DELETE FROM generation WHERE app_id = OLD.id;
END;

CREATE TRIGGER app_insert BEFORE INSERT ON app BEGIN
  SELECT RAISE(ABORT, 'app.identity: an app is never replaced')
  WHERE NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM app)
     OR EXISTS (SELECT 1 FROM app WHERE slug = NEW.slug)
     OR EXISTS (SELECT 1 FROM app WHERE apple_id = NEW.apple_id AND platform = NEW.platform);
  SELECT RAISE(ABORT, 'app.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND kind = 'app.add' AND app = NEW.slug AND subject = 'app/' || NEW.id);
END;

CREATE TRIGGER app_update BEFORE UPDATE ON app BEGIN
  SELECT RAISE(ABORT, 'app.identity: slug, platform and channel are never altered')
  WHERE NEW.id <> OLD.id OR NEW.slug <> OLD.slug OR NEW.platform <> OLD.platform OR NEW.channel <> OLD.channel
     OR EXISTS (SELECT 1 FROM app WHERE id <> OLD.id AND apple_id = NEW.apple_id AND platform = NEW.platform);
  SELECT RAISE(ABORT, 'app.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND kind IN ('app.set', 'app.stop', 'app.resume', 'app.retire', 'app.restore') AND subject = 'app/' || NEW.id);
END;

CREATE TRIGGER event_delete BEFORE DELETE ON event BEGIN
  SELECT RAISE(ABORT, 'event.append-only: an event is never deleted');
END;

CREATE TRIGGER event_insert BEFORE INSERT ON event BEGIN
  SELECT RAISE(ABORT, 'event.sequence: the next number is the only one that can be added')
  WHERE NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM event);
  SELECT RAISE(ABORT, 'event.time: time does not go back')
  WHERE NEW.kind <> 'clock.correct' AND NEW.at < (
    SELECT iif(kind = 'clock.correct', substr(after, instr(after, '"to":"') + 6, 20), at)
    FROM event WHERE seq = NEW.seq - 1)
     OR NEW.kind = 'clock.correct' AND NEW.at IS NOT (SELECT at FROM event WHERE seq = NEW.seq - 1);
  SELECT RAISE(ABORT, 'event.request: this request is recorded already')
  WHERE NEW.request_id IN (SELECT request_id FROM event WHERE request_id = NEW.request_id);
END;

CREATE TRIGGER event_update BEFORE UPDATE ON event BEGIN
  SELECT RAISE(ABORT, 'event.append-only: an event is never altered');
END;

CREATE TRIGGER evidence_delete BEFORE DELETE ON evidence BEGIN
  SELECT RAISE(ABORT, 'evidence.delete: evidence is never deleted');
END;

CREATE TRIGGER evidence_insert BEFORE INSERT ON evidence BEGIN
  SELECT RAISE(ABORT, 'evidence.identity: evidence is never replaced')
  WHERE NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM evidence);
  SELECT RAISE(ABORT, 'evidence.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event) AND kind = 'evidence.add'
      AND subject = 'evidence/' || NEW.id AND evidence = NEW.id
      AND instr(after, '"sha256":"' || NEW.sha256 || '"') > 0
      AND instr(after, '"outcome":"' || NEW.outcome || '"') > 0);
END;

CREATE TRIGGER evidence_update BEFORE UPDATE ON evidence BEGIN
  SELECT RAISE(ABORT, 'evidence.identity: what came in is never altered')
  WHERE (NEW.id, NEW.kind, NEW.sha256, NEW.size, NEW.message_id, NEW.received_at, NEW.sent_at, NEW.sender,
      NEW.subject, NEW.country, NEW.body)
    IS NOT (OLD.id, OLD.kind, OLD.sha256, OLD.size, OLD.message_id, OLD.received_at, OLD.sent_at, OLD.sender,
      OLD.subject, OLD.country, OLD.body)
    OR OLD.outcome <> 'parked';
  SELECT RAISE(ABORT, 'evidence.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event) AND kind = 'evidence.settle'
      AND subject = 'evidence/' || NEW.id AND instr(after, '"outcome":"' || NEW.outcome || '"') > 0);
END;

CREATE TRIGGER generation_delete BEFORE DELETE ON generation BEGIN
  SELECT RAISE(ABORT, 'generation.delete: a generation goes with its app')
  WHERE (SELECT kind FROM event ORDER BY seq DESC LIMIT 1) IS NOT 'app.void'
     OR (SELECT subject FROM event ORDER BY seq DESC LIMIT 1) IS NOT 'app/' || OLD.app_id;
END;

CREATE TRIGGER generation_insert BEFORE INSERT ON generation BEGIN
  SELECT RAISE(ABORT, 'generation.event: a generation is the event that was recorded last')
  WHERE NEW.event_seq <> (SELECT max(seq) FROM event) OR NEW.open <> 1
     OR EXISTS (SELECT 1 FROM generation WHERE app_id = NEW.app_id);
END;

CREATE TRIGGER generation_update BEFORE UPDATE ON generation BEGIN
  SELECT RAISE(ABORT, 'generation.event: answers are worked out once, with an event that concerns them')
  WHERE NEW.app_id <> OLD.app_id OR NOT (
    NEW.open = 0 AND OLD.open = 1 AND NEW.event_seq = OLD.event_seq
    OR NEW.open = 1 AND OLD.open = 0 AND NEW.event_seq > OLD.event_seq
      AND NEW.event_seq = (SELECT max(seq) FROM event)
      AND (EXISTS (
          SELECT 1 FROM event
          WHERE seq > OLD.event_seq AND kind NOT GLOB 'evidence.*' AND app IN (
            SELECT slug FROM app WHERE id = NEW.app_id
            UNION SELECT to_app FROM rule WHERE app_id = NEW.app_id
            UNION SELECT to_app FROM redirect WHERE app_id = NEW.app_id))
        OR EXISTS (
          SELECT 1 FROM event
          WHERE seq > OLD.event_seq AND app IS NULL AND kind IN ('trust.add', 'trust.remove', 'clock.correct'))));
END;

CREATE TRIGGER note_delete BEFORE DELETE ON note BEGIN
  SELECT RAISE(ABORT, 'note.event: notes change with their release')
  WHERE NOT EXISTS (
    SELECT 1 FROM release
    WHERE id = OLD.release_id AND event_seq > OLD.event_seq AND event_seq = (SELECT max(seq) FROM event)
      AND (SELECT kind FROM event WHERE seq = release.event_seq) = 'release.amend');
END;

CREATE TRIGGER note_insert BEFORE INSERT ON note BEGIN
  SELECT RAISE(ABORT, 'note.event: notes change with their release')
  WHERE NOT EXISTS (
    SELECT 1 FROM release
    WHERE id = NEW.release_id AND event_seq = NEW.event_seq AND event_seq = (SELECT max(seq) FROM event)
      AND notes > (SELECT count(*) FROM note WHERE release_id = NEW.release_id));
END;

CREATE TRIGGER note_update BEFORE UPDATE ON note BEGIN
  SELECT RAISE(ABORT, 'note.event: notes change with their release');
END;

CREATE TRIGGER publication_delete BEFORE DELETE ON publication BEGIN
  SELECT RAISE(ABORT, 'publication.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = (SELECT max(seq) FROM event) AND kind = 'export.clear');
END;

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

CREATE TRIGGER redirect_delete BEFORE DELETE ON redirect BEGIN
  SELECT RAISE(ABORT, 'redirect.delete: a redirect is never deleted');
END;

CREATE TRIGGER redirect_insert BEFORE INSERT ON redirect BEGIN
  SELECT RAISE(ABORT, 'redirect.identity: a redirect is never replaced in its row')
  WHERE NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM redirect) OR NEW.active <> 1
     OR NEW.replaced_by IS NOT NULL;
  SELECT RAISE(ABORT, 'redirect.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event) AND kind = 'redirect.set'
      AND subject = 'redirect/' || NEW.number AND app = (SELECT slug FROM app WHERE id = NEW.app_id));
END;

CREATE TRIGGER redirect_update BEFORE UPDATE ON redirect BEGIN
  SELECT RAISE(ABORT, 'redirect.identity: a redirect is cleared or given back, never altered')
  WHERE NEW.number <> OLD.number OR NEW.app_id <> OLD.app_id OR NEW.range <> OLD.range
     OR NEW.url IS NOT OLD.url OR NEW.to_app IS NOT OLD.to_app
     OR CASE (SELECT kind FROM event WHERE seq = NEW.event_seq)
       WHEN 'clock.correct' THEN NEW.active <> OLD.active
       ELSE NEW.active = OLD.active OR (NEW.from_at, NEW.until_at) IS NOT (OLD.from_at, OLD.until_at) END;
  SELECT RAISE(ABORT, 'redirect.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND (kind = 'clock.correct' OR app = (SELECT slug FROM app WHERE id = NEW.app_id))
      AND (kind = 'clock.correct' OR subject = 'redirect/' || NEW.number AND NEW.replaced_by IS NULL
             AND kind = CASE NEW.active WHEN 0 THEN 'redirect.clear' ELSE 'redirect.set' END
        OR subject = 'redirect/' || NEW.replaced_by AND kind = 'redirect.set' AND NEW.active = 0
             AND NOT EXISTS (SELECT 1 FROM redirect WHERE number = NEW.replaced_by AND event_seq = NEW.event_seq)));
END;

CREATE TRIGGER release_delete BEFORE DELETE ON release BEGIN
  SELECT RAISE(ABORT, 'release.delete: a release is never deleted');
END;

CREATE TRIGGER release_insert BEFORE INSERT ON release BEGIN
  SELECT RAISE(ABORT, 'release.identity: a release is never replaced')
  WHERE NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM release);
  SELECT RAISE(ABORT, 'release.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND subject = 'release/' || NEW.id AND version = NEW.version
      AND app = (SELECT slug FROM app WHERE id = NEW.app_id)
      AND (kind = 'release.publish' AND NEW.state = 'prepared' AND NEW.live_at IS NULL AND NEW.visible_at IS NULL
        OR kind = 'release.import' AND NEW.live_at <= at AND (
             NEW.past = 0 AND NEW.state = 'live' AND NEW.visible_at = NEW.live_at
          OR NEW.past = 1 AND NEW.state = 'superseded' AND instr(after, '"past":true') > 0)));
  -- Law 1, for a new release.
  SELECT RAISE(ABORT, 'version.not-greater: a new release is greater than every one recorded')
  WHERE EXISTS (
    SELECT 1 FROM release
    WHERE app_id = NEW.app_id AND major = NEW.major AND minor = NEW.minor AND patch = NEW.patch
      AND fourth = NEW.fourth AND state <> 'void')
    OR NEW.past = 0 AND EXISTS (
      SELECT 1 FROM release
      WHERE app_id = NEW.app_id
        AND (major, minor, patch, fourth) > (NEW.major, NEW.minor, NEW.patch, NEW.fourth)
        AND state <> 'void' AND past = 0);
  SELECT RAISE(ABORT, 'version.malformed: the App Store takes three components')
  WHERE NEW.past = 0 AND (SELECT channel FROM app WHERE id = NEW.app_id) = 'app-store'
    AND length(NEW.version) - length(replace(NEW.version, '.', '')) > 2;
  SELECT RAISE(ABORT, 'version.not-past: a past release is lower than one that was live')
  WHERE NEW.past = 1
    AND ((SELECT channel FROM app WHERE id = NEW.app_id) <> 'app-store'
      OR length(NEW.version) - length(replace(NEW.version, '.', '')) < 3)
    AND NOT EXISTS (
      SELECT 1 FROM release
      WHERE app_id = NEW.app_id AND past = 0 AND live_at IS NOT NULL
        AND (major, minor, patch, fourth) > (NEW.major, NEW.minor, NEW.patch, NEW.fourth));
  SELECT RAISE(ABORT, 'release.former: a new release has no past')
  WHERE NEW.former_state IS NOT NULL OR NEW.former_superseded IS NOT NULL OR NEW.superseded_by IS NOT NULL
     OR NEW.approved_at IS NOT NULL OR NEW.shown_at IS NOT NULL;
  -- JSON functions are no use here, as SQLite counts them unsafe in a schema it does not trust. An event's keys are
  -- sorted and stand without blanks, and a quote within a text is escaped, so a member can be looked for as text.
  SELECT RAISE(ABORT, 'release.event: a release says what its event says')
  WHERE EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND subject = 'release/' || NEW.id AND (
      after IS NULL
      OR instr(after, '"state":"' || NEW.state || '"') = 0
      OR instr(after, '"build":' || coalesce('"' || NEW.build || '"', 'null')) = 0
      OR instr(after, '"minOS":' || coalesce('"' || NEW.min_os || '"', 'null')) = 0
      OR instr(after, '"url":' || coalesce('"' || NEW.url || '"', 'null')) = 0
      OR instr(after, '"mandatory":' || iif(NEW.mandatory, 'true', 'false')) = 0
      OR instr(after, '"liveAt":' || coalesce('"' || NEW.live_at || '"', 'null')) = 0
      OR instr(after, '"visibleAt":' || coalesce('"' || NEW.visible_at || '"', 'null')) = 0
      OR instr(after, '"expires":' || coalesce('"' || NEW.expires_at || '"', 'null')) = 0
      OR instr(after, '"remindAt":' || coalesce('"' || NEW.remind_at || '"', 'null')) = 0));
  UPDATE release SET state = 'superseded', superseded_by = NEW.id, since = NEW.live_at, event_seq = NEW.event_seq
  WHERE NEW.state = 'live' AND app_id = NEW.app_id AND state = 'live';
END;

CREATE TRIGGER release_unmark AFTER UPDATE ON release
WHEN OLD.state = 'live' AND NEW.state <> 'live'
  AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.unmark' BEGIN
  UPDATE release SET state = 'live', superseded_by = NULL, since = live_at, event_seq = NEW.event_seq
  WHERE id = OLD.former_superseded AND app_id = NEW.app_id AND state = 'superseded' AND superseded_by = NEW.id;
END;

CREATE TRIGGER release_update BEFORE UPDATE ON release BEGIN
  SELECT RAISE(ABORT, 'release.identity: a release is never renumbered')
  WHERE NEW.id <> OLD.id OR NEW.app_id <> OLD.app_id OR NEW.version <> OLD.version OR NEW.past <> OLD.past
     OR (NEW.major, NEW.minor, NEW.patch, NEW.fourth) <> (OLD.major, OLD.minor, OLD.patch, OLD.fourth);
  SELECT RAISE(ABORT, 'release.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND (kind = 'clock.correct' OR app = (SELECT slug FROM app WHERE id = NEW.app_id))
      AND (kind = 'clock.correct' AND NEW.state = OLD.state
        OR subject = 'release/' || NEW.id AND (
             kind = 'release.amend'  AND NEW.state = OLD.state
          OR kind = 'release.mark'   AND NEW.state NOT IN ('superseded', 'void')
          OR kind = 'release.unmark' AND OLD.state = 'live' AND NEW.state = OLD.former_state
          OR kind = 'release.void'   AND NEW.state = 'void')
        -- What moves along is the one that the event names.
        OR subject = 'release/' || NEW.superseded_by AND kind IN ('release.mark', 'release.import')
          AND OLD.state = 'live' AND NEW.state = 'superseded'
          AND instr(after, '"superseded":"' || OLD.version || '"') > 0
        OR subject = 'release/' || OLD.superseded_by AND kind IN ('release.unmark', 'release.void')
          AND OLD.state = 'superseded' AND NEW.state = 'live'
          AND instr(after, '"restored":"' || OLD.version || '"') > 0
        OR subject = 'release/' || OLD.superseded_by AND kind = 'release.void'
          AND OLD.state = 'superseded' AND NEW.state = 'superseded'
        OR subject = 'release/' || OLD.former_superseded AND kind = 'release.void' AND NEW.state = OLD.state));
  -- Law 3. What `unmark` gives back is held against its hold below.
  SELECT RAISE(ABORT, 'state.illegal: a release does not move like this')
  WHERE NEW.state <> OLD.state
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) NOT IN ('release.unmark', 'release.void')
    AND OLD.state || '>' || NEW.state NOT IN (
      'prepared>waiting', 'prepared>in-review', 'prepared>approved', 'prepared>live',
      'waiting>in-review', 'waiting>approved', 'waiting>live', 'in-review>approved', 'in-review>live',
      'approved>live', 'live>superseded', 'live>removed', 'superseded>removed', 'removed>live',
      'prepared>rejected', 'waiting>rejected', 'in-review>rejected', 'approved>rejected', 'withdrawn>rejected',
      'prepared>withdrawn', 'waiting>withdrawn', 'in-review>withdrawn', 'approved>withdrawn', 'rejected>withdrawn',
      'rejected>prepared', 'rejected>waiting', 'rejected>in-review', 'rejected>approved', 'rejected>live',
      'withdrawn>prepared', 'withdrawn>waiting', 'withdrawn>in-review', 'withdrawn>approved', 'withdrawn>live');
  SELECT RAISE(ABORT, 'void.was-live: what was approved or live is struck out only where Apple never had it')
  WHERE NEW.state = 'void' AND (OLD.state = 'void' OR OLD.live_at IS NOT NULL OR OLD.approved_at IS NOT NULL)
    AND (OLD.state = 'void'
      OR NOT EXISTS (SELECT 1 FROM event WHERE seq = NEW.event_seq AND instr(after, '"neverShipped":true') > 0));
  SELECT RAISE(ABORT, 'release.change: a void release counts as never approved, live, visible or removed')
  WHERE NEW.state = 'void' AND coalesce(NEW.approved_at, NEW.live_at, NEW.visible_at, NEW.removed_at, NEW.shown_at,
    NEW.former_state, NEW.former_since, NEW.former_live_at, NEW.former_visible_at, NEW.former_removed_at,
    NEW.former_superseded, NEW.superseded_by) IS NOT NULL;
  SELECT RAISE(ABORT, 'unmark.too-late: clients may have been told')
  WHERE OLD.state = 'live' AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.unmark'
    AND OLD.visible_at <= (SELECT at FROM event WHERE seq = NEW.event_seq);
  SELECT RAISE(ABORT, 'release.times: a live release keeps its moment, and only a hold may end early')
  WHERE NEW.state = OLD.state AND (SELECT kind FROM event WHERE seq = NEW.event_seq) <> 'clock.correct'
    AND (NEW.live_at IS NOT OLD.live_at OR NEW.visible_at > OLD.visible_at
      OR (NEW.visible_at IS NULL) <> (OLD.visible_at IS NULL)
      OR NEW.visible_at < min(OLD.visible_at, (SELECT at FROM event WHERE seq = NEW.event_seq)));
  -- Law 1, for a going live.
  SELECT RAISE(ABORT, 'version.not-greater: what goes live is greater than all that was visible')
  WHERE NEW.state = 'live' AND OLD.state <> 'live'
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.mark'
    AND EXISTS (
      SELECT 1 FROM release AS other
      WHERE other.app_id = NEW.app_id AND other.id <> NEW.id AND other.past = 0
        AND (other.major, other.minor, other.patch, other.fourth) >= (NEW.major, NEW.minor, NEW.patch, NEW.fourth)
        AND (other.state = 'live' OR OLD.state = 'removed' AND other.live_at IS NOT NULL
          OR other.shown_at IS NOT NULL
          OR other.visible_at <= coalesce(other.removed_at, (SELECT at FROM event WHERE seq = NEW.event_seq))));
  SELECT RAISE(ABORT, 'release.times: nothing goes live in the future')
  WHERE NEW.state = 'live' AND NEW.live_at > (SELECT at FROM event WHERE seq = NEW.event_seq);
  SELECT RAISE(ABORT, 'release.times: a removal is recorded when it is made')
  WHERE NEW.state = 'removed' AND OLD.state <> 'removed'
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.mark'
    AND NEW.removed_at <> (SELECT at FROM event WHERE seq = NEW.event_seq);
  -- Each kind of change alters what it is about, and nothing else.
  SELECT RAISE(ABORT, 'release.change: only an amendment alters what a release says')
  WHERE (SELECT kind FROM event WHERE seq = NEW.event_seq) <> 'release.amend'
    AND (NEW.build, NEW.notes, NEW.min_os, NEW.url, NEW.mandatory, NEW.asc_id, NEW.expires_at, NEW.remind_at, NEW.phase)
      IS NOT (OLD.build, OLD.notes, OLD.min_os, OLD.url, OLD.mandatory, OLD.asc_id, OLD.expires_at, OLD.remind_at,
        OLD.phase);
  SELECT RAISE(ABORT, 'release.change: moments and states are marked, not amended')
  WHERE NEW.state = OLD.state
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) NOT IN ('clock.correct', 'release.void')
    AND (NEW.since, NEW.approved_at, NEW.removed_at, NEW.shown_at, NEW.superseded_by)
      IS NOT (OLD.since, OLD.approved_at, OLD.removed_at, OLD.shown_at, OLD.superseded_by);
  SELECT RAISE(ABORT, 'release.change: an approval stays')
  WHERE NEW.approved_at IS NOT OLD.approved_at AND NEW.state <> 'approved'
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) NOT IN ('clock.correct', 'release.void');
  SELECT RAISE(ABORT, 'release.change: a going live keeps what the release was and which one it superseded')
  WHERE NEW.state = 'live' AND OLD.state <> 'live'
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.mark'
    AND (NEW.former_state, NEW.former_since, NEW.former_live_at, NEW.former_visible_at, NEW.former_removed_at,
        NEW.former_superseded, NEW.superseded_by)
      IS NOT (OLD.state, OLD.since, OLD.live_at, OLD.visible_at, OLD.removed_at,
        (SELECT id FROM release WHERE app_id = NEW.app_id AND state = 'live'), OLD.superseded_by);
  SELECT RAISE(ABORT, 'release.change: taking back a going live gives back what the release was')
  WHERE OLD.state = 'live' AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.unmark'
    AND ((NEW.state, NEW.since, NEW.live_at, NEW.visible_at, NEW.removed_at, NEW.superseded_by)
      IS NOT (OLD.former_state, OLD.former_since, OLD.former_live_at, OLD.former_visible_at,
        OLD.former_removed_at, OLD.superseded_by)
      OR coalesce(NEW.former_state, NEW.former_since, NEW.former_live_at, NEW.former_visible_at,
        NEW.former_removed_at, NEW.former_superseded) IS NOT NULL);
  SELECT RAISE(ABORT, 'release.change: only going live and taking it back alter what belongs to a going live')
  WHERE NOT (NEW.state = 'live' AND OLD.state <> 'live'
      AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.mark')
    AND NOT (OLD.state = 'live' AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.unmark')
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) NOT IN ('clock.correct', 'release.void')
    AND ((NEW.live_at, NEW.former_state, NEW.former_since, NEW.former_live_at, NEW.former_visible_at,
        NEW.former_removed_at, NEW.former_superseded)
      IS NOT (OLD.live_at, OLD.former_state, OLD.former_since, OLD.former_live_at, OLD.former_visible_at,
        OLD.former_removed_at, OLD.former_superseded)
      OR NEW.state <> OLD.state AND NEW.visible_at IS NOT OLD.visible_at
      OR NEW.superseded_by IS NOT OLD.superseded_by AND 'superseded' NOT IN (NEW.state, OLD.state));
  -- What clients could be told of before it was removed still counts when it is removed during a later hold.
  SELECT RAISE(ABORT, 'release.change: a removal keeps from when clients could be told')
  WHERE (SELECT kind FROM event WHERE seq = NEW.event_seq) NOT IN ('clock.correct', 'release.void')
    AND NEW.shown_at IS NOT CASE
    WHEN NEW.state = 'removed' AND OLD.state <> 'removed' AND OLD.visible_at <= NEW.removed_at
      AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.mark'
    THEN coalesce(OLD.shown_at, OLD.visible_at)
    ELSE OLD.shown_at END;
  SELECT RAISE(ABORT, 'release.event: a release says what its event says')
  WHERE EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND subject = 'release/' || NEW.id AND (
      after IS NULL
      OR instr(after, '"state":"' || NEW.state || '"') = 0
      OR instr(after, '"build":' || coalesce('"' || NEW.build || '"', 'null')) = 0
      OR instr(after, '"minOS":' || coalesce('"' || NEW.min_os || '"', 'null')) = 0
      OR instr(after, '"url":' || coalesce('"' || NEW.url || '"', 'null')) = 0
      OR instr(after, '"mandatory":' || iif(NEW.mandatory, 'true', 'false')) = 0
      OR instr(after, '"liveAt":' || coalesce('"' || NEW.live_at || '"', 'null')) = 0
      OR instr(after, '"visibleAt":' || coalesce('"' || NEW.visible_at || '"', 'null')) = 0
      OR instr(after, '"expires":' || coalesce('"' || NEW.expires_at || '"', 'null')) = 0
      OR instr(after, '"remindAt":' || coalesce('"' || NEW.remind_at || '"', 'null')) = 0));
  UPDATE release SET state = 'superseded', superseded_by = NEW.id, since = NEW.live_at, event_seq = NEW.event_seq
  WHERE NEW.state = 'live' AND OLD.state <> 'live' AND app_id = NEW.app_id AND state = 'live' AND id <> NEW.id;
END;

CREATE TRIGGER release_void AFTER UPDATE ON release
WHEN NEW.state = 'void' AND OLD.state IN ('live', 'superseded', 'removed') BEGIN
  -- What it had superseded is superseded by the next one that was live instead, or live again where there is none.
  UPDATE release SET
    (state, superseded_by, since) = (
      SELECT iif(next.id IS NULL, 'live', 'superseded'), next.id, coalesce(next.live_at, release.live_at)
      FROM (SELECT 1) LEFT JOIN (
        SELECT id, live_at FROM release AS later
        WHERE later.app_id = NEW.app_id AND later.past = 0 AND later.live_at IS NOT NULL AND later.id <> NEW.id
          AND (later.major, later.minor, later.patch, later.fourth)
            > (release.major, release.minor, release.patch, release.fourth)
        ORDER BY later.major, later.minor, later.patch, later.fourth LIMIT 1) AS next),
    event_seq = NEW.event_seq
  WHERE app_id = NEW.app_id AND state = 'superseded' AND superseded_by = NEW.id;
  -- What superseded it gives back, if it is taken back, what it would have superseded.
  UPDATE release SET former_superseded = OLD.former_superseded, event_seq = NEW.event_seq
  WHERE app_id = NEW.app_id AND former_superseded = NEW.id AND event_seq < NEW.event_seq;
END;

CREATE TRIGGER rule_delete BEFORE DELETE ON rule BEGIN
  SELECT RAISE(ABORT, 'rule.delete: a rule is never deleted');
END;

CREATE TRIGGER rule_insert BEFORE INSERT ON rule BEGIN
  SELECT RAISE(ABORT, 'rule.identity: a rule is never replaced')
  WHERE NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM rule) OR NEW.active <> 1;
  SELECT RAISE(ABORT, 'rule.event: a change names the event that records it')
  WHERE NEW.made_by <> NEW.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event) AND kind = 'rule.' || NEW.action
      AND subject = 'rule/' || NEW.number AND app = (SELECT slug FROM app WHERE id = NEW.app_id));
END;

CREATE TRIGGER rule_update BEFORE UPDATE ON rule BEGIN
  SELECT RAISE(ABORT, 'rule.identity: a rule is lifted or given back, never altered')
  WHERE NEW.number <> OLD.number OR NEW.app_id <> OLD.app_id OR NEW.range <> OLD.range OR NEW.action <> OLD.action
     OR NEW.url IS NOT OLD.url OR NEW.to_app IS NOT OLD.to_app OR NEW.reason IS NOT OLD.reason
     OR NEW.made_by <> OLD.made_by
     OR CASE (SELECT kind FROM event WHERE seq = NEW.event_seq)
       WHEN 'clock.correct' THEN NEW.active <> OLD.active
       ELSE NEW.active = OLD.active OR (NEW.from_at, NEW.until_at) IS NOT (OLD.from_at, OLD.until_at) END;
  SELECT RAISE(ABORT, 'rule.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND (kind = 'clock.correct' OR subject = 'rule/' || NEW.number
        AND kind = CASE NEW.active WHEN 0 THEN 'rule.lift' ELSE 'rule.restore' END));
END;

CREATE TRIGGER setting_delete BEFORE DELETE ON setting BEGIN
  SELECT RAISE(ABORT, 'setting.delete: a setting is never deleted');
END;

CREATE TRIGGER setting_insert BEFORE INSERT ON setting BEGIN
  SELECT RAISE(ABORT, 'setting.identity: a setting is never replaced in its row')
  WHERE NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM setting) OR NEW.active <> 1
     OR NEW.replaced_by IS NOT NULL;
  SELECT RAISE(ABORT, 'setting.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event) AND kind = 'setting.set'
      AND subject = 'setting/' || NEW.number AND app = (SELECT slug FROM app WHERE id = NEW.app_id));
END;

CREATE TRIGGER setting_update BEFORE UPDATE ON setting BEGIN
  SELECT RAISE(ABORT, 'setting.identity: a setting is cleared or given back, never altered')
  WHERE NEW.number <> OLD.number OR NEW.app_id <> OLD.app_id OR NEW.key <> OLD.key OR NEW.range <> OLD.range
     OR NEW.during IS NOT OLD.during OR NEW.value <> OLD.value
     OR CASE (SELECT kind FROM event WHERE seq = NEW.event_seq)
       WHEN 'clock.correct' THEN NEW.active <> OLD.active
       ELSE NEW.active = OLD.active OR (NEW.from_at, NEW.until_at) IS NOT (OLD.from_at, OLD.until_at) END;
  SELECT RAISE(ABORT, 'setting.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND (kind = 'clock.correct' OR app = (SELECT slug FROM app WHERE id = NEW.app_id))
      AND (kind = 'clock.correct' OR subject = 'setting/' || NEW.number AND NEW.replaced_by IS NULL
             AND kind = CASE NEW.active WHEN 0 THEN 'setting.clear' ELSE 'setting.set' END
        OR subject = 'setting/' || NEW.replaced_by AND kind = 'setting.set' AND NEW.active = 0
             AND NOT EXISTS (SELECT 1 FROM setting WHERE number = NEW.replaced_by AND event_seq = NEW.event_seq)));
END;

CREATE TRIGGER trust_delete BEFORE DELETE ON trust BEGIN
  SELECT RAISE(ABORT, 'trust.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = (SELECT max(seq) FROM event) AND seq > OLD.event_seq
      AND kind = 'trust.remove' AND subject = 'trust/' || OLD.id);
END;

CREATE TRIGGER trust_insert BEFORE INSERT ON trust BEGIN
  SELECT RAISE(ABORT, 'trust.identity: what is trusted is never replaced')
  WHERE NEW.id IN (SELECT id FROM trust WHERE id = NEW.id)
     OR EXISTS (SELECT 1 FROM trust WHERE kind = NEW.kind AND value = NEW.value AND selector = NEW.selector);
  SELECT RAISE(ABORT, 'trust.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND kind = 'trust.add' AND subject = 'trust/' || NEW.id)
    OR EXISTS (SELECT 1 FROM trust WHERE event_seq = NEW.event_seq);
END;

CREATE TRIGGER trust_update BEFORE UPDATE ON trust BEGIN
  SELECT RAISE(ABORT, 'trust.identity: what is trusted is added or removed, never altered');
END;

CREATE VIEW client_decision AS
WITH clock (now) AS MATERIALIZED (
  SELECT max(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), coalesce((
    SELECT iif(kind = 'clock.correct', substr(after, instr(after, '"to":"') + 6, 20), at)
    FROM event ORDER BY seq DESC LIMIT 1), ''))
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


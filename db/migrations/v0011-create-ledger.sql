-- A ledger: its events, and the tables that they add up to.
--
-- The names that a person types at the sqlite3 prompt are views, of which a statement can alter nothing; the tables are
-- behind them. Each table is followed by its indexes, its triggers and its view. A trigger refuses and never writes, and
-- holds one law, by columns alone: the record is append-only, in sequence and in order of time; laws 1 and 2; a release
-- stays. Whether a row is what its event says, `verify` finds.
--
-- REPLACE deletes rows without firing delete triggers unless recursive_triggers is on
-- (sqlite.org/lang_conflict.html), so what would replace a row is refused before it does.
--
-- Each statement begins with CREATE at the start of a line and ends before an empty one: what the schema of a ledger is
-- compared with is read from this file. Commands read tables alone.
--
-- `event_seq` of a row is the event that changed it last. Times are RFC 3339 in UTC with seconds, which sort as text.

-- The record: every change, in order, never altered. `subject` names the row that the event is about ('release/12');
-- `schedules` and `command` stand in the last event of each command; `also` has what the event does to rows beyond what
-- `before` and `after` say.
CREATE TABLE event_row (
  seq INTEGER PRIMARY KEY CHECK (seq > 0),
  at TEXT NOT NULL CHECK (at IS strftime('%Y-%m-%dT%H:%M:%SZ', at)),
  format INTEGER NOT NULL,
  kind TEXT NOT NULL,
  app TEXT,
  version TEXT,
  subject TEXT,
  before TEXT,
  after TEXT,
  impact TEXT,
  actor TEXT NOT NULL,
  reason TEXT,
  evidence INTEGER,
  request_id TEXT,
  request TEXT,
  answer TEXT,
  schedules TEXT,
  command TEXT,
  also TEXT,
  hash TEXT NOT NULL
) STRICT;

CREATE INDEX event_app ON event_row (app);

-- Not unique: REPLACE would delete an event past a unique index.
CREATE INDEX event_plan ON event_row (subject) WHERE kind = 'plan.apply';

CREATE INDEX event_request ON event_row (request_id) WHERE request_id IS NOT NULL;

-- Documents elsewhere bear the numbers that a take-over leaves out.
CREATE TRIGGER event_sequence BEFORE INSERT ON event_row
WHEN NEW.seq <> (SELECT ifnull(max(seq), 0) + 1 FROM event_row)
  AND (NEW.kind <> 'ledger.take-over' OR NEW.seq - (SELECT max(seq) FROM event_row) NOT BETWEEN 2 AND 1000001) BEGIN
  SELECT RAISE(ABORT, 'event.order: it is not the next event');
END;

CREATE TRIGGER event_time BEFORE INSERT ON event_row
WHEN NEW.at < (SELECT at FROM event_row ORDER BY seq DESC LIMIT 1) BEGIN
  SELECT RAISE(ABORT, 'event.order: it is earlier than the last event');
END;

CREATE TRIGGER event_update BEFORE UPDATE ON event_row BEGIN
  SELECT RAISE(ABORT, 'event.append-only: an event is never altered');
END;

CREATE TRIGGER event_delete BEFORE DELETE ON event_row BEGIN
  SELECT RAISE(ABORT, 'event.append-only: an event is never deleted');
END;

CREATE VIEW event AS SELECT * FROM event_row;

-- One bundle on one platform and channel.
CREATE TABLE app_row (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  bundle_id TEXT NOT NULL,
  apple_id INTEGER,
  name TEXT,
  sku TEXT,
  platform TEXT NOT NULL,
  channel TEXT NOT NULL,
  store_url TEXT,
  policy TEXT NOT NULL,
  hold INTEGER NOT NULL,
  remind_every TEXT NOT NULL,
  remind_after TEXT NOT NULL,
  asks_since TEXT,
  stopped INTEGER NOT NULL,
  retired INTEGER NOT NULL,
  countries TEXT NOT NULL,
  live_by TEXT NOT NULL,
  expect TEXT NOT NULL,
  past TEXT NOT NULL,
  event_seq INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX app_apple_id ON app_row (apple_id, platform) WHERE apple_id IS NOT NULL;

CREATE UNIQUE INDEX app_bundle_id ON app_row (bundle_id COLLATE NOCASE, platform, channel);

CREATE VIEW app AS SELECT * FROM app_row;

-- One version of one app. `key` is the version's four numbers, of nine digits each: what it sorts by. `former_…` is what
-- a release was before it went live, for whoever takes that back.
-- `higher_build` is the greatest build that was recorded before an older one was said to have been sent. A version may
-- have zeros before its numbers (1.02), which its key has not.
-- `supersedes` is the one that it superseded then. What never was on the line (`past`) was in the store all the same,
-- but clients are never pointed at it.
CREATE TABLE release_row (
  id INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL,
  version TEXT NOT NULL,
  key TEXT NOT NULL CHECK (length(key) = 36 AND key NOT GLOB '*[^0-9]*'),
  build TEXT,
  higher_build TEXT,
  state TEXT NOT NULL CHECK (state IN (
    'prepared', 'waiting', 'in-review', 'approved', 'live', 'rejected', 'withdrawn', 'superseded', 'removed', 'void')),
  since TEXT NOT NULL,
  notes INTEGER NOT NULL,
  min_os TEXT,
  url TEXT,
  mandatory INTEGER NOT NULL,
  asc_id TEXT,
  asc_build TEXT,
  asc_build_by TEXT,
  asc_min_os TEXT,
  asc_min_os_by TEXT,
  expires_at TEXT,
  remind_at TEXT,
  phase TEXT,
  approved_at TEXT,
  live_at TEXT,
  visible_at TEXT,
  first_visible_at TEXT,
  removed_at TEXT,
  shown_at TEXT,
  former_state TEXT,
  former_since TEXT,
  former_live_at TEXT,
  former_visible_at TEXT,
  former_removed_at TEXT,
  supersedes INTEGER,
  superseded_by INTEGER,
  past INTEGER NOT NULL,
  event_seq INTEGER NOT NULL,
  -- Law 1: a past release is never live, visible or a target.
  CHECK (past = 0 OR visible_at IS NULL AND state IN ('superseded', 'void')),
  CHECK (rtrim(replace(replace(replace(replace('.' || version, '.0000', '.'), '.0000', '.'), '.00', '.'), '.0', '.'), '.')
    = rtrim('.' || ltrim(substr(key, 1, 9), 0) || '.' || ltrim(substr(key, 10, 9), 0) || '.' || ltrim(substr(key, 19, 9), 0)
      || '.' || ltrim(substr(key, 28), 0), '.'))
) STRICT;

CREATE UNIQUE INDEX release_live ON release_row (app_id) WHERE state = 'live';

CREATE INDEX release_state ON release_row (app_id, past, state);

CREATE INDEX release_version ON release_row (app_id, key);

-- Of two indexes that serve, SQLite takes the one that was made last.
CREATE INDEX release_mandatory ON release_row (app_id, key) WHERE mandatory = 1;

CREATE INDEX release_system ON release_row (app_id, min_os, key) WHERE past = 0;

-- Law 1, for a new release. A line of four components in the App Store is in no one's way.
CREATE TRIGGER release_greater BEFORE INSERT ON release_row
WHEN EXISTS (
  SELECT 1 FROM release_row
  WHERE app_id = NEW.app_id AND state <> 'void' AND key BETWEEN NEW.key AND iif(NEW.past, NEW.key, ':')
    AND (key = NEW.key OR past = 0 OR version NOT GLOB '*.*.*.*'
      OR (SELECT channel FROM app_row WHERE id = NEW.app_id) <> 'app-store')) BEGIN
  SELECT RAISE(ABORT, 'version.not-greater: it, or a greater one, is recorded');
END;

-- Law 1, for a release that goes live: the one that it supersedes counts, too.
CREATE TRIGGER release_greater_live BEFORE UPDATE ON release_row
WHEN NEW.state = 'live' AND OLD.state <> 'live' AND EXISTS (
  SELECT 1 FROM release_row
  WHERE app_id = NEW.app_id AND id <> NEW.id AND past = 0 AND key >= NEW.key
    AND (shown_at IS NOT NULL OR superseded_by = NEW.id OR OLD.state = 'removed' AND live_at IS NOT NULL
      OR visible_at <= coalesce(removed_at, (SELECT at FROM event_row ORDER BY seq DESC LIMIT 1)))) BEGIN
  SELECT RAISE(ABORT, 'version.not-greater: a greater one was visible');
END;

-- Law 2. What a release supersedes is superseded before it is live itself.
CREATE TRIGGER release_one_live BEFORE UPDATE ON release_row
WHEN NEW.state = 'live' AND EXISTS (
  SELECT 1 FROM release_row WHERE app_id = NEW.app_id AND state = 'live' AND id NOT IN (OLD.id, NEW.id)) BEGIN
  SELECT RAISE(ABORT, 'release.live: the older one is superseded first');
END;

CREATE TRIGGER release_one_live_new BEFORE INSERT ON release_row
WHEN NEW.state = 'live' AND EXISTS (SELECT 1 FROM release_row WHERE app_id = NEW.app_id AND state = 'live') BEGIN
  SELECT RAISE(ABORT, 'release.live: the older one is superseded first');
END;

-- No row of a release goes, and none takes the place of another.
CREATE TRIGGER release_new BEFORE INSERT ON release_row
WHEN EXISTS (SELECT 1 FROM release_row WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'release.kept: another release has that number');
END;

CREATE TRIGGER release_update BEFORE UPDATE ON release_row
WHEN (NEW.id, NEW.app_id, NEW.version, NEW.key, NEW.past) IS NOT (OLD.id, OLD.app_id, OLD.version, OLD.key, OLD.past) BEGIN
  SELECT RAISE(ABORT, 'release.kept: a release keeps its app and version');
END;

CREATE TRIGGER release_delete BEFORE DELETE ON release_row BEGIN
  SELECT RAISE(ABORT, 'release.kept: a release is never deleted');
END;

CREATE VIEW release AS SELECT * FROM release_row;

-- What is new in a release, in one language; `release.notes` is how many there are.
CREATE TABLE note_row (
  release_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  locale TEXT NOT NULL,
  text TEXT NOT NULL,
  event_seq INTEGER NOT NULL,
  PRIMARY KEY (release_id, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW note AS SELECT * FROM note_row;

-- What clients are told beside the segment policy. A rule, redirect or setting is made once and never altered but for
-- whether it counts: `active` goes down when it is lifted, cleared or replaced, and up again when that is reverted.
CREATE TABLE rule_row (
  number INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL,
  range TEXT NOT NULL,
  action TEXT NOT NULL,
  from_at TEXT,
  until_at TEXT,
  url TEXT,
  to_app TEXT,
  reason TEXT,
  active INTEGER NOT NULL,
  made_by INTEGER NOT NULL,
  event_seq INTEGER NOT NULL
) STRICT;

CREATE INDEX rule_app ON rule_row (app_id) WHERE active = 1;

CREATE INDEX rule_to ON rule_row (to_app) WHERE to_app IS NOT NULL;

CREATE VIEW rule AS SELECT * FROM rule_row;

CREATE TABLE redirect_row (
  number INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL,
  range TEXT NOT NULL,
  url TEXT,
  to_app TEXT,
  from_at TEXT,
  until_at TEXT,
  active INTEGER NOT NULL,
  replaced_by INTEGER,
  event_seq INTEGER NOT NULL
) STRICT;

CREATE INDEX redirect_app ON redirect_row (app_id) WHERE active = 1;

CREATE INDEX redirect_to ON redirect_row (to_app) WHERE to_app IS NOT NULL;

CREATE VIEW redirect AS SELECT * FROM redirect_row;

CREATE TABLE setting_row (
  number INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  range TEXT NOT NULL,
  during TEXT,
  value TEXT NOT NULL,
  from_at TEXT,
  until_at TEXT,
  active INTEGER NOT NULL,
  replaced_by INTEGER,
  event_seq INTEGER NOT NULL
) STRICT;

CREATE INDEX setting_app ON setting_row (app_id) WHERE active = 1;

CREATE VIEW setting AS SELECT * FROM setting_row;

-- What came in from Apple or from people, and what it came to; its bytes are beside the record, which has their hash.
CREATE TABLE evidence_row (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  message_id TEXT,
  received_at TEXT NOT NULL,
  sent_at TEXT,
  sender TEXT,
  subject TEXT,
  outcome TEXT NOT NULL,
  reason TEXT,
  proof TEXT,
  app TEXT,
  version TEXT,
  state TEXT,
  country TEXT,
  asc_id TEXT,
  body BLOB,
  event_seq INTEGER NOT NULL
) STRICT;

CREATE INDEX evidence_app ON evidence_row (app, kind) WHERE app IS NOT NULL;

CREATE INDEX evidence_message ON evidence_row (message_id) WHERE message_id IS NOT NULL;

CREATE INDEX evidence_parked ON evidence_row (id) WHERE outcome = 'parked';

CREATE INDEX evidence_sha256 ON evidence_row (sha256);

CREATE VIEW evidence AS SELECT * FROM evidence_row;

-- What evidence, URLs and agreements are believed, beyond Apple's own store.
CREATE TABLE trust_row (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  selector TEXT NOT NULL,
  key TEXT,
  until_at TEXT,
  event_seq INTEGER NOT NULL
) STRICT;

CREATE VIEW trust AS SELECT * FROM trust_row;

-- Where the documents are written after every change.
CREATE TABLE publication_row (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  directory TEXT NOT NULL,
  formats TEXT NOT NULL,
  copied INTEGER NOT NULL,
  event_seq INTEGER NOT NULL
) STRICT;

CREATE VIEW publication AS SELECT * FROM publication_row;

-- What clients are told: the schedule of each app, made with the last event that changed it, for mirrors and for
-- programs that read the file themselves.

-- `digest` is that of the answers: SHA-256, in hexadecimal. While an app has no row here, its answers may be written; a
-- row goes for a newer event that changes the schedule, and comes with it.
CREATE TABLE generation_row (
  app_id INTEGER PRIMARY KEY,
  event_seq INTEGER NOT NULL,
  digest TEXT NOT NULL
) STRICT;

CREATE VIEW generation AS SELECT * FROM generation_row;

-- The versions with `lo` ≤ key < `hi`, from one moment until another, in seconds since 1970.
CREATE TABLE answer_row (
  app_id INTEGER NOT NULL,
  lo TEXT NOT NULL,
  hi TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  action TEXT NOT NULL,
  review INTEGER NOT NULL,
  target TEXT,
  target_app TEXT,
  min_os TEXT,
  url TEXT,
  remind_every TEXT NOT NULL,
  settings TEXT NOT NULL,
  tiers TEXT NOT NULL,
  tag TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  rule INTEGER,
  forced_from INTEGER,
  PRIMARY KEY (app_id, lo, valid_from)
) STRICT, WITHOUT ROWID;

CREATE VIEW answer AS SELECT * FROM answer_row;

-- The tables of a mirror as this file has them; a mirror's own count and switch are not used here.
CREATE VIEW pawl_app AS
SELECT
  slug AS app, (SELECT substr(after, 12, 32) FROM event_row WHERE seq = 1) AS ledger, NULL AS file,
  generation.event_seq AS generation, 0 AS fence, hash, digest,
  (SELECT min(valid_from) FROM answer_row WHERE app_id = app.id) AS not_before, 0 AS stopped
FROM generation_row AS generation JOIN app_row AS app ON app.id = generation.app_id
JOIN event_row ON seq = generation.event_seq;

CREATE VIEW pawl_answer AS
SELECT
  slug AS app, generation.event_seq AS generation, lo, hi, valid_from, valid_until, action, review, target, target_app, min_os,
  url, answer.remind_every, settings, tiers, tag
FROM answer_row AS answer JOIN generation_row AS generation USING (app_id) JOIN app_row AS app ON id = app_id;

CREATE VIEW pawl_note AS
SELECT
  app.slug AS app, generation.event_seq AS generation, other.slug AS target_app, release.version,
  '{' || (SELECT group_concat('"' || locale || '":"' || replace(replace(replace(replace(replace(
    text, '\', '\\'), '"', '\"'), char(9), '\t'), char(10), '\n'), char(127), '\u007f') || '"', ',')
    FROM (SELECT * FROM note_row WHERE release_id = release.id ORDER BY position)) || '}' AS notes
FROM generation_row AS generation JOIN app_row AS app ON app.id = generation.app_id
JOIN app_row AS other
JOIN release_row AS release ON release.app_id = other.id AND release.notes > 0 AND state <> 'void'
WHERE EXISTS (
  SELECT 1 FROM answer_row WHERE app_id = app.id AND (target = release.version AND target_app = other.slug
    OR instr(tiers, '"target":"' || release.version || '","targetApp":"' || other.slug || '"')));

CREATE VIEW client_decision AS
WITH clock (now) AS MATERIALIZED (
  SELECT strftime('%s', max(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), coalesce((
    SELECT at FROM event_row ORDER BY seq DESC LIMIT 1), ''))) + 0
)
SELECT
  app.slug AS app,
  release.version,
  action,
  review,
  target,
  target_app,
  answer.min_os,
  answer.url,
  (SELECT text FROM note_row JOIN release_row AS told ON told.id = release_id
    WHERE told.app_id = (SELECT id FROM app_row WHERE slug = target_app) AND told.version = target AND state <> 'void'
    ORDER BY told.id DESC, position LIMIT 1) AS notes,
  decided_by,
  rule,
  settings,
  answer.remind_every,
  action <> 'none' AS hasNewVersion,
  action = 'force' AS needUpgrade,
  answer.url AS downloadUrl,
  strftime('%Y-%m-%dT%H:%M:%SZ', valid_from, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%SZ', valid_until, 'unixepoch') AS valid_until,
  generation.event_seq AS generation,
  tag
FROM clock
CROSS JOIN app_row AS app
JOIN release_row AS release ON release.app_id = app.id
JOIN generation_row AS generation USING (app_id)
JOIN answer_row AS answer USING (app_id)
WHERE lo <= key AND key < hi
  AND valid_from <= now AND now < valid_until
  AND (state <> 'void' OR NOT EXISTS (
    SELECT 1 FROM release_row AS again
    WHERE again.app_id = release.app_id AND again.id > release.id AND again.key = release.key));

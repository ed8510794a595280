-- A ledger: its events, and the tables that they add up to.
--
-- Each table is followed by its indexes and its laws. A law is a trigger of its own that refuses and never writes. The
-- triggers hold what a slip at the sqlite3 prompt could break: the record is append-only and in order; a new or altered
-- row names the newest event, of its own app, and an altered one a newer event than before; rows stay; laws 1 to 3; when
-- `unmark` and `void` may be. They look at columns alone. Whether a row is what its event says, `verify` finds.
--
-- Whatever a change does to other rows, the writer does row by row, in an order that the laws hold. SQLite asks the trigger
-- that was made last first, so those that want an event come last.
--
-- REPLACE deletes rows without firing delete triggers unless recursive_triggers is on
-- (sqlite.org/lang_conflict.html), so what would replace a row is refused before it does.
--
-- Each statement begins with CREATE at the start of a line and ends before an empty one: what the schema of a ledger is
-- compared with is read from this file.
--
-- `event_seq` of a row is the event that changed it last; each change needs a newer event. Times are RFC 3339 in UTC
-- with seconds, which sort as text.

-- The record: every change, in order, never altered. `subject` names the row that the event is about ('release/12');
-- `schedules` and `command` stand in the last event of each command.
CREATE TABLE event (
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
  hash TEXT NOT NULL CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
  CHECK ((request_id IS NULL) = (request IS NULL) AND (request_id IS NULL) = (answer IS NULL))
) STRICT;

CREATE INDEX event_app ON event (app);

-- Not unique: REPLACE would delete an event past a unique index.
CREATE INDEX event_plan ON event (subject) WHERE kind = 'plan.apply';

CREATE INDEX event_request ON event (request_id) WHERE request_id IS NOT NULL;

-- The event recorded last: the only one that a row may change under.
CREATE VIEW head AS
SELECT seq, at, kind, app, version, subject, (SELECT id FROM app WHERE slug = event.app) AS app_id
FROM event WHERE seq = (SELECT max(seq) FROM event);

-- Events are appended, in order of number and of time. Documents elsewhere bear the numbers that a take-over leaves out.
CREATE TRIGGER event_order BEFORE INSERT ON event
WHEN NEW.at < (SELECT at FROM head)
  OR NEW.seq <> (SELECT ifnull(max(seq), 0) + 1 FROM event)
    AND (NEW.kind <> 'ledger.take-over' OR NEW.seq - (SELECT max(seq) FROM event) NOT BETWEEN 2 AND 1000001) BEGIN
  SELECT RAISE(ABORT, 'event.order: it is not the next event');
END;

CREATE TRIGGER event_update BEFORE UPDATE ON event BEGIN
  SELECT RAISE(ABORT, 'event.append-only: an event is never altered');
END;

CREATE TRIGGER event_delete BEFORE DELETE ON event BEGIN
  SELECT RAISE(ABORT, 'event.append-only: an event is never deleted');
END;

-- One bundle on one platform and channel.
CREATE TABLE app (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE CHECK (
    length(slug) BETWEEN 1 AND 63 AND slug NOT GLOB '*[^a-z0-9-]*' AND slug NOT GLOB '-*'),
  bundle_id TEXT NOT NULL CHECK (bundle_id NOT GLOB '*[^A-Za-z0-9.-]*'),
  apple_id INTEGER CHECK (apple_id > 0),
  name TEXT,
  sku TEXT,
  platform TEXT NOT NULL CHECK (platform IN ('ios', 'macos', 'tvos', 'visionos', 'watchos')),
  channel TEXT NOT NULL CHECK (channel IN ('app-store', 'enterprise')),
  store_url TEXT,
  policy TEXT NOT NULL,
  hold INTEGER NOT NULL CHECK (hold >= 0),
  remind_every TEXT NOT NULL CHECK (remind_every IN ('once', '1d', 'always')),
  remind_after TEXT NOT NULL CHECK (remind_after IN ('visible', 'phase')),
  asks_since TEXT,
  stopped INTEGER NOT NULL CHECK (stopped IN (0, 1)),
  retired INTEGER NOT NULL CHECK (retired IN (0, 1)),
  countries TEXT NOT NULL,
  live_by TEXT NOT NULL CHECK (live_by IN ('mail', 'lookup')),
  expect TEXT NOT NULL,
  past TEXT NOT NULL CHECK (past IN ('unknown', 'whole')),
  event_seq INTEGER NOT NULL REFERENCES event
) STRICT;

CREATE UNIQUE INDEX app_apple_id ON app (apple_id, platform) WHERE apple_id IS NOT NULL;

CREATE UNIQUE INDEX app_bundle_id ON app (bundle_id COLLATE NOCASE, platform, channel);

CREATE TRIGGER app_insert BEFORE INSERT ON app
WHEN NOT EXISTS (SELECT 1 FROM head WHERE seq = NEW.event_seq AND kind = 'app.add' AND app = NEW.slug)
  OR NEW.id <> (SELECT ifnull(max(id), 0) + 1 FROM app)
  OR EXISTS (SELECT 1 FROM app WHERE slug = NEW.slug OR platform = NEW.platform AND (
    apple_id = NEW.apple_id OR bundle_id = NEW.bundle_id COLLATE NOCASE AND channel = NEW.channel)) BEGIN
  SELECT RAISE(ABORT, 'app.event: an app is added by its event');
END;

CREATE TRIGGER app_update BEFORE UPDATE ON app
WHEN NOT EXISTS (SELECT 1 FROM head WHERE seq = NEW.event_seq AND seq > OLD.event_seq AND app_id = OLD.id AND kind GLOB 'app.*')
  OR (NEW.id, NEW.slug, NEW.platform, NEW.channel) IS NOT (OLD.id, OLD.slug, OLD.platform, OLD.channel)
  OR EXISTS (SELECT 1 FROM app WHERE id <> OLD.id AND platform = NEW.platform AND (
    apple_id = NEW.apple_id OR bundle_id = NEW.bundle_id COLLATE NOCASE AND channel = NEW.channel)) BEGIN
  SELECT RAISE(ABORT, 'app.event: only a new event of its own alters an app');
END;

CREATE TRIGGER app_delete BEFORE DELETE ON app
WHEN NOT EXISTS (SELECT 1 FROM head WHERE kind = 'app.void' AND app_id = OLD.id)
  OR EXISTS (SELECT 1 FROM release WHERE app_id = OLD.id)
  OR EXISTS (SELECT 1 FROM rule WHERE app_id = OLD.id OR to_app = OLD.slug)
  OR EXISTS (SELECT 1 FROM redirect WHERE app_id = OLD.id OR to_app = OLD.slug)
  OR EXISTS (SELECT 1 FROM setting WHERE app_id = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'app.delete: something is recorded under it');
END;

-- One version of one app. `key` is the version's four numbers, of nine digits each: what it sorts by. `former_…` is what
-- a release was before it went live, for whoever takes that back.
-- `supersedes` is the one that it superseded then. What never was on the line (`past`) was in the store all the same,
-- but clients are never pointed at it.
CREATE TABLE release (
  id INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL REFERENCES app,
  version TEXT NOT NULL,
  key TEXT NOT NULL CHECK (length(key) = 36 AND key NOT GLOB '*[^0-9]*'),
  build TEXT,
  state TEXT NOT NULL CHECK (state IN (
    'prepared', 'waiting', 'in-review', 'approved', 'live', 'rejected', 'withdrawn', 'superseded', 'removed', 'void')),
  since TEXT NOT NULL,
  notes INTEGER NOT NULL CHECK (notes >= 0),
  min_os TEXT,
  url TEXT,
  mandatory INTEGER NOT NULL CHECK (mandatory IN (0, 1)),
  asc_id TEXT,
  expires_at TEXT,
  remind_at TEXT,
  phase TEXT CHECK (phase IN ('inactive', 'active', 'paused', 'complete')),
  approved_at TEXT,
  live_at TEXT,
  visible_at TEXT,
  removed_at TEXT,
  shown_at TEXT,
  former_state TEXT,
  former_since TEXT,
  former_live_at TEXT,
  former_visible_at TEXT,
  former_removed_at TEXT,
  supersedes INTEGER,
  superseded_by INTEGER,
  past INTEGER NOT NULL CHECK (past IN (0, 1)),
  event_seq INTEGER NOT NULL REFERENCES event,
  CHECK (printf('%d.%d.%d.%d', substr(key, 1, 9), substr(key, 10, 9), substr(key, 19, 9), substr(key, 28))
    IN (version, version || '.0', version || '.0.0', version || '.0.0.0')),
  CHECK (past = 0 OR state IN ('superseded', 'void') AND superseded_by IS NULL),
  CHECK ((state IN ('live', 'superseded', 'removed')) = (live_at IS NOT NULL)),
  CHECK ((live_at IS NULL OR past = 1) = (visible_at IS NULL)),
  CHECK (visible_at >= live_at),
  CHECK ((state = 'removed') = (removed_at IS NOT NULL)),
  CHECK (state <> 'superseded' OR superseded_by IS NOT NULL OR past = 1),
  CHECK (state <> 'void' OR coalesce(approved_at, shown_at, former_state, supersedes, superseded_by) IS NULL)
) STRICT;

CREATE UNIQUE INDEX release_live ON release (app_id) WHERE state = 'live';

CREATE INDEX release_state ON release (app_id, past, state);

CREATE INDEX release_version ON release (app_id, key);

-- Of two indexes that serve, SQLite takes the one that was made last.
CREATE INDEX release_mandatory ON release (app_id, key) WHERE mandatory = 1;

CREATE INDEX release_system ON release (app_id, min_os, key) WHERE past = 0;

-- Law 1, for a new release. A line of four components in the App Store is in no one's way.
CREATE TRIGGER release_greater BEFORE INSERT ON release
WHEN EXISTS (
  SELECT 1 FROM release
  WHERE app_id = NEW.app_id AND state <> 'void' AND key BETWEEN NEW.key AND iif(NEW.past, NEW.key, ':')
    AND (key = NEW.key OR past = 0 OR version NOT GLOB '*.*.*.*'
      OR (SELECT channel FROM app WHERE id = NEW.app_id) <> 'app-store')) BEGIN
  SELECT RAISE(ABORT, 'version.not-greater: it, or a greater one, is recorded');
END;

-- Law 1, for a release that goes live: the one that it supersedes counts, too.
CREATE TRIGGER release_greater_live BEFORE UPDATE ON release
WHEN NEW.state = 'live' AND OLD.state <> 'live' AND EXISTS (
  SELECT 1 FROM head JOIN release AS other
  WHERE kind = 'release.mark' AND other.app_id = NEW.app_id AND id <> NEW.id AND past = 0 AND key >= NEW.key
    AND (shown_at IS NOT NULL OR visible_at <= coalesce(removed_at, at) OR superseded_by = NEW.id
      OR OLD.state = 'removed' AND live_at IS NOT NULL)) BEGIN
  SELECT RAISE(ABORT, 'version.not-greater: a greater one was visible');
END;

-- Law 2. What a release supersedes is superseded before it is live itself.
CREATE TRIGGER release_one_live BEFORE UPDATE ON release
WHEN NEW.state = 'live' AND EXISTS (SELECT 1 FROM release WHERE app_id = NEW.app_id AND state = 'live' AND id <> OLD.id) BEGIN
  SELECT RAISE(ABORT, 'release.live: the older one is superseded first');
END;

-- Law 3. The event of a release moves others of its app along: the one that it supersedes, or that is live again.
CREATE TRIGGER release_states BEFORE UPDATE ON release
WHEN NOT (SELECT CASE
    WHEN kind = 'release.amend' THEN NEW.state = OLD.state AND subject = 'release/' || OLD.id
    WHEN subject <> 'release/' || OLD.id AND kind IN ('release.mark', 'release.import') THEN
      OLD.state = 'live' AND NEW.state = 'superseded' AND subject = 'release/' || NEW.superseded_by
    WHEN subject <> 'release/' || OLD.id AND kind <> 'release.publish' THEN
      NEW.state = OLD.state OR OLD.state = 'superseded' AND NEW.state = 'live'
    WHEN kind = 'release.unmark' THEN OLD.state = 'live' AND NEW.state NOT IN ('live', 'superseded', 'void')
    WHEN kind GLOB 'release.void*' THEN OLD.state <> 'void' AND NEW.state = 'void'
    WHEN kind <> 'release.mark' OR OLD.state = 'void' THEN 0
    WHEN OLD.state = 'live' THEN NEW.state IN ('live', 'removed')
    WHEN OLD.state = 'superseded' THEN NEW.state = 'removed'
    WHEN OLD.state = 'removed' THEN NEW.state = 'live'
    WHEN NEW.state IN ('rejected', 'withdrawn') THEN NEW.state <> OLD.state
    ELSE instr('prepared waiting in-review approved live', NEW.state)
      > instr('prepared waiting in-review approved live', OLD.state) END
  FROM head) BEGIN
  SELECT RAISE(ABORT, 'state.illegal: no release moves like this');
END;

CREATE TRIGGER release_unmark BEFORE UPDATE ON release
WHEN OLD.state = 'live' AND (SELECT kind = 'release.unmark' AND OLD.visible_at <= at FROM head) BEGIN
  SELECT RAISE(ABORT, 'unmark.too-late: clients may have been told');
END;

CREATE TRIGGER release_void BEFORE UPDATE ON release
WHEN NEW.state = 'void' AND coalesce(OLD.live_at, OLD.approved_at) IS NOT NULL
  AND (SELECT kind FROM head) <> 'release.void.never-shipped' BEGIN
  SELECT RAISE(ABORT, 'void.was-live: it was approved or live');
END;

CREATE TRIGGER release_insert BEFORE INSERT ON release
WHEN NOT EXISTS (
    SELECT 1 FROM head
    WHERE seq = NEW.event_seq AND app_id = NEW.app_id AND subject = 'release/' || NEW.id AND version = NEW.version
      AND (kind = 'release.publish' AND NEW.state = 'prepared'
        OR kind = 'release.import' AND NEW.state IN ('live', 'superseded')))
  OR NEW.id <> (SELECT ifnull(max(id), 0) + 1 FROM release)
  OR NEW.state = 'live' AND EXISTS (SELECT 1 FROM release WHERE app_id = NEW.app_id AND state = 'live') BEGIN
  SELECT RAISE(ABORT, 'release.event: a release is recorded by its event');
END;

CREATE TRIGGER release_update BEFORE UPDATE ON release
WHEN NOT EXISTS (
    SELECT 1 FROM head
    WHERE seq = NEW.event_seq AND seq > OLD.event_seq AND app_id = OLD.app_id AND kind GLOB 'release.*')
  OR (NEW.id, NEW.app_id, NEW.version, NEW.key, NEW.past) IS NOT (OLD.id, OLD.app_id, OLD.version, OLD.key, OLD.past) BEGIN
  SELECT RAISE(ABORT, 'release.event: only a new event of its app alters a release');
END;

CREATE TRIGGER release_delete BEFORE DELETE ON release BEGIN
  SELECT RAISE(ABORT, 'release.delete: a release is never deleted');
END;

-- What is new in a release, in one language; `release.notes` is how many there are.
CREATE TABLE note (
  release_id INTEGER NOT NULL REFERENCES release,
  position INTEGER NOT NULL,
  locale TEXT NOT NULL,
  text TEXT NOT NULL,
  event_seq INTEGER NOT NULL REFERENCES event,
  PRIMARY KEY (release_id, position)
) STRICT, WITHOUT ROWID;

-- What clients are told beside the segment policy. A rule, redirect or setting is made once and never altered but for
-- whether it counts: `active` goes down when it is lifted, cleared or replaced, and up again when that is reverted.
CREATE TABLE rule (
  number INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL REFERENCES app,
  range TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('none', 'remind', 'force')),
  from_at TEXT,
  until_at TEXT,
  url TEXT,
  to_app TEXT REFERENCES app (slug),
  reason TEXT,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  made_by INTEGER NOT NULL REFERENCES event,
  event_seq INTEGER NOT NULL REFERENCES event,
  CHECK (url IS NULL OR to_app IS NULL),
  CHECK (from_at < until_at),
  CHECK (action <> 'force' OR reason IS NOT NULL)
) STRICT;

CREATE INDEX rule_app ON rule (app_id) WHERE active = 1;

CREATE INDEX rule_to ON rule (to_app) WHERE to_app IS NOT NULL;

CREATE TRIGGER rule_insert BEFORE INSERT ON rule
WHEN NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM rule) OR NOT EXISTS (
  SELECT 1 FROM head
  WHERE seq = NEW.event_seq AND app_id = NEW.app_id AND kind = 'rule.' || NEW.action AND subject = 'rule/' || NEW.number) BEGIN
  SELECT RAISE(ABORT, 'rule.event: a rule is made by its event');
END;

CREATE TRIGGER rule_update BEFORE UPDATE ON rule
WHEN NOT EXISTS (
    SELECT 1 FROM head
    WHERE seq = NEW.event_seq AND seq > OLD.event_seq AND app_id = OLD.app_id AND subject = 'rule/' || OLD.number)
  OR (NEW.number, NEW.app_id, NEW.range, NEW.action, NEW.from_at, NEW.until_at)
    IS NOT (OLD.number, OLD.app_id, OLD.range, OLD.action, OLD.from_at, OLD.until_at) BEGIN
  SELECT RAISE(ABORT, 'rule.event: only a new event of its own ends or restores a rule');
END;

CREATE TRIGGER rule_delete BEFORE DELETE ON rule BEGIN
  SELECT RAISE(ABORT, 'rule.delete: a rule is never deleted');
END;

CREATE TABLE redirect (
  number INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL REFERENCES app,
  range TEXT NOT NULL,
  url TEXT,
  to_app TEXT REFERENCES app (slug),
  from_at TEXT,
  until_at TEXT,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  replaced_by INTEGER,
  event_seq INTEGER NOT NULL REFERENCES event,
  CHECK (from_at < until_at),
  CHECK ((url IS NULL) <> (to_app IS NULL))
) STRICT;

CREATE INDEX redirect_app ON redirect (app_id) WHERE active = 1;

CREATE INDEX redirect_to ON redirect (to_app) WHERE to_app IS NOT NULL;

CREATE TRIGGER redirect_insert BEFORE INSERT ON redirect
WHEN NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM redirect) OR NOT EXISTS (
  SELECT 1 FROM head
  WHERE seq = NEW.event_seq AND app_id = NEW.app_id AND kind = 'redirect.set' AND subject = 'redirect/' || NEW.number) BEGIN
  SELECT RAISE(ABORT, 'redirect.event: a redirect is made by its event');
END;

CREATE TRIGGER redirect_update BEFORE UPDATE ON redirect
WHEN NOT EXISTS (
    SELECT 1 FROM head
    WHERE seq = NEW.event_seq AND seq > OLD.event_seq AND app_id = OLD.app_id AND subject IN ('redirect/' || OLD.number, 'redirect/' || NEW.replaced_by))
  OR (NEW.number, NEW.app_id, NEW.range) IS NOT (OLD.number, OLD.app_id, OLD.range) BEGIN
  SELECT RAISE(ABORT, 'redirect.event: only a new event ends or restores a redirect');
END;

CREATE TRIGGER redirect_delete BEFORE DELETE ON redirect BEGIN
  SELECT RAISE(ABORT, 'redirect.delete: a redirect is never deleted');
END;

CREATE TABLE setting (
  number INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL REFERENCES app,
  key TEXT NOT NULL,
  range TEXT NOT NULL,
  during TEXT CHECK (during IN ('review', 'released')),
  value TEXT NOT NULL,
  from_at TEXT,
  until_at TEXT,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  replaced_by INTEGER,
  event_seq INTEGER NOT NULL REFERENCES event,
  CHECK (from_at < until_at)
) STRICT;

CREATE INDEX setting_app ON setting (app_id) WHERE active = 1;

CREATE TRIGGER setting_insert BEFORE INSERT ON setting
WHEN NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM setting) OR NOT EXISTS (
  SELECT 1 FROM head
  WHERE seq = NEW.event_seq AND app_id = NEW.app_id AND kind = 'setting.set' AND subject = 'setting/' || NEW.number) BEGIN
  SELECT RAISE(ABORT, 'setting.event: a setting is made by its event');
END;

CREATE TRIGGER setting_update BEFORE UPDATE ON setting
WHEN NOT EXISTS (
    SELECT 1 FROM head
    WHERE seq = NEW.event_seq AND seq > OLD.event_seq AND app_id = OLD.app_id AND subject IN ('setting/' || OLD.number, 'setting/' || NEW.replaced_by))
  OR (NEW.number, NEW.app_id, NEW.key) IS NOT (OLD.number, OLD.app_id, OLD.key) BEGIN
  SELECT RAISE(ABORT, 'setting.event: only a new event ends or restores a setting');
END;

CREATE TRIGGER setting_delete BEFORE DELETE ON setting BEGIN
  SELECT RAISE(ABORT, 'setting.delete: a setting is never deleted');
END;

-- What came in from Apple or from people, and what it came to; its bytes are beside the record, which has their hash.
CREATE TABLE evidence (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('mail', 'lookup', 'webhook', 'asc', 'usage')),
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  message_id TEXT,
  received_at TEXT NOT NULL,
  sent_at TEXT,
  sender TEXT,
  subject TEXT,
  outcome TEXT NOT NULL CHECK (outcome IN ('applied', 'ignored', 'parked', 'refused', 'dismissed')),
  reason TEXT,
  proof TEXT,
  app TEXT,
  version TEXT,
  state TEXT,
  country TEXT,
  body BLOB,
  event_seq INTEGER NOT NULL REFERENCES event
) STRICT;

CREATE INDEX evidence_app ON evidence (app, kind) WHERE app IS NOT NULL;

CREATE INDEX evidence_message ON evidence (message_id) WHERE message_id IS NOT NULL;

CREATE INDEX evidence_parked ON evidence (id) WHERE outcome = 'parked';

CREATE INDEX evidence_sha256 ON evidence (sha256);

CREATE TRIGGER evidence_insert BEFORE INSERT ON evidence
WHEN NEW.id <> (SELECT ifnull(max(id), 0) + 1 FROM evidence) OR NOT EXISTS (
  SELECT 1 FROM head
  WHERE (seq, app) IS (NEW.event_seq, NEW.app) AND kind = 'evidence.add' AND subject = 'evidence/' || NEW.id) BEGIN
  SELECT RAISE(ABORT, 'evidence.event: its event takes evidence in');
END;

CREATE TRIGGER evidence_update BEFORE UPDATE ON evidence
WHEN NOT EXISTS (
    SELECT 1 FROM head
    WHERE (seq, app) IS (NEW.event_seq, NEW.app) AND seq > OLD.event_seq AND kind = 'evidence.settle'
      AND subject = 'evidence/' || OLD.id)
  OR OLD.outcome <> 'parked'
  OR (NEW.id, NEW.kind, NEW.sha256) IS NOT (OLD.id, OLD.kind, OLD.sha256) BEGIN
  SELECT RAISE(ABORT, 'evidence.event: only its own new event settles what is parked');
END;

CREATE TRIGGER evidence_delete BEFORE DELETE ON evidence BEGIN
  SELECT RAISE(ABORT, 'evidence.delete: evidence is never deleted');
END;

-- What evidence, URLs and agreements are believed, beyond Apple's own store.
CREATE TABLE trust (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('host', 'dkim', 'mx', 'recipient', 'webhook', 'signer', 'approvals')),
  value TEXT NOT NULL CHECK (length(value) > 0),
  selector TEXT NOT NULL CHECK ((kind = 'dkim') = (selector <> '')),
  key TEXT CHECK ((kind IN ('dkim', 'webhook', 'signer')) = (key IS NOT NULL)),
  until_at TEXT CHECK (until_at IS NULL OR kind = 'signer'),
  event_seq INTEGER NOT NULL REFERENCES event
) STRICT;

CREATE TRIGGER trust_insert BEFORE INSERT ON trust
WHEN EXISTS (SELECT 1 FROM trust WHERE id = NEW.id) OR NOT EXISTS (
  SELECT 1 FROM head WHERE seq = NEW.event_seq AND kind = 'trust.add' AND subject = 'trust/' || NEW.id) BEGIN
  SELECT RAISE(ABORT, 'trust.event: what is trusted is added by its event');
END;

CREATE TRIGGER trust_update BEFORE UPDATE ON trust BEGIN
  SELECT RAISE(ABORT, 'trust.event: what is trusted is never altered');
END;

CREATE TRIGGER trust_delete BEFORE DELETE ON trust
WHEN NOT EXISTS (
  SELECT 1 FROM head WHERE seq > OLD.event_seq AND kind = 'trust.remove' AND subject = 'trust/' || OLD.id) BEGIN
  SELECT RAISE(ABORT, 'trust.event: only a new event ends trust');
END;

-- Where the documents are written after every change.
CREATE TABLE publication (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  directory TEXT NOT NULL CHECK (directory GLOB '/*'),
  formats TEXT,
  copied INTEGER NOT NULL CHECK (copied IN (0, 1)),
  event_seq INTEGER NOT NULL REFERENCES event
) STRICT;

-- What clients are told: the schedule of each app, made with the last event that changed it, for mirrors and for
-- programs that read the file themselves.

-- `digest` is that of the answers: SHA-256, in hexadecimal. While an app has no row here, its answers may be written; a
-- row goes for a newer event that changes the schedule, and comes with it.
CREATE TABLE generation (
  app_id INTEGER PRIMARY KEY REFERENCES app,
  event_seq INTEGER NOT NULL REFERENCES event,
  digest TEXT NOT NULL
) STRICT;

-- The versions with `lo` ≤ key < `hi`, from one moment until another, in seconds since 1970.
CREATE TABLE answer (
  app_id INTEGER NOT NULL REFERENCES app,
  lo TEXT NOT NULL,
  hi TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('none', 'remind', 'force')),
  review INTEGER NOT NULL CHECK (review IN (0, 1)),
  target TEXT,
  target_app TEXT,
  min_os TEXT,
  url TEXT,
  remind_every TEXT NOT NULL,
  settings TEXT NOT NULL,
  tiers TEXT NOT NULL,
  tag TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  rule INTEGER REFERENCES rule,
  forced_from INTEGER,
  PRIMARY KEY (app_id, lo, valid_from),
  CHECK (lo < hi),
  CHECK (valid_from < valid_until),
  CHECK (iif(action = 'none', coalesce(target, target_app, url) IS NULL, target || target_app || url IS NOT NULL)),
  CHECK (review = 0 OR action = 'none')
) STRICT, WITHOUT ROWID;

-- The tables of a mirror as this file has them; a mirror's own count and switch are not used here.
CREATE VIEW pawl_app AS
SELECT
  slug AS app, (SELECT substr(after, 12, 32) FROM event WHERE seq = 1) AS ledger, NULL AS file, generation.event_seq AS generation,
  0 AS fence, hash, digest, (SELECT min(valid_from) FROM answer WHERE answer.app_id = app.id) AS not_before, 0 AS stopped
FROM generation JOIN app ON app.id = generation.app_id JOIN event ON seq = generation.event_seq;

CREATE VIEW pawl_answer AS
SELECT
  slug AS app, generation.event_seq AS generation, lo, hi, valid_from, valid_until, action, review, target, target_app, min_os,
  url, answer.remind_every, settings, tiers, tag
FROM answer JOIN generation USING (app_id) JOIN app ON id = app_id;

CREATE VIEW pawl_note AS
SELECT
  app.slug AS app, generation.event_seq AS generation, other.slug AS target_app, release.version,
  '{' || (SELECT group_concat('"' || locale || '":"' || replace(replace(replace(replace(replace(
    text, '\', '\\'), '"', '\"'), char(9), '\t'), char(10), '\n'), char(127), '\u007f') || '"', ',')
    FROM (SELECT * FROM note WHERE release_id = release.id ORDER BY position)) || '}' AS notes
FROM generation JOIN app ON app.id = generation.app_id
JOIN app AS other
JOIN release ON release.app_id = other.id AND release.notes > 0 AND state <> 'void'
WHERE EXISTS (
  SELECT 1 FROM answer WHERE answer.app_id = app.id AND (target = release.version AND target_app = other.slug
    OR instr(tiers, '"target":"' || release.version || '","targetApp":"' || other.slug || '"')));

CREATE VIEW client_decision AS
WITH clock (now) AS MATERIALIZED (
  SELECT strftime('%s', max(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), coalesce((
    SELECT at FROM head), ''))) + 0
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
  (SELECT text FROM note JOIN release AS told ON told.id = release_id
    WHERE told.app_id = (SELECT id FROM app WHERE slug = target_app) AND told.version = target AND state <> 'void'
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
CROSS JOIN app
JOIN release ON release.app_id = app.id
JOIN generation USING (app_id)
JOIN answer USING (app_id)
WHERE lo <= key AND key < hi
  AND valid_from <= now AND now < valid_until
  AND (state <> 'void' OR NOT EXISTS (
    SELECT 1 FROM release AS again
    WHERE again.app_id = release.app_id AND again.id > release.id AND again.key = release.key));

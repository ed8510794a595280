-- A ledger: its events, and the tables that they add up to.
--
-- Each table is followed by its indexes and its laws. A law is a trigger of its own, named after it, that refuses and
-- never writes: whatever a change does to other rows, the writer does row by row, in an order that the laws hold.
-- SQLite asks the trigger that was made last first, so those that want an event come last.
--
-- REPLACE deletes rows without firing delete triggers unless recursive_triggers is on
-- (sqlite.org/lang_conflict.html), so what would replace a row is refused before it does.
--
-- Each statement begins with CREATE at the start of a line and ends before an empty one: what the schema of a ledger is
-- compared with is read from this file.
--
-- `event_seq` of a row is the event that changed it last; each change needs a newer event. Times are RFC 3339 in UTC
-- with seconds, which sort as text. JSON functions are no use in triggers, since SQLite counts them unsafe in a schema
-- it does not trust. Of a list of more than two constants SQLite makes a table each time, so what many rows are asked
-- has shorter ones. An event's members are sorted and stand without blanks, and a quote within a text is escaped, so a
-- member can be looked for as text; that is done only for what no column says.

-- The record: every change, in order, never altered. `subject` names the row that the event is about ('release/12').
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
  schedules TEXT CHECK (schedules NOT GLOB '*[^a-z0-9,-]*'),
  hash TEXT NOT NULL CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
  CHECK ((request_id IS NULL) = (request IS NULL) AND (request_id IS NULL) = (answer IS NULL))
) STRICT;

CREATE INDEX event_app ON event (app);

CREATE UNIQUE INDEX event_plan ON event (subject) WHERE kind = 'plan.apply';

CREATE UNIQUE INDEX event_request ON event (request_id) WHERE request_id IS NOT NULL;

-- The event recorded last: the only one that a row may change under.
CREATE VIEW head AS
SELECT *, (SELECT id FROM app WHERE slug = event.app) AS app_id FROM event WHERE seq = (SELECT max(seq) FROM event);

-- After a correction, time goes on from what the clock should have said.
CREATE TRIGGER event_time BEFORE INSERT ON event
WHEN (SELECT iif(NEW.kind = 'clock.correct', NEW.at <> at, NEW.at < iif(kind = 'clock.correct', substr(after, -22, 20), at))
  FROM head) BEGIN
  SELECT RAISE(ABORT, 'event.time: time does not go back');
END;

CREATE TRIGGER event_request_once BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event WHERE request_id = NEW.request_id) BEGIN
  SELECT RAISE(ABORT, 'event.request: it is recorded already');
END;

CREATE TRIGGER event_plan_once BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event WHERE kind = 'plan.apply' AND NEW.kind = kind AND subject = NEW.subject) BEGIN
  SELECT RAISE(ABORT, 'event.plan: it is applied already');
END;

CREATE TRIGGER event_sequence BEFORE INSERT ON event
WHEN NEW.seq <> (SELECT ifnull(max(seq), 0) + 1 FROM event) AND NEW.kind <> 'ledger.take-over' BEGIN
  SELECT RAISE(ABORT, 'event.sequence: it is not the next number');
END;

-- Documents elsewhere bear the numbers that it leaves out.
CREATE TRIGGER event_take_over BEFORE INSERT ON event
WHEN NEW.kind = 'ledger.take-over' AND NOT (
  SELECT iif(NEW.after LIKE '{"from":null,%',
    NEW.after LIKE '%,"to":null}' AND NEW.seq = max(seq) + 1,
    NEW.after LIKE '{"from":' || (max(seq) + 1) || ',%,"to":' || (NEW.seq - 1) || '}'
      AND NEW.seq - max(seq) BETWEEN 2 AND 1000001)
  FROM event) BEGIN
  SELECT RAISE(ABORT, 'event.take-over: it names what it leaves out');
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
  bundle_id TEXT NOT NULL CHECK (length(bundle_id) BETWEEN 1 AND 155 AND bundle_id NOT GLOB '*[^A-Za-z0-9.-]*'),
  apple_id INTEGER CHECK (apple_id > 0),
  name TEXT,
  sku TEXT,
  platform TEXT NOT NULL CHECK (platform IN ('ios', 'macos', 'tvos', 'visionos', 'watchos')),
  channel TEXT NOT NULL CHECK (channel IN ('app-store', 'enterprise')),
  store_url TEXT,
  policy TEXT NOT NULL CHECK (policy NOT GLOB '*[^a-z,]*'),
  hold INTEGER NOT NULL CHECK (hold >= 0),
  remind_every TEXT NOT NULL CHECK (remind_every IN ('once', '1d', 'always')),
  remind_after TEXT NOT NULL CHECK (remind_after IN ('visible', 'phase')),
  asks_since TEXT,
  stopped INTEGER NOT NULL CHECK (stopped IN (0, 1)),
  retired INTEGER NOT NULL CHECK (retired IN (0, 1)),
  countries TEXT NOT NULL CHECK (countries NOT GLOB '*[^A-Z,]*'),
  live_by TEXT NOT NULL CHECK (live_by IN ('mail', 'lookup')),
  expect TEXT NOT NULL CHECK (expect NOT GLOB '*[^a-z,]*'),
  event_seq INTEGER NOT NULL REFERENCES event
) STRICT;

CREATE UNIQUE INDEX app_apple_id ON app (apple_id, platform) WHERE apple_id IS NOT NULL;

CREATE TRIGGER app_event_insert BEFORE INSERT ON app
WHEN (
  SELECT seq = NEW.event_seq AND kind = 'app.add' AND app = NEW.slug AND subject = 'app/' || NEW.id
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'app.event: no event records this');
END;

CREATE TRIGGER app_event_update BEFORE UPDATE ON app
WHEN (
  SELECT seq = NEW.event_seq AND seq > OLD.event_seq AND subject = 'app/' || NEW.id
    AND kind IN ('app.set', 'app.stop', 'app.resume', 'app.retire', 'app.restore')
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'app.event: no event records this');
END;

CREATE TRIGGER app_identity_insert BEFORE INSERT ON app
WHEN NEW.id <> (SELECT ifnull(max(id), 0) + 1 FROM app) OR EXISTS (
  SELECT 1 FROM app WHERE slug = NEW.slug OR apple_id = NEW.apple_id AND platform = NEW.platform) BEGIN
  SELECT RAISE(ABORT, 'app.identity: an app is never replaced');
END;

CREATE TRIGGER app_identity_update BEFORE UPDATE ON app
WHEN (NEW.id, NEW.slug, NEW.platform, NEW.channel) IS NOT (OLD.id, OLD.slug, OLD.platform, OLD.channel)
  OR EXISTS (SELECT 1 FROM app WHERE id <> OLD.id AND apple_id = NEW.apple_id AND platform = NEW.platform) BEGIN
  SELECT RAISE(ABORT, 'app.identity: an app stays what it is');
END;

CREATE TRIGGER app_event_delete BEFORE DELETE ON app
WHEN (
  SELECT kind = 'app.void' AND subject = 'app/' || OLD.id FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'app.event: no event records this');
END;

CREATE TRIGGER app_empty BEFORE DELETE ON app
WHEN EXISTS (SELECT 1 FROM release WHERE app_id = OLD.id)
  OR EXISTS (SELECT 1 FROM rule WHERE app_id = OLD.id OR to_app = OLD.slug)
  OR EXISTS (SELECT 1 FROM redirect WHERE app_id = OLD.id OR to_app = OLD.slug)
  OR EXISTS (SELECT 1 FROM setting WHERE app_id = OLD.id)
  OR EXISTS (SELECT 1 FROM generation WHERE app_id = OLD.id)
  OR EXISTS (SELECT 1 FROM answer WHERE app_id = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'app.delete: something is recorded under it');
END;

-- One version of one app. `key` is the version's four numbers, of nine digits each: what it sorts by. `former` is what a
-- release was before it went live, for whoever takes that back: state, since, live_at, visible_at and removed_at.
-- `supersedes` is the one that it superseded then. What never was on the line (`past`) was in the store all the same,
-- but clients are never pointed at it.
CREATE TABLE release (
  id INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL REFERENCES app,
  version TEXT NOT NULL,
  key TEXT NOT NULL CHECK (length(key) = 36 AND key NOT GLOB '*[^0-9]*'),
  build TEXT CHECK (build NOT GLOB '*[^0-9.]*' AND build GLOB '[0-9]*'),
  state TEXT NOT NULL CHECK (
    state IN ('superseded', 'live') OR state IN ('prepared', 'waiting') OR state IN ('in-review', 'approved')
    OR state IN ('rejected', 'withdrawn') OR state IN ('removed', 'void')),
  since TEXT NOT NULL CHECK (since IS strftime('%Y-%m-%dT%H:%M:%SZ', since)),
  notes INTEGER NOT NULL CHECK (notes >= 0),
  min_os TEXT CHECK (min_os NOT GLOB '*[^0-9.]*' AND min_os GLOB '[0-9]*'),
  url TEXT,
  mandatory INTEGER NOT NULL CHECK (mandatory IN (0, 1)),
  asc_id TEXT CHECK (length(asc_id) BETWEEN 1 AND 64 AND asc_id NOT GLOB '*[^0-9a-zA-Z-]*'),
  expires_at TEXT CHECK (expires_at IS strftime('%Y-%m-%dT%H:%M:%SZ', expires_at)),
  remind_at TEXT CHECK (remind_at IS strftime('%Y-%m-%dT%H:%M:%SZ', remind_at)),
  phase TEXT CHECK (phase IN ('inactive', 'active') OR phase IN ('paused', 'complete')),
  approved_at TEXT CHECK (approved_at IS strftime('%Y-%m-%dT%H:%M:%SZ', approved_at)),
  live_at TEXT CHECK (live_at IS strftime('%Y-%m-%dT%H:%M:%SZ', live_at)),
  visible_at TEXT CHECK (visible_at IS strftime('%Y-%m-%dT%H:%M:%SZ', visible_at)),
  removed_at TEXT CHECK (removed_at IS strftime('%Y-%m-%dT%H:%M:%SZ', removed_at)),
  shown_at TEXT CHECK (shown_at IS strftime('%Y-%m-%dT%H:%M:%SZ', shown_at)),
  former TEXT,
  supersedes INTEGER,
  superseded_by INTEGER,
  past INTEGER NOT NULL CHECK (past IN (0, 1)),
  event_seq INTEGER NOT NULL REFERENCES event,
  CHECK (printf('%d.%d.%d.%d', substr(key, 1, 9), substr(key, 10, 9), substr(key, 19, 9), substr(key, 28))
    IN (version, version || '.0', version || '.0.0', version || '.0.0.0')),
  CHECK (past = 0 OR state IN ('superseded', 'void') AND superseded_by IS NULL),
  CHECK ((state IN ('live', 'superseded') OR state = 'removed') = (live_at IS NOT NULL)),
  CHECK ((live_at IS NULL OR past = 1) = (visible_at IS NULL)),
  CHECK (visible_at >= live_at),
  CHECK ((state = 'removed') = (removed_at IS NOT NULL)),
  CHECK (state <> 'superseded' OR superseded_by IS NOT NULL OR past = 1),
  CHECK (state <> 'void' OR coalesce(approved_at, shown_at, former, supersedes, superseded_by) IS NULL)
) STRICT;

CREATE UNIQUE INDEX release_live ON release (app_id) WHERE state = 'live';

CREATE INDEX release_state ON release (app_id, past, state);

CREATE INDEX release_version ON release (app_id, key);

-- Of two indexes that serve, SQLite takes the one that was made last.
CREATE INDEX release_mandatory ON release (app_id, key) WHERE mandatory = 1;

CREATE INDEX release_system ON release (app_id, min_os, key) WHERE past = 0;

-- What an event does not say of the release that it is about, in the parts that stand together.
CREATE VIEW release_unsaid AS
SELECT id FROM release JOIN event ON seq = event_seq
WHERE subject = 'release/' || id AND (
  instr(after, '"build":' || ifnull('"' || build || '"', 'null') || ',"expires":' || ifnull('"' || expires_at || '"', 'null')
    || ',"former":')
  AND instr(after, '"liveAt":' || ifnull('"' || live_at || '"', 'null') || ',"locales":')
  AND instr(after, '"mandatory":' || iif(mandatory, 'true', 'false') || ',"minOS":' || ifnull('"' || min_os || '"', 'null'))
  AND instr(after, '"past":' || iif(past, 'true', 'false') || ',')
  AND instr(after, '"remindAt":' || ifnull('"' || remind_at || '"', 'null') || ',"removedAt":')
  AND instr(after, '"since":"' || since || '","state":"' || state || '"')
  AND instr(after, '"url":' || ifnull('"' || url || '"', 'null') || ',"version":"' || release.version || '","visibleAt":'
    || ifnull('"' || visible_at || '"', 'null') || '}')
) IS NOT TRUE;

CREATE TRIGGER release_said_insert AFTER INSERT ON release
WHEN EXISTS (SELECT 1 FROM release_unsaid WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'release.event: its event says otherwise');
END;

CREATE TRIGGER release_said_update AFTER UPDATE ON release
WHEN EXISTS (SELECT 1 FROM release_unsaid WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'release.event: its event says otherwise');
END;

CREATE TRIGGER release_former BEFORE INSERT ON release
WHEN coalesce(NEW.former, NEW.supersedes, NEW.superseded_by, NEW.approved_at, NEW.shown_at) IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'release.former: a new release has no past');
END;

-- Each kind of change alters what it is about, and nothing else.
CREATE TRIGGER release_amended
BEFORE UPDATE OF build, notes, min_os, url, mandatory, asc_id, expires_at, remind_at, phase ON release
WHEN (SELECT kind FROM head) <> 'release.amend' BEGIN
  SELECT RAISE(ABORT, 'release.change: only an amendment alters this');
END;

CREATE TRIGGER release_marked BEFORE UPDATE ON release
WHEN NEW.state = OLD.state AND (SELECT kind <> 'clock.correct' AND (
  (NEW.approved_at, NEW.live_at, NEW.removed_at, NEW.shown_at) IS NOT (OLD.approved_at, OLD.live_at, OLD.removed_at, OLD.shown_at)
  OR kind <> 'release.void' AND (NEW.since, NEW.superseded_by) IS NOT (OLD.since, OLD.superseded_by)) FROM head) BEGIN
  SELECT RAISE(ABORT, 'release.change: only a mark alters this');
END;

CREATE TRIGGER release_approved BEFORE UPDATE ON release
WHEN NEW.approved_at IS NOT OLD.approved_at AND NEW.state NOT IN (OLD.state, 'approved', 'void') BEGIN
  SELECT RAISE(ABORT, 'release.change: an approval stays');
END;

-- What a release was before it went live is kept then, given back when that is taken back, and else unaltered.
CREATE TRIGGER release_former_kept BEFORE UPDATE ON release
WHEN NEW.state <> 'void' AND (SELECT kind <> 'clock.correct' AND (
  NEW.superseded_by IS NOT OLD.superseded_by AND 'superseded' NOT IN (NEW.state, OLD.state) OR CASE
  WHEN kind = 'release.mark' AND NEW.state = 'live' AND OLD.state <> 'live' THEN
    NEW.former IS NOT printf('%s,%s,%s,%s,%s', OLD.state, OLD.since, OLD.live_at, OLD.visible_at, OLD.removed_at)
  WHEN kind = 'release.unmark' AND OLD.state = 'live' THEN
    (printf('%s,%s,%s,%s,%s', NEW.state, NEW.since, NEW.live_at, NEW.visible_at, NEW.removed_at), NEW.former, NEW.supersedes)
    IS NOT (OLD.former, NULL, NULL)
  ELSE (NEW.live_at, NEW.former) IS NOT (OLD.live_at, OLD.former)
    OR kind <> 'release.void' AND NEW.supersedes IS NOT OLD.supersedes
    OR NEW.state <> OLD.state AND NEW.visible_at IS NOT OLD.visible_at END) FROM head) BEGIN
  SELECT RAISE(ABORT, 'release.change: only going live alters this');
END;

-- What clients could be told of before it was removed still counts when it is removed during a later hold.
CREATE TRIGGER release_removed BEFORE UPDATE ON release
WHEN NEW.state <> OLD.state AND NEW.state <> 'void' AND (SELECT iif(NEW.state = 'removed' AND kind = 'release.mark',
  (NEW.removed_at, NEW.shown_at) IS NOT (at, coalesce(OLD.shown_at, iif(OLD.visible_at <= at, OLD.visible_at, NULL))),
  NEW.shown_at IS NOT OLD.shown_at) FROM head) BEGIN
  SELECT RAISE(ABORT, 'release.times: a removal keeps when clients were told');
END;

CREATE TRIGGER release_hold BEFORE UPDATE ON release
WHEN NEW.visible_at IS NOT OLD.visible_at AND NEW.state = OLD.state AND (
  SELECT kind <> 'clock.correct' AND NEW.visible_at BETWEEN min(OLD.visible_at, at) AND OLD.visible_at IS NOT TRUE
  FROM head) BEGIN
  SELECT RAISE(ABORT, 'release.times: only a hold may end early');
END;

CREATE TRIGGER release_future BEFORE UPDATE ON release
WHEN NEW.state = 'live' AND NEW.live_at > (SELECT at FROM head) BEGIN
  SELECT RAISE(ABORT, 'release.times: nothing goes live in the future');
END;

CREATE TRIGGER release_unmark BEFORE UPDATE ON release
WHEN OLD.state = 'live' AND (SELECT kind = 'release.unmark' AND OLD.visible_at <= at FROM head) BEGIN
  SELECT RAISE(ABORT, 'unmark.too-late: clients may have been told');
END;

CREATE TRIGGER release_void BEFORE UPDATE ON release
WHEN NEW.state = 'void' AND coalesce(OLD.live_at, OLD.approved_at) IS NOT NULL
  AND (SELECT instr(after, '"neverShipped":true') IS NOT TRUE FROM head) BEGIN
  SELECT RAISE(ABORT, 'void.was-live: it was approved or live');
END;

CREATE TRIGGER release_grammar BEFORE INSERT ON release
WHEN NEW.past = 0 AND NEW.version GLOB '*.*.*.*' AND (SELECT channel FROM app WHERE id = NEW.app_id) = 'app-store' BEGIN
  SELECT RAISE(ABORT, 'version.malformed: the App Store takes three components');
END;

CREATE TRIGGER release_past BEFORE INSERT ON release
WHEN NEW.past = 1
  AND NOT (NEW.version GLOB '*.*.*.*' AND (SELECT channel FROM app WHERE id = NEW.app_id) = 'app-store')
  AND NOT EXISTS (
    SELECT 1 FROM release
    WHERE app_id = NEW.app_id AND past = 0 AND live_at IS NOT NULL
      AND key > NEW.key) BEGIN
  SELECT RAISE(ABORT, 'version.not-past: no greater one was live');
END;

-- Law 3; what moves along is held below.
CREATE TRIGGER release_states BEFORE UPDATE ON release
WHEN NEW.state <> OLD.state AND (SELECT kind FROM head) NOT IN ('release.unmark', 'release.void')
  AND CASE OLD.state
    WHEN 'live' THEN NEW.state NOT IN ('superseded', 'removed')
    WHEN 'superseded' THEN NEW.state <> 'removed'
    WHEN 'removed' THEN NEW.state <> 'live'
    WHEN 'void' THEN 1
    ELSE NEW.state NOT IN ('rejected', 'withdrawn') AND instr('prepared waiting in-review approved live', NEW.state)
      <= instr('prepared waiting in-review approved live', OLD.state) END BEGIN
  SELECT RAISE(ABORT, 'state.illegal: no release moves like this');
END;

-- Law 2. What its event says a release supersedes is superseded before that release is live.
CREATE TRIGGER release_live_insert BEFORE INSERT ON release
WHEN NEW.state = 'live' AND EXISTS (SELECT 1 FROM release WHERE app_id = NEW.app_id AND state = 'live') BEGIN
  SELECT RAISE(ABORT, 'release.live: the older one is superseded first');
END;

CREATE TRIGGER release_live_update BEFORE UPDATE ON release
WHEN NEW.state = 'live' AND OLD.state <> 'live' AND (
  EXISTS (SELECT 1 FROM release WHERE app_id = NEW.app_id AND state = 'live' AND id <> NEW.id)
  OR (SELECT kind = 'release.mark' AND instr(after, '"superseded":"') AND instr(after, '"superseded":"' || (
    SELECT version FROM release
    WHERE id = NEW.supersedes AND (superseded_by, since, event_seq) = (NEW.id, NEW.live_at, seq)) || '"') IS NOT TRUE
    FROM head)) BEGIN
  SELECT RAISE(ABORT, 'release.live: the older one is superseded first');
END;

-- Law 1, for a new release.
CREATE TRIGGER release_greater BEFORE INSERT ON release
WHEN EXISTS (
  SELECT 1 FROM release
  WHERE app_id = NEW.app_id AND state <> 'void' AND key BETWEEN NEW.key AND iif(NEW.past, NEW.key, ':')
    AND (key = NEW.key OR past = 0 OR version NOT GLOB '*.*.*.*'
      OR (SELECT channel FROM app WHERE id = NEW.app_id) <> 'app-store')) BEGIN
  SELECT RAISE(ABORT, 'version.not-greater: it, or a greater one, is recorded');
END;

-- Law 1, for a release that goes live.
CREATE TRIGGER release_greater_live BEFORE UPDATE ON release
WHEN NEW.state = 'live' AND OLD.state <> 'live' AND EXISTS (
  SELECT 1 FROM head JOIN release AS other
  WHERE kind = 'release.mark' AND other.app_id = NEW.app_id AND id <> NEW.id AND past = 0
    AND key >= NEW.key
    AND (shown_at IS NOT NULL OR visible_at <= coalesce(removed_at, at)
      OR OLD.state = 'removed' AND live_at IS NOT NULL)) BEGIN
  SELECT RAISE(ABORT, 'version.not-greater: a greater one was visible');
END;

-- Going live, the older release first: it is superseded if the event marks a greater one live and names this one.
CREATE TRIGGER release_superseded BEFORE UPDATE ON release
WHEN (
  SELECT kind IN ('release.mark', 'release.import') AND subject <> 'release/' || NEW.id AND (
    OLD.state = 'live' AND NEW.state = 'superseded' AND subject = 'release/' || NEW.superseded_by
    AND instr(after, '"state":"live","superseded":"' || OLD.version || '"')
    AND CASE kind WHEN 'release.import' THEN NEW.superseded_by = (SELECT max(id) + 1 FROM release) ELSE EXISTS (
      SELECT 1 FROM release AS newer
      WHERE newer.id = NEW.superseded_by AND newer.app_id = NEW.app_id AND newer.past = 0
        AND newer.key > OLD.key) END
  ) IS NOT TRUE FROM head) BEGIN
  SELECT RAISE(ABORT, 'release.superseded: its event marks no greater one live');
END;

-- Unmarking a release, the newer one first: what it had superseded is live again. Striking one out, likewise,
-- unless another one that was live supersedes it instead.
CREATE TRIGGER release_restored BEFORE UPDATE ON release
WHEN (
  SELECT kind IN ('release.unmark', 'release.void') AND subject <> 'release/' || NEW.id
    AND NEW.supersedes IS OLD.supersedes AND (
    OLD.state = 'superseded' AND NEW.state = iif(NEW.superseded_by, 'superseded', 'live')
    AND (NEW.superseded_by OR instr(after, '"restored":"' || OLD.version || '"'))
    AND subject = 'release/' || OLD.superseded_by
    AND seq = (SELECT event_seq FROM release WHERE id = OLD.superseded_by)
    AND NEW.since = coalesce((SELECT live_at FROM release WHERE id = NEW.superseded_by), NEW.live_at)
    AND NEW.superseded_by IS iif(kind = 'release.unmark', NULL, (
      SELECT id FROM release
      WHERE app_id = NEW.app_id AND past = 0 AND live_at IS NOT NULL
        AND key > OLD.key
      ORDER BY key LIMIT 1))
  ) IS NOT TRUE FROM head) BEGIN
  SELECT RAISE(ABORT, 'release.restored: its event takes back no newer one');
END;

-- Before a release is struck out, what superseded it remembers instead what that one had superseded.
CREATE TRIGGER release_forgotten BEFORE UPDATE ON release
WHEN (
  SELECT kind = 'release.void' AND subject <> 'release/' || NEW.id
    AND NEW.supersedes IS NOT OLD.supersedes AND (
    NEW.state = OLD.state AND NEW.superseded_by IS OLD.superseded_by AND NEW.since = OLD.since
    AND subject = 'release/' || OLD.supersedes
    AND (SELECT event_seq < seq AND supersedes IS NEW.supersedes
      FROM release WHERE id = OLD.supersedes)
  ) IS NOT TRUE FROM head) BEGIN
  SELECT RAISE(ABORT, 'release.forgotten: its event strikes out no older one');
END;

CREATE TRIGGER release_event_insert BEFORE INSERT ON release
WHEN (
  SELECT seq = NEW.event_seq AND NEW.id = (SELECT ifnull(max(id), 0) + 1 FROM release)
    AND subject = 'release/' || NEW.id AND version = NEW.version
    AND app_id = NEW.app_id
    AND (kind = 'release.publish' AND NEW.state = 'prepared'
      OR kind = 'release.import' AND NEW.live_at <= at AND (
        NEW.past = 1 AND NEW.state = 'superseded' OR NEW.state = 'live' AND NEW.visible_at = NEW.live_at))
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'release.event: no event records this');
END;

-- An event changes the release that it is about; the others that it moves are held by the three laws above.
CREATE TRIGGER release_event_update BEFORE UPDATE ON release
WHEN (
  SELECT seq = NEW.event_seq AND seq > OLD.event_seq AND NEW.id = OLD.id AND (kind = 'clock.correct' AND NEW.state = OLD.state
    OR app_id = NEW.app_id AND CASE
      WHEN subject <> 'release/' || NEW.id THEN
        kind IN ('release.import', 'release.mark') OR kind IN ('release.unmark', 'release.void')
      WHEN kind = 'release.amend' THEN NEW.state = OLD.state
      WHEN kind = 'release.mark' THEN NEW.state NOT IN ('superseded', 'void')
      WHEN kind = 'release.unmark' THEN OLD.state = 'live' AND NEW.state <> 'void'
      WHEN kind = 'release.void' THEN OLD.state <> 'void' AND NEW.state = 'void' END)
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'release.event: no event records this');
END;

CREATE TRIGGER release_identity_update BEFORE UPDATE OF id, app_id, version, key, past ON release BEGIN
  SELECT RAISE(ABORT, 'release.identity: a release is never renumbered');
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

CREATE TRIGGER note_insert BEFORE INSERT ON note
WHEN NEW.position <> (SELECT count(*) FROM note WHERE release_id = NEW.release_id)
  OR EXISTS (SELECT 1 FROM note WHERE release_id = NEW.release_id AND locale = NEW.locale)
  OR NOT EXISTS (
    SELECT 1 FROM head JOIN release ON event_seq = seq
    WHERE seq = NEW.event_seq AND id = NEW.release_id AND notes > NEW.position) BEGIN
  SELECT RAISE(ABORT, 'note.event: notes change with their release');
END;

CREATE TRIGGER note_update BEFORE UPDATE ON note BEGIN
  SELECT RAISE(ABORT, 'note.event: notes change with their release');
END;

CREATE TRIGGER note_delete BEFORE DELETE ON note
WHEN NOT EXISTS (
  SELECT 1 FROM head JOIN release ON event_seq = seq
  WHERE seq > OLD.event_seq AND id = OLD.release_id AND kind = 'release.amend') BEGIN
  SELECT RAISE(ABORT, 'note.event: notes change with their release');
END;

-- What clients are told beside the segment policy. A rule, redirect or setting is made once and never altered but for
-- whether it counts: `active` goes down when it is lifted, cleared or replaced, and up again when that is reverted.
CREATE TABLE rule (
  number INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL REFERENCES app,
  range TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('none', 'remind', 'force')),
  from_at TEXT CHECK (from_at IS strftime('%Y-%m-%dT%H:%M:%SZ', from_at)),
  until_at TEXT CHECK (until_at IS strftime('%Y-%m-%dT%H:%M:%SZ', until_at)),
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

CREATE TRIGGER rule_event_insert BEFORE INSERT ON rule
WHEN (
  SELECT seq = NEW.event_seq AND NEW.number = (SELECT ifnull(max(number), 0) + 1 FROM rule)
    AND NEW.active AND kind = 'rule.' || NEW.action AND subject = 'rule/' || NEW.number
    AND app_id = NEW.app_id AND (NEW.until_at <= at) IS NOT TRUE
    AND NEW.made_by = seq AND reason IS NEW.reason
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'rule.event: no event records this');
END;

CREATE TRIGGER rule_event_update BEFORE UPDATE ON rule
WHEN (
  SELECT seq = NEW.event_seq AND seq > OLD.event_seq AND NEW.number = OLD.number
    AND iif(kind = 'clock.correct', NEW.active = OLD.active,
      NEW.active <> OLD.active AND (NEW.from_at, NEW.until_at) IS (OLD.from_at, OLD.until_at)
      AND subject = 'rule/' || NEW.number AND kind = iif(NEW.active, 'rule.restore', 'rule.lift'))
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'rule.event: no event records this');
END;

CREATE TRIGGER rule_identity_update
BEFORE UPDATE OF number, app_id, range, action, url, to_app, reason, made_by ON rule BEGIN
  SELECT RAISE(ABORT, 'rule.identity: a rule is never altered');
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
  from_at TEXT CHECK (from_at IS strftime('%Y-%m-%dT%H:%M:%SZ', from_at)),
  until_at TEXT CHECK (until_at IS strftime('%Y-%m-%dT%H:%M:%SZ', until_at)),
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  replaced_by INTEGER,
  event_seq INTEGER NOT NULL REFERENCES event,
  CHECK (from_at < until_at),
  CHECK ((url IS NULL) <> (to_app IS NULL))
) STRICT;

CREATE INDEX redirect_app ON redirect (app_id) WHERE active = 1;

CREATE INDEX redirect_to ON redirect (to_app) WHERE to_app IS NOT NULL;

CREATE TRIGGER redirect_event_insert BEFORE INSERT ON redirect
WHEN (
  SELECT seq = NEW.event_seq AND NEW.number = (SELECT ifnull(max(number), 0) + 1 FROM redirect)
    AND NEW.active AND NEW.replaced_by IS NULL AND kind = 'redirect.set' AND subject = 'redirect/' || NEW.number
    AND app_id = NEW.app_id AND (NEW.until_at <= at) IS NOT TRUE
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'redirect.event: no event records this');
END;

-- What a new row replaces goes down before the new one is there or up, so that its event cannot be used again.
CREATE TRIGGER redirect_event_update BEFORE UPDATE ON redirect
WHEN (
  SELECT seq = NEW.event_seq AND seq > OLD.event_seq AND NEW.number = OLD.number
    AND iif(kind = 'clock.correct', NEW.active = OLD.active,
      NEW.active <> OLD.active AND (NEW.from_at, NEW.until_at) IS (OLD.from_at, OLD.until_at) AND CASE subject
      WHEN 'redirect/' || NEW.number THEN NEW.replaced_by IS NULL AND kind = iif(NEW.active, 'redirect.set', 'redirect.clear')
      WHEN 'redirect/' || NEW.replaced_by THEN kind = 'redirect.set' AND NEW.active = 0
        AND NOT EXISTS (SELECT 1 FROM redirect WHERE number = NEW.replaced_by AND event_seq = seq) END)
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'redirect.event: no event records this');
END;

CREATE TRIGGER redirect_identity_update BEFORE UPDATE OF number, app_id, range, url, to_app ON redirect BEGIN
  SELECT RAISE(ABORT, 'redirect.identity: a redirect is never altered');
END;

CREATE TRIGGER redirect_delete BEFORE DELETE ON redirect BEGIN
  SELECT RAISE(ABORT, 'redirect.delete: a redirect is never deleted');
END;

CREATE TABLE setting (
  number INTEGER PRIMARY KEY,
  app_id INTEGER NOT NULL REFERENCES app,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 64 AND key NOT GLOB '*[^A-Za-z0-9._-]*'),
  range TEXT NOT NULL,
  during TEXT CHECK (during IN ('review', 'released')),
  value TEXT NOT NULL,
  from_at TEXT CHECK (from_at IS strftime('%Y-%m-%dT%H:%M:%SZ', from_at)),
  until_at TEXT CHECK (until_at IS strftime('%Y-%m-%dT%H:%M:%SZ', until_at)),
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  replaced_by INTEGER,
  event_seq INTEGER NOT NULL REFERENCES event,
  CHECK (from_at < until_at)
) STRICT;

CREATE INDEX setting_app ON setting (app_id) WHERE active = 1;

CREATE TRIGGER setting_event_insert BEFORE INSERT ON setting
WHEN (
  SELECT seq = NEW.event_seq AND NEW.number = (SELECT ifnull(max(number), 0) + 1 FROM setting)
    AND NEW.active AND NEW.replaced_by IS NULL AND kind = 'setting.set' AND subject = 'setting/' || NEW.number
    AND app_id = NEW.app_id AND (NEW.until_at <= at) IS NOT TRUE
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'setting.event: no event records this');
END;

CREATE TRIGGER setting_event_update BEFORE UPDATE ON setting
WHEN (
  SELECT seq = NEW.event_seq AND seq > OLD.event_seq AND NEW.number = OLD.number
    AND iif(kind = 'clock.correct', NEW.active = OLD.active,
      NEW.active <> OLD.active AND (NEW.from_at, NEW.until_at) IS (OLD.from_at, OLD.until_at) AND CASE subject
      WHEN 'setting/' || NEW.number THEN NEW.replaced_by IS NULL AND kind = iif(NEW.active, 'setting.set', 'setting.clear')
      WHEN 'setting/' || NEW.replaced_by THEN kind = 'setting.set' AND NEW.active = 0
        AND NOT EXISTS (SELECT 1 FROM setting WHERE number = NEW.replaced_by AND event_seq = seq) END)
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'setting.event: no event records this');
END;

CREATE TRIGGER setting_identity_update BEFORE UPDATE OF number, app_id, key, range, during, value ON setting BEGIN
  SELECT RAISE(ABORT, 'setting.identity: a setting is never altered');
END;

CREATE TRIGGER setting_delete BEFORE DELETE ON setting BEGIN
  SELECT RAISE(ABORT, 'setting.delete: a setting is never deleted');
END;

-- What came in from Apple or from people, and what it came to; its bytes are beside the record, which has their hash.
CREATE TABLE evidence (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('mail', 'lookup', 'webhook', 'asc', 'usage')),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
  size INTEGER NOT NULL,
  message_id TEXT,
  received_at TEXT NOT NULL CHECK (received_at IS strftime('%Y-%m-%dT%H:%M:%SZ', received_at)),
  sent_at TEXT CHECK (sent_at IS strftime('%Y-%m-%dT%H:%M:%SZ', sent_at)),
  sender TEXT,
  subject TEXT,
  outcome TEXT NOT NULL CHECK (
    outcome IN ('applied', 'ignored') OR outcome IN ('parked', 'refused') OR outcome = 'dismissed'),
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

CREATE TRIGGER evidence_event_insert BEFORE INSERT ON evidence
WHEN (
  SELECT seq = NEW.event_seq AND NEW.id = (SELECT ifnull(max(id), 0) + 1 FROM evidence)
    AND kind = 'evidence.add' AND subject = 'evidence/' || NEW.id AND evidence = NEW.id
    AND instr(after, '"outcome":"' || NEW.outcome || '"') AND instr(after, '"sha256":"' || NEW.sha256 || '"')
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'evidence.event: no event records this');
END;

CREATE TRIGGER evidence_event_update BEFORE UPDATE ON evidence
WHEN (
  SELECT seq = NEW.event_seq AND seq > OLD.event_seq AND NEW.id = OLD.id AND OLD.outcome = 'parked'
    AND kind = 'evidence.settle' AND subject = 'evidence/' || NEW.id AND instr(after, '"outcome":"' || NEW.outcome || '"')
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'evidence.event: no event records this');
END;

CREATE TRIGGER evidence_identity_update
BEFORE UPDATE OF id, kind, sha256, size, message_id, received_at, sent_at, sender, subject, country, body ON evidence BEGIN
  SELECT RAISE(ABORT, 'evidence.identity: what came in is never altered');
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
  single_platform INTEGER CHECK ((kind = 'webhook') = (single_platform IS NOT NULL AND single_platform IN (0, 1))),
  until_at TEXT CHECK (until_at IS NULL OR kind = 'signer' AND until_at = strftime('%Y-%m-%dT%H:%M:%SZ', until_at)),
  event_seq INTEGER NOT NULL REFERENCES event
) STRICT;

CREATE TRIGGER trust_event_insert BEFORE INSERT ON trust
WHEN NOT EXISTS (
  SELECT 1 FROM head WHERE seq = NEW.event_seq AND kind = 'trust.add' AND subject = 'trust/' || NEW.id) BEGIN
  SELECT RAISE(ABORT, 'trust.event: no event records this');
END;

CREATE TRIGGER trust_event_delete BEFORE DELETE ON trust
WHEN (
  SELECT seq > OLD.event_seq AND kind = 'trust.remove' AND subject = 'trust/' || OLD.id
  FROM head) IS NOT TRUE BEGIN
  SELECT RAISE(ABORT, 'trust.event: no event records this');
END;

CREATE TRIGGER trust_identity_insert BEFORE INSERT ON trust
WHEN EXISTS (
  SELECT 1 FROM trust
  WHERE id = NEW.id OR kind = NEW.kind AND (value = NEW.value AND selector = NEW.selector
    OR kind = 'approvals' OR kind = 'signer' AND key = NEW.key)) BEGIN
  SELECT RAISE(ABORT, 'trust.identity: this is trusted already');
END;

CREATE TRIGGER trust_identity_update BEFORE UPDATE ON trust BEGIN
  SELECT RAISE(ABORT, 'trust.identity: what is trusted is never altered');
END;

-- Where the documents are written after every change.
CREATE TABLE publication (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  directory TEXT NOT NULL CHECK (directory GLOB '/*'),
  formats TEXT CHECK (formats NOT GLOB '*[^a-z0-9,-]*'),
  copied INTEGER NOT NULL CHECK (copied IN (0, 1)),
  event_seq INTEGER NOT NULL REFERENCES event
) STRICT;

CREATE TRIGGER publication_event_insert BEFORE INSERT ON publication
WHEN EXISTS (SELECT 1 FROM publication)
  OR NOT EXISTS (SELECT 1 FROM head WHERE seq = NEW.event_seq AND kind = 'export.set') BEGIN
  SELECT RAISE(ABORT, 'publication.event: no event records this');
END;

CREATE TRIGGER publication_event_update BEFORE UPDATE ON publication
WHEN NEW.id <> OLD.id
  OR NOT EXISTS (SELECT 1 FROM head WHERE seq = NEW.event_seq AND seq > OLD.event_seq AND kind = 'export.set') BEGIN
  SELECT RAISE(ABORT, 'publication.event: no event records this');
END;

CREATE TRIGGER publication_event_delete BEFORE DELETE ON publication
WHEN (SELECT kind FROM head) <> 'export.clear' BEGIN
  SELECT RAISE(ABORT, 'publication.event: no event records this');
END;

-- What clients are told: the schedule of each app, made with the last event that changed it, for mirrors and for
-- programs that read the file themselves.

-- `digest` is that of the answers: SHA-256, in hexadecimal. While an app has no row here, its answers may be written; a
-- row goes for a newer event that changes the schedule, and comes with it.
CREATE TABLE generation (
  app_id INTEGER PRIMARY KEY REFERENCES app,
  event_seq INTEGER NOT NULL REFERENCES event,
  digest TEXT NOT NULL CHECK (length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*')
) STRICT;

CREATE TRIGGER generation_insert BEFORE INSERT ON generation
WHEN EXISTS (SELECT 1 FROM generation WHERE app_id = NEW.app_id) OR NOT EXISTS (
  SELECT 1 FROM head JOIN app ON id = NEW.app_id
  WHERE seq = NEW.event_seq AND instr(',' || schedules || ',', ',' || slug || ',')) BEGIN
  SELECT RAISE(ABORT, 'generation.event: no event changes it');
END;

CREATE TRIGGER generation_update BEFORE UPDATE ON generation BEGIN
  SELECT RAISE(ABORT, 'generation.update: a generation is never altered');
END;

CREATE TRIGGER generation_delete BEFORE DELETE ON generation
WHEN NOT EXISTS (
  SELECT 1 FROM head JOIN app ON id = OLD.app_id
  WHERE seq > OLD.event_seq AND (instr(',' || schedules || ',', ',' || slug || ',')
    OR kind = 'app.void' AND subject = 'app/' || id)) BEGIN
  SELECT RAISE(ABORT, 'generation.event: no event changes it');
END;

-- The versions with `lo` ≤ key < `hi`, from one moment until another, in seconds since 1970.
CREATE TABLE answer (
  app_id INTEGER NOT NULL REFERENCES app,
  lo TEXT NOT NULL CHECK (length(lo) = 36 AND lo NOT GLOB '*[^0-9]*'),
  hi TEXT NOT NULL CHECK (hi = ':' OR length(hi) = 36 AND hi NOT GLOB '*[^0-9]*'),
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('none', 'remind') OR action = 'force'),
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

CREATE TRIGGER answer_insert BEFORE INSERT ON answer
WHEN EXISTS (SELECT 1 FROM generation WHERE app_id = NEW.app_id) BEGIN
  SELECT RAISE(ABORT, 'answer.event: no event changes it');
END;

CREATE TRIGGER answer_update BEFORE UPDATE ON answer BEGIN
  SELECT RAISE(ABORT, 'answer.update: an answer is never altered');
END;

CREATE TRIGGER answer_delete BEFORE DELETE ON answer
WHEN EXISTS (SELECT 1 FROM generation WHERE app_id = OLD.app_id) BEGIN
  SELECT RAISE(ABORT, 'answer.event: no event changes it');
END;

-- The tables of a mirror as this file has them; a mirror's own switch is nobody's here.
CREATE VIEW pawl_app AS
SELECT
  slug AS app, (SELECT substr(after, 12, 32) FROM event WHERE seq = 1) AS ledger, NULL AS file, generation.event_seq AS generation,
  hash, digest, (SELECT min(valid_from) FROM answer WHERE answer.app_id = app.id) AS not_before, 0 AS stopped
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
    FROM (SELECT * FROM note WHERE release_id = release.id ORDER BY locale)) || '}' AS notes
FROM generation JOIN app ON app.id = generation.app_id
JOIN app AS other
JOIN release ON release.app_id = other.id AND release.notes > 0 AND state <> 'void'
WHERE EXISTS (
  SELECT 1 FROM answer WHERE answer.app_id = app.id AND (target = release.version AND target_app = other.slug
    OR instr(tiers, '"target":"' || release.version || '","targetApp":"' || other.slug || '"')));

CREATE VIEW client_decision AS
WITH clock (now) AS MATERIALIZED (
  SELECT strftime('%s', max(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), coalesce((
    SELECT iif(kind = 'clock.correct', substr(after, -22, 20), at) FROM head), ''))) + 0
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
    WHERE told.app_id = (SELECT id FROM app AS other WHERE slug = target_app) AND told.version = target
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

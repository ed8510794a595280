-- One version of one app. The four numbers are the version's sort key; the check holds them against its text,
-- so that nobody can record a version that sorts elsewhere than it reads.
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
  superseded_by     INTEGER,
  event_seq         INTEGER NOT NULL REFERENCES event (seq),
  CHECK (
       version = major || ''                                              AND minor = 0 AND patch = 0 AND fourth = 0
    OR version = major || '.' || minor                                                  AND patch = 0 AND fourth = 0
    OR version = major || '.' || minor || '.' || patch                                                AND fourth = 0
    OR version = major || '.' || minor || '.' || patch || '.' || fourth),
  CHECK (state NOT IN ('live', 'superseded', 'removed') OR (live_at IS NOT NULL AND visible_at IS NOT NULL)),
  CHECK ((state = 'removed') = (removed_at IS NOT NULL)),
  CHECK (state <> 'superseded' OR superseded_by IS NOT NULL)
) STRICT;

CREATE INDEX release_version ON release (app_id, major, minor, patch, fourth);

-- Law 2: at most one live release an app.
CREATE UNIQUE INDEX release_live ON release (app_id) WHERE state = 'live';

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
        OR kind = 'release.import' AND NEW.state = 'live' AND NEW.live_at <= at AND NEW.visible_at = NEW.live_at));
  -- Law 1, for a new release.
  SELECT RAISE(ABORT, 'version.not-greater: a new release is greater than every one recorded')
  WHERE EXISTS (
    SELECT 1 FROM release
    WHERE app_id = NEW.app_id AND state <> 'void'
      AND (major, minor, patch, fourth) >= (NEW.major, NEW.minor, NEW.patch, NEW.fourth));
  SELECT RAISE(ABORT, 'version.malformed: the App Store takes three components')
  WHERE (SELECT channel FROM app WHERE id = NEW.app_id) = 'app-store'
    AND length(NEW.version) - length(replace(NEW.version, '.', '')) > 2;
  SELECT RAISE(ABORT, 'release.former: a new release has no past')
  WHERE NEW.former_state IS NOT NULL OR NEW.superseded_by IS NOT NULL OR NEW.approved_at IS NOT NULL;
  UPDATE release SET state = 'superseded', superseded_by = NEW.id, since = NEW.live_at, event_seq = NEW.event_seq
  WHERE NEW.state = 'live' AND app_id = NEW.app_id AND state = 'live';
END;

CREATE TRIGGER release_update BEFORE UPDATE ON release BEGIN
  SELECT RAISE(ABORT, 'release.identity: a release is never renumbered')
  WHERE NEW.id <> OLD.id OR NEW.app_id <> OLD.app_id OR NEW.version <> OLD.version
     OR (NEW.major, NEW.minor, NEW.patch, NEW.fourth) <> (OLD.major, OLD.minor, OLD.patch, OLD.fourth);
  SELECT RAISE(ABORT, 'release.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND app = (SELECT slug FROM app WHERE id = NEW.app_id)
      AND (subject = 'release/' || NEW.id AND (
             kind = 'release.amend'  AND NEW.state = OLD.state
          OR kind = 'release.mark'   AND NEW.state NOT IN ('superseded', 'void')
          OR kind = 'release.unmark' AND OLD.state = 'live' AND NEW.state = OLD.former_state
          OR kind = 'release.void'   AND NEW.state = 'void')
        OR subject = 'release/' || NEW.superseded_by AND kind IN ('release.mark', 'release.import')
          AND OLD.state = 'live' AND NEW.state = 'superseded'
        OR subject = 'release/' || OLD.superseded_by AND kind = 'release.unmark'
          AND OLD.state = 'superseded' AND NEW.state = 'live'));
  -- Law 3. What `unmark` gives back is held against its hold below.
  SELECT RAISE(ABORT, 'state.illegal: a release does not move like this')
  WHERE NEW.state <> OLD.state
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) <> 'release.unmark'
    AND OLD.state || '>' || NEW.state NOT IN (
      'prepared>waiting', 'prepared>in-review', 'prepared>approved', 'prepared>live',
      'waiting>in-review', 'waiting>approved', 'waiting>live', 'in-review>approved', 'in-review>live',
      'approved>live', 'live>superseded', 'live>removed', 'superseded>removed', 'removed>live',
      'prepared>rejected', 'waiting>rejected', 'in-review>rejected', 'approved>rejected', 'withdrawn>rejected',
      'prepared>withdrawn', 'waiting>withdrawn', 'in-review>withdrawn', 'approved>withdrawn', 'rejected>withdrawn',
      'rejected>prepared', 'rejected>waiting', 'rejected>in-review', 'rejected>approved', 'rejected>live',
      'withdrawn>prepared', 'withdrawn>waiting', 'withdrawn>in-review', 'withdrawn>approved', 'withdrawn>live',
      'prepared>void', 'waiting>void', 'in-review>void', 'rejected>void', 'withdrawn>void');
  SELECT RAISE(ABORT, 'void.was-live: what was approved or live is never struck out')
  WHERE NEW.state = 'void' AND (OLD.live_at IS NOT NULL OR OLD.approved_at IS NOT NULL);
  SELECT RAISE(ABORT, 'unmark.too-late: clients may have been told')
  WHERE OLD.state = 'live' AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.unmark'
    AND OLD.visible_at <= (SELECT at FROM event WHERE seq = NEW.event_seq);
  SELECT RAISE(ABORT, 'release.times: a live release keeps its moment, and only a hold may end early')
  WHERE NEW.state = OLD.state
    AND (NEW.live_at IS NOT OLD.live_at OR NEW.visible_at > OLD.visible_at
      OR (NEW.visible_at IS NULL) <> (OLD.visible_at IS NULL));
  -- Law 1, for a going live.
  SELECT RAISE(ABORT, 'version.not-greater: what goes live is greater than all that was visible')
  WHERE NEW.state = 'live' AND OLD.state <> 'live'
    AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.mark'
    AND EXISTS (
      SELECT 1 FROM release AS other
      WHERE other.app_id = NEW.app_id AND other.id <> NEW.id
        AND (other.major, other.minor, other.patch, other.fourth) >= (NEW.major, NEW.minor, NEW.patch, NEW.fourth)
        AND (other.state = 'live' OR OLD.state = 'removed' AND other.live_at IS NOT NULL
          OR other.visible_at <= coalesce(other.removed_at, (SELECT at FROM event WHERE seq = NEW.event_seq))));
  SELECT RAISE(ABORT, 'release.times: nothing goes live in the future')
  WHERE NEW.state = 'live' AND NEW.live_at > (SELECT at FROM event WHERE seq = NEW.event_seq);
  UPDATE release SET state = 'superseded', superseded_by = NEW.id, since = NEW.live_at, event_seq = NEW.event_seq
  WHERE NEW.state = 'live' AND OLD.state <> 'live' AND app_id = NEW.app_id AND state = 'live' AND id <> NEW.id;
END;

-- What a going live superseded is live again when it is taken back.
CREATE TRIGGER release_unmark AFTER UPDATE ON release
WHEN OLD.state = 'live' AND NEW.state <> 'live'
  AND (SELECT kind FROM event WHERE seq = NEW.event_seq) = 'release.unmark' BEGIN
  UPDATE release SET state = 'live', superseded_by = NULL, since = live_at, event_seq = NEW.event_seq
  WHERE app_id = NEW.app_id AND state = 'superseded' AND superseded_by = NEW.id;
END;

CREATE TRIGGER release_delete BEFORE DELETE ON release BEGIN
  SELECT RAISE(ABORT, 'release.delete: a release is never deleted');
END;

-- What is new in a release, by language. Notes change with their release: all at once, under one event.
CREATE TABLE note (
  release_id INTEGER NOT NULL REFERENCES release (id),
  position   INTEGER NOT NULL CHECK (position >= 0),
  locale     TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  event_seq  INTEGER NOT NULL REFERENCES event (seq),
  PRIMARY KEY (release_id, position)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX note_locale ON note (release_id, locale);

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

CREATE TRIGGER note_delete BEFORE DELETE ON note BEGIN
  SELECT RAISE(ABORT, 'note.event: notes change with their release')
  WHERE NOT EXISTS (
    SELECT 1 FROM release
    WHERE id = OLD.release_id AND event_seq > OLD.event_seq AND event_seq = (SELECT max(seq) FROM event)
      AND (SELECT kind FROM event WHERE seq = release.event_seq) = 'release.amend');
END;

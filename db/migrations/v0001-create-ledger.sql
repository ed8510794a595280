-- The record: every change, in order, never altered.
-- `subject` names the row that the event is about ('app/1', 'release/12'), so that a row can be held against
-- the event it names. Times are RFC 3339 in UTC with seconds, which sort as text.
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

CREATE UNIQUE INDEX event_request ON event (request_id) WHERE request_id IS NOT NULL;

CREATE INDEX event_app ON event (app, seq);

-- REPLACE deletes without firing delete triggers unless recursive_triggers is on
-- (sqlite.org/lang_conflict.html), so the insert itself must refuse every number but the next.
CREATE TRIGGER event_insert BEFORE INSERT ON event BEGIN
  SELECT RAISE(ABORT, 'event.sequence: the next number is the only one that can be added')
  WHERE NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM event);
  SELECT RAISE(ABORT, 'event.time: time does not go back')
  WHERE NEW.at < (SELECT at FROM event WHERE seq = NEW.seq - 1);
  SELECT RAISE(ABORT, 'event.request: this request is recorded already')
  WHERE NEW.request_id IN (SELECT request_id FROM event WHERE request_id = NEW.request_id);
END;

CREATE TRIGGER event_update BEFORE UPDATE ON event BEGIN
  SELECT RAISE(ABORT, 'event.append-only: an event is never altered');
END;

CREATE TRIGGER event_delete BEFORE DELETE ON event BEGIN
  SELECT RAISE(ABORT, 'event.append-only: an event is never deleted');
END;

-- One bundle on one platform and channel.
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
) STRICT;

CREATE UNIQUE INDEX app_apple_id ON app (apple_id, platform) WHERE apple_id IS NOT NULL;

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
      AND kind IN ('app.set', 'app.stop', 'app.resume') AND subject = 'app/' || NEW.id);
END;

CREATE TRIGGER app_delete BEFORE DELETE ON app BEGIN
  SELECT RAISE(ABORT, 'app.delete: an app is never deleted');
END;

-- What evidence and URLs are believed, beyond Apple's own store.
CREATE TABLE trust (
  id        INTEGER PRIMARY KEY,
  kind      TEXT    NOT NULL CHECK (kind IN ('host', 'dkim', 'mx', 'recipient')),
  value     TEXT    NOT NULL CHECK (length(value) > 0),
  selector  TEXT    NOT NULL CHECK ((kind = 'dkim') = (selector <> '')),
  key       TEXT    CHECK ((kind = 'dkim') = (key IS NOT NULL)),
  event_seq INTEGER NOT NULL REFERENCES event (seq)
) STRICT;

CREATE UNIQUE INDEX trust_value ON trust (kind, value, selector);

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

CREATE TRIGGER trust_delete BEFORE DELETE ON trust BEGIN
  SELECT RAISE(ABORT, 'trust.event: a change names the event that records it')
  WHERE NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = (SELECT max(seq) FROM event) AND seq > OLD.event_seq
      AND kind = 'trust.remove' AND subject = 'trust/' || OLD.id);
END;

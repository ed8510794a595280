-- What clients are told beside the segment policy, where they are sent, and what settings they get.
-- A row is made once and never altered but for whether it counts: `active` goes down when it is lifted, cleared or
-- replaced, and up again when that is reverted. Numbers are never used twice.
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

CREATE INDEX rule_app ON rule (app_id) WHERE active = 1;

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
     OR NEW.from_at IS NOT OLD.from_at OR NEW.until_at IS NOT OLD.until_at OR NEW.url IS NOT OLD.url
     OR NEW.to_app IS NOT OLD.to_app OR NEW.reason IS NOT OLD.reason OR NEW.made_by <> OLD.made_by
     OR NEW.active = OLD.active;
  SELECT RAISE(ABORT, 'rule.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event) AND subject = 'rule/' || NEW.number
      AND kind = CASE NEW.active WHEN 0 THEN 'rule.lift' ELSE 'rule.restore' END);
END;

CREATE TRIGGER rule_delete BEFORE DELETE ON rule BEGIN
  SELECT RAISE(ABORT, 'rule.delete: a rule is never deleted');
END;

CREATE TABLE redirect (
  number      INTEGER PRIMARY KEY,
  app_id      INTEGER NOT NULL REFERENCES app (id),
  range       TEXT    NOT NULL CHECK (length(range) > 0),
  url         TEXT,
  to_app      TEXT    REFERENCES app (slug),
  active      INTEGER NOT NULL CHECK (active IN (0, 1)),
  replaced_by INTEGER,
  event_seq   INTEGER NOT NULL REFERENCES event (seq),
  CHECK ((url IS NULL) <> (to_app IS NULL))
) STRICT;

CREATE INDEX redirect_app ON redirect (app_id) WHERE active = 1;

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

-- What a new row replaces goes down before the new one is there or up, so that its event cannot be used again.
CREATE TRIGGER redirect_update BEFORE UPDATE ON redirect BEGIN
  SELECT RAISE(ABORT, 'redirect.identity: a redirect is cleared or given back, never altered')
  WHERE NEW.number <> OLD.number OR NEW.app_id <> OLD.app_id OR NEW.range <> OLD.range
     OR NEW.url IS NOT OLD.url OR NEW.to_app IS NOT OLD.to_app OR NEW.active = OLD.active;
  SELECT RAISE(ABORT, 'redirect.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND app = (SELECT slug FROM app WHERE id = NEW.app_id)
      AND (subject = 'redirect/' || NEW.number AND NEW.replaced_by IS NULL
             AND kind = CASE NEW.active WHEN 0 THEN 'redirect.clear' ELSE 'redirect.set' END
        OR subject = 'redirect/' || NEW.replaced_by AND kind = 'redirect.set' AND NEW.active = 0
             AND NOT EXISTS (SELECT 1 FROM redirect WHERE number = NEW.replaced_by AND event_seq = NEW.event_seq)));
END;

CREATE TRIGGER redirect_delete BEFORE DELETE ON redirect BEGIN
  SELECT RAISE(ABORT, 'redirect.delete: a redirect is never deleted');
END;

CREATE TABLE setting (
  number      INTEGER PRIMARY KEY,
  app_id      INTEGER NOT NULL REFERENCES app (id),
  key         TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 64 AND key NOT GLOB '*[^A-Za-z0-9._-]*'),
  range       TEXT    NOT NULL CHECK (length(range) > 0),
  during      TEXT    CHECK (during IN ('review', 'released')),
  value       TEXT    NOT NULL,
  active      INTEGER NOT NULL CHECK (active IN (0, 1)),
  replaced_by INTEGER,
  event_seq   INTEGER NOT NULL REFERENCES event (seq)
) STRICT;

CREATE INDEX setting_app ON setting (app_id) WHERE active = 1;

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
     OR NEW.during IS NOT OLD.during OR NEW.value <> OLD.value OR NEW.active = OLD.active;
  SELECT RAISE(ABORT, 'setting.event: a change names the event that records it')
  WHERE NEW.event_seq <= OLD.event_seq OR NOT EXISTS (
    SELECT 1 FROM event
    WHERE seq = NEW.event_seq AND seq = (SELECT max(seq) FROM event)
      AND app = (SELECT slug FROM app WHERE id = NEW.app_id)
      AND (subject = 'setting/' || NEW.number AND NEW.replaced_by IS NULL
             AND kind = CASE NEW.active WHEN 0 THEN 'setting.clear' ELSE 'setting.set' END
        OR subject = 'setting/' || NEW.replaced_by AND kind = 'setting.set' AND NEW.active = 0
             AND NOT EXISTS (SELECT 1 FROM setting WHERE number = NEW.replaced_by AND event_seq = NEW.event_seq)));
END;

CREATE TRIGGER setting_delete BEFORE DELETE ON setting BEGIN
  SELECT RAISE(ABORT, 'setting.delete: a setting is never deleted');
END;

-- Mails, lookup answers and webhook bodies, with the verdict on each. A row is made once; while it is parked a person,
-- or a later look, may settle it. `body` holds the bytes as they came, NULL where only their hash is kept; the event
-- holds the hash, so that the chain covers the bytes too.
CREATE TABLE evidence (
  id          INTEGER PRIMARY KEY,
  kind        TEXT    NOT NULL CHECK (kind IN ('mail', 'lookup', 'webhook')),
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

CREATE INDEX evidence_sha256 ON evidence (sha256);

CREATE INDEX evidence_message ON evidence (message_id) WHERE message_id IS NOT NULL;

CREATE INDEX evidence_parked ON evidence (id) WHERE outcome = 'parked';

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

CREATE TRIGGER evidence_delete BEFORE DELETE ON evidence BEGIN
  SELECT RAISE(ABORT, 'evidence.delete: evidence is never deleted');
END;

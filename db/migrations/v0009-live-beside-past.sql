-- A release that the store took out goes live again although one beside its line, shipped before the ledger's time, has a
-- greater number: nobody was ever led to that.
DROP TRIGGER release_update;

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

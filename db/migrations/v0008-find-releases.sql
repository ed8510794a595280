-- A change of one release looks for those that stand out, and for the neighbours of each, however many there are.
CREATE INDEX release_state ON release (app_id, past, state);

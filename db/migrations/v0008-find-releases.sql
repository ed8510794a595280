-- A change of one release looks for those that stand out, and for the neighbours of each, however many there are.
CREATE INDEX release_state ON release (app_id, past, state);

-- A change of an app looks for those that lead to it, however many rules others have.
CREATE INDEX redirect_to ON redirect (to_app) WHERE to_app IS NOT NULL;

CREATE INDEX rule_to ON rule (to_app) WHERE to_app IS NOT NULL;

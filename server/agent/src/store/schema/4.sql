-- The changed files that the calls of a turn showed (JSON), of those turns that changed any. Beside the turn's row, for
-- only who shows a conversation again reads them.
CREATE TABLE turn_diffs (
    turn  INTEGER PRIMARY KEY REFERENCES turn (key) ON DELETE CASCADE,
    diffs TEXT    NOT NULL
) STRICT;

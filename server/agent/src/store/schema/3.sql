-- Conversations of editors: the folder they work in, and what was set for them (JSON).
ALTER TABLE conversation ADD COLUMN folder TEXT;
ALTER TABLE conversation ADD COLUMN controls TEXT NOT NULL DEFAULT '{}';

-- What stands for the turns up to `through` once they were summed up (JSON of one message); the newest one counts.
CREATE TABLE summary (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    through      INTEGER NOT NULL,
    message      TEXT    NOT NULL,
    PRIMARY KEY (conversation, through)
) STRICT, WITHOUT ROWID;

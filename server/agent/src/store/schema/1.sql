-- Times are milliseconds since 1970. `key` names a row inside the database only; ids are what others see.

CREATE TABLE conversation (
    key           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT    NOT NULL UNIQUE,
    owner         TEXT    NOT NULL,
    origin        TEXT    NOT NULL,
    title         TEXT    NOT NULL,
    mode          TEXT    NOT NULL,
    session_key   TEXT    NOT NULL,
    host          TEXT,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    turns         INTEGER NOT NULL,
    branch_of     TEXT,
    deleted_at_ms INTEGER
) STRICT;

CREATE INDEX conversation_newest ON conversation (updated_at_ms, key);
CREATE INDEX conversation_deleted ON conversation (deleted_at_ms) WHERE deleted_at_ms IS NOT NULL;

-- How a client that does not know a conversation's id finds it again (decision 15).
CREATE TABLE alias (
    owner         TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    conversation  INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    expires_at_ms INTEGER,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX alias_conversation ON alias (conversation);

-- `details` is JSON: everything of a turn that is only ever shown.
CREATE TABLE turn (
    key           INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation  INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    number        INTEGER NOT NULL,
    owner         TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    copied        INTEGER NOT NULL,
    state         TEXT    NOT NULL,
    mode          TEXT    NOT NULL,
    started_at_ms INTEGER NOT NULL,
    prompt        TEXT    NOT NULL,
    text          TEXT    NOT NULL,
    details       TEXT    NOT NULL,
    UNIQUE (conversation, number)
) STRICT;

-- A branch holds copies of turns under their own ids; only the first one answers for the id (decision 11).
CREATE UNIQUE INDEX turn_id ON turn (owner, id) WHERE copied = 0;
CREATE INDEX turn_running ON turn (conversation) WHERE state = 'running';

-- Number 0 is the question; what follows is of the last attempt. `parts` is JSON.
CREATE TABLE message (
    turn   INTEGER NOT NULL REFERENCES turn (key) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    role   TEXT    NOT NULL,
    parts  TEXT    NOT NULL,
    PRIMARY KEY (turn, number)
) STRICT;

CREATE TABLE setting (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pairing (
    key_id          TEXT    PRIMARY KEY,
    secret          BLOB    NOT NULL,
    label           TEXT    NOT NULL,
    instance        TEXT    NOT NULL UNIQUE,
    created_at_ms   INTEGER NOT NULL,
    last_seen_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pairing_offer (
    key_id        TEXT    PRIMARY KEY,
    secret        BLOB    NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    wrong_tries   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Search. Both indexes read their text from the tables above, and forget what is deleted there at once.
CREATE VIRTUAL TABLE title_index USING fts5 (
    title, content = 'conversation', content_rowid = 'key', tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO title_index (title_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER title_added AFTER INSERT ON conversation BEGIN
    INSERT INTO title_index (rowid, title) VALUES (new.key, new.title);
END;
CREATE TRIGGER title_changed AFTER UPDATE OF title ON conversation WHEN old.title IS NOT new.title BEGIN
    INSERT INTO title_index (title_index, rowid, title) VALUES ('delete', old.key, old.title);
    INSERT INTO title_index (rowid, title) VALUES (new.key, new.title);
END;
CREATE TRIGGER title_removed AFTER DELETE ON conversation BEGIN
    INSERT INTO title_index (title_index, rowid, title) VALUES ('delete', old.key, old.title);
END;

-- A running turn is not indexed: its text changes every second.
CREATE VIRTUAL TABLE turn_index USING fts5 (
    prompt, text, content = 'turn', content_rowid = 'key', tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO turn_index (turn_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER turn_added AFTER INSERT ON turn WHEN new.state <> 'running' BEGIN
    INSERT INTO turn_index (rowid, prompt, text) VALUES (new.key, new.prompt, new.text);
END;
CREATE TRIGGER turn_left BEFORE UPDATE OF state, prompt, text ON turn WHEN old.state <> 'running' BEGIN
    INSERT INTO turn_index (turn_index, rowid, prompt, text) VALUES ('delete', old.key, old.prompt, old.text);
END;
CREATE TRIGGER turn_settled AFTER UPDATE OF state, prompt, text ON turn WHEN new.state <> 'running' BEGIN
    INSERT INTO turn_index (rowid, prompt, text) VALUES (new.key, new.prompt, new.text);
END;
CREATE TRIGGER turn_removed AFTER DELETE ON turn WHEN old.state <> 'running' BEGIN
    INSERT INTO turn_index (turn_index, rowid, prompt, text) VALUES ('delete', old.key, old.prompt, old.text);
END;

-- Which conversation shows which media file. The files themselves are no business of the database; they are named by
-- `hash`, 64 hex digits. The last reference that goes sets a file free.
CREATE TABLE blob_reference (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    hash         TEXT    NOT NULL,
    bytes        INTEGER NOT NULL,
    mime         TEXT    NOT NULL,
    PRIMARY KEY (conversation, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX blob_reference_hash ON blob_reference (hash);

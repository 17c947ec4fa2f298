CREATE TABLE activity (
    at_us INTEGER NOT NULL, request_id TEXT NOT NULL, client TEXT NOT NULL,
    kind TEXT NOT NULL, outcome TEXT NOT NULL, duration_ms REAL NOT NULL,
    workspace TEXT, project TEXT, server TEXT, tool TEXT,
    detail TEXT, result_count INTEGER,
    context_tokens INTEGER NOT NULL, saved_tokens INTEGER NOT NULL, message TEXT
);
CREATE INDEX activity_at ON activity (at_us);

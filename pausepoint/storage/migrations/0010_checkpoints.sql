-- A line is the history of one thread in one namespace. Its generation moves on when anything of it is deleted.
CREATE TABLE checkpoint_lines (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id TEXT NOT NULL,
    ns TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    UNIQUE (thread_id, ns)
);

-- body: versions and, for each channel, where its value is. hidden: deleted, but a later delta channel is rebuilt from it.
CREATE TABLE checkpoints (
    id INTEGER PRIMARY KEY,
    line INTEGER NOT NULL,
    checkpoint_id TEXT NOT NULL,
    parent_id TEXT,
    run_id TEXT,
    hidden INTEGER NOT NULL DEFAULT 0,
    body BLOB NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (line, checkpoint_id)
);
CREATE INDEX checkpoints_by_run ON checkpoints (run_id) WHERE run_id IS NOT NULL;

-- Values of channels, each stored once: a whole value, or n elements of a list that is spread over several rows.
CREATE TABLE checkpoint_items (
    id INTEGER PRIMARY KEY,
    line INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    n INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (line, slot, seq)
);

-- A write may arrive before its checkpoint does.
CREATE TABLE checkpoint_writes (
    id INTEGER PRIMARY KEY,
    line INTEGER NOT NULL,
    checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    idx INTEGER NOT NULL,
    task_path TEXT NOT NULL,
    channel TEXT NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (line, checkpoint_id, task_id, idx)
);

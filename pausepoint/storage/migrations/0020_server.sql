-- The server's own tables: assistants, threads, runs with their events, crons. Checkpoints and store have theirs.
-- Times are ISO 8601 in UTC with microseconds (they sort as text); JSON columns are text so that json_extract works on them.

CREATE TABLE assistants (
  assistant_id TEXT PRIMARY KEY,
  graph_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  config TEXT NOT NULL,
  context TEXT NOT NULL,
  metadata TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE assistant_versions (
  assistant_id TEXT NOT NULL REFERENCES assistants ON DELETE CASCADE,
  version INTEGER NOT NULL,
  graph_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  config TEXT NOT NULL,
  context TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (assistant_id, version)
) WITHOUT ROWID;

CREATE TABLE threads (
  number INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  metadata TEXT NOT NULL,
  config TEXT NOT NULL,
  "values" TEXT,
  interrupts TEXT NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  state_updated_at TEXT NOT NULL,
  ttl_minutes REAL,
  ttl_strategy TEXT,
  expires_at TEXT
);
CREATE INDEX threads_by_updated ON threads (updated_at);
CREATE INDEX threads_by_created ON threads (created_at);
CREATE INDEX threads_by_status ON threads (status, updated_at);
CREATE INDEX threads_by_expiry ON threads (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL UNIQUE,
  thread_id TEXT NOT NULL,
  assistant_id TEXT NOT NULL,
  status TEXT NOT NULL,
  metadata TEXT NOT NULL,
  kwargs TEXT NOT NULL,
  multitask_strategy TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  start_after TEXT NOT NULL,
  error TEXT,
  cancel_reason TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX runs_by_thread ON runs (thread_id, number);
CREATE INDEX runs_unfinished ON runs (status, number) WHERE status IN ('pending', 'running');

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  event TEXT NOT NULL,
  data BLOB NOT NULL
);
CREATE INDEX events_by_run ON events (run_id, id);
CREATE INDEX events_by_thread ON events (thread_id, id);

CREATE TABLE crons (
  cron_id TEXT PRIMARY KEY,
  assistant_id TEXT NOT NULL,
  thread_id TEXT,
  schedule TEXT NOT NULL,
  timezone TEXT,
  end_time TEXT,
  payload TEXT NOT NULL,
  metadata TEXT NOT NULL,
  user_id TEXT,
  on_run_completed TEXT,
  enabled INTEGER NOT NULL,
  next_run_date TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX crons_due ON crons (next_run_date) WHERE enabled = 1 AND next_run_date IS NOT NULL;

-- Webhooks that are still to be delivered; written in the transaction that ends the run.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  url TEXT NOT NULL,
  body BLOB NOT NULL,
  attempt INTEGER NOT NULL,
  due_at TEXT NOT NULL,
  error TEXT
);

-- Numbers handed out in blocks, so that a number is never given twice, even after a crash.
CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  reserved INTEGER NOT NULL
) WITHOUT ROWID;

-- Everything that waits for a person, what was decided, and what follows from it.
-- Times as in 0020: ISO 8601 in UTC with microseconds, sortable as text. JSON columns are text.

CREATE TABLE pauses (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  pause_id TEXT NOT NULL UNIQUE,
  thread_id TEXT NOT NULL,
  interrupt_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  node TEXT,
  run_id TEXT,
  graph_id TEXT NOT NULL,
  assistant_id TEXT,
  graph_version TEXT,
  hold_reason TEXT,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  value TEXT NOT NULL,
  schema TEXT,
  language TEXT NOT NULL,
  resume_with TEXT NOT NULL,
  search TEXT NOT NULL,
  status TEXT NOT NULL,
  assignee TEXT,
  due_at TEXT,
  remind_at TEXT,
  on_expiry TEXT,
  webhook TEXT,
  snoozed_until TEXT,
  draft TEXT,
  draft_by TEXT,
  draft_at TEXT,
  opened_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  closed_at TEXT,
  answer TEXT,
  answered_by TEXT,
  answer_run_id TEXT,
  decision INTEGER,
  reason TEXT
);
CREATE UNIQUE INDEX pauses_open_once ON pauses (thread_id, interrupt_id) WHERE status = 'open';
CREATE INDEX pauses_by_thread ON pauses (thread_id, number);
CREATE INDEX pauses_by_interrupt ON pauses (interrupt_id);
CREATE INDEX pauses_by_run ON pauses (answer_run_id) WHERE answer_run_id IS NOT NULL;
CREATE INDEX pauses_inbox ON pauses (status, number);
CREATE INDEX pauses_inbox_due ON pauses (status, coalesce(due_at, '9999'), number);
CREATE INDEX pauses_due ON pauses (due_at) WHERE status = 'open' AND due_at IS NOT NULL;
CREATE INDEX pauses_remind ON pauses (remind_at) WHERE status = 'open' AND remind_at IS NOT NULL;

-- A thread takes its questions with it; the decisions about them stay.
CREATE TRIGGER pauses_go_with_thread AFTER DELETE ON threads BEGIN
  DELETE FROM pauses WHERE thread_id = OLD.thread_id;
  DELETE FROM attachment_uses WHERE thread_id = OLD.thread_id;
END;

-- What happened, in order: the chain of decisions. Nothing is ever changed or taken away.
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  content TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  at TEXT AS (json_extract(content, '$.at')) VIRTUAL,
  thread_id TEXT AS (json_extract(content, '$.thread_id')) VIRTUAL,
  pause_id TEXT AS (json_extract(content, '$.pause_id')) VIRTUAL
);
CREATE INDEX decisions_by_pause ON decisions (pause_id);
CREATE INDEX decisions_by_thread ON decisions (thread_id);
CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions BEGIN
  SELECT RAISE(ABORT, 'decisions are append-only');
END;
CREATE TRIGGER decisions_are_fixed BEFORE UPDATE ON decisions BEGIN
  SELECT RAISE(ABORT, 'decisions are append-only');
END;

-- Requests that carried an Idempotency-Key, with the run they led to.
CREATE TABLE pause_requests (
  actor TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (actor, key)
) WITHOUT ROWID;
CREATE INDEX pause_requests_by_age ON pause_requests (created_at);

-- The inbox's live feed.
CREATE TABLE pause_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  event TEXT NOT NULL,
  pause_id TEXT NOT NULL,
  thread_id TEXT NOT NULL
);

-- What has to be sent: webhooks of pauses, HTTP effects, messages.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  body TEXT NOT NULL,
  headers TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  due_at TEXT NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  sent_at TEXT
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE status = 'pending';

CREATE TABLE attachments (
  attachment_id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX attachments_by_content ON attachments (sha256);
CREATE TABLE attachment_uses (
  attachment_id TEXT NOT NULL REFERENCES attachments ON DELETE CASCADE,
  thread_id TEXT NOT NULL,
  PRIMARY KEY (attachment_id, thread_id)
) WITHOUT ROWID;
CREATE INDEX attachment_uses_by_thread ON attachment_uses (thread_id);

CREATE TABLE effects (
  key TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  result TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX effects_by_thread ON effects (thread_id);

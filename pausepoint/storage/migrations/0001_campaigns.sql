-- Campaigns, what they hold (each item whole, so that the other stores can be made anew), answers, usage.

CREATE TABLE campaigns (
    uuid TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT 'en',
    graph_label TEXT NOT NULL UNIQUE,
    collection TEXT NOT NULL UNIQUE,
    embedding TEXT NOT NULL DEFAULT '',        -- model and dimensions the vectors were made with
    revision INTEGER NOT NULL DEFAULT 0,       -- grows with every change of the content
    loading INTEGER NOT NULL DEFAULT 0,        -- 1 while a change is under way: the stores may disagree
    source_digest TEXT NOT NULL DEFAULT '',    -- of the folder it was last loaded from completely
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE artifact_categories (
    campaign_uuid TEXT NOT NULL REFERENCES campaigns (uuid) ON DELETE CASCADE,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    position INTEGER NOT NULL,
    PRIMARY KEY (campaign_uuid, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE campaign_items (
    campaign_uuid TEXT NOT NULL REFERENCES campaigns (uuid) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('note', 'artifact', 'relation')),
    id TEXT NOT NULL,
    name TEXT NOT NULL,                        -- title, name or label
    source TEXT NOT NULL DEFAULT '',           -- relations: ids of the artifacts they join
    target TEXT NOT NULL DEFAULT '',
    body TEXT NOT NULL,                        -- the item as JSON
    hash TEXT NOT NULL,                        -- of all that the item put into the other stores
    points INTEGER NOT NULL DEFAULT 1,         -- how many vectors it has
    updated_at TEXT NOT NULL,
    PRIMARY KEY (campaign_uuid, kind, id)
) STRICT;

CREATE INDEX campaign_items_name ON campaign_items (campaign_uuid, kind, name);
CREATE INDEX campaign_items_source ON campaign_items (campaign_uuid, source) WHERE kind = 'relation';
CREATE INDEX campaign_items_target ON campaign_items (campaign_uuid, target) WHERE kind = 'relation';

CREATE TABLE answer_cache (
    campaign_uuid TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    expires REAL NOT NULL,                     -- seconds since 1970
    PRIMARY KEY (campaign_uuid, question)
) STRICT, WITHOUT ROWID;

CREATE TABLE answer_cache_counts (
    campaign_uuid TEXT PRIMARY KEY,
    hits INTEGER NOT NULL DEFAULT 0,
    misses INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE model_usage (
    run_id TEXT NOT NULL,
    campaign_uuid TEXT NOT NULL,
    action TEXT NOT NULL,
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost REAL NOT NULL DEFAULT 0,              -- US dollars
    at TEXT NOT NULL
) STRICT;

CREATE INDEX model_usage_campaign ON model_usage (campaign_uuid, at);

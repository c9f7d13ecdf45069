-- namespace: the labels joined by dots, which labels cannot contain. Times: microseconds since 1970 in UTC.
CREATE TABLE store_items (
    id INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ttl_minutes REAL,
    expires_at INTEGER,
    UNIQUE (namespace, key)
);
CREATE INDEX store_items_by_update ON store_items (namespace, updated_at);
CREATE INDEX store_items_by_expiry ON store_items (expires_at) WHERE expires_at IS NOT NULL;

-- vector: 32-bit floats of length one, in the machine's order.
CREATE TABLE store_vectors (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES store_items (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (item, path)
);

"""The store's rows: reading on a snapshot, writing as part of one transaction."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from langgraph.store.base import Item, ListNamespacesOp, SearchItem

from pausepoint.storage.items.matching import matches

_COLUMNS = "i.id, i.namespace, i.key, i.value, i.created_at, i.updated_at, i.ttl_minutes"
_LIVE = "(i.expires_at IS NULL OR i.expires_at > ?)"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SWEPT_AT_ONCE = 200

Namespace = tuple[str, ...]


@dataclass(slots=True)
class Stored:
    """An item as it lies in the database."""

    id: int
    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: int
    updated_at: int
    expires: bool

    def item(self) -> Item:
        """As LangGraph's item."""
        return Item(
            value=self.value,
            key=self.key,
            namespace=self.namespace,
            created_at=_time(self.created_at),
            updated_at=_time(self.updated_at),
        )

    def found(self, score: float | None = None) -> SearchItem:
        """As a search's result."""
        return SearchItem(
            self.namespace, self.key, self.value, _time(self.created_at), _time(self.updated_at), score
        )


@dataclass(slots=True)
class Put:
    """An item to write; without a value it is deleted. `vectors`: path → 32-bit floats."""

    namespace: Namespace
    key: str
    value: bytes | None
    ttl_minutes: float | None = None
    vectors: dict[str, bytes] = field(default_factory=dict[str, bytes])


def now() -> int:
    """Microseconds since 1970."""
    return (datetime.now(UTC) - _EPOCH) // timedelta(microseconds=1)


def get(conn: sqlite3.Connection, namespace: Namespace, key: str) -> Stored | None:
    """The item, unless it has expired."""
    sql = f"SELECT {_COLUMNS} FROM store_items i WHERE i.namespace=? AND i.key=? AND {_LIVE}"  # noqa: S608
    row = conn.execute(sql, (".".join(namespace), key, now())).fetchone()
    return _stored(row) if row else None


def below(conn: sqlite3.Connection, prefix: Namespace) -> Iterator[Stored]:
    """All items of a namespace and the ones below it, the last changed first."""
    where, values = _prefix(prefix)
    sql = (
        f"SELECT {_COLUMNS} FROM store_items i WHERE {where} AND {_LIVE} "  # noqa: S608
        "ORDER BY i.updated_at DESC, i.id DESC"
    )
    return (_stored(row) for row in conn.execute(sql, (*values, now())))


def vectors(conn: sqlite3.Connection, prefix: Namespace) -> list[tuple[int, bytes]]:
    """(item, vector) of every indexed text of a namespace and the ones below it."""
    where, values = _prefix(prefix)
    sql = (
        f"SELECT v.item, v.vector FROM store_items i JOIN store_vectors v ON v.item=i.id "  # noqa: S608
        f"WHERE {where} AND {_LIVE}"
    )
    return [(row[0], row[1]) for row in conn.execute(sql, (*values, now()))]


def namespaces(conn: sqlite3.Connection, op: ListNamespacesOp) -> list[Namespace]:
    """The namespaces that have items, in order."""
    sql = f"SELECT DISTINCT i.namespace FROM store_items i WHERE {_LIVE}"  # noqa: S608
    found = {tuple(row[0].split(".")) for row in conn.execute(sql, (now(),))}
    for condition in op.match_conditions or ():
        found = {namespace for namespace in found if matches(namespace, condition)}
    cut = sorted({namespace[: op.max_depth] for namespace in found} if op.max_depth is not None else found)
    return cut[op.offset : op.offset + op.limit]


def apply(conn: sqlite3.Connection, puts: Iterable[Put]) -> None:
    """Write items, and delete some expired ones on the way."""
    for put in puts:
        if put.value is None:
            conn.execute(
                "DELETE FROM store_items WHERE namespace=? AND key=?", (".".join(put.namespace), put.key)
            )
        else:
            _write(conn, put, put.value)
    sweep(conn, _SWEPT_AT_ONCE)


def refresh(conn: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Start the time to live of items anew."""
    conn.execute(
        "UPDATE store_items SET expires_at=? + CAST(ttl_minutes * 60000000 AS INTEGER) "
        "WHERE ttl_minutes IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
        (now(), json.dumps(ids)),
    )


def sweep(conn: sqlite3.Connection, limit: int) -> int:
    """Delete expired items; returns how many."""
    cursor = conn.execute(
        "DELETE FROM store_items WHERE id IN (SELECT id FROM store_items WHERE expires_at <= ? LIMIT ?)",
        (now(), limit),
    )
    return cursor.rowcount


def _write(conn: sqlite3.Connection, put: Put, value: bytes) -> None:
    at = now()
    expires_at = None if put.ttl_minutes is None else at + int(put.ttl_minutes * 60_000_000)
    # An expired item that was not swept yet is gone: its successor is a new one.
    conn.execute(
        "DELETE FROM store_items WHERE namespace=? AND key=? AND expires_at <= ?",
        (".".join(put.namespace), put.key, at),
    )
    (item,) = conn.execute(
        "INSERT INTO store_items (namespace, key, value, created_at, updated_at, ttl_minutes, expires_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, key) DO UPDATE SET value=excluded.value, "
        "updated_at=excluded.updated_at, ttl_minutes=excluded.ttl_minutes, expires_at=excluded.expires_at "
        "RETURNING id",
        (".".join(put.namespace), put.key, value, at, at, put.ttl_minutes, expires_at),
    ).fetchone()
    conn.execute("DELETE FROM store_vectors WHERE item=?", (item,))
    conn.executemany(
        "INSERT INTO store_vectors (item, path, vector) VALUES (?, ?, ?)",
        [(item, path, vector) for path, vector in put.vectors.items()],
    )


def _prefix(prefix: Namespace) -> tuple[str, list[str]]:
    if not prefix:
        return "1", []
    text = ".".join(prefix)
    # "/" follows "." in the alphabet: everything between is below the namespace.
    return "(i.namespace=? OR (i.namespace>? AND i.namespace<?))", [text, f"{text}.", f"{text}/"]


def _stored(row: sqlite3.Row) -> Stored:
    return Stored(
        row[0], tuple(row[1].split(".")), row[2], json.loads(row[3]), row[4], row[5], row[6] is not None
    )


def _time(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)

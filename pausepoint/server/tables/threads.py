"""Threads: what a client sees of them between runs."""

import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from pausepoint.server.clock import later, now
from pausepoint.server.errors import Conflict, NotFound
from pausepoint.server.serialize import to_json
from pausepoint.server.tables.filters import Where

SORTABLE = ("thread_id", "status", "created_at", "updated_at", "state_updated_at")
_COLUMNS = (
    'thread_id, created_at, updated_at, state_updated_at, metadata, status, config, "values", interrupts, error,'
    " ttl_minutes, ttl_strategy, expires_at"
)
MAY_EXPIRE = (
    "status != 'busy' AND NOT EXISTS"
    " (SELECT 1 FROM pauses p WHERE p.thread_id = threads.thread_id AND p.status = 'open')"
)
"""A thread that waits for a person does not expire."""
_SORT = {name: name for name in SORTABLE} | {"created_at": "created_at"}


def show(row: sqlite3.Row) -> dict[str, Any]:
    """A row as the API shows it; the large columns stay JSON text until the answer is written."""
    found: dict[str, Any] = {
        "thread_id": row["thread_id"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
        "state_updated_at": row["state_updated_at"],
        "metadata": orjson.Fragment(row["metadata"]),
        "status": row["status"],
        "config": orjson.Fragment(row["config"]),
        "values": None if row["values"] is None else orjson.Fragment(row["values"]),
        "interrupts": orjson.Fragment(row["interrupts"]),
        "error": None if row["error"] is None else orjson.Fragment(row["error"]),
    }
    if row["ttl_minutes"] is not None:
        found["ttl"] = {
            "strategy": row["ttl_strategy"],
            "ttl_minutes": row["ttl_minutes"],
            "expires_at": row["expires_at"],
        }
    return found


def row_of(conn: sqlite3.Connection, thread_id: str, filters: Mapping[str, Any] | None) -> sqlite3.Row:
    """The row of a thread the caller may see.

    Raises:
        NotFound: There is none.
    """
    where = Where()
    where.add("thread_id = ?", thread_id)
    where.allowed("metadata", filters)
    row = conn.execute(f"SELECT * FROM threads WHERE {where.sql()}", where.values).fetchone()  # noqa: S608
    if row is None:
        raise NotFound("Thread", thread_id)
    return row


def exists(conn: sqlite3.Connection, thread_id: str) -> bool:
    """Whether there is such a thread, whoever owns it."""
    return conn.execute("SELECT 1 FROM threads WHERE thread_id = ?", (thread_id,)).fetchone() is not None


def get(conn: sqlite3.Connection, thread_id: str, filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """One thread as the API shows it."""
    return show(row_of(conn, thread_id, filters))


def insert(
    conn: sqlite3.Connection,
    thread_id: str | None,
    metadata: Mapping[str, Any] | None,
    ttl: Mapping[str, Any] | None = None,
) -> str:
    """Store a new, idle thread and return its id."""
    thread_id = thread_id or str(uuid.uuid4())
    moment = now()
    minutes, strategy, expires = _ttl(ttl)
    conn.execute(
        "INSERT INTO threads (thread_id, status, metadata, config, interrupts, created_at, updated_at,"
        " state_updated_at, ttl_minutes, ttl_strategy, expires_at)"
        " VALUES (?, 'idle', ?, '{}', '{}', ?, ?, ?, ?, ?, ?)",
        (
            thread_id,
            to_json(metadata or {}).decode(),
            moment,
            moment,
            moment,
            minutes,
            strategy,
            expires,
        ),
    )
    return thread_id


def create(
    conn: sqlite3.Connection,
    thread_id: str | None,
    metadata: Mapping[str, Any] | None,
    if_exists: str,
    ttl: Mapping[str, Any] | None,
    filters: Mapping[str, Any] | None,
) -> tuple[dict[str, Any], bool]:
    """Create a thread, or return the one there is when the caller asked for that; tells whether it is new.

    Raises:
        Conflict: The id is taken.
    """
    if thread_id and exists(conn, thread_id):
        if if_exists != "do_nothing":
            raise Conflict(f"Thread {thread_id!r} already exists; pass if_exists='do_nothing' to get it.")
        return get(conn, thread_id, filters), False
    return get(conn, insert(conn, thread_id, metadata, ttl), None), True


def patch(
    conn: sqlite3.Connection,
    thread_id: str,
    metadata: Mapping[str, Any] | None,
    ttl: Mapping[str, Any] | None,
    filters: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Merge metadata and set the time to live."""
    row = row_of(conn, thread_id, filters)
    merged = {**orjson.loads(row["metadata"]), **(metadata or {})}
    conn.execute(
        "UPDATE threads SET metadata = ?, updated_at = ? WHERE thread_id = ?",
        (to_json(merged).decode(), now(), thread_id),
    )
    if ttl is not None:
        conn.execute(
            "UPDATE threads SET ttl_minutes = ?, ttl_strategy = ?, expires_at = ? WHERE thread_id = ?",
            (*_ttl(ttl), thread_id),
        )
    return get(conn, thread_id, None)


def search(
    conn: sqlite3.Connection, query: Mapping[str, Any], filters: Mapping[str, Any] | None
) -> list[sqlite3.Row]:
    """Threads by metadata, values, status and ids, sorted, one more than the limit to tell whether there are more."""
    where = _where(query, filters)
    column = _SORT[query.get("sort_by") or "created_at"]
    order = "ASC" if query.get("sort_order") == "asc" else "DESC"
    return conn.execute(
        f"SELECT {_COLUMNS} FROM threads WHERE {where.sql()} ORDER BY {column} {order} LIMIT ? OFFSET ?",  # noqa: S608
        [*where.values, query["limit"] + 1, query["offset"]],
    ).fetchall()


def count(conn: sqlite3.Connection, query: Mapping[str, Any], filters: Mapping[str, Any] | None) -> int:
    """How many threads a search would find."""
    where = _where(query, filters)
    return conn.execute(f"SELECT count(*) FROM threads WHERE {where.sql()}", where.values).fetchone()[0]  # noqa: S608


def copy(conn: sqlite3.Connection, thread_id: str, filters: Mapping[str, Any] | None) -> str:
    """Store a copy of the row under a new id; runs stay with the original."""
    row = row_of(conn, thread_id, filters)
    copied = insert(conn, None, orjson.loads(row["metadata"]))
    status = "idle" if row["status"] == "busy" else row["status"]
    conn.execute(
        'UPDATE threads SET status = ?, config = ?, "values" = ?, interrupts = ?, error = ? WHERE thread_id = ?',
        (status, row["config"], row["values"], row["interrupts"], row["error"], copied),
    )
    return copied


def set_state(
    conn: sqlite3.Connection,
    thread_id: str,
    *,
    status: str,
    values: bytes | None,
    interrupts: bytes,
    error: bytes | None = None,
) -> None:
    """Remember the thread's latest state; `values` None keeps those there are."""
    moment = now()
    conn.execute(
        'UPDATE threads SET status = ?, "values" = coalesce(?, "values"), interrupts = ?, error = ?, updated_at = ?,'
        " state_updated_at = ? WHERE thread_id = ?",
        (
            status,
            None if values is None else values.decode(),
            interrupts.decode(),
            None if error is None else error.decode(),
            moment,
            moment,
            thread_id,
        ),
    )


def delete(conn: sqlite3.Connection, thread_id: str) -> None:
    """Delete a thread with its runs, events and crons; its checkpoints are the checkpointer's to delete."""
    for table in ("events", "runs", "crons", "threads"):
        conn.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread_id,))  # noqa: S608


def expired(conn: sqlite3.Connection, limit: int = 100) -> list[sqlite3.Row]:
    """Idle threads whose time is up."""
    return conn.execute(
        f"SELECT thread_id, ttl_strategy FROM threads WHERE expires_at <= ? AND {MAY_EXPIRE} LIMIT ?",  # noqa: S608
        (now(), limit),
    ).fetchall()


def _where(query: Mapping[str, Any], filters: Mapping[str, Any] | None) -> Where:
    where = Where()
    ids: Sequence[Any] | None = query.get("ids")
    if ids is not None:
        where.add(f"thread_id IN ({','.join('?' * len(ids))})", *(str(i) for i in ids))
    if query.get("status"):
        where.add("status = ?", query["status"])
    where.contains("metadata", query.get("metadata"))
    where.contains('"values"', query.get("values"))
    where.allowed("metadata", filters)
    return where


def _ttl(ttl: Mapping[str, Any] | None) -> tuple[float | None, str | None, str | None]:
    minutes = None if ttl is None else (ttl.get("ttl") or ttl.get("default_ttl"))
    if ttl is None or minutes is None:
        return None, None, None
    return float(minutes), str(ttl.get("strategy") or "delete"), later(float(minutes) * 60)

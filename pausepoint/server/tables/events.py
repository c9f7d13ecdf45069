"""Stored stream events, so that a stream can be replayed after a reconnect or a restart."""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple


class Event(NamedTuple):
    """One event of a run; ids are unique and ascending over all runs of a server."""

    id: int
    run_id: str
    thread_id: str
    event: str
    data: bytes


def insert(conn: sqlite3.Connection, events: Sequence[Event]) -> None:
    """Store a batch."""
    conn.executemany("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?)", events)


def of_run(conn: sqlite3.Connection, run_id: str, after: int, limit: int = 1000) -> list[Event]:
    """A run's events after an id, in order."""
    rows = conn.execute(
        "SELECT id, run_id, thread_id, event, data FROM events WHERE run_id = ? AND id > ? ORDER BY id LIMIT ?",
        (run_id, after, limit),
    )
    return [Event(*row) for row in rows]


def of_thread(conn: sqlite3.Connection, thread_id: str, after: int, limit: int = 1000) -> list[Event]:
    """A thread's events after an id, in order, over all its runs."""
    rows = conn.execute(
        "SELECT id, run_id, thread_id, event, data FROM events WHERE thread_id = ? AND id > ? ORDER BY id LIMIT ?",
        (thread_id, after, limit),
    )
    return [Event(*row) for row in rows]


def prune(conn: sqlite3.Connection, thread_id: str, keep_runs: int) -> None:
    """Delete the events of all but the latest runs of a thread."""
    row = conn.execute(
        "SELECT number FROM runs WHERE thread_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?",
        (thread_id, keep_runs - 1),
    ).fetchone()
    if row is not None:
        conn.execute(
            "DELETE FROM events WHERE run_id IN (SELECT run_id FROM runs WHERE thread_id = ? AND number < ?)",
            (thread_id, row[0]),
        )


def prune_before(conn: sqlite3.Connection, moment: str, limit: int = 200) -> int:
    """Delete the events of runs that ended before a time; returns how many runs were looked at."""
    rows = conn.execute(
        "SELECT DISTINCT e.run_id FROM events e JOIN runs r ON r.run_id = e.run_id"
        " WHERE r.status NOT IN ('pending', 'running') AND r.updated_at < ? LIMIT ?",
        (moment, limit),
    ).fetchall()
    conn.executemany("DELETE FROM events WHERE run_id = ?", [(row[0],) for row in rows])
    return len(rows)


def reserve(conn: sqlite3.Connection, block: int) -> int:
    """Reserve a block of ids and return the first; no id is ever given out twice."""
    row = conn.execute("SELECT reserved FROM counters WHERE name = 'events'").fetchone()
    first = 1 if row is None else row[0]
    conn.execute("INSERT OR REPLACE INTO counters VALUES ('events', ?)", (first + block,))
    return first

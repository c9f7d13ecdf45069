"""Runs: the queue, what each run is to do, and how it ended."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from pausepoint.server.clock import now
from pausepoint.server.errors import NotFound
from pausepoint.server.serialize import to_json

UNFINISHED = ("pending", "running")


@dataclass
class Run:
    """A run in memory; the row in the table is the truth."""

    run_id: str
    thread_id: str
    assistant_id: str
    status: str
    metadata: dict[str, Any]
    kwargs: dict[str, Any]
    multitask_strategy: str
    created_at: str
    updated_at: str
    start_after: str
    number: int = 0
    attempt: int = 0
    error: dict[str, Any] | None = None
    cancel_reason: str | None = None
    progress: str | None = None
    left_over: bool = False
    """Whether an earlier process accepted it."""

    @property
    def graph_id(self) -> str:
        """The graph it runs."""
        return str(self.kwargs["graph_id"])

    def show(self) -> dict[str, Any]:
        """The run as the API shows it."""
        found: dict[str, Any] = {
            "run_id": self.run_id,
            "thread_id": self.thread_id,
            "assistant_id": self.assistant_id,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "status": self.status,
            "metadata": self.metadata,
            "multitask_strategy": self.multitask_strategy,
            "cancel_reason": self.cancel_reason,
            "kwargs": {k: v for k, v in self.kwargs.items() if k not in PRIVATE_KWARGS},
        }
        if self.error is not None:
            found["error"] = self.error
        return found


PRIVATE_KWARGS = frozenset({"user", "answers", "headers"})
"""What a run needs but a client is not shown."""


def load(row: sqlite3.Row) -> Run:
    """A row as a Run."""
    return Run(
        run_id=row["run_id"],
        thread_id=row["thread_id"],
        assistant_id=row["assistant_id"],
        status=row["status"],
        metadata=orjson.loads(row["metadata"]),
        kwargs=orjson.loads(row["kwargs"]),
        multitask_strategy=row["multitask_strategy"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        start_after=row["start_after"],
        number=row["number"],
        attempt=row["attempt"],
        error=None if row["error"] is None else orjson.loads(row["error"]),
        cancel_reason=row["cancel_reason"],
        progress=row["progress"],
    )


def insert(conn: sqlite3.Connection, run: Run) -> None:
    """Store a new run; it gets its number, which is its place in the queue."""
    cursor = conn.execute(
        "INSERT INTO runs (run_id, thread_id, assistant_id, status, metadata, kwargs, multitask_strategy, attempt,"
        " start_after, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run.run_id,
            run.thread_id,
            run.assistant_id,
            run.status,
            to_json(run.metadata).decode(),
            to_json(run.kwargs).decode(),
            run.multitask_strategy,
            run.attempt,
            run.start_after,
            run.created_at,
            run.updated_at,
        ),
    )
    run.number = cursor.lastrowid or 0


def get(conn: sqlite3.Connection, thread_id: str, run_id: str) -> Run:
    """One run of a thread.

    Raises:
        NotFound: There is none.
    """
    row = conn.execute(
        "SELECT * FROM runs WHERE run_id = ? AND thread_id = ?", (run_id, thread_id)
    ).fetchone()
    if row is None:
        raise NotFound("Run", run_id)
    return load(row)


def find(conn: sqlite3.Connection, run_id: str) -> Run | None:
    """One run of whatever thread."""
    row = conn.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else load(row)


def of_thread(
    conn: sqlite3.Connection,
    thread_id: str,
    *,
    status: str | None = None,
    limit: int = 10,
    offset: int = 0,
) -> list[Run]:
    """A thread's runs, newest first."""
    condition, values = ("AND status = ?", [status]) if status else ("", [])
    rows = conn.execute(
        f"SELECT * FROM runs WHERE thread_id = ? {condition} ORDER BY number DESC LIMIT ? OFFSET ?",  # noqa: S608
        [thread_id, *values, limit, offset],
    )
    return [load(row) for row in rows]


def unfinished_of_thread(conn: sqlite3.Connection, thread_id: str) -> list[Run]:
    """The runs of a thread that wait or run, oldest first."""
    rows = conn.execute(
        "SELECT * FROM runs WHERE thread_id = ? AND status IN ('pending', 'running') ORDER BY number",
        (thread_id,),
    )
    return [load(row) for row in rows]


def unfinished(conn: sqlite3.Connection) -> list[Run]:
    """All runs that wait or were running, oldest first."""
    return [
        load(row)
        for row in conn.execute("SELECT * FROM runs WHERE status IN ('pending', 'running') ORDER BY number")
    ]


def queue_length(conn: sqlite3.Connection) -> int:
    """How many runs wait or run."""
    return conn.execute("SELECT count(*) FROM runs WHERE status IN ('pending', 'running')").fetchone()[0]


def set_status(
    conn: sqlite3.Connection,
    run_id: str,
    status: str,
    *,
    error: Mapping[str, Any] | None = None,
    cancel_reason: str | None = None,
) -> None:
    """Write a run's status."""
    conn.execute(
        "UPDATE runs SET status = ?, error = ?, cancel_reason = coalesce(?, cancel_reason), updated_at = ?"
        " WHERE run_id = ?",
        (status, None if error is None else to_json(error).decode(), cancel_reason, now(), run_id),
    )


def start(conn: sqlite3.Connection, run_id: str) -> int:
    """Mark a run as running and return which attempt this is."""
    row = conn.execute(
        "UPDATE runs SET status = 'running', attempt = attempt + 1, updated_at = ? WHERE run_id = ?"
        " AND status IN ('pending', 'running') RETURNING attempt",
        (now(), run_id),
    ).fetchone()
    return 0 if row is None else row[0]


def note_progress(conn: sqlite3.Connection, run_id: str, attempt: int, progress: str) -> None:
    """Remember how far a run had come when it was continued."""
    conn.execute("UPDATE runs SET attempt = ?, progress = ? WHERE run_id = ?", (attempt, progress, run_id))


def requeue(conn: sqlite3.Connection, run_ids: Iterable[str]) -> None:
    """Put runs that a shutdown stopped back into the queue; that attempt does not count."""
    conn.executemany(
        "UPDATE runs SET status = 'pending', attempt = max(attempt - 1, 0) WHERE run_id = ? AND status = 'running'",
        [(run_id,) for run_id in run_ids],
    )


def delete(conn: sqlite3.Connection, run_id: str) -> None:
    """Delete a run with its events."""
    conn.execute("DELETE FROM events WHERE run_id = ?", (run_id,))
    conn.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))

"""Idempotency keys: the same request, sent again, gets the run it got the first time."""

import sqlite3

from pausepoint.pauses.decisions import digest
from pausepoint.pauses.rows import Actor
from pausepoint.server.accept import Draft
from pausepoint.server.clock import later, now
from pausepoint.server.errors import Conflict, Invalid
from pausepoint.server.tables import runs as runs_table
from pausepoint.server.tables.runs import Run

KEEP_SECONDS = 7 * 24 * 3600.0
_LONGEST = 255


def before(conn: sqlite3.Connection, draft: Draft) -> Run | None:
    """The run this request was given when it came first.

    Raises:
        Invalid: The key was used for another request.
        Conflict: The run is gone.
    """
    key = draft.idempotency_key
    if key is None:
        return None
    if not 0 < len(key) <= _LONGEST:
        raise Invalid(f"The Idempotency-Key has {len(key)} characters; use 1 to {_LONGEST}.")
    row = conn.execute(
        "SELECT * FROM pause_requests WHERE actor = ? AND key = ?", (_who(draft), key)
    ).fetchone()
    if row is None:
        return None
    if row["fingerprint"] != _fingerprint(draft):
        raise Invalid(f"The Idempotency-Key {key!r} was used for another request; use a new one.")
    run = runs_table.find(conn, row["run_id"])
    if run is None:
        raise Conflict(f"The request was accepted before as run {row['run_id']!r}, which was deleted since.")
    return run


def remember(conn: sqlite3.Connection, draft: Draft, run: Run) -> None:
    """Keep which run a request was given."""
    if draft.idempotency_key is not None:
        conn.execute(
            "INSERT INTO pause_requests VALUES (?, ?, ?, ?, ?)",
            (_who(draft), draft.idempotency_key, _fingerprint(draft), run.run_id, now()),
        )


def forget_old(conn: sqlite3.Connection) -> None:
    """Forget keys after a week."""
    conn.execute("DELETE FROM pause_requests WHERE created_at < ?", (later(-KEEP_SECONDS),))


def _who(draft: Draft) -> str:
    return Actor.of(draft.actor or draft.user).identity


def _fingerprint(draft: Draft) -> str:
    return digest([draft.thread_id, draft.body.model_dump(mode="json", exclude_none=True)])

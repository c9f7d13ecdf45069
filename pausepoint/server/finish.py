"""Ends a run: its status, its thread's new state, its last events and its webhook, in one transaction."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from pausepoint.server.clock import now
from pausepoint.server.execute import State
from pausepoint.server.serialize import to_json
from pausepoint.server.tables import events as events_table
from pausepoint.server.tables import runs as runs_table
from pausepoint.server.tables import threads as threads_table
from pausepoint.server.tables.events import Event
from pausepoint.server.tables.runs import Run

KEEP_EVENTS_OF_RUNS = 3
"""Of how many runs a thread keeps the events."""


@dataclass
class Outcome:
    """What a client that waits for a run gets."""

    status: str
    answer: bytes | None
    error: Mapping[str, Any] | None = None

    def body(self) -> bytes:
        """The JSON answer."""
        if self.error is not None:
            return to_json({"__error__": self.error})
        return self.answer or b"null"


@dataclass
class Ending:
    """How a run ended."""

    status: str
    state: State | None
    """The thread's state; None: unchanged or unknown."""
    error: Mapping[str, Any] | None = None
    cancel_reason: str | None = None
    delete_run: bool = False
    delete_thread: bool = False
    events: list[Event] = field(default_factory=list[Event])

    @classmethod
    def failed(cls, error: Mapping[str, Any], state: State | None = None) -> "Ending":
        """An ending by an error."""
        return cls("error", state, error)

    def summary(self) -> dict[str, Any]:
        """What the stream's last event says."""
        if self.error is not None:
            return {"status": "error", "message": f"{self.error['error']}: {self.error['message']}"}
        if self.status == "success" and self.state is not None and self.state.status == "interrupted":
            return {"status": "paused"}
        return {"status": self.status, "message": self.cancel_reason}

    def outcome(self) -> Outcome:
        """What a waiting client gets."""
        return Outcome(self.status, self.state.answer if self.state else None, self.error)


def record(conn: sqlite3.Connection, run: Run, ending: Ending) -> bool:
    """Write the end of a run; tells whether a webhook has to be sent."""
    if run.kwargs.get("temporary"):
        hooked = _webhook(conn, run, ending)
        threads_table.delete(conn, run.thread_id)
        return hooked
    if ending.events:
        events_table.insert(conn, ending.events)
    if ending.delete_run:
        runs_table.delete(conn, run.run_id)
    else:
        runs_table.set_status(
            conn, run.run_id, ending.status, error=ending.error, cancel_reason=ending.cancel_reason
        )
    _update_thread(conn, run, ending)
    if run.number % 2 == 0:
        events_table.prune(conn, run.thread_id, KEEP_EVENTS_OF_RUNS)
    return _webhook(conn, run, ending)


def _update_thread(conn: sqlite3.Connection, run: Run, ending: Ending) -> None:
    busy = conn.execute(
        "SELECT 1 FROM runs WHERE thread_id = ? AND status IN ('pending', 'running') LIMIT 1",
        (run.thread_id,),
    ).fetchone()
    state = ending.state
    if state is None:
        row = conn.execute("SELECT interrupts FROM threads WHERE thread_id = ?", (run.thread_id,)).fetchone()
        interrupts = row["interrupts"].encode() if row else b"{}"
        status = "interrupted" if interrupts != b"{}" else "idle"
        values = None
    else:
        status, values, interrupts = state.status, state.values, state.interrupts
    if ending.error is not None:
        status = "error"
    threads_table.set_state(
        conn,
        run.thread_id,
        status="busy" if busy else status,
        values=values,
        interrupts=interrupts,
        error=None if ending.error is None else to_json(ending.error),
    )


def _webhook(conn: sqlite3.Connection, run: Run, ending: Ending) -> bool:
    url = run.kwargs.get("webhook")
    if not url:
        return False
    shown = run.show()
    shown.update(status=ending.status, updated_at=now(), webhook_sent_at=now())
    shown["error"] = ending.error
    shown["values"] = orjson.Fragment(ending.state.values) if ending.state and ending.state.values else None
    conn.execute(
        "INSERT INTO webhooks (run_id, url, body, attempt, due_at) VALUES (?, ?, ?, 0, ?)",
        (run.run_id, url, to_json(shown), now()),
    )
    return True


def outcome_of(conn: sqlite3.Connection, run: Run) -> Outcome:
    """What a client gets that asks after the run has ended."""
    found = runs_table.get(conn, run.thread_id, run.run_id)
    if found.error is not None:
        return Outcome(found.status, None, found.error)
    row = threads_table.row_of(conn, run.thread_id, None)
    values = row["values"]
    interrupts = [i for group in orjson.loads(row["interrupts"]).values() for i in group]
    if interrupts and values is not None:
        loaded = orjson.loads(values)
        if isinstance(loaded, dict):
            distinct = list({i["id"]: i for i in interrupts}.values())
            return Outcome(found.status, to_json({**loaded, "__interrupt__": distinct}))
    return Outcome(found.status, None if values is None else values.encode())

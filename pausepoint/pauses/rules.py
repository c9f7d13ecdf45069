"""What may happen to a thread while something waits on it: nothing that would make a question vanish unsaid.

A caller that means to drop what waits says so: header `X-On-Pause: discard`, or, for a new run, the multitask strategy
`interrupt` or `rollback`. That is put on record like an answer.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any

from pausepoint.pauses import rows
from pausepoint.pauses.rows import Actor
from pausepoint.server.accept import Draft
from pausepoint.server.changes import Change
from pausepoint.server.errors import Conflict
from pausepoint.server.tables.runs import Run

HEADER = "x-on-pause"


def wants_discard(headers: Mapping[str, str]) -> bool:
    """Whether a caller says that what waits may go."""
    return headers.get(HEADER, "").strip().lower() == "discard"


def check_new_work(conn: sqlite3.Connection, draft: Draft, run: Run, thread: sqlite3.Row) -> None:
    """Refuse a run that would drop what waits, or drop it when the caller says so.

    Raises:
        Conflict: Something waits.
    """
    discard = wants_discard(draft.headers) or draft.body.multitask_strategy in ("interrupt", "rollback")
    if discard:
        run.kwargs["on_pause"] = "discard"
    if carries_on(run):
        return
    waiting = rows.open_of_thread(conn, str(thread["thread_id"]))
    if not waiting:
        return
    if not discard:
        raise still_waiting(waiting, "a new run")
    for row in waiting:
        rows.close(conn, row, "discarded", Actor.of(draft.actor or draft.user), reason=f"run {run.run_id}")


def check_start(conn: sqlite3.Connection, run: Run) -> str | None:
    """Why a run that has waited for its turn must not begin; None when it may."""
    answers: Mapping[str, Any] = run.kwargs.get("answers") or {}
    if answers:
        for key in answers:
            row = rows.latest(conn, run.thread_id, key)
            if row is not None and (row["status"] == "open" or row["answer_run_id"] != run.run_id):
                return f"The question {row['title']!r} does not wait for this answer any more."
        return None
    if carries_on(run) or run.attempt > 0:
        return None
    waiting = rows.open_of_thread(conn, run.thread_id)
    if not waiting:
        return None
    if run.kwargs.get("on_pause") != "discard":
        return f"A question opened before this run's turn: {waiting[0]['title']!r}. Answer it, or discard it."
    for row in waiting:
        rows.close(conn, row, "discarded", Actor.of(run.kwargs.get("user")), reason=f"run {run.run_id}")
    return None


def check_change(conn: sqlite3.Connection, change: Change) -> None:
    """Refuse to change or delete a thread that waits, or discard what waits when the caller says so.

    Raises:
        Conflict: Something waits.
    """
    if change.action == "copy":
        return
    waiting = rows.open_of_thread(conn, change.thread_id)
    if not waiting:
        return
    if not wants_discard(change.headers):
        what = "an update of its state" if change.action == "update" else "its deletion"
        raise still_waiting(waiting, what)
    if change.final:
        for row in waiting:
            reason = change.reason or f"the thread's {change.action}"
            rows.close(conn, row, change.closes_as, Actor.of(change.user), reason=reason)


def carries_on(run: Run) -> bool:
    """Whether a run only continues where the thread stands: what waits then asks again, under the same id."""
    kwargs = run.kwargs
    return not any(kwargs.get(key) is not None for key in ("input", "command", "checkpoint", "checkpoint_id"))


def still_waiting(waiting: list[sqlite3.Row], what: str) -> Conflict:
    """The refusal."""
    first = waiting[0]
    return Conflict(
        f"Thread {first['thread_id']!r} waits for an answer to {first['title']!r}; {what} would discard the question. "
        "Answer it, or say that it may go with the header 'X-On-Pause: discard' (for a run also by the multitask "
        "strategy interrupt or rollback).",
        {
            "pending": [
                {"pause_id": r["pause_id"], "interrupt_id": r["interrupt_id"], "title": r["title"]}
                for r in waiting
            ]
        },
    )

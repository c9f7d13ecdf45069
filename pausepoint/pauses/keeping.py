"""Keeps the table of pauses equal to what the checkpoints hold, in the transaction that ends a run or changes a thread."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from pausepoint.pauses import rows
from pausepoint.pauses.question import read_question
from pausepoint.server.finish import Ending
from pausepoint.server.tables.runs import Run

_RESUME_WITH = (
    "config",
    "context",
    "user",
    "headers",
    "webhook",
    "durability",
    "interrupt_before",
    "interrupt_after",
)


@dataclass(frozen=True)
class Asker:
    """Whose questions these are."""

    thread_id: str
    graph_id: str
    assistant_id: str | None = None
    run_id: str | None = None
    graph_version: str | None = None
    nodes: Mapping[str, str] = field(default_factory=dict[str, str])
    resume_with: Mapping[str, Any] = field(default_factory=dict[str, Any])


def after_run(conn: sqlite3.Connection, run: Run, ending: Ending, versions: Mapping[str, str]) -> None:
    """The finisher: opens what the run asked, reopens what it did not take, closes what it left behind."""
    if ending.state is not None:
        interrupts = orjson.loads(ending.state.interrupts)
    else:
        row = conn.execute("SELECT interrupts FROM threads WHERE thread_id = ?", (run.thread_id,)).fetchone()
        interrupts = {} if row is None else orjson.loads(row["interrupts"])
    if interrupts and run.kwargs.get("temporary"):
        keep_thread(conn, run)
    asker = Asker(
        run.thread_id,
        run.graph_id,
        run.assistant_id,
        run.run_id,
        versions.get(run.graph_id),
        ending.state.nodes if ending.state else {},
        {k: run.kwargs[k] for k in _RESUME_WITH if run.kwargs.get(k) is not None},
    )
    agree(conn, asker, interrupts, _why(run, ending))


def _why(run: Run, ending: Ending) -> str:
    if ending.error is not None:
        return f"run {run.run_id} failed: {ending.error.get('error')}: {ending.error.get('message')}"[:1000]
    return f"run {run.run_id} was stopped" if ending.status == "interrupted" else f"run {run.run_id}"


def keep_thread(conn: sqlite3.Connection, run: Run) -> None:
    """A run without a thread that asks something gets to keep its own: somebody has to be able to answer."""
    run.kwargs["temporary"] = False
    conn.execute(
        "UPDATE runs SET kwargs = json_set(kwargs, '$.temporary', json('false')) WHERE run_id = ?",
        (run.run_id,),
    )


def agree(conn: sqlite3.Connection, asker: Asker, interrupts: Mapping[str, list[Any]], why: str) -> None:
    """Make the table say what the checkpoints say.

    Args:
        conn: The transaction.
        asker: The thread, and the run that has just ended, if one has.
        interrupts: Task id → its open interrupts, as the thread shows them.
        why: What led to this, for pauses that close or open again.
    """
    current = {i["id"]: (task_id, i) for task_id, group in interrupts.items() for i in group}
    known = _relevant(conn, asker)
    for key, (task_id, interrupt) in current.items():
        row = known.get(key)
        if row is None:
            _open(conn, asker, key, task_id, interrupt)
        elif row["status"] == "open":
            rows.ask_anew(conn, row, read_question(interrupt))
        elif row["answer_run_id"] == asker.run_id:
            rows.reopen(conn, row, why)
    for key, row in known.items():
        if key not in current and row["status"] == "open":
            rows.close(conn, row, "gone", rows.SERVER, reason=why)


def _relevant(conn: sqlite3.Connection, asker: Asker) -> dict[str, sqlite3.Row]:
    """Open pauses, those this run answered, and those another run has still to answer."""
    found = conn.execute(
        "SELECT p.* FROM pauses p LEFT JOIN runs r ON r.run_id = p.answer_run_id WHERE p.thread_id = ? AND"
        " (p.status = 'open' OR (p.status IN ('answered', 'expired') AND (p.answer_run_id = ? OR"
        " r.status IN ('pending', 'running')))) ORDER BY p.number",
        (asker.thread_id, asker.run_id),
    )
    return {row["interrupt_id"]: row for row in found}


def _open(
    conn: sqlite3.Connection, asker: Asker, key: str, task_id: str, interrupt: Mapping[str, Any]
) -> None:
    rows.insert(
        conn,
        read_question(interrupt),
        thread_id=asker.thread_id,
        interrupt_id=key,
        task_id=task_id,
        node=asker.nodes.get(task_id),
        run_id=asker.run_id,
        graph_id=asker.graph_id,
        assistant_id=asker.assistant_id,
        graph_version=asker.graph_version,
        resume_with=asker.resume_with,
    )


def copy(conn: sqlite3.Connection, source: str, target: str) -> None:
    """Open on a copied thread what is open on the original; each is answered on its own."""
    columns = [
        row[1]
        for row in conn.execute("PRAGMA table_info(pauses)")
        if row[1] not in ("number", "pause_id", "thread_id")
    ]
    names = ", ".join(columns)
    for row in rows.open_of_thread(conn, source):
        pause_id = conn.execute(
            f"INSERT INTO pauses (pause_id, thread_id, {names}) SELECT"  # noqa: S608
            " lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' ||"
            f" hex(randomblob(2)) || '-' || hex(randomblob(6))), ?, {names} FROM pauses WHERE number = ?"
            " RETURNING pause_id",
            (target, row["number"]),
        ).fetchone()[0]
        rows.note_event(conn, "opened", pause_id, target)
    conn.execute(
        "INSERT OR IGNORE INTO attachment_uses SELECT attachment_id, ? FROM attachment_uses WHERE thread_id = ?",
        (target, source),
    )


def catch_up(conn: sqlite3.Connection, versions: Mapping[str, str]) -> int:
    """Open what threads already waited for before this table was there; returns how many threads that were."""
    found = conn.execute(
        "SELECT * FROM threads t WHERE interrupts != '{}' AND status != 'busy'"
        " AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.thread_id = t.thread_id)"
    ).fetchall()
    for thread in found:
        metadata = orjson.loads(thread["metadata"])
        graph_id = metadata.get("graph_id")
        if graph_id is None:
            continue
        asker = Asker(
            thread["thread_id"], graph_id, metadata.get("assistant_id"), None, versions.get(graph_id)
        )
        agree(conn, asker, orjson.loads(thread["interrupts"]), "found at start")
    return len(found)
